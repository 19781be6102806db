"""Texts of --help and of NumPy-style docstrings, as Markdown."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator

__all__ = ["docstring", "fenced", "prose", "table"]

CODE = re.compile(r"(``.+?``|`[^`]+`)", re.DOTALL)
LISTS = ("Parameters", "Returns", "Yields", "Raises", "Warns", "Attributes")


def prose(text: str) -> str:
    """Escape what Markdown would obey, but for code in backticks."""
    parts = CODE.split(text)
    return "".join(
        f"`{part.strip('`')}`" if index % 2 else re.sub(r"([*<\[])", r"\\\1", part)
        for index, part in enumerate(parts)
    )


def fenced(text: str) -> str:
    return f"```text\n{text}\n```"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    cells = [list(head), *map(list, rows)]
    cells.insert(1, ["---"] * len(cells[0]))
    return "\n".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in cells
    )


def docstring(text: str) -> str:
    """Turn a docstring's sections into paragraphs and lists."""
    blocks = []
    for title, lines in _sections(inspect.cleandoc(text).splitlines()):
        if title:
            blocks.append(f"**{title}**")
        text = "\n".join(lines).strip("\n")
        if title in LISTS:
            # A paragraph after the last entry, such as "Source: ...", belongs to the whole.
            entries, *rest = re.split(r"\n\n(?! )", text, maxsplit=1)
            blocks.append("\n".join(_entries(entries)))
            text = "".join(rest)
        blocks += _paragraphs(text)
    return "\n\n".join(filter(None, blocks))


def _sections(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    title, start = "", 0
    for index in range(1, len(lines)):
        if lines[index] and set(lines[index]) == {"-"} and lines[index - 1]:
            yield title, lines[start : index - 1]
            title, start = lines[index - 1], index + 1
    yield title, lines[start:]


def _entries(text: str) -> Iterator[str]:
    """Yield a list item for each entry: a line that is not indented, and what follows it."""
    for entry in re.split(r"\n(?! |\n)", text):
        head, _, body = entry.partition("\n")
        names, _, kind = head.partition(" : ")
        told = f" ({prose(kind)})" if kind else ""
        yield f"- `{names}`{told}" + (f": {prose(' '.join(body.split()))}" if body else "")


def _paragraphs(text: str) -> Iterator[str]:
    for block in re.split(r"\n\n+", text):
        if block.startswith("    "):
            yield fenced(inspect.cleandoc(block))
        else:
            yield prose(" ".join(block.split()))

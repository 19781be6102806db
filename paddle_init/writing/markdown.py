"""Texts as GitHub-flavoured Markdown in which nothing of them is markup."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from paddle_init.printable import printable

__all__ = ["code", "fenced", "prose", "table"]

MARKUP = re.compile(r"[\\`*_~\[\]<>|&$#]")
BACKTICKS = re.compile(r"`+")


def code(text: str) -> str:
    """Write a text as code, in a table too; control characters are escaped."""
    shown = printable(text)
    if "|" in shown:  # which ends a table's cell even inside of a code span
        return f"<code>{MARKUP.sub(lambda found: f'&#{ord(found[0])};', shown)}</code>"
    mark = "`" * (1 + _longest_run(shown))
    # One blank at each end is taken off again; a blank or backtick of the text's own is kept so.
    ends = {shown[:1], shown[-1:]}
    apart = " " if shown.strip(" ") and ends & {"`", " "} else ""
    return f"{mark}{apart}{shown}{apart}{mark}"


def fenced(text: str) -> str:
    """Write a command as a code block."""
    shown = printable(text)
    mark = "`" * max(3, 1 + _longest_run(shown))
    return f"{mark}sh\n{shown}\n{mark}"


def prose(text: str) -> str:
    """Write a text that is no markup; its lines are kept by hard breaks."""
    return "<br>".join(MARKUP.sub(r"\\\g<0>", printable(line)) for line in text.split("\n"))


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0) -> Iterator[str]:
    """Yield the lines of a table of what `code` and `prose` made; the last columns are numbers."""
    yield _row(heads)
    yield _row(["---"] * (len(heads) - numbers) + ["--:"] * numbers)
    yield from map(_row, rows)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _longest_run(text: str) -> int:
    return max(map(len, BACKTICKS.findall(text)), default=0)

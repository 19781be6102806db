"""Names and texts of a conf as Python source: nothing in a conf can become code."""

from __future__ import annotations

import keyword
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence

from paddle_init.printable import inert

__all__ = ["Identifiers", "call", "docstring", "escaped", "literal", "paragraph"]

WIDTH = 88


def escaped(text: str) -> str:
    """Return printable text that is safe between double quotes, in a docstring, in a comment."""
    return "".join(map(_escaped, text)).replace("##[", "##\\x5b")


def _escaped(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    return char if char.isprintable() else char.encode("unicode_escape").decode("ascii")


def literal(text: str) -> str:
    """Return the string literal of a text."""
    return f'"{escaped(text)}"'


def paragraph(text: str, first: str = "", rest: str | None = None) -> list[str]:
    """Return escaped text in lines that fit, after `first` and then `rest` (`first` again)."""
    lines = textwrap.wrap(
        escaped(text),
        WIDTH,
        initial_indent=first,
        subsequent_indent=first if rest is None else rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return list(map(inert, lines))


def docstring(text: str, indent: str = "") -> list[str]:
    """Return a text as a docstring."""
    lines = paragraph(text, f'{indent}"""', indent)
    if len(lines) == 1 and len(lines[0]) + 3 <= WIDTH:
        return [lines[0] + '"""']
    return [*lines, f'{indent}"""']


def call(head: str, arguments: Sequence[str], tail: str = ")", indent: str = "") -> list[str]:
    """Return ``head + arguments + tail`` on one line, else laid out as ruff format would."""
    line = f"{indent}{head}{', '.join(arguments)}{tail}"
    if len(line) <= WIDTH:
        return [line]
    inner = f"{indent}    {', '.join(arguments)}"
    body = [inner] if len(inner) <= WIDTH else [f"{indent}    {item}," for item in arguments]
    return [f"{indent}{head}", *body, f"{indent}{tail}"]


class Identifiers:
    """Gives names of any text an identifier: valid, no keyword, no two alike.

    Parameters
    ----------
    taken : iterable of str
        Identifiers that mean something else already.
    prefix : str
        Put before a name that is no identifier.
    """

    def __init__(self, taken: Iterable[str] = (), prefix: str = "p_") -> None:
        self._taken = set(taken)
        self._prefix = prefix
        self._count: dict[str, int] = {}

    def new(self, name: str) -> str:
        """Return a new identifier that reads like `name`."""
        # Python compares identifiers in NFKC: names that differ may meet there
        chars = unicodedata.normalize("NFKC", name)
        word = "".join(char if f"a{char}".isidentifier() else "_" for char in chars).lstrip("_")
        if not word.isidentifier() or keyword.iskeyword(word):
            word = f"{self._prefix}{word}"
        found, count = word, self._count.get(word, 1)
        while found in self._taken:
            count += 1
            found = f"{word}_{count}"
        self._count[word] = count
        self._taken.add(found)
        return found

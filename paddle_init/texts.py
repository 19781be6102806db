"""Texts from files, made safe to show on a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

LONGEST = 2000


def printable(text: str) -> str:
    """Escape what a terminal or a CI log would obey or not show.

    These are control and format characters, and ``##[``, which starts a command to a runner of
    GitHub or Azure anywhere in a line.
    """
    if not text.isprintable():
        text = "".join(
            char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
            for char in text
        )
    return text.replace("##[", "##\\x5b")


def inert(line: str) -> str:
    """Escape the ``::`` that starts a command to GitHub's runner at the start of a line."""
    start = len(line) - len(line.lstrip())
    return f"{line[:start]}\\x3a{line[start + 1 :]}" if line.startswith("::", start) else line


def clipped(text: str) -> str:
    """Leave out the middle of a message that quotes a name of a file's length."""
    half = LONGEST // 2
    return text if len(text) <= LONGEST else f"{text[:half]} [...] {text[-half:]}"


def short(value: float, digits: int = 6) -> str:
    """Write a number with few digits: ``0.011547``."""
    return f"{value:.{digits}g}"


# A search compares with every name, so names of a file's length or number are left alone.
LONGEST_NAME = 200
MOST = 1000


def nearest(word: object, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the known name that is most like `word`, whatever its case; None if none is."""
    text = str(word).casefold()
    names = {name.casefold(): name for name in known}
    if len(text) > LONGEST_NAME or len(names) > MOST:
        return None
    found = get_close_matches(text, names, 1, cutoff)
    return names[found[0]] if found else None


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: ``; did you mean relu?`` or nothing."""
    near = nearest(word, known)
    return f"; did you mean {near}?" if near else ""


def not_one_of(name: str, value: object, allowed: Iterable[str]) -> str:
    """Return the message about a value that is none of those allowed."""
    names = tuple(allowed)
    return f"{name} must be one of {', '.join(names)}, got {value!r}{did_you_mean(value, names)}"


def slip(word: str, name: str) -> bool:
    """Return whether `word` is `name` with a slip of the pen that two names rarely differ by.

    That is another case or other separators, two neighbours swapped, or one letter too many or
    too few inside of the word; not another digit, nor a letter at either end, as in a plural.
    """
    if word == name:
        return False
    if min(len(word), len(name)) >= 3 and _letters(word) == _letters(name):
        return True
    start = _common(word, name)
    end = _common(word[start:][::-1], name[start:][::-1])
    ours, theirs = word[start : len(word) - end], name[start : len(name) - end]
    if len(ours) == len(theirs) == 2:
        return ours == theirs[::-1] and (ours + theirs).isalpha()
    odd = ours or theirs
    inside = start > 0 and end > 0
    return not (ours and theirs) and len(odd) == 1 and odd.isalpha() and inside


def _letters(word: str) -> str:
    return "".join(char for char in word.casefold() if char.isalnum())


def _common(one: str, other: str) -> int:
    """Return the length of the common start."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def number(value: float) -> str:
    """Write a number so that it reads back to the same double, without a trailing `.0`."""
    text = repr(float(value))
    return text.removesuffix(".0")

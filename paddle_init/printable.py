"""Texts from files, made safe to show on a terminal."""

from __future__ import annotations

__all__ = ["clipped", "inert", "printable", "short"]

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

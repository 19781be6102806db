"""Texts from files, made safe to show on a terminal."""

from __future__ import annotations

__all__ = ["clipped", "printable", "short"]

LONGEST = 2000


def printable(text: str) -> str:
    """Escape what a terminal would obey or not show: control and format characters."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def clipped(text: str) -> str:
    """Leave out the middle of a message that quotes a name of a file's length."""
    half = LONGEST // 2
    return text if len(text) <= LONGEST else f"{text[:half]} [...] {text[-half:]}"


def short(value: float, digits: int = 6) -> str:
    """Write a number with few digits: ``0.011547``."""
    return f"{value:.{digits}g}"

"""Texts from files, made safe to show on a terminal."""

from __future__ import annotations

__all__ = ["printable", "short"]


def printable(text: str) -> str:
    """Escape what a terminal would obey or not show: control and format characters."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def short(value: float, digits: int = 6) -> str:
    """Write a number with few digits: ``0.011547``."""
    return f"{value:.{digits}g}"

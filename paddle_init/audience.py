"""Who reads a message: a caller of the library, or a person at the command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["at_command_line", "setting"]

_AT_COMMAND_LINE = ContextVar("_AT_COMMAND_LINE", default=False)


def setting(keyword: str, option: str) -> str:
    """Return a setting as the reader writes it: a keyword argument or a command's option."""
    return option if _AT_COMMAND_LINE.get() else keyword


@contextmanager
def at_command_line() -> Iterator[None]:
    """Word the messages that are made meanwhile for the command line."""
    before = _AT_COMMAND_LINE.set(True)
    try:
        yield
    finally:
        _AT_COMMAND_LINE.reset(before)

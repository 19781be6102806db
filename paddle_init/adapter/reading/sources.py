"""Where in a user's own code a parameter was made."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from paddle_init.errors import Source

__all__ = [
    "calling_line",
    "in_brackets",
    "is_users",
    "raising_line",
    "sources_from_here",
    "stated_line",
]

FRAME = re.compile(r'\s*File "(?P<file>.+)", line (?P<line>\d+), in ')
LIBRARIES = re.compile(r"^<|[\\/](site|dist)-packages[\\/]|[\\/]python3\.\d+[\\/]")
OURS = str(Path(__file__).parents[2]) + os.sep

_folder: ContextVar[str | None] = ContextVar("_folder", default=None)


@contextmanager
def sources_from_here() -> Iterator[None]:
    """Name files by their path from the current folder, also where code inside leaves it."""
    token = _folder.set(_folder.get() or os.getcwd())
    try:
        yield
    finally:
        _folder.reset(token)


def in_brackets(source: Source | None) -> str:
    """Return a line as it stands in a sentence; nothing for no line."""
    return "" if source is None else f" ({source})"


def calling_line() -> Source | None:
    """Return the innermost line on the stack that is in no library."""
    frame = sys._getframe(1)
    while frame is not None:
        if is_users(frame.f_code.co_filename):
            return _source(frame.f_code.co_filename, frame.f_lineno)
        frame = frame.f_back  # type: ignore[assignment]
    return None


def stated_line(callstack: Sequence[str]) -> Source | None:
    """Return the same from the callstack, outermost first, that an op carries."""
    for entry in reversed(callstack):
        match = FRAME.match(entry)
        if match and is_users(match["file"]):
            return _source(match["file"], int(match["line"]))
    return None


def raising_line(error: BaseException) -> Source | None:
    """Return the innermost line of an error's traceback that is in no library."""
    found, trace = None, error.__traceback__
    while trace is not None:
        if is_users(trace.tb_frame.f_code.co_filename):
            found = _source(trace.tb_frame.f_code.co_filename, trace.tb_lineno)
        trace = trace.tb_next
    return found


def is_users(file: str) -> bool:
    """Tell a file of a user's own from those of libraries."""
    return not (LIBRARIES.search(file) or file.startswith(OURS))


def _source(file: str, line: int) -> Source:
    """Name a file below the current folder by its path from there."""
    here = (_folder.get() or os.getcwd()) + os.sep
    return Source(file.removeprefix(here), line)

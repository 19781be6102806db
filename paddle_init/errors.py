"""What goes wrong, named for the fact; each error subclasses the builtin that fits.

Names and paths come from files: written out, what a terminal would obey or not show is escaped."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal

from paddle_init.texts import clipped, printable


class PaddleInitError(Exception):
    """Base of every error that paddle_init raises on purpose."""


class SchemeError(PaddleInitError, ValueError):
    """A scheme, a distribution or a shape has numbers it cannot have."""


class PropagationError(PaddleInitError, ValueError):
    """A net is no chain of fully connected layers, or its signal cannot be followed."""


class Terminated(SystemExit):
    """A signal ends the program; unlike any other SystemExit it passes through user code."""


def in_words(error: BaseException) -> str:
    """Return the kind of an error that a user's own code raised, and its message if it has one."""
    kind, message = type(error).__name__, str(error).strip()
    return f"{kind}: {message}" if message else kind


@dataclass(frozen=True)
class Source:
    """Where a value was written: file, line (from 1; 0 for the whole file) and key."""

    file: str
    line: int
    key: str = ""

    @property
    def place(self) -> str:
        """File and line, without the key."""
        return f"{self.file}:{self.line}" if self.line else self.file

    def __str__(self) -> str:
        return printable(f"{self.place}: {self.key}" if self.key else self.place)


def located(source: Source | None, message: str) -> str:
    """Return a message after its place, if that is known, in a form that is safe to show."""
    return printable(clipped(f"{source}: {message}" if source else message))


class SpecError(PaddleInitError, ValueError):
    """A net spec contradicts itself; `source` says where, when that is known."""

    def __init__(self, message: str, source: Source | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.source = source

    def __str__(self) -> str:
        return located(self.source, self.message)


@dataclass(frozen=True)
class Notice:
    """A warning with a stable code; `parameter` and `source` say what it is about.

    `about` is what it holds for: the "stream" as it is seeded, the "net" whatever it is compared
    with, or the "roles" of parameters, which are not known then.
    """

    code: str
    message: str
    parameter: str | None = None
    source: Source | None = field(default=None, compare=False)
    about: Literal["stream", "net", "roles"] | None = field(
        default=None, compare=False, repr=False, metadata={"json": False}
    )

    def __str__(self) -> str:
        return located(self.source, f"warning [{self.code}]: {self.message}")


class NoticeWarning(UserWarning):
    """A notice given as a Python warning; `code` is stable, `notice` is the whole of it."""

    def __init__(self, notice: Notice) -> None:
        super().__init__(notice)
        self.code = notice.code
        self.notice = notice

    def __str__(self) -> str:
        return located(self.notice.source, f"[{self.code}] {self.notice.message}")


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

"""Results to stdout or a file, notes to stderr, whatever stands at their other end."""

from __future__ import annotations

import io
import os
import shutil
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TypeGuard

from paddle_init.output_files import OutputError, reason, replacing
from paddle_init.printable import inert, printable

__all__ = [
    "PLAIN_WIDTH",
    "aloud",
    "be_quiet",
    "emit",
    "is_quiet",
    "is_terminal",
    "note",
    "settle_stdout",
    "tell",
    "to_file",
    "width",
]

_QUIET = ContextVar("_QUIET", default=False)

PLAIN_WIDTH = 80
WIDEST = 120


def emit(result: str | bytes, output: str | None = None) -> None:
    """Write a result to the file `output`, or to stdout where it names no file.

    Bytes are written as they are. A text goes to a file as UTF-8 and to stdout in its encoding,
    with escapes for what that cannot say. A reader who closes the pipe early is no error; to have
    no standard output at all is one.

    Raises
    ------
    OutputError
    """
    if to_file(output):
        data = result if isinstance(result, bytes) else result.encode("utf-8", "backslashreplace")
        with replacing(output) as file:
            file.write(data)
        return
    if sys.stdout is None:
        raise OutputError("standard output is closed: name a file with -o, or open it")
    try:
        if isinstance(result, bytes):
            sys.stdout.flush()
            sys.stdout.buffer.write(result)
        else:
            if isinstance(sys.stdout, io.TextIOWrapper):
                sys.stdout.reconfigure(errors="backslashreplace")
            sys.stdout.write(result)
    except OSError as error:
        _give_up_stdout(error)
    settle_stdout()


def to_file(output: str | None) -> TypeGuard[str]:
    """Whether an ``--output`` names a file and not stdout."""
    return output not in (None, "-", "/dev/stdout")


def settle_stdout() -> None:
    """Flush stdout now, while an error can still be told.

    Raises
    ------
    OutputError
    """
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except OSError as error:
        _give_up_stdout(error)


def note(message: str) -> None:
    """Write a note to stderr, with control characters escaped."""
    if sys.stderr is None:
        return
    with suppress(OSError):
        for line in message.split("\n"):
            print(inert(printable(line)), file=sys.stderr)


@contextmanager
def aloud() -> Iterator[None]:
    """Let a command that runs meanwhile `tell`, until it is asked to `be_quiet`."""
    before = _QUIET.set(False)
    try:
        yield
    finally:
        _QUIET.reset(before)


def be_quiet() -> None:
    """Leave notices out, and what libraries warn of."""
    warnings.simplefilter("ignore")
    _QUIET.set(True)


def is_quiet() -> bool:
    """Whether notices are left out."""
    return _QUIET.get()


def tell(notices: Iterable[object]) -> None:
    """Write notices to stderr, one line each, unless the command is to be quiet."""
    if not is_quiet():
        for notice in notices:
            note(str(notice))


def is_terminal() -> bool:
    """Whether a person reads stdout on a terminal that may show colors."""
    plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return sys.stdout is not None and sys.stdout.isatty() and not plain


def width() -> int:
    """Columns for text: the terminal's within reason, else 80."""
    if sys.stdout is None or not sys.stdout.isatty():
        return PLAIN_WIDTH
    return max(40, min(shutil.get_terminal_size().columns, WIDEST))


def _give_up_stdout(error: OSError) -> None:
    """Point stdout at nothing, so that what it still holds is dropped in silence at exit."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)
    if not isinstance(error, BrokenPipeError):
        raise OutputError(f"standard output: {reason(error, os.curdir)}") from error

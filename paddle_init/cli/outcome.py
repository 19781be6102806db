"""How a run ends: exit codes, and errors told without a traceback."""

from __future__ import annotations

import os
import shlex
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from types import FrameType

import click

from paddle_init.audience import at_command_line
from paddle_init.cli.printing import aloud, note, settle_stdout, tell
from paddle_init.errors import PaddleInitError, Terminated
from paddle_init.languages import Language, translated

__all__ = ["Exit", "command_line", "failed_gate", "run"]

NAME = "paddle-init"
DEBUG = "PADDLE_INIT_DEBUG"


class Exit(IntEnum):
    """What an exit code says."""

    FINE = 0
    DIFFERENT = 1
    BAD_INPUT = 2
    OUR_FAULT = 3
    INTERRUPTED = 130


def run(command: click.Command, args: Sequence[str] | None) -> int:
    """Run a command and return its exit code; whatever goes wrong is one message on stderr.

    With PADDLE_INIT_DEBUG set, the traceback comes before the message.
    """
    try:
        with _unwinding_signals(), at_command_line(), aloud(), warnings.catch_warnings():
            return _run(command, args)
    except (KeyboardInterrupt, click.Abort):
        note("interrupted")
        return Exit.INTERRUPTED
    except click.ClickException as error:
        if isinstance(error, click.UsageError) and error.ctx:
            note(f"{error.ctx.get_usage()}\nTry '{error.ctx.command_path} --help' for help.\n")
        return _failed(error, error.format_message(), Exit.BAD_INPUT)
    except PaddleInitError as error:
        return _failed(error, str(error), Exit.BAD_INPUT)
    except Terminated:
        raise
    except SystemExit as error:
        return _failed(error, _ended(error), Exit.BAD_INPUT)
    except MemoryError as error:
        return _failed(error, "there is not enough memory for this", Exit.BAD_INPUT)
    except Exception as error:
        _failed(error, f"a fault of paddle-init: {type(error).__name__}: {error}", Exit.OUR_FAULT)
        if not os.environ.get(DEBUG):
            note(f"(set {DEBUG}=1 for the traceback, and please report it)")
        return Exit.OUR_FAULT


def _run(command: click.Command, args: Sequence[str] | None) -> int:
    given = sys.argv[1:] if args is None else args
    told = shlex.join([NAME, *given])
    try:
        code = command.main(given, prog_name=NAME, standalone_mode=False, obj=told)
    except PaddleInitError as error:
        tell(getattr(error, "notices", ()))
        raise
    settle_stdout()
    return code if isinstance(code, int) else Exit.FINE


def failed_gate(gate: str, answer: str, language: Language | None) -> Exit:
    """Say in one line on stderr that a gate, such as ``--fail-on scale``, fails, and why."""
    note(f"failed ({gate}): {translated(answer, language or 'en')}")
    return Exit.DIFFERENT


def command_line() -> str:
    """Return the command that runs, quoted for a shell."""
    return str(click.get_current_context().find_root().obj)


@contextmanager
def _unwinding_signals() -> Iterator[None]:
    """End by unwinding the stack where a signal would kill, so that no unfinished file is left."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {
        number: signal.signal(number, _unwind)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _unwind(number: int, frame: FrameType | None) -> None:
    # What a library was making is dropped half made, and its finalizer may complain.
    sys.unraisablehook = lambda unraisable: None
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise Terminated(128 + number)


def _ended(error: SystemExit) -> str:
    """Say which line of a user's code, such as a net's forward, would end the program."""
    from paddle_init.adapter.reading.sources import raising_line

    where = raising_line(error)
    return f"{where}: SystemExit: {error.code}" if where else f"SystemExit: {error.code}"


def _failed(error: BaseException, message: str, code: Exit) -> Exit:
    if os.environ.get(DEBUG):
        traceback.print_exception(error)
    for line in message.splitlines() or [""]:
        note(f"error: {line}")
    return code

"""How a run ends: exit codes, and errors told without a traceback."""

from __future__ import annotations

import io
import os
import shlex
import shutil
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from enum import IntEnum
from types import FrameType
from typing import TypeGuard

import click

from paddle_init.errors import PaddleInitError, Terminated, at_command_line
from paddle_init.files import OutputError, reason, replacing
from paddle_init.languages import Language, translated
from paddle_init.texts import inert, printable

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
        _discard_stdout(error)
    flush_stdout()


def to_file(output: str | None) -> TypeGuard[str]:
    """Whether an ``--output`` names a file and not stdout."""
    return output not in (None, "-", "/dev/stdout")


def flush_stdout() -> None:
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
        _discard_stdout(error)


def note(message: str) -> None:
    """Write a note to stderr, with control characters escaped."""
    if sys.stderr is None:
        return
    with suppress(OSError):
        for line in message.split("\n"):
            print(inert(printable(line)), file=sys.stderr)


@contextmanager
def notices_shown() -> Iterator[None]:
    """Show notices of a command that runs meanwhile, until it asks to `silence_notices`."""
    before = _QUIET.set(False)
    try:
        yield
    finally:
        _QUIET.reset(before)


def silence_notices() -> None:
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


def _discard_stdout(error: OSError) -> None:
    """Point stdout at nothing, so that what it still holds is dropped in silence at exit."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)
    if not isinstance(error, BrokenPipeError):
        raise OutputError(f"standard output: {reason(error, os.curdir)}") from error


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
        with _unwinding_signals(), at_command_line(), notices_shown(), warnings.catch_warnings():
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
        return _failed(error, _exit_message(error), Exit.BAD_INPUT)
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
    flush_stdout()
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


def _exit_message(error: SystemExit) -> str:
    """Say which line of a user's code, such as a net's forward, would end the program."""
    from paddle_init.frameworks.paddle.nets.user_code import raising_line

    where = raising_line(error)
    return f"{where}: SystemExit: {error.code}" if where else f"SystemExit: {error.code}"


def _failed(error: BaseException, message: str, code: Exit) -> Exit:
    if os.environ.get(DEBUG):
        traceback.print_exception(error)
    for line in message.splitlines() or [""]:
        note(f"error: {line}")
    return code


PATIENCE = 1.0


@contextmanager
def progress_bar(total: int, unit: str) -> Iterator[Callable[[int], None] | None]:
    """Yield what takes the number of further units done; None where nobody would see a bar."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    with ExitStack() as stack:
        start, done = time.monotonic(), 0
        show: Callable[[int], object] | None = None

        def advance(count: int) -> None:
            nonlocal done, show
            done += count
            if show is None:
                if time.monotonic() - start < PATIENCE:
                    return
                show = _bar(stack, total, unit)
            show(done)

        yield advance


def _bar(stack: ExitStack, total: int, unit: str) -> Callable[[int], object]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} % of {task.total:,} " + unit),
        TimeRemainingColumn(),
    )
    bar = stack.enter_context(Progress(*columns, console=Console(stderr=True), transient=True))
    task = bar.add_task("", total=total)
    return lambda done: bar.update(task, completed=done)

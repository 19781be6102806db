"""User code, called so that it can neither end the process nor leave it changed."""

from __future__ import annotations

import ctypes
import os
import random
import re
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TypeVar

import numpy as np

from paddle_init.errors import PaddleInitError, Source, SpecError, Terminated, in_words

FRAME = re.compile(r'\s*File "(?P<file>.+)", line (?P<line>\d+), in ')
LIBRARIES = re.compile(r"^<|[\\/](site|dist)-packages[\\/]|[\\/]python3\.\d+[\\/]")
OURS = str(Path(__file__).parents[3]) + os.sep

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


T = TypeVar("T")

TIMERS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)


def called(function: Callable[[], T], what: str = "") -> T:
    """Call a user's function; whatever it raises is a SpecError that names `what` and the line.

    `what` is the function by default. An interrupt and the signals that end the program pass
    through.

    Raises
    ------
    SpecError
    """
    what = what or _call(function)
    try:
        return function()
    except (PaddleInitError, KeyboardInterrupt, Terminated):
        raise
    except SystemExit as error:
        message = f"{what} failed: SystemExit: {error.code}"
        raise SpecError(message, raising_line(error)) from error
    except BaseException as error:
        raise SpecError(f"{what} failed: {in_words(error)}", raising_line(error)) from error


def _call(function: Callable[[], object]) -> str:
    """Return a call in words; the repr of a callable object is user code too."""
    inner = getattr(function, "func", function)  # of a functools.partial
    return f"{getattr(inner, '__name__', type(inner).__name__)}()"


def paddle_imported() -> None:
    """Import paddle without its advice on how to build its extensions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import paddle  # noqa: F401


@contextmanager
def kept_process() -> Iterator[None]:
    """Put back what code inside changes of the process: folder, handlers, streams, settings.

    `kept_environment` does the same for the search path and the environment, which an import may
    change for good.
    """
    with ExitStack() as stack:
        for kept in (_kept_folder, _kept_handlers, _kept_files, _kept_settings):
            stack.enter_context(kept())
        stack.enter_context(sources_from_here())
        yield


@contextmanager
def kept_environment() -> Iterator[None]:
    """Put back the module search path, the arguments and the environment variables."""
    path, arguments, variables = sys.path, sys.argv, dict(os.environ)
    entries, values = list(path), list(arguments)
    try:
        yield
    finally:
        sys.path, sys.argv = path, arguments
        path[:], arguments[:] = entries, values
        if dict(os.environ) != variables:
            os.environ.clear()
            os.environ.update(variables)


@contextmanager
def stdout_to_stderr() -> Iterator[None]:
    """Send what is printed inside to stderr, also what C code writes to the file descriptor."""
    _flush()
    with ExitStack() as stack:
        with suppress(OSError):  # one of the two is closed
            stdout = os.dup(1)
            stack.callback(_restore, stdout)
            os.dup2(2, 1)
        with redirect_stdout(sys.stderr):
            yield


def _restore(stdout: int) -> None:
    _flush()
    os.dup2(stdout, 1)
    os.close(stdout)


def _flush() -> None:
    """Write what waits in the buffers of Python and C to where it was meant to go."""
    for stream in {sys.stdout, sys.__stdout__}:
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()  # type: ignore[union-attr]
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).fflush(None)


@contextmanager
def _kept_folder() -> Iterator[None]:
    folder, mask = os.getcwd(), os.umask(0o077)
    os.umask(mask)
    try:
        yield
    finally:
        os.umask(mask)
        os.chdir(folder)


@contextmanager
def _kept_handlers() -> Iterator[None]:
    """Put back the signals' handlers, and stop timers that were started: in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in signal.valid_signals()}
    idle = [timer for timer in TIMERS if not any(signal.getitimer(timer))]
    try:
        yield
    finally:
        for timer in idle:
            signal.setitimer(timer, 0)
        for number, handler in before.items():
            if handler is not None and signal.getsignal(number) is not handler:
                signal.signal(number, handler)


@contextmanager
def _kept_files() -> Iterator[None]:
    before = sys.stdin, sys.stdout, sys.stderr
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


@contextmanager
def _kept_settings() -> Iterator[None]:
    """Put back the settings and random streams of Python and NumPy."""
    limit, state, numpy_state = sys.getrecursionlimit(), random.getstate(), np.random.get_state()  # noqa: NPY002
    with warnings.catch_warnings(), np.errstate(), np.printoptions():
        try:
            yield
        finally:
            sys.setrecursionlimit(limit)
            random.setstate(state)
            np.random.set_state(numpy_state)  # noqa: NPY002

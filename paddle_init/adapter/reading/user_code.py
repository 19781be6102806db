"""User code, called so that it can neither end the process nor leave it changed."""

from __future__ import annotations

import ctypes
import os
import random
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from typing import TypeVar

import numpy as np

from paddle_init.adapter.reading.sources import raising_line, sources_from_here
from paddle_init.errors import PaddleInitError, SpecError, Terminated, in_words

__all__ = ["called", "kept_environment", "kept_process", "paddle_imported", "stdout_to_stderr"]

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

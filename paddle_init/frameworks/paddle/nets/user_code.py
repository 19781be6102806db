"""User code, called so that it can neither end the process nor leave it or Paddle changed."""

from __future__ import annotations

import ctypes
import os
import random
import re
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

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


TRACER = ("_has_grad", "_amp_level", "_amp_dtype")


@contextmanager
def scratch_programs() -> Iterator[tuple[Any, Any]]:
    """Enter static graph with an empty main and startup program; leave everything as it was."""
    import paddle

    with kept_defaults():
        _switch_mode(dynamic=False)
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.utils.unique_name.guard(), paddle.static.program_guard(main, startup):
            yield main, startup


@contextmanager
def kept_global_state() -> Iterator[None]:
    """Give a piece of user code names and default programs of its own, and put all back after.

    What it does to the process and to Paddle's random generator, modes, flags and defaults is
    put back too, whatever happens inside.
    """
    with ExitStack() as stack:
        for kept in (kept_process, kept_environment, kept_defaults, _fresh_programs, _kept_stream):
            stack.enter_context(kept())
        yield


@dataclass(frozen=True)
class Defaults:
    """Paddle's modes and defaults, as one state: what decides how a net is built."""

    dynamic: bool
    lazy: bool
    dtype: str
    initializers: tuple[Any, Any]
    flags: Mapping[str, Any]
    tracer: tuple[Any, ...]

    @staticmethod
    def now() -> Defaults:
        import paddle
        from paddle.base import initializer
        from paddle.nn.initializer.lazy_init import lazy_init_helper

        flags, tracer = paddle.base.core.globals(), _tracer()
        return Defaults(
            paddle.in_dynamic_mode(),
            lazy_init_helper().state,
            paddle.get_default_dtype(),
            (initializer._global_weight_initializer(), initializer._global_bias_initializer()),
            {name: flags[name] for name in flags.keys()},  # noqa: SIM118
            tuple(getattr(tracer, name) for name in TRACER) if tracer else (),
        )

    def changes(self, before: Defaults) -> dict[str, Any]:
        """Return by name the fields, and of the flags those alone, that differ from `before`."""
        flags = {name: v for name, v in self.flags.items() if before.flags.get(name) != v}
        changed = {
            each.name: getattr(self, each.name)
            for each in fields(self)
            if each.name != "flags" and getattr(self, each.name) != getattr(before, each.name)
        }
        return changed | ({"flags": flags} if flags else {})

    def restore(self) -> None:
        import paddle
        from paddle.nn.initializer.lazy_init import lazy_init_helper

        lazy_init_helper().disable()
        flags = paddle.base.core.globals()
        for name, value in self.flags.items():
            if flags[name] != value:
                flags[name] = value
        _switch_mode(self.dynamic)
        paddle.set_default_dtype(self.dtype)
        paddle.nn.initializer.set_global_initializer(*self.initializers)
        if (tracer := _tracer()) is not None:
            for name, value in zip(TRACER, self.tracer, strict=False):
                setattr(tracer, name, value)
        if self.lazy:
            self._enable_lazy()

    def _enable_lazy(self) -> None:
        """Turn LazyGuard on, which Paddle does in dynamic graph alone."""
        from paddle.nn.initializer.lazy_init import lazy_init_helper

        _switch_mode(dynamic=True)
        lazy_init_helper().enable()
        _switch_mode(self.dynamic)


@contextmanager
def kept_defaults() -> Iterator[None]:
    """Put back modes and defaults, and the programs and names that a dynamic graph has.

    Inside, LazyGuard is off.
    """
    from paddle.base import framework, unique_name
    from paddle.nn.initializer.lazy_init import lazy_init_helper

    before = Defaults.now()
    main, startup = framework.default_main_program(), framework.default_startup_program()
    names = unique_name.generator, unique_name.dygraph_parameter_name_checker
    lazy_init_helper().disable()
    try:
        yield
    finally:
        replace(before, lazy=False).restore()
        framework.switch_main_program(main)
        framework.switch_startup_program(startup)
        unique_name.switch(*names)
        if before.lazy:
            before._enable_lazy()


@contextmanager
def _fresh_programs() -> Iterator[None]:
    """Swap in empty default programs, of the kind that each module of Paddle keeps, and names."""
    import paddle
    from paddle.base import framework, unique_name

    modules = (framework, paddle.pir.core)
    dynamic = paddle.in_dynamic_mode()
    # A dynamic graph hides the static graph's programs and names and brings them back at its end.
    _switch_mode(dynamic=False)
    before = []
    for module in modules:
        main = module.switch_main_program(module.Program())
        startup = module.switch_startup_program(module.Program())
        # Under PIR the place of insertion comes with the program.
        before.append((main if isinstance(main, tuple) else (main,), startup))
    framework.default_startup_program()._is_start_up_program_ = True
    names = unique_name.switch()
    _switch_mode(dynamic)
    try:
        yield
    finally:
        _switch_mode(dynamic=False)
        for module, (main, startup) in zip(modules, before, strict=True):
            module.switch_main_program(*main)
            module.switch_startup_program(startup)
        unique_name.switch(*names)


@contextmanager
def _kept_stream() -> Iterator[None]:
    import paddle

    generator = paddle.framework.core.default_cpu_generator()
    state = generator.get_state()
    try:
        yield
    finally:
        generator.set_state(state)


def _tracer() -> Any:
    """Return what holds the modes of automatic differentiation; None in static graph."""
    from paddle.base import framework

    return framework._dygraph_tracer()


def _switch_mode(dynamic: bool) -> None:
    import paddle

    if paddle.in_dynamic_mode() != dynamic:
        (paddle.disable_static if dynamic else paddle.enable_static)()

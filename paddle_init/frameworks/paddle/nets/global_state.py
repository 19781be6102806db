"""Paddle's global state, put back as it was: modes, flags, programs, names, random stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields, replace
from typing import Any

from paddle_init.frameworks.paddle.nets.user_code import kept_environment, kept_process

__all__ = ["Defaults", "kept_defaults", "kept_surroundings", "scratch_programs"]

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
def kept_surroundings() -> Iterator[None]:
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
        """Return the state in which Paddle is."""
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
        """Bring Paddle into this state."""
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

"""Paddle's global state, put back as it was: mode, programs, names, defaults, random streams."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

__all__ = ["kept_surroundings", "scratch_programs"]


@contextmanager
def scratch_programs() -> Iterator[tuple[Any, Any]]:
    """Enter static graph with an empty main and startup program; leave everything as it was."""
    import paddle

    with _kept_mode():
        _switch_mode(dynamic=False)
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.utils.unique_name.guard(), paddle.static.program_guard(main, startup):
            yield main, startup


@contextmanager
def kept_surroundings() -> Iterator[None]:
    """Give a piece of user code names and default programs of its own, and put all back after.

    The state of Paddle's and NumPy's random generators, the default dtype and the global
    initializers are put back too, whatever happens inside.
    """
    with ExitStack() as stack:
        for kept in (_kept_mode, _fresh_programs, _kept_defaults, _kept_streams):
            stack.enter_context(kept())
        yield


@contextmanager
def _kept_mode() -> Iterator[None]:
    """Put the mode back, and the programs and names that a dynamic graph has for itself."""
    import paddle
    from paddle.base import framework, unique_name
    from paddle.nn.initializer.lazy_init import lazy_init_helper

    dynamic, lazy = paddle.in_dynamic_mode(), lazy_init_helper().state
    main, startup = framework.default_main_program(), framework.default_startup_program()
    names = unique_name.generator, unique_name.dygraph_parameter_name_checker
    lazy_init_helper().disable()
    try:
        yield
    finally:
        lazy_init_helper().disable()
        _switch_mode(dynamic)
        framework.switch_main_program(main)
        framework.switch_startup_program(startup)
        unique_name.switch(*names)
        if lazy:
            lazy_init_helper().enable()


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
def _kept_defaults() -> Iterator[None]:
    import paddle
    from paddle.base import initializer

    dtype = paddle.get_default_dtype()
    weight = initializer._global_weight_initializer()
    bias = initializer._global_bias_initializer()
    try:
        yield
    finally:
        paddle.set_default_dtype(dtype)
        paddle.nn.initializer.set_global_initializer(weight, bias)


@contextmanager
def _kept_streams() -> Iterator[None]:
    import paddle

    generator = paddle.framework.core.default_cpu_generator()
    state, numpy_state = generator.get_state(), np.random.get_state()  # noqa: NPY002
    try:
        yield
    finally:
        generator.set_state(state)
        np.random.set_state(numpy_state)  # noqa: NPY002


def _switch_mode(dynamic: bool) -> None:
    import paddle

    if paddle.in_dynamic_mode() != dynamic:
        (paddle.disable_static if dynamic else paddle.enable_static)()

"""Programs of either kind, as one."""

from __future__ import annotations

import re
from typing import Any

from paddle_init.frameworks.paddle.nets.parameters import Found
from paddle_init.frameworks.paddle.nets.pir_program import follow_pir, is_pir, pir_roles, pir_state
from paddle_init.frameworks.paddle.nets.program_desc import desc_parameters, desc_roles, follow_desc
from paddle_init.frameworks.paddle.nets.startup import Bound, Followed

LEARNING_RATE = re.compile(r"learning_rate_\d+")


def is_program(value: object) -> bool:
    """Tell a program of Paddle from anything else."""
    return type(value).__name__ == "Program" and hasattr(value, "global_block")


def default_programs() -> list[tuple[Any, Any]]:
    """Return the default (main, startup) programs of either kind, the kind in use first."""
    import paddle
    from paddle.base import framework

    pairs = [
        (m.default_main_program(), m.default_startup_program())
        for m in (paddle.pir.core, framework)
    ]
    return pairs if framework.in_pir_mode() else pairs[::-1]


def followed(startup: Any, main: Any = None) -> Followed:
    """Return what a startup program draws and binds.

    `main`, where it is given, says what each parameter is used for.
    """
    if is_pir(startup):
        run, parameters = follow_pir(startup)
        parameters -= pir_state(main) if main is not None and is_pir(main) else frozenset()
    else:
        run, parameters = follow_desc(startup)
        if main is not None and not desc_parameters(startup):
            parameters &= desc_parameters(main)
    bound = [each for each in run.bound if each.name in parameters and not _is_rate(each)]
    kept = {each.name for each in bound}
    state = tuple(each.name for each in run.bound if each.name not in kept)
    roles = {} if main is None else program_roles(main)
    return Followed(tuple(run.random), tuple(bound), state, roles)


def startup_parameters(startup: Any) -> tuple[Found, ...]:
    """Return the parameters that a startup program initializes, in the order of creation."""
    return followed(startup).parameters


def program_roles(main: Any) -> dict[str, str]:
    """Return the role of each parameter that a main program uses."""
    return (pir_roles if is_pir(main) else desc_roles)(main)


def _is_rate(bound: Bound) -> bool:
    """Tell a learning rate, which PIR's startup programs hold like a parameter."""
    return bound.value.shape == () and bool(LEARNING_RATE.fullmatch(bound.name))

"""Programs of either kind, as one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from paddle_init.adapter.reading.found import Found
from paddle_init.adapter.reading.pir_program import is_pir, pir_parameters, pir_roles
from paddle_init.adapter.reading.program_desc import desc_parameters, desc_roles

__all__ = ["default_programs", "is_program", "program_roles", "startup_parameters"]


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


def startup_parameters(startup: Any, main: Any = None) -> tuple[Found, ...]:
    """Return what a startup program initializes, in the order of drawing.

    `main`, where it is given, says what each parameter is used for.
    """
    found = tuple((pir_parameters if is_pir(startup) else desc_parameters)(startup))
    if main is None:
        return found
    roles = program_roles(main)
    return tuple(replace(each, role=roles.get(each.name, "")) for each in found)


def program_roles(main: Any) -> dict[str, str]:
    """Return the role of each parameter that a main program uses."""
    return (pir_roles if is_pir(main) else desc_roles)(main)

"""What an initializer object draws: read from the ops that it writes into a startup program."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from paddle_init.distributions import Unknown
from paddle_init.frameworks.paddle.nets import sentences as say
from paddle_init.frameworks.paddle.nets.parameters import Part, given
from paddle_init.frameworks.paddle.nets.programs import startup_parameters
from paddle_init.frameworks.paddle.nets.user_code import scratch_programs
from paddle_init.schemes.base import Shape

PADDLES = "paddle.nn.initializer."
SIMPLE = (
    "Constant",
    "KaimingNormal",
    "KaimingUniform",
    "MSRA",
    "Normal",
    "TruncatedNormal",
    "Uniform",
    "Xavier",
    "XavierNormal",
    "XavierUniform",
)


def initializer_name(initializer: object) -> str:
    """Return the name of an initializer's class, with its module where it is not Paddle's own."""
    kind = initializer if isinstance(initializer, type) else type(initializer)
    if kind.__module__.startswith(PADDLES):
        return kind.__qualname__.removesuffix("Initializer")
    return f"{kind.__module__}.{kind.__qualname__}"


def is_paddles(initializer: object) -> bool:
    """Tell Paddle's own initializers from others."""
    kind = initializer if isinstance(initializer, type) else type(initializer)
    return kind.__module__.startswith(PADDLES)


def parts_of(initializer: Any, shape: Shape, dtype: str) -> tuple[Part, ...]:
    """Return what an initializer draws for a parameter, from the first row down.

    Of Paddle's own initializers, and of our RowBlocks, this is exact; a user's own are unknown,
    for nothing says what they do with the values that they draw.
    """
    rows = shape[0] if shape else 1
    if _is_row_blocks(initializer):
        return tuple(
            part
            for rows, inner in initializer.blocks
            for part in parts_of(inner, (rows, *shape[1:]), dtype)
        )
    name = initializer_name(initializer)
    if not is_paddles(initializer):
        return (Part(rows, Unknown(say.NOT_PADDLES(name=name))),)
    if name in ("Assign", "NumpyArray"):
        return (Part(rows, given(np.asarray(initializer._value))),)
    if name not in SIMPLE:
        return (Part(rows, Unknown(say.INITIALIZER(name=name))),)
    return _written(initializer, shape, dtype)


def is_kaiming(initializer: object) -> bool:
    """Tell Paddle's Kaiming initializers, uniform and normal."""
    return hasattr(initializer, "_negative_slope") and hasattr(initializer, "_nonlinearity")


def with_slope(initializer: Any, shape: Shape, dtype: str) -> tuple[Part, ...] | None:
    """Return what a Kaiming initializer would draw if it minded its slope; None where it does."""
    if not initializer._negative_slope or initializer._nonlinearity == "leaky_relu":
        return None
    minding = copy.copy(initializer)
    minding._nonlinearity = "leaky_relu"
    return _written(minding, shape, dtype)


def _written(initializer: Any, shape: Shape, dtype: str) -> tuple[Part, ...]:
    import paddle

    with scratch_programs() as (_, startup):
        attr = paddle.ParamAttr(name="read", initializer=copy.copy(initializer))
        paddle.static.create_parameter(list(shape), dtype, attr=attr)
        (found,) = startup_parameters(startup)
    return found.parts


def _is_row_blocks(initializer: object) -> bool:
    """Tell our RowBlocks from others: the class itself, or a module's copy of its very code."""
    from paddle_init.frameworks.paddle.nets.standalone import RowBlocks

    kind: Any = type(initializer)
    return kind is RowBlocks or (
        kind.__name__ == RowBlocks.__name__
        and _code(kind.forward) == _code(RowBlocks.forward)
        and _code(kind._drawn) == _code(RowBlocks._drawn)
    )


def _code(function: Any) -> tuple[bytes, tuple[str, ...]]:
    code = function.__code__
    return code.co_code, code.co_names

"""What an initializer object draws: read from the ops that it writes into a startup program."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from paddle_init.distributions import Simple, Uniform, Unknown
from paddle_init.errors import Notice, Source
from paddle_init.frameworks.paddle.nets import sentences as say
from paddle_init.frameworks.paddle.nets.parameters import (
    Found,
    LayerParameter,
    Part,
    given,
    shape_and_dtype,
)
from paddle_init.frameworks.paddle.nets.programs import startup_parameters
from paddle_init.frameworks.paddle.nets.user_code import scratch_programs
from paddle_init.languages import Message
from paddle_init.schemes.base import Shape
from paddle_init.texts import short

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


def unfilled(key: str, own: LayerParameter, why: str) -> tuple[Found, list[Notice]]:
    """Return a parameter that no initializer was seen to fill; `why` says how that may be."""
    blank = blank_found(key, own)
    waiting = getattr(own.parameter, "_init_func", None)
    if waiting is None:
        return _unknown(blank, why), []
    if own.parameter._is_initialized():
        return _unknown(blank, say.LOADED()), []
    initializer = getattr(waiting, "func", waiting).__self__
    parts = parts_of(initializer, blank.shape, blank.dtype)
    each = replace(blank, parts=parts, initializer=initializer_name(initializer))
    return each, list(kaiming_notices(each, initializer))


def with_initializers(
    found: tuple[Found, ...],
    asked: Mapping[str, Any],
    held: Mapping[str, LayerParameter] | None = None,
) -> tuple[list[Found], list[Notice]]:
    """Add to what a startup program holds which initializers wrote it, and a Layer's names."""
    named: list[Found] = []
    notices: list[Notice] = []
    for each in found:
        if held and each.name in held:
            own = held[each.name]
            each = replace(each, role=own.role, own_name=own.names[0])
        initializer = asked.get(each.name)
        if initializer is not None:
            each = replace(each, initializer=initializer_name(initializer))
            notices += kaiming_notices(each, initializer)
        named.append(each)
    return named, notices


def blank_found(key: str, own: LayerParameter, source: Source | None = None) -> Found:
    """Return a parameter of which all but its initializer is known."""
    shape, dtype = shape_and_dtype(own.parameter)
    own_name = own.names[0] if own.names else ""
    return Found(key, shape, dtype, (), role=own.role, own_name=own_name, source=source)


def _unknown(blank: Found, why: str) -> Found:
    """Return a parameter of unknown values, which drawing did not bring about."""
    rows = blank.shape[0] if blank.shape else 1
    return replace(blank, parts=(Part(rows, Unknown(why, takes=0)),))


def kaiming_notices(found: Found, initializer: Any) -> Iterator[Notice]:
    """Tell a slope that is ignored, and a fan_in that is none."""
    if not is_kaiming(initializer):
        return
    kind = initializer_name(initializer)
    minding = with_slope(initializer, found.shape, found.dtype)
    if minding is not None:
        drawn, meant = (_width(parts[0].distribution) for parts in (found.parts, minding))
        message = say.SLOPE_IGNORED(
            name=found.shown,
            kind=kind,
            slope=short(initializer._negative_slope),
            drawn=drawn,
            meant=meant,
        )
        yield Notice("kaiming-slope-ignored", message, found.shown, found.source)
    if len(found.shape) == 1 and initializer._fan_in is None:
        message = say.KAIMING_ON_1D(name=found.shown, kind=kind, length=found.shape[0])
        yield Notice("kaiming-on-1d", message, found.shown, found.source)


def uninitialized(found: Found, initializer: type) -> Notice:
    """Tell a parameter for which a class stands in place of an initializer."""
    kind = initializer_name(initializer)
    message = say.UNINITIALIZED(name=found.shown, kind=kind)
    return Notice("uninitialized", message, found.shown, found.source)


def _width(distribution: Simple) -> Message:
    if isinstance(distribution, Uniform):
        return say.BOUND(number=short(distribution.high))
    return say.STD(number=short(getattr(distribution, "std", float("nan"))))

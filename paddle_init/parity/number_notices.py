"""Numbers that leave nothing to chance, or that the dtype cannot hold."""

from __future__ import annotations

from collections.abc import Iterator

from paddle_init.distributions import (
    Constant,
    Given,
    Normal,
    Simple,
    TruncatedNormal,
    Uniform,
    Unknown,
    narrowed,
)
from paddle_init.dtypes import RANGES
from paddle_init.errors import Notice
from paddle_init.extremes import share_of_infinities, vanishes
from paddle_init.languages import Message
from paddle_init.parity.sentences import warnings as say
from paddle_init.parity.sides import View
from paddle_init.parity.words import percent, short
from paddle_init.specs import Tensor

__all__ = ["number_notices"]


def number_notices(view: View) -> Iterator[Notice]:
    """Yield ``zero-scale``, ``underflow`` and ``overflow``, each once for a tensor."""
    for tensor in view.spec.tensors:
        told: dict[str, Notice] = {}
        for part in view.rows(tensor):
            for code, message in _found(view, tensor, part.drawn):
                told.setdefault(code, Notice(code, message, tensor.name, part.draw.source))
        yield from told.values()


def _found(view: View, tensor: Tensor, drawn: Simple) -> Iterator[tuple[str, Message]]:
    if isinstance(drawn, (Constant, Given, Unknown)):
        return
    named = say.STD_DRAWN(name=tensor.name, std=short(drawn.std), place=view.where)
    dtypes = ("float32", tensor.dtype) if view.spec.framework == "paddle" else (tensor.dtype,)
    if drawn.std == 0:
        sentence = say.ZERO_WEIGHT if tensor.role == "weight" else say.ZERO_BIAS
        yield "zero-scale", sentence(drawn=named)
    for dtype in dtypes:
        smallest, largest = RANGES[dtype]
        if vanishes(_spread(drawn), dtype):
            small = short(smallest, 2)
            yield "underflow", say.UNDERFLOW(drawn=named, dtype=dtype, smallest=small)
        if not isinstance(drawn, Normal):
            continue
        if view.spec.framework == "paddle" and isinstance(narrowed(drawn, dtype), Unknown):
            yield "overflow", say.BEYOND(drawn=named, dtype=dtype, largest=short(largest))
        elif share := share_of_infinities(drawn.std, dtype):
            beyond = drawn.std > RANGES["float32"][1]
            sentence = say.OVERFLOW_BEYOND if beyond else say.OVERFLOW
            yield "overflow", sentence(drawn=named, share=percent(share), dtype=dtype)


def _spread(drawn: Simple) -> float:
    """Return how far from 0 the values reach, in stds where they have no bound."""
    match drawn:
        case Normal(0.0, std) | TruncatedNormal(0.0, std):
            return std
        case Uniform(low, high):
            return max(-low, high)
    return 0.0

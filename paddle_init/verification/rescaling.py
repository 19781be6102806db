"""The right draws with another scale: found = factor * expected, but for rounding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Constant
from paddle_init.errors import Notice
from paddle_init.parity.words import short
from paddle_init.schemes.base import number
from paddle_init.specs import NetSpec, Tensor
from paddle_init.statistics import as_numbers, law
from paddle_init.verification.sentences import findings as say
from paddle_init.verification.suspects import suspects

__all__ = ["rescaled"]

# Roundings of a product, in units of the dtype's eps.
ROUNDINGS = 4
EPS = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}


@dataclass(frozen=True)
class Factor:
    """found = value * expected, up to a relative error of `error` in value."""

    value: float
    error: float


def rescaled(
    spec: NetSpec,
    tensor: Tensor,
    expected: NDArray[Any],
    found: NDArray[Any],
    least: float = 0.0,
) -> list[Notice]:
    """Say by which factor each block's values are off, and why; empty where they are not so.

    Factors within `least` of 1 are not told.
    """
    if expected.shape != found.shape:
        return []
    notices = []
    start = 0
    for block in tensor.blocks:
        stop = start + (tensor.shape[0] if len(tensor.blocks) == 1 else block.rows)
        factor = _factor(expected[start:stop], found[start:stop], tensor.dtype)
        if factor is None:
            return []
        if abs(factor.value - 1) > max(least, factor.error):
            code, why = _why(spec, tensor, block.draw, factor)
            if len(tensor.blocks) > 1:
                why = say.OF_ROWS(rows=f"[{start}, {stop})", what=why)
            notices.append(Notice(code, why, tensor.name))
        start = stop
    return notices


def _factor(expected: NDArray[Any], found: NDArray[Any], dtype: str) -> Factor | None:
    a = as_numbers(expected).astype(np.float64).reshape(-1)
    b = as_numbers(found).astype(np.float64).reshape(-1)
    power = float(a @ a)
    if a.size < 2 or not power or not np.isfinite(b).all():
        return None
    value = float(a @ b) / power
    slack = ROUNDINGS * EPS[dtype]
    if (
        value == 0
        or (np.abs(b - value * a) > slack * np.abs(b) + slack * 1e-6 * abs(b).max()).any()
    ):
        return None
    return Factor(value, max(slack / np.sqrt(a.size), 1e-15))


def _why(spec: NetSpec, tensor: Tensor, name: str, factor: Factor) -> tuple[str, str]:
    own = law(spec.drawn(name))
    start = say.RESCALED(factor=short(factor.value, 10))
    if own is None:
        return "scale", start
    if abs(factor.value - 1) < 2.0**-23:
        narrow = number(float(np.float32(own.std)))
        return "std-narrowed", say.STD_NARROWED(what=start, std=number(own.std), narrow=narrow)
    for ratio, code, says in _scales(spec, tensor, name):
        if abs(ratio / factor.value - 1) < 1e-6 + factor.error:
            return code, say.BECAUSE(what=start, why=says)
    return "scale", start


def _scales(spec: NetSpec, tensor: Tensor, name: str) -> Iterator[tuple[float, str, str]]:
    draw, own = spec.draw_by_name[name], law(spec.drawn(name))
    for suspect in suspects(spec, tensor, draw):
        other = law(suspect.drawn)
        if own and other and other.family == own.family and not isinstance(suspect.drawn, Constant):
            yield other.std / own.std, suspect.code, suspect.says

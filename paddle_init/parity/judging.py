"""The level of two distributions, from their numbers alone."""

from __future__ import annotations

import math
from dataclasses import astuple

import numpy as np

from paddle_init.distributions import Constant, Given, Normal, Simple, Uniform, Unknown
from paddle_init.parity.levels import Level
from paddle_init.parity.precision import EPS

__all__ = ["judge", "near", "point"]


def judge(left: Simple, right: Simple, dtype: str, *, signed_zero: bool = False) -> Level:
    """Return how far apart two distributions are, both already rounded to `dtype`.

    Without drawn values an equal distribution is ``stream``: nothing is known of single elements.
    Where neither side leaves anything to chance the elements are known, so ``identical`` and
    ``rounding`` are found here too.

    Parameters
    ----------
    signed_zero
        A side multiplies a draw by 0, so that its zeros carry the draw's sign.
    """
    here, there = point(left), point(right)
    if here is not None and there is not None:
        if here == there:
            same_sign = math.copysign(1, here) == math.copysign(1, there)
            return Level.IDENTICAL if same_sign and not signed_zero else Level.ROUNDING
        if near(here, there, dtype):
            return Level.ROUNDING
    if isinstance(left, Given) and isinstance(right, Given):
        return _given(left, right, dtype)
    if type(left) is not type(right) or isinstance(left, Unknown):
        return Level.DISTRIBUTION
    return Level.STREAM if _alike(left, right, dtype) else Level.SCALE


def _given(left: Given, right: Given, dtype: str) -> Level:
    """Values that are given are known one by one; what is more than rounding is another table."""
    if left == right:
        return Level.IDENTICAL
    here, there = (each.values.astype(np.float64) for each in (left, right))
    if here.shape != there.shape:
        return Level.DISTRIBUTION
    with np.errstate(invalid="ignore"):
        close = abs(here - there) < EPS[dtype] * np.maximum(abs(here), abs(there))
    same = (here == there) | close | (np.isnan(here) & np.isnan(there))
    return Level.ROUNDING if same.all() else Level.DISTRIBUTION


def point(distribution: Simple) -> float | None:
    """Return the one value that every element takes, or None where chance decides.

    A truncated normal of std 0 has none: Paddle 3.3 fills it with NaN.
    """
    match distribution:
        case Constant(value):
            return value
        case Given(values) if values.size and (values == values[0]).all():
            signs = np.signbit(values)
            return float(values[0]) if (signs == signs[0]).all() else None
        case Normal(mean, 0.0):
            return mean
        case Uniform(low, high) if low == high:
            return low
    return None


def _alike(left: Simple, right: Simple, dtype: str) -> bool:
    """Tell whether two of one family are equal, or apart by less than `dtype`'s eps each."""
    numbers = zip(astuple(left), astuple(right), strict=True)
    return all(near(a, b, dtype) for a, b in numbers)


def near(left: float, right: float, dtype: str) -> bool:
    """Tell whether two numbers are equal, or apart by less than `dtype`'s eps."""
    return left == right or abs(left - right) < EPS[dtype] * max(abs(left), abs(right))

"""How likely two independent draws of a law are one number, once rounded to a dtype."""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Simple
from paddle_init.statistics.laws import ENGINE_GRAIN, Law, blur, law

__all__ = ["chance_of_equality", "densest", "resolution"]

# Of a law, what lies farther off its mean has no weight here.
REACH = 9.0
# A step between neighbouring numbers of the dtype, in stds, below which the law is taken as
# continuous.
FINE = 1 / 8
# Bits of the significand behind the leading one, and the smallest exponent of a normal number.
FORMATS = {
    "float64": (52, -1022),
    "float32": (23, -126),
    "float16": (10, -14),
    "bfloat16": (7, -126),
}


@functools.lru_cache(4096)
def resolution(distribution: Simple, dtype: str) -> float:
    """Return how far a rounded draw may lie from the real one, in stds; inf without a law."""
    drawn = law(distribution)
    if drawn is None:
        return math.inf
    low, high = max(drawn.low, _off(drawn, -REACH)), min(drawn.high, _off(drawn, REACH))
    return float(blur(distribution, dtype)(np.array([low, high])).max()) / drawn.std


@functools.lru_cache(4096)
def densest(distribution: Simple) -> float:
    """Return a bound of the law's density, per std, above which it nowhere is."""
    drawn = law(distribution)
    assert drawn is not None
    if drawn.family != "truncated_normal":
        return 0.4  # 1 / sqrt(2 pi) of a normal, 1 / sqrt(12) of a uniform
    low, high = max(drawn.low, _off(drawn, -REACH)), min(drawn.high, _off(drawn, REACH))
    knots = np.linspace(low, high, 4097)
    steps = np.diff(drawn.cdf(knots))
    # The logarithm of a normal's density is concave: a step is never much below its neighbours.
    return 1.1 * float(steps.max()) * drawn.std / float(knots[1] - knots[0])


@functools.lru_cache(4096)
def chance_of_equality(distribution: Simple, dtype: str) -> float:
    """Bound the probability that two independent draws are rounded to one number.

    The sum of p**2 over the dtype's numbers, p the probability that a draw is rounded to it. Where
    neighbouring numbers lie close together, a bound of it by the largest density.
    """
    drawn = law(distribution)
    if drawn is None:
        return 1.0
    low, high = max(drawn.low, _off(drawn, -REACH)), min(drawn.high, _off(drawn, REACH))
    step = max(_spacing(low, dtype), _spacing(high, dtype))
    if step <= FINE * drawn.std:
        return min(1.0, step / drawn.std * densest(distribution) + 2 * ENGINE_GRAIN)
    numbers = _numbers(low, high, dtype)
    edges = (numbers[1:] + numbers[:-1]) / 2
    cdf = np.concatenate([[0.0], drawn.cdf(edges), [1.0]])
    shares = np.diff(cdf) + 2 * drawn.grain
    return min(1.0, float(shares @ shares))


def _off(drawn: Law, stds: float) -> float:
    return drawn.mean + stds * drawn.std


def _spacing(value: float, dtype: str) -> float:
    """Return the distance of the dtype's numbers at `value`, away from 0."""
    digits, least = FORMATS[dtype]
    exponent = math.frexp(value)[1] - 1 if value else least
    return math.ldexp(1.0, max(exponent, least) - digits)


def _numbers(low: float, high: float, dtype: str) -> NDArray[np.float64]:
    """Return the dtype's numbers from the last one below `low` to the first one above `high`."""
    step = _spacing(low, dtype)
    value = math.floor(low / step) * step
    numbers = [value]
    while value <= high:
        step = _spacing(value, dtype)
        if value < 0 and math.frexp(value)[0] == -0.5:  # towards 0 a binade's numbers are closer
            step = max(step / 2, _spacing(0.0, dtype))
        value += step
        numbers.append(value)
    return np.array(numbers)

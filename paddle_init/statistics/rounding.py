"""A law as a dtype holds it: which numbers its draws are rounded to, with what probability."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Normal, Simple, TruncatedNormal
from paddle_init.statistics.laws import ENGINE_GRAIN, Law, blur, law, normal_cdf

# What lies farther off the mean, in stds, has a probability below 3e-19.
REACH = 9.0
LARGEST = 2.0**1020
# A step between neighbouring numbers, in stds, below which the law is taken as continuous.
FINE = 1 / 8
# Numbers nearer to 0 than 2**-20 std are taken as 0.
LUMP = -20
# More numbers than this are merged in bins of std / 256. That takes 1.3e-6 of the variance away,
# and so less than 1e-3 of a sum's tail probability down to 1e-15.
MOST, PARTS = 8192, 256
# Bits of the significand behind the leading one, and the exponent of the least normal number.
FORMATS = {
    "float64": (52, -1022),
    "float32": (23, -126),
    "float16": (10, -14),
    "bfloat16": (7, -126),
}


@dataclass(frozen=True, eq=False)
class RoundedLaw:
    """The dtype's numbers within 9 stds, and the share of draws that is rounded to each.

    `beyond` bounds the share of all other draws.
    """

    numbers: NDArray[np.float64]
    shares: NDArray[np.float64]
    beyond: float = 3e-19


@functools.lru_cache(256)
def rounded_law(distribution: Simple, dtype: str) -> RoundedLaw:
    """Return the law of a draw, rounded to nearest.

    For half types, and for laws that are coarse in their dtype: there are 18 stds / step numbers.
    Shares in the tails keep their relative precision.
    """
    drawn = law(distribution)
    assert drawn is not None
    low, high = _ends(distribution, drawn)
    numbers = _numbers(low, high, dtype, drawn.std)
    # Taken off before halving, since what lies between two doubles may be none.
    from_mean = numbers - drawn.mean
    edges = (from_mean[1:] + from_mean[:-1]) / 2
    if isinstance(distribution, (Normal, TruncatedNormal)):
        edges += drawn.mean - distribution.mean
        with np.errstate(over="ignore"):
            z = np.array([drawn.low - distribution.mean, *edges, drawn.high - distribution.mean])
            z /= distribution.std
        z = np.clip(z, max(z[0], -REACH), min(z[-1], REACH))
        below = np.array([math.erfc(-each / math.sqrt(2)) for each in z])
        above = np.array([math.erfc(each / math.sqrt(2)) for each in z])
        shares = np.where(z[1:] <= 0, np.diff(below), -np.diff(above))
        shares /= shares.sum()
    else:
        within = np.clip(0.5 + edges / (drawn.high - drawn.low), 0, 1)
        shares = np.diff(np.concatenate([[0.0], within, [1.0]]))
    if numbers.size > MOST:
        numbers, shares = _merged(numbers, shares, drawn.std / PARTS)
    return RoundedLaw(numbers, shares)


def _merged(
    numbers: NDArray[np.float64], shares: NDArray[np.float64], width: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    bins = np.floor(numbers / width).astype(np.int64)
    bins -= bins[0]
    mass = np.bincount(bins, shares).astype(np.float64)
    sums = np.bincount(bins, shares * numbers).astype(np.float64)
    held = mass > 0
    return sums[held] / mass[held], mass[held]


@functools.lru_cache(4096)
def resolution(distribution: Simple, dtype: str) -> float:
    """Return how far a rounded draw may lie from the real one, in stds; inf without a law."""
    drawn = law(distribution)
    if drawn is None:
        return math.inf
    return float(blur(distribution, dtype)(np.array(_ends(distribution, drawn))).max()) / drawn.std


@functools.lru_cache(4096)
def densest(distribution: Simple) -> float:
    """Return a bound of the law's density, per std, above which it nowhere is."""
    drawn = law(distribution)
    assert drawn is not None
    if drawn.family != "truncated_normal" or not isinstance(distribution, TruncatedNormal):
        return 0.4  # 1 / sqrt(2 pi) of a normal, 1 / sqrt(12) of a uniform
    ends = np.array([distribution.low, distribution.high]) - distribution.mean
    low, high = ends / distribution.std
    nearest = min(max(0.0, low), high)
    below, above = normal_cdf(np.array([low, high]))
    highest = math.exp(-0.5 * nearest**2) / math.sqrt(2 * math.pi) / float(above - below)
    return 1.001 * highest * drawn.std / distribution.std


@functools.lru_cache(4096)
def chance_of_equality(distribution: Simple, dtype: str) -> float:
    """Bound the probability that two independent draws are rounded to one number.

    The sum of the squares of all shares; where neighbouring numbers lie close together, a bound of
    it by the largest density.
    """
    drawn = law(distribution)
    if drawn is None:
        return 1.0
    step = max(_spacing(end, dtype) for end in _ends(distribution, drawn))
    if step <= FINE * drawn.std:
        return min(1.0, step / drawn.std * densest(distribution) + 2 * ENGINE_GRAIN)
    shares = rounded_law(distribution, dtype).shares + 2 * drawn.grain
    return min(1.0, float(shares @ shares))


def _ends(distribution: Simple, drawn: Law) -> tuple[float, float]:
    """Return what all draws lie between, but for a probability of 3e-19."""
    middle, std = drawn.mean, drawn.std
    if isinstance(distribution, TruncatedNormal):  # the normal's before it was cut
        middle, std = distribution.mean, distribution.std
    low, high = max(drawn.low, middle - REACH * std), min(drawn.high, middle + REACH * std)
    return max(low, -LARGEST), min(high, LARGEST)


def _spacing(value: float, dtype: str) -> float:
    """Return the distance of the dtype's numbers at `value`, away from 0."""
    digits, least = FORMATS[dtype]
    return math.ldexp(1.0, max(_exponent(value), least) - digits)


def _exponent(value: float) -> int:
    return math.frexp(value)[1] - 1 if value else -1074


def _numbers(low: float, high: float, dtype: str, std: float) -> NDArray[np.float64]:
    """Return the dtype's numbers from the last one below `low` to the first one above `high`."""
    low, high = low - _spacing(low, dtype), high + _spacing(high, dtype)
    lump = _exponent(std) + LUMP
    negative = [-part[::-1] for part in _positive(-high, -low, dtype, lump)][::-1]
    return np.unique(np.concatenate([*negative, *_positive(low, high, dtype, lump)]))


def _positive(low: float, high: float, dtype: str, lump: int) -> Iterator[NDArray[np.float64]]:
    """Yield the numbers in [low, high] that are 0 or more, binade by binade."""
    digits, least = FORMATS[dtype]
    if high < 0:
        return
    first = max(_exponent(max(low, 0.0)), least, lump)
    if low < math.ldexp(1.0, first):  # 0, and the subnormal numbers where they count
        step = math.ldexp(1.0, first - digits)
        yield _multiples(low, high, step, 0, 1 << digits) if first == least else np.zeros(1)
    for exponent in range(first, _exponent(high) + 1):
        step = math.ldexp(1.0, exponent - digits)
        yield _multiples(low, high, step, 1 << digits, 2 << digits)


def _multiples(low: float, high: float, step: float, start: int, stop: int) -> NDArray[np.float64]:
    first, last = max(start, math.ceil(low / step)), min(stop - 1, math.floor(high / step))
    return step * np.arange(first, last + 1, dtype=np.float64)

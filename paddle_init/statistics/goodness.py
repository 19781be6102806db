"""Do values follow a distribution? A few tests, each with a p-value or a bound above it.

All values are looked at, in blocks. What rounding to the dtype may have moved is given to the
values, not held against them: each test takes the kindest reals that round to what is there; or,
where the dtype is coarse beside the law, the law of the rounded values itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Simple, TruncatedNormal, Unknown
from paddle_init.dtypes import as_numbers, stored
from paddle_init.statistics import tails
from paddle_init.statistics.laws import Law, blur, law
from paddle_init.statistics.moments import point
from paddle_init.statistics.rounding import RoundedLaw, resolution, rounded_law

Array: TypeAlias = NDArray[np.float64]

BLOCK = 1 << 18
EXACT_UP_TO = 1 << 16
GRID = 8193
# Laws that the dtype holds more coarsely than so many stds are tested as what rounding makes of
# them; the others as they are, with the kindest reals.
COARSE = 1 / 256
# A bound of the probability that a truncated normal in float32 is clamped to a far cutoff.
CLAMPED = 2.0**-24


@dataclass(frozen=True)
class Goodness:
    """The outcome of one test: "values", "finite", "support", "mean", "std", "largest", ...

    `observed` and `expected` are what was compared, None where that is no one number; `p_value`
    is the probability, or a bound above it, that a right draw is at least so far off.
    """

    name: str
    observed: float | None
    expected: float | None
    p_value: float


def goodness(values: NDArray[Any], distribution: Simple, dtype: str) -> tuple[Goodness, ...]:
    """Test values of `dtype`, of any shape, against a distribution.

    Nothing is tested where the array is empty, or the distribution is not known.
    """
    flat = values.reshape(-1)
    if not flat.size or isinstance(distribution, Unknown):
        return ()
    if (value := point(distribution)) is not None:
        return (_constant(flat, stored(value, dtype)),)
    expected = law(distribution)
    if expected is None:
        return ()
    clamped: tuple[Goodness, ...] = ()
    if isinstance(distribution, TruncatedNormal) and expected.family == "normal":
        ends = (stored(distribution.low, dtype), stored(distribution.high, dtype))
        flat, clamped = _without_clamped(flat, ends)
        if not flat.size:
            return clamped
    sums = _Sums(expected, flat.size)
    blurred = blur(distribution, dtype)
    for block in _blocks(flat):
        if not np.isfinite(block).all():
            return (Goodness("finite", None, None, 0.0),)
        sums.add(block, blurred(block))
    points = _points(flat, expected)
    rounded = None
    if resolution(distribution, dtype) > COARSE:
        rounded = rounded_law(distribution, dtype)
    form = _form(flat, points, expected, blurred(points))
    return (*clamped, *_moments(sums, blurred, rounded), form)


def number_of_tests(distribution: Simple) -> int:
    """Return an upper bound of how many tests `goodness` makes."""
    return 0 if isinstance(distribution, Unknown) else 6


def _without_clamped(
    flat: NDArray[Any], ends: tuple[float, float]
) -> tuple[NDArray[Any], tuple[Goodness, ...]]:
    """Leave out values at far cutoffs; test how many they are, if there are any.

    Uniforms below 2**-25 are inverted to minus infinity in float32, and this is clamped to the
    cutoff, be it a hundred stds away.
    """
    count = sum(int(np.isin(block, ends).sum()) for block in _blocks(flat))
    if not count:
        return flat, ()
    p_value = tails.at_least(count, flat.size, CLAMPED)
    rest = flat[~np.isin(as_numbers(flat), ends)]
    return rest, (Goodness("support", float(count), flat.size * CLAMPED, p_value),)


def _blocks(flat: NDArray[Any]) -> Iterator[NDArray[np.float64]]:
    for start in range(0, flat.size, BLOCK):
        yield as_numbers(flat[start : start + BLOCK]).astype(np.float64)


def _constant(flat: NDArray[Any], value: float) -> Goodness:
    different = next(
        (block[block != value][0] for block in _blocks(flat) if (block != value).any()), None
    )
    observed = value if different is None else float(different)
    shown = observed if math.isfinite(observed) else None
    return Goodness("values", shown, value, 0.0 if different is not None else 1.0)


class _Sums:
    """What the moments' tests need, added up; `least` and `most` are over what rounding hides."""

    def __init__(self, expected: Law, size: int) -> None:
        self.law, self.size = expected, size
        self.total = self.slack = self.squares = self.least = self.most = 0.0
        self.largest, self.slack_at_largest = 0.0, 0.0
        self.outside: float | None = None
        self.bound, self.zeros = 0.0, 0

    def add(self, block: NDArray[np.float64], slack: NDArray[np.float64]) -> None:
        off = block - self.law.mean
        size = np.abs(off)
        self.total += float(off.sum())
        self.slack += float(slack.sum())
        self.squares += _square_sum(size)
        low = np.maximum(size - slack, 0)
        self.least += _square_sum(low)
        high = size + slack
        self.most += _square_sum(high)
        self.largest = max(self.largest, float(size.max()))
        self.slack_at_largest = max(self.slack_at_largest, float(slack.max()))
        beyond = np.maximum(self.law.low - block, block - self.law.high) - slack
        worst = int(beyond.argmax())
        if beyond[worst] > 0:
            self.outside = float(block[worst])
            self.bound = self.law.high if self.outside > self.law.mean else self.law.low
        self.zeros += int(np.count_nonzero(block == 0))


def _square_sum(values: Array) -> float:
    """Add up squares without BLAS, which for many values waits for threads on a busy machine."""
    return float(np.square(values).sum())


def _moments(
    sums: _Sums, blurred: Callable[[Array], Array], rounded: RoundedLaw | None
) -> Iterator[Goodness]:
    law, n = sums.law, sums.size
    if sums.outside is not None:
        yield Goodness("support", sums.outside, sums.bound, 0.0)
    mean = sums.total / n
    if not law.distorted:
        if rounded is None:
            away = max(0.0, abs(mean) - sums.slack / n)
            by_mean, by_std = _mean_tail(law, away, n), _std_tail(law, sums)
        else:
            off = rounded.numbers - law.mean
            by_mean = _sum_tail(sums.total, n, off, rounded)
            by_std = _sum_tail(sums.squares, n, off * off, rounded)
        yield Goodness("mean", law.mean + mean, law.mean, by_mean)
        yield Goodness("std", math.sqrt(sums.squares / n), law.std, by_std)
        yield Goodness("largest", sums.largest, None, _largest_tail(law, sums, blurred))
    if sums.zeros:
        reach = float(blurred(np.zeros(1))[0])  # the largest number that rounds to 0
        below, above = law.cdf(np.array([-reach, reach]))
        chance = float(above - below) + law.grain
        yield Goodness("zeros", sums.zeros, n * chance, tails.at_least(sums.zeros, n, chance))


def _sum_tail(total: float, size: int, values: Array, rounded: RoundedLaw) -> float:
    shares = rounded.shares
    above = tails.sum_at_least(total, size, values, shares)
    below = tails.sum_at_least(-total, size, -values, shares)
    return min(1.0, 2.002 * min(above, below) + size * rounded.beyond)


def _mean_tail(law: Law, away: float, n: int) -> float:
    if law.family == "normal":
        return tails.normal_two_sided(away * math.sqrt(n) / law.std)
    if law.family == "uniform":
        return tails.strictly_subgaussian(away, n, law.std**2)
    return tails.bernstein(away, n, law.std**2, _reach(law))


def _reach(law: Law) -> float:
    return max(law.high - law.mean, law.mean - law.low)


def _std_tail(law: Law, sums: _Sums) -> float:
    n, variance = sums.size, law.std**2
    if law.family == "normal":
        below, _ = tails.chi_square_tails(sums.most / variance, n)
        _, above = tails.chi_square_tails(sums.least / variance, n)
        return min(1.0, 2 * min(below, above))
    away = max(0.0, sums.least / n - variance, variance - sums.most / n)
    bound = _reach(law) ** 2
    # E[u**4] of a uniform on [-a, a] is a**4 / 5; of the truncated normal, at most a**2 std**2.
    spread = bound**2 * 4 / 45 if law.family == "uniform" else bound * variance - variance**2
    return tails.bernstein(away, n, spread, bound)


def _largest_tail(law: Law, sums: _Sums, blurred: Callable[[Array], Array]) -> float:
    """Bound the probability that the largest of so many is so small, or so large.

    All of them lie within it with the n-th power of one's probability, exactly; one of them lies
    beyond it with at most n times one's. Where the support is bounded, nothing lies beyond.
    """
    ends = law.mean + sums.largest * np.array([-1.0, 1.0])
    slack = float(blurred(ends).max())
    below, above = law.cdf(ends + slack * np.array([-1.0, 1.0]))
    small = min(1.0, float(above - below) + 2 * law.grain) ** sums.size
    if law.family != "normal":
        return small
    z = max(0.0, sums.largest - sums.slack_at_largest) / law.std
    return min(1.0, 2 * min(small, sums.size * tails.normal_two_sided(z)))


def _points(flat: NDArray[Any], law: Law) -> NDArray[np.float64]:
    """Return where the two CDFs are compared: at every value, or on a grid where these are many.

    A grid can only miss a distance, so its test is no less kind.
    """
    if flat.size <= EXACT_UP_TO:
        return np.sort(as_numbers(flat).astype(np.float64))
    return law.quantiles(GRID)


def _form(
    flat: NDArray[Any], points: NDArray[np.float64], law: Law, slack: NDArray[np.float64]
) -> Goodness:
    below = np.zeros(points.size, np.int64)
    up_to = np.zeros(points.size, np.int64)
    for block in _blocks(flat):
        block.sort()
        below += np.searchsorted(block, points, "left")
        up_to += np.searchsorted(block, points, "right")
    over = up_to / flat.size - law.cdf(points + slack)
    under = law.cdf(points - slack) - below / flat.size
    distance = max(0.0, float(over.max()), float(under.max()))
    return Goodness("form", distance, 0.0, tails.massart(distance - law.grain, flat.size))

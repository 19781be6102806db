"""The states of a 31-bit LCG from the first two normals that it drew: its whole space, inverted.

The polar method turns two draws e, e' = a e mod m into x = 2u - 1, y = 2u' - 1 and returns
y * f and x * f with one factor f. So the values' ratio is y / x, whatever the scale. Along each of
the a lines e' = a e - k m the ratio is met at one point, up to rounding: instead of m states, a
points are looked at, 16,807 for minstd_rand0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["MODULUS", "first_draws"]

MODULUS = 2**31 - 1
MOST = 1 << 24

# x = 2u - 1 in float32 is off from 2 (e - 1) / 2**31 - 1 by 2**-24 at most: u by half of its last
# bit, and below u = 1/4 2u - 1 by half of its own. A u that rounds to 1 becomes 1 - 2**-24, so
# that x is off by as much as 2**-23.
GRAIN = 2.0**-23


def first_draws(
    first: float, second: float, multiplier: int, roundings: float
) -> NDArray[np.int64] | None:
    """Return every e whose pair may have given the values `first`, `second`, times any scale > 0.

    Parameters
    ----------
    roundings
        Relative error of a value, its rounding in float32 included.

    Returns
    -------
    array or None
        Candidates in [1, m - 1], to be held against more values; None where they are too many, or
        the values are 0.
    """
    a, m, unit = multiplier, MODULUS, 2.0**-30
    slope = unit * (first - a * second)
    if not first or not second or not slope:
        return None
    k = np.arange(a, dtype=np.float64)
    # first * x(e) = second * y(a e - k m), solved for e
    middle = (first * (1 + unit) - second * (1 + unit + k * (m * unit))) / slope
    reach = (abs(first) + abs(second)) * (GRAIN + roundings) / abs(slope) + 1e-3
    line = np.arange(a, dtype=np.int64) * m
    low = np.maximum(np.ceil(np.clip(middle - reach, 0, m)).astype(np.int64), line // a + 1)
    high = np.minimum(np.floor(np.clip(middle + reach, 0, m)).astype(np.int64), (line + m - 1) // a)
    counts = np.maximum(high - low + 1, 0)
    total = int(counts.sum())
    if total > MOST:
        return None
    starts = np.repeat(low, counts)
    steps = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    candidates: NDArray[np.int64] = starts + steps
    return candidates

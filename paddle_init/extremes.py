"""Draws that a dtype cannot hold: what becomes infinite, what rounds to 0."""

from __future__ import annotations

import math

from paddle_init.dtypes import RANGES

__all__ = ["LARGEST_NORMAL", "share_of_infinities", "vanishes"]

# The polar method's normal is y * sqrt(-2 * log(r2) / r2) with y**2 <= r2. Its y are floats
# 2 * u - 1, none smaller than 2**-24 but 0, so that r2 is at least 2**-48 and z**2 at most
# 96 * log(2).
LARGEST_NORMAL = math.sqrt(96 * math.log(2))


def share_of_infinities(std: float, dtype: str) -> float:
    """Return the share, in [0, 1), of draws of N(0, std**2) that are infinite in `dtype`.

    0 where `std` is so small that no standard normal float reaches the largest value.
    """
    largest = RANGES[dtype][1]
    if std * LARGEST_NORMAL <= largest:
        return 0.0
    return math.erfc(largest / std / math.sqrt(2))


def vanishes(spread: float, dtype: str) -> bool:
    """Tell whether a spread other than 0 is below the smallest positive value of `dtype`."""
    return 0 < spread < RANGES[dtype][0]

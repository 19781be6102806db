"""Drawn values that something changed: put in another order, overwritten in places, moved."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.parity.ulp import distances
from paddle_init.parity.words import short
from paddle_init.statistics import as_numbers
from paddle_init.verification.comparing import bits_of
from paddle_init.verification.sentences import edits as say

__all__ = ["edited", "moved"]

Array = NDArray[Any]

# Differences up to this are another rounding.
ROUNDINGS_ULP = 64
# A tenth of many values is equal by no chance: two draws share all their bits once in 10^7.
LEAST_SHARE, LEAST = 10, 4
# The least correlation that counts, in standard deviations of Fisher's z: by chance 1e-15.
SIGMAS = 8.0


def edited(expected: Array, found: Array) -> tuple[str, str] | None:
    """Return code and words where the found values are the drawn ones, but for order or places."""
    here, there = bits_of(expected), bits_of(found)
    order = _permuted(here, there)
    if order is not None:
        return "permuted", say.PERMUTED(order=order)
    unequal = here != there
    differing = int(np.count_nonzero(unequal))
    equal = here.size - differing
    apart = distances(here[unequal], there[unequal])
    if equal < LEAST or equal * LEAST_SHARE < here.size or apart.max(initial=0) <= ROUNDINGS_ULP:
        return None
    where, what = _places(unequal), _values(as_numbers(found)[unequal])
    return "overwritten", say.OVERWRITTEN(equal=equal, size=here.size, where=where, what=what)


def moved(expected: Array, found: Array) -> tuple[str, str] | None:
    """Return code and words where each found value lies near its own draw."""
    a = as_numbers(expected).astype(np.float64).reshape(-1)
    b = as_numbers(found).astype(np.float64).reshape(-1)
    if a.size < LEAST + 1 or not np.isfinite(b).all() or not b.std():
        return None
    here, there = bits_of(expected).reshape(-1), bits_of(found).reshape(-1)
    apart = distances(here, there)
    if (furthest := int(apart.max())) <= ROUNDINGS_ULP:
        differing = int(np.count_nonzero(apart))
        return "rounding", say.WITHIN_ULP(differing=differing, size=a.size, max_ulp=furthest)
    r = min(float(np.corrcoef(a, b)[0, 1]), 1 - 2.0**-52)
    if math.atanh(r) * math.sqrt(a.size - 3) < SIGMAS:
        return None
    far = short(float(np.abs(b - a).max()), 3)
    if np.ptp(b - a) <= np.abs(b).max() * 2.0**-20 < abs(float((b - a).mean())):
        return "mean", say.MEAN(shift=short(float((b - a).mean()), 4))
    return "moved", say.MOVED(r=short(r, 4), far=far)


def _permuted(here: Array, there: Array) -> str | None:
    if here.sum(dtype=np.uint64) != there.sum(dtype=np.uint64):
        return None
    if not np.array_equal(np.sort(here, None), np.sort(there, None)):
        return None
    if here.ndim == 2:
        for said, a, b in (
            (say.WHOLE_ROWS, here, there),
            (say.WHOLE_COLUMNS, here.T, there.T),
        ):
            if np.array_equal(_sorted_rows(a), _sorted_rows(b)):
                return said()
    return say.SHUFFLED()


def _sorted_rows(matrix: Array) -> Array:
    """Return the rows in the order of their values, from the first column on."""
    return matrix[np.lexsort(matrix.T[::-1])]


def _places(unequal: NDArray[np.bool_]) -> str:
    rows = np.flatnonzero(unequal.reshape(len(unequal), -1).any(axis=1))
    if len(unequal) == 1 or rows.size > 1 + (len(unequal) >> 1):
        return ""
    first, last = int(rows[0]), int(rows[-1])
    if last - first + 1 != rows.size:
        return say.IN_ROWS_FROM(count=rows.size, first=first)
    return say.IN_ROW(first=first) if first == last else say.IN_ROWS(first=first, stop=last + 1)


def _values(changed: Array) -> str:
    wild = int(np.count_nonzero(~np.isfinite(changed)))
    if wild:
        return say.WILD(wild=wild)
    if (changed == changed[0]).all():
        return say.TO_VALUE(value=short(float(changed[0])))
    return ""

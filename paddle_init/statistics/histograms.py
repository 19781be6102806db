"""How many values lie where."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.dtypes import as_numbers


@dataclass(frozen=True)
class Histogram:
    """Counts of the bins between ascending edges, of which there is one more."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]


MOST_BINS = 48
BLOCK = 1 << 20


def histogram(values: NDArray[Any]) -> Histogram | None:
    """Count values in bins of one width, from the least to the largest; one bin for one value.

    There are as many bins as the root of the number of values, at most 48. Values that are not
    finite are left out. None where no others are there, or their range exceeds the doubles.
    """
    low, high, count = math.inf, -math.inf, 0
    for block in _finite(values):
        low, high = min(low, float(block.min())), max(high, float(block.max()))
        count += block.size
    if not count or not math.isfinite(high - low):
        return None
    bins = min(MOST_BINS, math.isqrt(count))
    # No narrower than the doubles are apart, else bins would not have one width.
    if high - low <= bins * np.spacing(max(abs(low), abs(high))):
        return Histogram((low, high), (count,))
    edges = np.linspace(low, high, bins + 1)
    counts = np.zeros(bins, np.int64)
    for block in _finite(values):
        counts += np.histogram(block, edges)[0]
    return Histogram(tuple(edges.tolist()), tuple(counts.tolist()))


def _finite(values: NDArray[Any]) -> Iterator[NDArray[np.float64]]:
    flat = values.reshape(-1)
    for start in range(0, flat.size, BLOCK):
        block = as_numbers(flat[start : start + BLOCK]).astype(np.float64)
        finite = block[np.isfinite(block)]
        if finite.size:
            yield finite

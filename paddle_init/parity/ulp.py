"""Distances of floats in ULP, on the line of integers in which their dtype's values stand."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["differences", "distances"]


def differences(left: NDArray[Any], right: NDArray[Any]) -> tuple[int, int]:
    """Return how many elements differ in some bit, and the largest distance in ULP.

    Parameters
    ----------
    left, right : arrays of the same shape, as their bits
        uint16, uint32 or uint64; of float16 and bfloat16 alike, the order of whose bits is the
        order of the values.

    Notes
    -----
    +0 and -0 differ but are 0 ULP apart. Neighbours are 1 ULP apart, through 0 as well.
    """
    apart = left != right
    count = int(np.count_nonzero(apart))
    if not count:
        return 0, 0
    return count, int(distances(left[apart], right[apart]).max())


def distances(left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.uint64]:
    """Return how many ULP each pair of elements is apart; see `differences`."""
    here, there = _places(left), _places(right)
    apart: NDArray[np.uint64] = np.maximum(here, there) - np.minimum(here, there)
    return apart


def _places(bits: NDArray[Any]) -> NDArray[np.uint64]:
    """Count from the lowest of values: -0 and +0 stand on the middle, 2**63."""
    middle = np.uint64(2**63)
    sign = bits.dtype.type(1 << (8 * bits.itemsize - 1))
    size = (bits & ~sign).astype(np.uint64)
    places: NDArray[np.uint64] = np.where(bits & sign, middle - size, middle + size)
    return places

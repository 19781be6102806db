"""Two arrays held against each other, bit by bit and in ULP."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.frameworks import STORAGE
from paddle_init.parity.ulp import distances
from paddle_init.specs import Tensor
from paddle_init.statistics import as_numbers
from paddle_init.verification.records import BitComparison

__all__ = ["bits_of", "compare_bits", "fits", "same_bits", "same_form"]

BLOCK = 1 << 20
BINS = 65


def fits(tensor: Tensor, found: NDArray[Any]) -> bool:
    """Tell whether an array has the shape and dtype in which a tensor is held."""
    return found.shape == tensor.shape and found.dtype == STORAGE[tensor.dtype]


def same_form(left: NDArray[Any], right: NDArray[Any]) -> bool:
    """Tell whether two arrays have one shape and one dtype."""
    return left.shape == right.shape and left.dtype == right.dtype


def same_bits(left: NDArray[Any], right: NDArray[Any]) -> bool:
    """Tell whether two arrays have one shape, one dtype and one pattern of bits."""
    if not same_form(left, right):
        return False
    a, b = bits_of(left).reshape(-1), bits_of(right).reshape(-1)
    if a.size and a[0] != b[0]:
        return False
    return all(
        np.array_equal(a[start : start + BLOCK], b[start : start + BLOCK])
        for start in range(0, a.size, BLOCK)
    )


def compare_bits(expected: NDArray[Any], found: NDArray[Any]) -> BitComparison:
    """Compare arrays of one shape and dtype."""
    a, b = expected.reshape(-1), found.reshape(-1)
    bins = np.zeros(BINS, np.int64)
    differing = largest = 0
    first: int | None = None
    nan = False
    for start in range(0, a.size, BLOCK):
        left, right = a[start : start + BLOCK], b[start : start + BLOCK]
        here, there = bits_of(left), bits_of(right)
        unequal = here != there
        count = int(np.count_nonzero(unequal))
        if count and first is None:
            first = start + int(unequal.argmax())
        differing += count
        distance = distances(here, there)
        if count and np.isnan(as_numbers(right)).any():
            nan = True
        largest = max(largest, int(distance.max(initial=0)))
        # frexp's exponent is the bit length, but for numbers that round up in a double.
        bins += np.bincount(np.frexp(distance.astype(np.float64))[1], minlength=BINS)[:BINS]
    histogram = tuple(
        (0 if k == 0 else 1 << k - 1, 0 if k == 0 else (1 << k) - 1, int(count))
        for k, count in enumerate(bins)
        if count
    )
    where = None if first is None else tuple(map(int, np.unravel_index(first, found.shape)))
    return BitComparison(
        a.size,
        differing,
        None if nan else largest,
        histogram,
        where,
        _number(a, first),
        _number(b, first),
    )


def _number(flat: NDArray[Any], index: int | None) -> float | None:
    if index is None:
        return None
    value = float(as_numbers(flat[index : index + 1])[0])
    return value if math.isfinite(value) else None


def bits_of(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array's values as unsigned integers of their size."""
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")

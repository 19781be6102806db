"""Each parameter's values against its distribution, all tests sharing one error probability."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Blocks, Given, Simple
from paddle_init.dtypes import STORAGE, as_held, as_numbers, coarser, converted, distances
from paddle_init.frameworks.registry import framework_of
from paddle_init.specs import NetSpec, Tensor
from paddle_init.statistics.goodness import Goodness, goodness, number_of_tests
from paddle_init.verification.records import BitComparison, Check

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
        (1 << k >> 1, (1 << k) - 1, int(count)) for k, count in enumerate(bins) if count
    )
    max_ulp = None if nan else largest
    if first is None:
        return BitComparison(a.size, differing, max_ulp, histogram, None, None, None)
    index = tuple(map(int, np.unravel_index(first, found.shape)))
    numbers = _number(a, first), _number(b, first)
    return BitComparison(a.size, differing, max_ulp, histogram, index, *numbers)


def bits_of(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array's values as unsigned integers of their size."""
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")


@dataclass(frozen=True)
class Tests:
    """How many tests a net takes, and the p-value below which one fails.

    Each test fails with a probability of at most `threshold`, so all together with at most
    `alpha`, whatever their dependence (Bonferroni's inequality).
    """

    count: int
    alpha: float

    @property
    def threshold(self) -> float:
        return self.alpha / max(1, self.count)


def plan(spec: NetSpec, tensors: Iterable[Tensor], alpha: float) -> Tests:
    """Count the tests of tensors before any value is looked at."""
    return Tests(sum(number_of_tests(part) for t in tensors for *_, part in parts(spec, t)), alpha)


def parts(spec: NetSpec, tensor: Tensor) -> Iterator[tuple[int, int, Simple]]:
    """Yield what a tensor's rows [start, stop) hold; rows that hold the same are together."""
    drawn = spec.distribution(tensor)
    if not isinstance(drawn, Blocks):
        yield 0, tensor.shape[0], drawn
        return
    start = 0
    for part in drawn.parts:
        yield start, start + part.rows, part.distribution
        start += part.rows


def row_blocks(tensor: Tensor) -> Iterator[tuple[int, int, str]]:
    """Yield which draw fills a tensor's rows [start, stop)."""
    start = 0
    for block in tensor.blocks:
        stop = start + (tensor.shape[0] if len(tensor.blocks) == 1 else block.rows)
        yield start, stop, block.draw
        start = stop


def kept_values(tensor: Tensor, found: NDArray[Any], start: int, stop: int) -> NDArray[Any]:
    """Return what was found in rows [start, stop) and is not overwritten."""
    rows = found[start:stop]
    if not tensor.overwritten:
        return rows
    kept = _kept(tensor)[start:stop]
    return rows if kept.all() else rows[kept]


def _kept(tensor: Tensor) -> NDArray[np.bool_]:
    kept = np.ones(tensor.shape, np.bool_)
    for each in tensor.overwritten:
        kept.reshape(-1)[each.elements] = False
    return kept


def check_tensor(
    found: NDArray[Any], tensor: Tensor, spec: NetSpec, tests: Tests
) -> tuple[Check, ...]:
    """Test what was found of a tensor, rows by rows.

    Given and overwritten values are compared, and these are left out of the tests of the rows.
    """
    checks = [
        _check(start, stop, each, each.p_value >= tests.threshold)
        for start, stop, part in parts(spec, tensor)
        for each in _tested(found, start, stop, part, spec, tensor)
    ]
    if tensor.overwritten and not _kept(tensor).all():
        expected = found.copy().reshape(-1)
        for each in tensor.overwritten:
            expected[each.elements] = as_held(np.array([each.value]), tensor.dtype)
        test = _equality(found.reshape(-1), expected, "overwritten")
        checks.append(_check(0, tensor.shape[0], test, test.p_value == 1.0))
    return tuple(checks)


def _check(start: int, stop: int, test: Goodness, passed: bool) -> Check:
    return Check((start, stop), test.name, test.observed, test.expected, test.p_value, passed)


def _tested(
    found: NDArray[Any], start: int, stop: int, drawn: Simple, spec: NetSpec, tensor: Tensor
) -> Sequence[Goodness]:
    """Test rows, which were rounded to the dtypes of their draws before they came to be held."""
    dtypes = (spec.draw_by_name[block.draw].dtype for block in tensor.blocks)
    dtype = reduce(coarser, filter(None, dtypes), tensor.dtype)
    values = kept_values(tensor, found, start, stop)
    if not isinstance(drawn, Given):
        return goodness(values, framework_of(spec).effective(drawn, dtype), dtype)
    if not values.size:
        return ()
    given = converted(as_held(drawn.values, dtype), dtype, tensor.dtype)
    kept = _kept(tensor)[start:stop]
    return (_equality(found[start:stop][kept], given.reshape(kept.shape)[kept], "values"),)


def _equality(found: NDArray[Any], expected: NDArray[Any], name: str) -> Goodness:
    """Compare bits; what differs first is observed."""
    unequal = np.flatnonzero(bits_of(found) != bits_of(expected))
    first = int(unequal[0]) if unequal.size else 0
    p_value = 0.0 if unequal.size else 1.0
    return Goodness(name, _number(found, first), _number(expected, first), p_value)


def _number(flat: NDArray[Any], index: int) -> float | None:
    value = float(as_numbers(flat[index : index + 1])[0])
    return value if math.isfinite(value) else None

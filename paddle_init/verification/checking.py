"""Each parameter's values against its distribution, all tests sharing one error probability."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Blocks, Distribution, Given, Simple
from paddle_init.dtypes import STORAGE, as_held, coarser, converted, distances
from paddle_init.frameworks.paddle.facts import effective
from paddle_init.specs import NetSpec, Tensor
from paddle_init.statistics import Goodness, as_numbers, goodness, number_of_tests
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
        _first_number(a, first),
        _first_number(b, first),
    )


def _first_number(flat: NDArray[Any], index: int | None) -> float | None:
    if index is None:
        return None
    value = float(as_numbers(flat[index : index + 1])[0])
    return value if math.isfinite(value) else None


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
    distributions = (part for t in tensors for _, _, part in _rows(t, spec.distribution(t)))
    return Tests(sum(map(number_of_tests, distributions)), alpha)


def check_tensor(
    found: NDArray[Any], tensor: Tensor, spec: NetSpec, tests: Tests
) -> tuple[Check, ...]:
    """Test what was found of a tensor, rows by rows.

    Given and overwritten values are compared, and these are left out of the tests of the rows.
    """
    kept = kept_elements(tensor)
    drawn_in = (spec.draw_by_name[block.draw].dtype for block in tensor.blocks)
    dtype = reduce(coarser, filter(None, drawn_in), tensor.dtype)
    made = [
        Check((start, stop), each.name, each.observed, each.expected, each.p_value, passed)
        for start, stop, part in _rows(tensor, spec.distribution(tensor))
        for each in _tested(found[start:stop], kept[start:stop], part, spec, tensor, dtype)
        for passed in (each.p_value >= tests.threshold,)
    ]
    if tensor.overwritten and not kept.all():
        made.append(_overwritten(found, tensor))
    return tuple(made)


def kept_elements(tensor: Tensor) -> NDArray[np.bool_]:
    """Return, in the tensor's shape, which elements are not overwritten."""
    kept = np.ones(tensor.shape, np.bool_)
    for each in tensor.overwritten:
        kept.reshape(-1)[each.elements] = False
    return kept


def _tested(
    found: NDArray[Any],
    kept: NDArray[np.bool_],
    drawn: Simple,
    spec: NetSpec,
    tensor: Tensor,
    dtype: str,
) -> Sequence[Goodness]:
    """Test rows of a tensor that were rounded to `dtype` before they were held in its own."""
    if not isinstance(drawn, Given):
        values = found if kept.all() else found[kept]
        return goodness(values, effective(drawn, spec.framework, dtype), dtype)
    if not kept.any():
        return ()
    expected = converted(as_held(drawn.values, dtype), dtype, tensor.dtype).reshape(found.shape)
    return (_compared(found[kept], expected[kept]),)


def _overwritten(found: NDArray[Any], tensor: Tensor) -> Check:
    expected = found.copy().reshape(-1)
    for each in tensor.overwritten:
        expected[each.elements] = as_held(np.array([each.value]), tensor.dtype)
    one = _compared(found.reshape(-1), expected, "overwritten")
    rows = (0, tensor.shape[0])
    return Check(rows, one.name, one.observed, one.expected, one.p_value, one.p_value == 1.0)


def _compared(found: NDArray[Any], expected: NDArray[Any], name: str = "values") -> Goodness:
    """Compare bits; what differs first is observed."""
    unequal = np.flatnonzero(bits_of(found) != bits_of(expected))
    at = int(unequal[0]) if unequal.size else 0
    p_value = 0.0 if unequal.size else 1.0
    return Goodness(name, _number(found, at), _number(expected, at), p_value)


def _number(flat: NDArray[Any], index: int) -> float | None:
    value = float(as_numbers(flat[index : index + 1])[0])
    return value if math.isfinite(value) else None


def _rows(tensor: Tensor, drawn: Distribution) -> Iterator[tuple[int, int, Simple]]:
    if not isinstance(drawn, Blocks):
        yield 0, tensor.shape[0], drawn
        return
    start = 0
    for part in drawn.parts:
        yield start, start + part.rows, part.distribution
        start += part.rows

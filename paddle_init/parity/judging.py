"""The level of two distributions, from their numbers alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import astuple, dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Constant, Given, Normal, Simple, Unknown
from paddle_init.dtypes import EPS, coarser, stored_values
from paddle_init.frameworks.sides import Rows, View, aligned
from paddle_init.languages import Message, joined
from paddle_init.parity import sentences as say
from paddle_init.parity.records import Level
from paddle_init.specs import Overwrite, Tensor
from paddle_init.statistics.moments import point
from paddle_init.texts import short

Values: TypeAlias = NDArray[np.float64]


def judge(left: Simple, right: Simple, dtype: str, *, signed_zero: bool = False) -> Level:
    """Return how far apart two distributions are, both already rounded to `dtype`.

    Without drawn values an equal distribution is ``stream``: nothing is known of single elements.
    Where neither side leaves anything to chance the elements are known, so ``identical`` and
    ``rounding`` are found here too.

    Parameters
    ----------
    signed_zero
        A side multiplies a draw by 0, so that its zeros carry the draw's sign.
    """
    here, there = point(left), point(right)
    if here is not None and there is not None:
        if here == there:
            same_sign = math.copysign(1, here) == math.copysign(1, there)
            return Level.IDENTICAL if same_sign and not signed_zero else Level.ROUNDING
        if near(here, there, dtype):
            return Level.ROUNDING
    if isinstance(left, Given) and isinstance(right, Given):
        return _given(left, right, dtype)
    if type(left) is not type(right) or isinstance(left, Unknown):
        return Level.DISTRIBUTION
    return Level.STREAM if _alike(left, right, dtype) else Level.SCALE


def _given(left: Given, right: Given, dtype: str) -> Level:
    """Values that are given are known one by one; what is more than rounding is another table."""
    if left == right:
        return Level.IDENTICAL
    here, there = (each.values.astype(np.float64) for each in (left, right))
    if here.shape != there.shape:
        return Level.DISTRIBUTION
    same = _near(here, there, dtype) | (np.isnan(here) & np.isnan(there))
    return Level.ROUNDING if same.all() else Level.DISTRIBUTION


def _near(here: Values, there: Values, dtype: str) -> NDArray[np.bool_]:
    """Tell which pairs are `near`; NaN is near nothing."""
    with np.errstate(invalid="ignore"):
        close = abs(here - there) < EPS[dtype] * np.maximum(abs(here), abs(there))
    equal: NDArray[np.bool_] = (here == there) | close
    return equal


def _alike(left: Simple, right: Simple, dtype: str) -> bool:
    """Tell whether two of one family are equal, or apart by less than `dtype`'s eps each."""
    numbers = zip(astuple(left), astuple(right), strict=True)
    return all(near(a, b, dtype) for a, b in numbers)


def near(left: float, right: float, dtype: str) -> bool:
    """Tell whether two numbers are equal, or apart by less than `dtype`'s eps."""
    return left == right or abs(left - right) < EPS[dtype] * max(abs(left), abs(right))


@dataclass(frozen=True)
class Pair:
    """Rows [start, stop) of one tensor on both sides.

    `tensor` is the left's. `left_drawn` and `right_drawn` are what the frameworks really draw,
    rounded to `dtype`, the coarser of the two tensors' dtypes.
    """

    start: int
    stop: int
    tensor: Tensor
    dtype: str
    left: View
    right: View
    left_rows: Rows
    right_rows: Rows
    left_drawn: Simple
    right_drawn: Simple
    level: Level

    @property
    def role(self) -> str:
        return self.tensor.role


def pairs(left: View, left_tensor: Tensor, right: View, right_tensor: Tensor) -> Iterator[Pair]:
    """Yield the pairs of rows of two tensors of one shape, from the first row down."""
    dtype = coarser(left_tensor.dtype, right_tensor.dtype)
    same_dtype = left_tensor.dtype == right_tensor.dtype
    for here, there in aligned(left.rows(left_tensor), right.rows(right_tensor)):
        start, stop = max(here.start, there.start), min(here.stop, there.stop)
        here, there = _cut(((here, left_tensor), (there, right_tensor)), start, stop)
        drawn = (
            _rounded(here, left, left_tensor, dtype),
            _rounded(there, right, right_tensor, dtype),
        )
        signed = any(
            view.framework.signed_zeros and each == Normal(0.0, 0.0)
            for view, each in zip((left, right), drawn, strict=True)
        )
        level = judge(*drawn, dtype, signed_zero=signed)
        if level is Level.IDENTICAL and not same_dtype:
            level = Level.ROUNDING
        yield Pair(start, stop, left_tensor, dtype, left, right, here, there, *drawn, level)


def _cut(
    sides: tuple[tuple[Rows, Tensor], tuple[Rows, Tensor]], start: int, stop: int
) -> Iterator[Rows]:
    """Yield both sides' rows; where no value of them is left to chance, with the values given.

    What is drawn is the same for all rows. Given values are those of rows [start, stop), and of
    two sides that are known value by value so are constants, with what is set after the draw.
    """
    given = any(isinstance(rows.drawn, Given) for rows, _ in sides)
    fixed = all(isinstance(rows.drawn, (Given, Constant)) for rows, _ in sides)
    set_after = any(tensor.overwritten for _, tensor in sides)
    for rows, tensor in sides:
        if fixed and (given or set_after):
            yield replace(rows, drawn=Given(_fixed_values(rows, tensor, start, stop)))
        elif isinstance(rows.drawn, Given):
            of = rows.stop - rows.start
            yield replace(rows, drawn=rows.drawn.rows(start - rows.start, stop - rows.start, of))
        else:
            yield rows


def _fixed_values(rows: Rows, tensor: Tensor, start: int, stop: int) -> NDArray[np.float64]:
    """Return the values of rows [start, stop), flat, none of which is left to chance."""
    width = math.prod(tensor.shape[1:])
    drawn = rows.drawn
    if isinstance(drawn, Given):
        before = (start - rows.start) * width
        values = drawn.values[before : before + (stop - start) * width].astype(np.float64)
    else:
        assert isinstance(drawn, Constant)
        values = np.full((stop - start) * width, drawn.value)
    for each in tensor.overwritten_within(start * width, stop * width):
        values[each.elements] = each.value
    return values


def _rounded(rows: Rows, view: View, tensor: Tensor, dtype: str) -> Simple:
    drawn = rows.drawn
    for each in dict.fromkeys((rows.draw.dtype or tensor.dtype, tensor.dtype, dtype)):
        drawn = view.framework.effective(drawn, each)
    return drawn


def overwritten(
    left: View, left_tensor: Tensor, right: View, right_tensor: Tensor
) -> Message | None:
    """Tell where elements that a side sets after the draw are apart; None where they agree.

    An Embedding's padding row is such. What a side does not set is compared all the same where it
    is not left to chance. Where a side's distribution is not known, nothing is said to be apart.
    """
    if left_tensor.overwritten == right_tensor.overwritten:
        return None
    edits = (*left_tensor.overwritten, *right_tensor.overwritten)
    at = np.unique(np.concatenate([_places(each) for each in edits]))
    dtype = coarser(left_tensor.dtype, right_tensor.dtype)
    here, known_here = _values_at(left, left_tensor, at, dtype)
    there, known_there = _values_at(right, right_tensor, at, dtype)
    apart = np.flatnonzero(~_near(here, there, dtype) & known_here & known_there)
    if not apart.size:
        return None
    first = int(apart[0])
    rows = _whole_rows(at[apart], left_tensor)
    index = [int(n) for n in np.unravel_index(int(at[first]), left_tensor.shape)]
    where = say.IN_ROWS(rows=rows) if rows else say.FIRST_AT(index=index)
    values = [
        say.DRAWN_THERE(place=view.where)
        if np.isnan(side[first])
        else say.SET_THERE(value=short(float(side[first])), place=view.where)
        for side, view in ((here, left), (there, right))
    ]
    return say.SET_APART(count=apart.size, where=where, values=joined(say.AND, values))


def _places(each: Overwrite) -> NDArray[np.int64]:
    return np.arange(each.start, each.stop, each.step, dtype=np.int64)


def _values_at(
    view: View, tensor: Tensor, at: NDArray[np.int64], dtype: str
) -> tuple[Values, NDArray[np.bool_]]:
    """Return the values of some elements, in order, and of which the distribution is known.

    The values are rounded to `dtype`; NaN stands for what chance decides.
    """
    values, known = np.full(at.size, np.nan), np.ones(at.size, np.bool_)
    width = math.prod(tensor.shape[1:])
    for rows in view.rows(tensor):
        inside = slice(*np.searchsorted(at, (rows.start * width, rows.stop * width)))
        known[inside] = not isinstance(rows.drawn, Unknown)
        drawn = view.framework.effective(rows.drawn, tensor.dtype)
        if isinstance(drawn, Given):
            values[inside] = drawn.values[at[inside] - rows.start * width]
        elif (value := point(drawn)) is not None:
            values[inside] = value
    for each in tensor.overwritten:
        places = np.searchsorted(at, _places(each))
        values[places], known[places] = each.value, True
    return stored_values(values, dtype).astype(np.float64), known


def _whole_rows(at: NDArray[np.int64], tensor: Tensor) -> str | None:
    """Return the rows that the elements are all of; None where they are not whole rows."""
    width = math.prod(tensor.shape[1:])
    whole = len(tensor.shape) > 1 and at.size % width == 0 and at[0] % width == 0
    if not whole or int(at[-1] - at[0]) != at.size - 1:
        return None
    return f"[{int(at[0]) // width}, {(int(at[-1]) + 1) // width})"

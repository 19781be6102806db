"""Elements that are set after the draw, such as an Embedding's padding row: both sides compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Given, Unknown
from paddle_init.dtypes import stored_values
from paddle_init.frameworks.paddle.facts import EPS, coarser, effective
from paddle_init.frameworks.sides import View
from paddle_init.languages import Message, joined
from paddle_init.parity import sentences as say
from paddle_init.parity.words import short
from paddle_init.specs import Overwrite, Tensor
from paddle_init.statistics.moments import point

__all__ = ["Overwritten", "overwritten"]

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Overwritten:
    """Elements that one side sets after the draw, and on which the two sides are apart.

    `left` and `right` are the value of the first one on either side, None where it is drawn.
    """

    count: int
    first: tuple[int, ...]
    rows: tuple[int, int] | None
    left: float | None
    right: float | None

    def told(self, left: View, right: View) -> Message:
        where = say.FIRST_AT(index=list(self.first))
        if self.rows is not None:
            where = say.IN_ROWS(rows=f"[{self.rows[0]}, {self.rows[1]})")
        sides = ((self.left, left), (self.right, right))
        values = joined(say.AND, [_value(value, view.where) for value, view in sides])
        return say.SET_APART(count=self.count, where=where, values=values)


def _value(value: float | None, place: str) -> Message:
    if value is None:
        return say.DRAWN_THERE(place=place)
    return say.SET_THERE(value=short(value), place=place)


def overwritten(
    left: View, left_tensor: Tensor, right: View, right_tensor: Tensor
) -> Overwritten | None:
    """Return where the elements that either side sets are apart; None where they agree.

    What a side does not set is compared all the same where it is not left to chance. Where a
    side's distribution is not known, nothing is said to be apart.
    """
    if left_tensor.overwritten == right_tensor.overwritten:
        return None
    at = np.unique(np.concatenate([_elements(each) for each in (left_tensor, right_tensor)]))
    dtype = coarser(left_tensor.dtype, right_tensor.dtype)
    here, there = (
        stored_values(_at(view, tensor, at), dtype).astype(np.float64)
        for view, tensor in ((left, left_tensor), (right, right_tensor))
    )
    known = _known_at(left, left_tensor, at) & _known_at(right, right_tensor, at)
    apart = np.flatnonzero(~_same(here, there, dtype) & known)
    if not apart.size:
        return None
    first = int(apart[0])
    index = tuple(int(n) for n in np.unravel_index(int(at[first]), left_tensor.shape))
    return Overwritten(
        apart.size,
        index,
        _rows(at[apart], left_tensor),
        _known(here[first]),
        _known(there[first]),
    )


def _same(here: Values, there: Values, dtype: str) -> NDArray[np.bool_]:
    """Tell which pairs are equal up to rounding; NaN stands for what chance decides."""
    with np.errstate(invalid="ignore"):
        close = abs(here - there) < EPS[dtype] * np.maximum(abs(here), abs(there))
    equal: NDArray[np.bool_] = (here == there) | close
    return equal


def _known(value: np.floating[Any]) -> float | None:
    return None if np.isnan(value) else float(value)


def _elements(tensor: Tensor) -> NDArray[np.int64]:
    parts = map(_set_by, tensor.overwritten)
    return np.concatenate([np.zeros(0, np.int64), *parts])


def _set_by(each: Overwrite) -> NDArray[np.int64]:
    return np.arange(each.start, each.stop, each.step, dtype=np.int64)


def _at(view: View, tensor: Tensor, at: NDArray[np.int64]) -> Values:
    """Return the values of some elements, in order; NaN where chance decides them."""
    values = np.full(at.size, np.nan)
    width = int(np.prod(tensor.shape[1:], dtype=np.int64))
    for rows in view.rows(tensor):
        inside = slice(*np.searchsorted(at, (rows.start * width, rows.stop * width)))
        drawn = effective(rows.drawn, view.spec.framework, tensor.dtype)
        if isinstance(drawn, Given):
            values[inside] = drawn.values[at[inside] - rows.start * width]
        elif (value := point(drawn)) is not None:
            values[inside] = value
    for each in tensor.overwritten:
        values[np.searchsorted(at, _set_by(each))] = each.value
    return values


def _known_at(view: View, tensor: Tensor, at: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which of some elements, in order, have a known distribution or are set."""
    known = np.ones(at.size, np.bool_)
    width = int(np.prod(tensor.shape[1:], dtype=np.int64))
    for rows in view.rows(tensor):
        if isinstance(rows.drawn, Unknown):
            known[slice(*np.searchsorted(at, (rows.start * width, rows.stop * width)))] = False
    for each in tensor.overwritten:
        known[np.searchsorted(at, _set_by(each))] = True
    return known


def _rows(at: NDArray[np.int64], tensor: Tensor) -> tuple[int, int] | None:
    """Return the rows that the elements are all of; None where they are not whole rows."""
    width = int(np.prod(tensor.shape[1:], dtype=np.int64))
    whole = len(tensor.shape) > 1 and at.size % width == 0 and at[0] % width == 0
    if not whole or int(at[-1] - at[0]) != at.size - 1:
        return None
    return int(at[0]) // width, (int(at[-1]) + 1) // width

"""Two runs of rows held against each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from paddle_init.distributions import Given, Normal, Simple
from paddle_init.parity.judging import judge
from paddle_init.parity.levels import Level
from paddle_init.parity.precision import coarser, effective
from paddle_init.parity.sides import Rows, View, aligned
from paddle_init.specs import Tensor

__all__ = ["Pair", "pairs"]


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
        here, there = _cut(here, start, stop), _cut(there, start, stop)
        drawn = (
            _rounded(here, left, left_tensor, dtype),
            _rounded(there, right, right_tensor, dtype),
        )
        signed = any(
            view.spec.framework == "abacus" and each == Normal(0.0, 0.0)
            for view, each in zip((left, right), drawn, strict=True)
        )
        level = judge(*drawn, dtype, signed_zero=signed)
        if level is Level.IDENTICAL and not same_dtype:
            level = Level.ROUNDING
        yield Pair(start, stop, left_tensor, dtype, left, right, here, there, *drawn, level)


def _cut(rows: Rows, start: int, stop: int) -> Rows:
    """Return the given values of rows [start, stop) alone; what is drawn is the same for all."""
    if not isinstance(rows.drawn, Given):
        return rows
    drawn = rows.drawn.rows(start - rows.start, stop - rows.start, rows.stop - rows.start)
    return replace(rows, drawn=drawn)


def _rounded(rows: Rows, view: View, tensor: Tensor, dtype: str) -> Simple:
    drawn = rows.drawn
    for each in dict.fromkeys((rows.draw.dtype or tensor.dtype, tensor.dtype, dtype)):
        drawn = effective(drawn, view.spec.framework, each)
    return drawn

"""Where the values of a draw go: from its flat order to the rows of tensors."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from paddle_init.dtypes import STORAGE, as_held, converted, rounded
from paddle_init.frameworks.base import Order
from paddle_init.schemes import Shape
from paddle_init.specs import NetSpec, Tensor

__all__ = ["Overwriting", "Place", "Target", "grid", "pieces", "places"]

# Rows that are transposed at a time: few enough that their cache lines stay until they are full.
TILE = 256


class Target(Protocol):
    """What takes a net's values."""

    def put(self, tensor: Tensor, start: int, values: NDArray[np.generic]) -> None:
        """Take consecutive elements of `tensor`, row-major from `start`, in its storage dtype."""
        ...


def grid(shape: Shape, order: Order) -> tuple[int, int]:
    """Return (outer, inner): a draw's flat values are `outer` runs of `inner` values.

    In C order a run is a row, in F order a column.
    """
    rows, width = shape[0], math.prod(shape[1:])
    return (rows, width) if order == "C" else (width, rows)


def pieces(outer: int, inner: int, limit: int) -> Iterator[tuple[slice, slice]]:
    """Cut `outer` runs of `inner` values into pieces of at most `limit`, in flat order.

    A piece is whole runs, or a part of one where a run is longer than `limit`.
    """
    runs = max(1, limit // inner)
    for start in range(0, outer, runs):
        for first in range(0, inner, limit):
            yield slice(start, min(start + runs, outer)), slice(first, min(first + limit, inner))


@dataclass(frozen=True)
class Place:
    """Rows [start, stop) of a draw, which are the rows of `tensor` from `row` on."""

    tensor: Tensor
    start: int
    stop: int
    row: int

    def put_rows(
        self,
        target: Target,
        matrix: NDArray[np.generic],
        first: int,
        column: int,
        width: int,
        dtype: str,
    ) -> None:
        """Hand on the rows of a C-ordered piece of the draw that belong here.

        `matrix` holds rows from `first` on, from `column` on; the draw has `width` columns and is
        drawn in `dtype`.
        """
        start, stop = max(first, self.start), min(first + len(matrix), self.stop)
        if start < stop:
            values = self._held(matrix[start - first : stop - first].reshape(-1), dtype)
            target.put(self.tensor, (self.row + start - self.start) * width + column, values)

    def gather(
        self,
        matrix: NDArray[np.generic],
        columns: NDArray[np.generic],
        first: int,
        column: int,
        dtype: str,
    ) -> None:
        """Copy what belongs here of a piece in F order, shape [columns, rows], into `matrix`."""
        start, stop = max(first, self.start), min(first + columns.shape[1], self.stop)
        for row in range(start, stop, TILE):
            tile = columns[:, row - first : min(row + TILE, stop) - first].T
            here = slice(row - self.start, row - self.start + len(tile))
            matrix[here, column : column + len(columns)] = self._held(tile, dtype)

    def _held(self, values: NDArray[np.generic], dtype: str) -> NDArray[np.generic]:
        """Round what was drawn in `dtype` to it, and then to the tensor's."""
        values = rounded(values, dtype)
        return values if dtype == self.tensor.dtype else converted(values, dtype, self.tensor.dtype)

    def matrix(self, width: int) -> NDArray[np.generic]:
        """Return room for the rows of this place."""
        return np.empty((self.stop - self.start, width), STORAGE[self.tensor.dtype])


@dataclass(frozen=True)
class Overwriting:
    """Hands values on to `target` with the tensors' overwritten elements set."""

    target: Target

    def put(self, tensor: Tensor, start: int, values: NDArray[np.generic]) -> None:
        """Take consecutive elements of `tensor`; see `Target`."""
        if within := tensor.overwritten_within(start, start + values.size):
            values = values.copy()
            for each in within:
                values[each.elements] = as_held(np.array([each.value]), tensor.dtype)
        self.target.put(tensor, start, values)


def places(spec: NetSpec) -> dict[str, list[Place]]:
    """Return where each draw's rows go, by its name, in the order of the tensors."""
    found: dict[str, list[Place]] = {draw.name: [] for draw in spec.draws}
    for tensor in spec.tensors:
        row = 0
        for block in tensor.blocks:
            if block.rows:
                found[block.draw].append(Place(tensor, block.start, block.stop, row))
            row += block.rows
    return found

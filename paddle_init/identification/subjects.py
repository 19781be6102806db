"""One parameter under question: its values in the order in which they may have been drawn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paddle_init.frameworks.base import Order
from paddle_init.identification.families import Family, family_of
from paddle_init.identification.fitting import TELLS
from paddle_init.identification.order_index import SPAN, pattern
from paddle_init.statistics import as_numbers, dtype_name

__all__ = ["FEWEST", "Kind", "Reading", "Subject", "subject_of"]

FEWEST = 3
Kind: TypeAlias = Literal["normal", "uniform"]
"""What a value takes from the stream: a half of a polar method's pair, or one draw."""


@dataclass(frozen=True)
class Reading:
    """How draws may have filled a parameter.

    Parameters
    ----------
    kind
        "uniform" stands for every inversion of one draw: uniforms and truncated normals.
    gap
        Rows that are drawn below it and are not in it: a folded bias.
    """

    kind: Kind
    order: Order
    gap: int = 0


def subject_of(name: str, array: NDArray[Any]) -> Subject:
    """Return a parameter, in the narrowest dtype that has its every value.

    Values that were float32's once stay what they are when they are held as float64, and those of
    a half type in either.
    """
    if array.dtype not in (np.float32, np.float64) or array.size < FEWEST:
        return Subject(name, array)
    if not np.isfinite(array).all() or not np.ptp(array):
        return Subject(name, array)
    single = array
    if array.dtype == np.float64:
        with np.errstate(over="ignore", under="ignore"):
            single = array.astype(np.float32)
        if (single != array).any():
            return Subject(name, array)
    stored = str(array.dtype)
    bits = np.ascontiguousarray(single).view(np.uint32)
    if not (bits & np.uint32(0xFFFF)).any():
        return Subject(name, (bits >> np.uint32(16)).astype(np.uint16), stored)
    with np.errstate(over="ignore"):
        narrow = single.astype(np.float16)
    if (narrow == single).all():
        return Subject(name, narrow, stored)
    return Subject(name, single, None if single is array else stored)


@dataclass(frozen=True, eq=False)
class Subject:
    """A parameter, in the narrowest dtype that has its values; `stored_as` is the file's own."""

    name: str
    array: NDArray[Any]
    stored_as: str | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @cached_property
    def dtype(self) -> str:
        """The name of the dtype, or NumPy's own where it is none of a parameter's."""
        return dtype_name(self.array) or str(self.array.dtype)

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """All values, flat."""
        return as_numbers(self.array).astype(np.float64).reshape(-1)

    @cached_property
    def largest(self) -> float:
        """The largest absolute value of those that are finite."""
        numbers = np.abs(as_numbers(self.array))
        return float(numbers[np.isfinite(numbers)].max(initial=0))

    @cached_property
    def family(self) -> Family:
        return family_of(self.numbers, self.dtype) if self.dtype in TELLS else Family("other")

    @cached_property
    def searchable(self) -> bool:
        """Whether a stream can be told from the values: enough of them, and not all alike."""
        if self.dtype not in TELLS or self.array.size < FEWEST:
            return False
        values = as_numbers(self.array)
        finite = values[np.isfinite(values)]
        return finite.size >= FEWEST and bool(np.ptp(finite))

    @property
    def orders(self) -> tuple[Order, ...]:
        """The orders in which draws may fill the shape; they are one for a vector."""
        matrix = self.array.ndim == 2 and min(self.array.shape) > 1
        return ("C", "F") if matrix else ("C",)

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        """The ways of drawing that a stream is searched for."""
        read = [Reading(kind, order) for kind in ("normal", "uniform") for order in self.orders]
        folded = [Reading("normal", "F", 1)] if "F" in self.orders else []
        return (*read, *folded)

    def drawn(self, reading: Reading) -> int:
        """Return how many values are drawn for it."""
        rows = self.shape[0] if self.shape else 1
        return self.array.size + reading.gap * (self.array.size // max(rows, 1))

    def flat(self, order: Order) -> NDArray[Any]:
        """Return the values, in storage dtype, in the order of drawing."""
        return self.array.reshape(-1) if order == "C" else self.array.T.reshape(-1)

    def part(self, reading: Reading, start: int, count: int) -> NDArray[np.float64]:
        """Return some drawn values, from a place on; NaN for those that are not in it."""
        places = np.arange(start, min(start + count, self.drawn(reading)))
        if reading.order == "C":
            part = self.array.reshape(-1)[places]
            return as_numbers(part).astype(np.float64)
        rows = self.shape[0]
        row, column = places % (rows + reading.gap), places // (rows + reading.gap)
        there = row < rows
        values = as_numbers(np.ascontiguousarray(self.array[np.minimum(row, rows - 1), column]))
        return np.where(there, values.astype(np.float64), np.nan)

    def window(self, reading: Reading, start: int) -> tuple[NDArray[np.float64], int, int]:
        """Return SPAN drawn values from a place on, with their `pattern`; computed once."""
        key = reading, start
        if key not in self._windows:
            part = self.part(reading, start, SPAN)
            self._windows[key] = part, *pattern(part)
        return self._windows[key]

    @cached_property
    def _windows(self) -> dict[tuple[Reading, int], tuple[NDArray[np.float64], int, int]]:
        return {}

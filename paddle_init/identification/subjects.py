"""One parameter under question: its values in the order in which they may have been drawn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paddle_init.frameworks.base import Order
from paddle_init.identification.families import Family, family_of
from paddle_init.statistics import as_numbers, dtype_name

__all__ = ["ROUNDINGS", "STARTS", "Reading", "Subject", "subject_of"]

# A family, and the order in which draws fill the shape.
Reading: TypeAlias = tuple[str, Order]

# Relative error of a stored value: half an ULP, and the float32 roundings before.
ROUNDINGS = {
    "float64": 2.0**-22,
    "float32": 2.0**-22,
    "float16": 2.0**-10,
    "bfloat16": 2.0**-7,
}
FEWEST = 3
# So many first values tell one seed from all others that are searched.
STARTS = {"float64": 4, "float32": 4, "float16": 8, "bfloat16": 12}


def subject_of(name: str, array: NDArray[Any]) -> Subject:
    """Return a parameter; float32 whose every value is a half type's is taken as that type."""
    if array.dtype != np.float32 or array.size < FEWEST or not np.isfinite(array).all():
        return Subject(name, array)
    bits = np.ascontiguousarray(array).view(np.uint32)
    if not np.ptp(array):
        return Subject(name, array)
    if not (bits & np.uint32(0xFFFF)).any():
        return Subject(name, (bits >> np.uint32(16)).astype(np.uint16), "float32")
    with np.errstate(over="ignore"):
        narrow = array.astype(np.float16)
    return Subject(name, narrow, "float32") if (narrow == array).all() else Subject(name, array)


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
    def family(self) -> Family:
        return family_of(self.numbers, self.dtype) if self.dtype in ROUNDINGS else Family("other")

    @property
    def searchable(self) -> bool:
        """Whether a stream can be told from the values."""
        return bool(self.readings) and self.array.size >= FEWEST

    @property
    def roundings(self) -> float:
        return ROUNDINGS[self.dtype]

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        """The families and orders of drawing that a stream is searched for."""
        families = sorted(
            {"normal", "uniform"} & set(self.family.plausible), key=lambda n: n != self.family.name
        )
        return tuple((family, order) for family in families for order in self.orders)

    @property
    def orders(self) -> tuple[Order, ...]:
        """The orders in which draws may fill the shape; they are one for a vector."""
        matrix = self.array.ndim == 2 and min(self.array.shape) > 1
        return ("C", "F") if matrix else ("C",)

    def flat(self, order: Order) -> NDArray[Any]:
        """Return the values, in storage dtype, in the order of drawing."""
        return self.array.reshape(-1) if order == "C" else self.array.T.reshape(-1)

    def start(self, order: Order) -> NDArray[np.float64]:
        """Return the first few values in the order of drawing."""
        count = STARTS[self.dtype]
        column = self.array[:, 0] if order == "F" and len(self.array) >= count else None
        part = self.flat(order)[:count] if column is None else column[:count]
        return as_numbers(np.ascontiguousarray(part)).astype(np.float64)

"""What a framework is to this package: checks, streams and fills."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Given, Simple
from paddle_init.errors import SpecError
from paddle_init.schemes import Shape
from paddle_init.specs import Seeding
from paddle_init.streams import Stream

Order: TypeAlias = Literal["F", "C"]

# Writes the next values of one draw, in its flat order, over a one-dimensional array.
Fill: TypeAlias = Callable[[NDArray[Any]], object]


class Framework(Protocol):
    """How one framework turns a distribution into bits."""

    name: ClassVar[str]

    @property
    def order(self) -> Order:
        """How a draw's flat values fill its matrix: by columns (F) or by rows (C)."""
        ...

    def check(self, drawn: Simple, shape: Shape, dtype: str) -> None:
        """Refuse what the framework cannot draw; CannotDrawError says why."""
        ...

    def streams(self, seeding: Seeding) -> Iterator[Stream]:
        """Yield, without end, the stream that each draw takes, in draw order."""
        ...

    def working_dtype(self, dtype: str) -> np.dtype[Any]:
        """Return the type, float32 or float64, in which a tensor of `dtype` is drawn."""
        ...

    def fill(self, stream: Stream | None, drawn: Simple, dtype: str) -> Fill:
        """Begin a draw; the fill wants arrays of `working_dtype(dtype)`.

        `stream` may be None where nothing is taken from it.
        """
        ...


def constant_fill(value: float) -> Fill:
    """Return the fill of a constant, which takes nothing from the stream."""

    def fill(out: NDArray[Any]) -> None:
        out[:] = value

    return fill


def given_fill(given: Given) -> Fill:
    """Return the fill of given values, row-major, which takes nothing from the stream."""
    taken = 0

    def fill(out: NDArray[Any]) -> None:
        nonlocal taken
        with np.errstate(over="ignore"):
            out[:] = given.values[taken : taken + out.size]
        taken += out.size

    return fill


class CannotDrawError(SpecError):
    """A framework has no way to draw what a spec asks of it."""

"""What a scheme is: a rule from a shape to a distribution."""

from __future__ import annotations

import math
from typing import Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np

from paddle_init.distributions import Distribution
from paddle_init.errors import SchemeError

__all__ = ["ARITHMETICS", "Arithmetic", "Scheme", "Shape", "check_range", "number", "size"]

Shape: TypeAlias = tuple[int, ...]
Arithmetic: TypeAlias = Literal["float64", "float32"]
ARITHMETICS: tuple[Arithmetic, ...] = ("float64", "float32")


@runtime_checkable
class Scheme(Protocol):
    """A rule that says what is drawn for a shape.

    `kind` names the rule in a net spec. `arithmetic` is the type in which abacus and the system
    derived from it compute a scale; rules that are not abacus's ignore it.
    """

    @property
    def kind(self) -> str: ...

    def __call__(self, shape: Shape, arithmetic: Arithmetic = "float64") -> Distribution:
        """Return what is drawn for `shape`."""
        ...

    def formula(self, shape: Shape, arithmetic: Arithmetic = "float64") -> str:
        """Return the rule with the numbers of `shape` put in, and its result."""
        ...


def number(value: float) -> str:
    """Write a number so that it reads back to the same double, without a trailing `.0`."""
    text = repr(float(value))
    return text.removesuffix(".0")


def size(owner: str, name: str, value: int) -> int:
    """Return a fan or a dimension as an int in [1, inf)."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise SchemeError(f"{owner}: {name} must be an integer of at least 1, got {value!r}")
    return int(value)


def check_range(owner: str, name: str, value: float) -> float:
    """Return a scale factor as a double in [0, inf)."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise SchemeError(f"{owner}: {name} must be a number, got {value!r}")
    if not (math.isfinite(value) and value >= 0):
        raise SchemeError(f"{owner}: {name} must be finite and 0 or more, got {number(value)}")
    return float(value)

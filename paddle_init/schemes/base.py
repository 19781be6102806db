"""What a scheme is: a rule from a shape to a distribution."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np

from paddle_init.distributions import Distribution, finite_double
from paddle_init.errors import SchemeError

__all__ = [
    "ARITHMETICS",
    "Arithmetic",
    "Scheme",
    "Shape",
    "check_range",
    "dimensions",
    "number",
    "size",
]

Shape: TypeAlias = tuple[int, ...]
Arithmetic: TypeAlias = Literal["float64", "float32"]
ARITHMETICS: tuple[Arithmetic, ...] = ("float64", "float32")
SIZES = 2**63


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


def size(owner: str, name: str, value: int, least: int = 1) -> int:
    """Return a fan or a dimension as an int in [least, 2**63)."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or value < least:
        found = "less" if whole and value < -SIZES else repr(value)
        raise SchemeError(f"{owner}: {name} must be an integer of at least {least}, got {found}")
    if value >= SIZES:
        raise SchemeError(f"{owner}: {name} must be below 2**63")
    return int(value)


def dimensions(owner: str, shape: Iterable[int], least: int = 0) -> Shape:
    """Return a shape as a tuple of ints in [least, 2**63)."""
    if not isinstance(shape, Iterable) or isinstance(shape, (str, bytes)):
        raise SchemeError(
            f"{owner}: a shape is a list of integers, such as [300, 128], got {shape!r}"
        )
    return tuple(size(owner, "a dimension", value, least) for value in shape)


def check_range(owner: str, name: str, value: float) -> float:
    """Return a scale factor as a double in [0, inf)."""
    allowed = "finite and 0 or more"
    double = finite_double(owner, name, value, allowed)
    if double < 0:
        raise SchemeError(f"{owner}: {name} must be {allowed}, got {number(double)}")
    return double

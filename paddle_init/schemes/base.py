"""What a scheme is: a rule from a shape to a distribution."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from types import MappingProxyType
from typing import Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np

from paddle_init.distributions import Distribution, finite_double
from paddle_init.errors import SchemeError
from paddle_init.texts import not_one_of, number

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


MODES: MappingProxyType[str, Callable[[int, int], float]] = MappingProxyType(
    {
        "fan_in": lambda m, n: float(m),
        "fan_out": lambda m, n: float(n),
        "fan_avg": lambda m, n: (m + n) / 2,
        "fan_geo_avg": lambda m, n: math.sqrt(m * n),
        "fan_quad_avg": lambda m, n: (m * m + n * n) / (m + n),
    }
)


def fans(
    owner: str, shape: Shape, fan_in: int | None = None, fan_out: int | None = None
) -> tuple[int, int]:
    """Return (fan_in, fan_out) of a weight as Paddle counts them.

    A 2-D weight is [in, out]; a kernel is [out channels, in channels, ...]. What is passed in
    wins over the shape. A 1-D shape has no fans: Paddle would take shape[0] for both, which for a
    bias is the fan_out of its layer.

    Raises
    ------
    SchemeError
        The shape has fewer than two dimensions and a fan was not given, or is no shape.
    """
    if fan_in is not None and fan_out is not None:
        return fan_in, fan_out
    shape = dimensions(owner, shape)
    if len(shape) < 2:
        missing = "fan_in" if fan_in is None else "fan_out"
        raise SchemeError(
            f"{owner}: the shape {list(shape)} does not say its {missing}; "
            f"give {missing} (for a bias, that of its layer's weight)"
        )
    receptive = math.prod(shape[2:])
    m, n = (shape[0], shape[1]) if len(shape) == 2 else (shape[1], shape[0])
    return (
        m * receptive if fan_in is None else fan_in,
        n * receptive if fan_out is None else fan_out,
    )


def fan(mode: str, fan_in: int, fan_out: int) -> float:
    """Return the average of two fans that `mode` names.

    fan_avg is Xavier's (m + n) / 2; fan_geo_avg, sqrt(m n), keeps a product of layers m -> n -> m
    at its variance end to end; fan_quad_avg, (m^2 + n^2) / (m + n), minimizes
    (m t - 1)^2 + (n t - 1)^2 over the variance t.

    Source: Su Jianlin, "初始化方法中非方阵的维度平均策略思考" (2021).
    """
    if mode not in MODES:
        raise SchemeError(not_one_of("mode", mode, MODES))
    return MODES[mode](fan_in, fan_out)

"""What reading finds of one parameter, and the numbers of an op as a distribution."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from paddle_init.adapter import sentences as say
from paddle_init.distributions import (
    Constant,
    Given,
    Normal,
    Simple,
    TruncatedNormal,
    Uniform,
    Unknown,
    by_chance,
)
from paddle_init.errors import SchemeError, Source
from paddle_init.schemes.base import Shape, number

__all__ = ["Found", "Part", "drawn", "given", "unknown"]

FAMILIES: MappingProxyType[str, type[Normal | Uniform | TruncatedNormal | Constant]] = (
    MappingProxyType(
        {
            "normal": Normal,
            "uniform": Uniform,
            "truncated_normal": TruncatedNormal,
            "constant": Constant,
        }
    )
)


@dataclass(frozen=True)
class Part:
    """Rows of a parameter that one op fills; `op_seed` is 0 where it uses the global generator."""

    rows: int
    distribution: Simple
    op_seed: int = 0

    @property
    def random(self) -> bool:
        return by_chance(self.distribution)


@dataclass(frozen=True)
class Found:
    """One initialization of one parameter, from the first row down.

    `name` is Paddle's name of the parameter, `own_name` the net's, where it has one. `initializer`
    says what was asked to draw it, where that is known. `role` is empty where nothing says it.
    """

    name: str
    shape: Shape
    dtype: str
    parts: tuple[Part, ...]
    initializer: str = ""
    role: str = ""
    own_name: str = ""
    source: Source | None = field(default=None, compare=False)

    @property
    def shown(self) -> str:
        return self.own_name or self.name


def drawn(family: str, **numbers: float) -> Simple:
    """Return a distribution, or Unknown with the numbers where they are no distribution's."""
    kind = FAMILIES[family]
    try:
        return kind(**numbers)
    except SchemeError as error:
        shown = ", ".join(f"{name} {number(value)}" for name, value in numbers.items())
        return Unknown(say.IMPOSSIBLE(kind=kind.__name__, numbers=shown, error=error))


def given(values: ArrayLike) -> Simple:
    """Return what an initializer that only copies `values` holds."""
    kept = np.asarray(values).ravel()
    if kept.size and kept.tobytes() == kept[:1].tobytes() * kept.size:
        return drawn("constant", value=float(kept[0]))
    try:
        return Given(kept)
    except SchemeError:
        return Unknown(say.GIVEN_VALUES(count=kept.size), takes=0)


def unknown(name: str, shape: Shape, dtype: str, description: str) -> Found:
    """Return a parameter of which only name, shape and dtype are known."""
    part = Part(shape[0] if shape else 0, Unknown(description))
    return Found(name, shape, dtype, (part,))

"""Schemes that draw the same distribution whatever the shape."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from paddle_init.distributions import (
    Blocks,
    Constant,
    Distribution,
    Given,
    Normal,
    Simple,
    TruncatedNormal,
    Uniform,
    Unknown,
)
from paddle_init.languages import Sentence
from paddle_init.schemes.base import Arithmetic, Shape
from paddle_init.texts import number

NAMED = Sentence("{initializer}: {told}", "{initializer}：{told}")
GIVEN = Sentence("{count} given values", "给定的 {count} 个值")
UNKNOWN = Sentence("not known: {description}", "无法判定：{description}")


@dataclass(frozen=True)
class Fixed:
    """One distribution for every shape; its `kind` is the distribution's family.

    `initializer` names what the distribution was read from, for its formula; no part of equality.
    """

    value: Simple
    initializer: str = field(default="", compare=False)

    @property
    def kind(self) -> str:
        return self.value.family

    def __call__(self, shape: Shape, arithmetic: Arithmetic = "float64") -> Distribution:
        return self.value

    def formula(self, shape: Shape, arithmetic: Arithmetic = "float64") -> str:
        told = describe(self.value)
        plain = not self.initializer or told.startswith(f"{self.initializer}(")
        return told if plain else NAMED(initializer=self.initializer, told=told)


def describe(distribution: Distribution) -> str:
    """Write a distribution in one line, e.g. ``Normal(mean 0, std 0.1)``."""
    match distribution:
        case Normal(mean, std):
            return f"Normal(mean {number(mean)}, std {number(std)})"
        case Uniform(low, high):
            return f"Uniform(low {number(low)}, high {number(high)})"
        case TruncatedNormal(mean, std, low, high):
            cut = f"low {number(low)}, high {number(high)}"
            return f"TruncatedNormal(mean {number(mean)}, std {number(std)}, {cut})"
        case Constant(value):
            return f"Constant({number(value)})"
        case Given(values):
            return GIVEN(count=values.size)
        case Unknown(description):
            return UNKNOWN(description=description)
        case Blocks(parts):
            inner = "; ".join(f"{part.rows} rows {describe(part.distribution)}" for part in parts)
            return f"Blocks({inner})"


def constant(value: float) -> Fixed:
    """Every element is `value`."""
    return Fixed(Constant(value))


def normal(mean: float = 0.0, std: float = 1.0) -> Fixed:
    """N(mean, std**2)."""
    return Fixed(Normal(mean, std))


def uniform(low: float = -1.0, high: float = 1.0) -> Fixed:
    """U[low, high)."""
    return Fixed(Uniform(low, high))


def truncated_normal(
    mean: float = 0.0, std: float = 1.0, low: float = -2.0, high: float = 2.0
) -> Fixed:
    """N(mean, std**2) cut at the absolute values `low` and `high`."""
    return Fixed(TruncatedNormal(mean, std, low, high))


def given(values: ArrayLike) -> Fixed:
    """Values that are written and not drawn, row-major in the shape of their draw."""
    return Fixed(Given(np.asarray(values)))


def unknown(description: str, takes: int | None = None) -> Fixed:
    """What an initializer that is not one of ours draws; see `Unknown`."""
    return Fixed(Unknown(description, takes))

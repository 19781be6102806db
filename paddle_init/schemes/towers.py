"""abacus's weight rule, in its own order and types."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paddle_init.distributions import Normal
from paddle_init.errors import SchemeError
from paddle_init.schemes.base import (
    ARITHMETICS,
    Arithmetic,
    Shape,
    check_range,
    dimensions,
    fans,
    size,
)
from paddle_init.texts import not_one_of, number

# The title of the document that describes the rule, not everywhere as the code has it.
DOCUMENT = "abacus与paddle的参数初始化方式"


@dataclass(frozen=True)
class Abacus:
    """std = init_range * global_init_range [/ sqrt(rown)], mean 0.

    Parameters
    ----------
    init_range, global_init_range
        Doubles in [0, inf). Under ``arithmetic="float32"`` they are rounded to float32 first.
    scale_by_rown
        Divide by the square root of the number of rows. (The text of the seed document multiplies
        in its printed formula; the code it quotes divides, and the code is what ran.)

    Source: dnn/param_layer.cpp of abacus, as quoted in "abacus与paddle的参数初始化方式"; the
    float32 order is that of the parameter server derived from it.
    """

    init_range: float
    global_init_range: float
    scale_by_rown: bool
    kind: ClassVar[str] = "abacus"

    def __post_init__(self) -> None:
        for name in ("init_range", "global_init_range"):
            object.__setattr__(self, name, check_range(self.kind, name, getattr(self, name)))
        if not isinstance(self.scale_by_rown, (bool, np.bool_)):
            raise SchemeError(
                f"abacus: scale_by_rown must be True or False, got {self.scale_by_rown!r}"
            )
        object.__setattr__(self, "scale_by_rown", bool(self.scale_by_rown))

    def scale(self, rown: int, arithmetic: Arithmetic = "float64") -> float:
        """Return the factor on a standard normal draw, computed as the C++ does.

        Raises
        ------
        SchemeError
            `rown` is below 1, the arithmetic is unknown, or the scale overflows it.
        """
        rown = size(self.kind, "rown", rown)
        if arithmetic == "float64":
            scale = self.init_range * self.global_init_range
            if self.scale_by_rown:
                scale /= math.sqrt(rown)
        elif arithmetic == "float32":
            with np.errstate(all="ignore"):
                narrow = np.float32(self.init_range) * np.float32(self.global_init_range)
                if self.scale_by_rown:
                    narrow = narrow / np.sqrt(np.float32(rown))
            scale = float(narrow)
        else:
            raise SchemeError(not_one_of("abacus: arithmetic", arithmetic, ARITHMETICS))
        if not math.isfinite(scale):
            raise SchemeError(f"abacus: the scale {self._product()} overflows {arithmetic}")
        return scale

    def __call__(self, shape: Shape, arithmetic: Arithmetic = "float64") -> Normal:
        return Normal(0.0, self.scale(_rown(shape), arithmetic))

    def formula(self, shape: Shape, arithmetic: Arithmetic = "float64") -> str:
        rown = _rown(shape)
        rule, numbers = "init_range * global_init_range", self._product()
        if self.scale_by_rown:
            rule, numbers = f"{rule} / sqrt(rown)", f"{numbers} / sqrt({rown})"
        return f"std = {rule} = {numbers} = {number(self.scale(rown, arithmetic))}"

    def _product(self) -> str:
        return f"{number(self.init_range)} * {number(self.global_init_range)}"


def _rown(shape: Shape) -> int:
    shape = dimensions(Abacus.kind, shape)
    if len(shape) != 2:
        raise SchemeError(
            f"abacus: a parameter has the shape [rown, coln], got {list(shape)}; "
            "a bias of n values is [1, n]"
        )
    return shape[0]


abacus = Abacus


@dataclass(frozen=True)
class PaddleFC:
    """Normal(0, init_range / fan_in ** 0.5), as both towers write it.

    `fan_in` is the layer's input width. It is read off a weight's shape [in, out]; a bias has to
    be told. ``** 0.5`` stands where the towers have it: it may differ from sqrt in the last bit.

    Source: common_tower and deep_net_origin in "abacus与paddle的参数初始化方式".
    """

    init_range: float = 0.2
    fan_in: int | None = None
    kind: ClassVar[str] = "paddle_fc"

    def __post_init__(self) -> None:
        value = check_range(self.kind, "init_range", self.init_range)
        object.__setattr__(self, "init_range", value)
        if self.fan_in is not None:
            object.__setattr__(self, "fan_in", size(self.kind, "fan_in", self.fan_in))

    def __call__(self, shape: Shape, arithmetic: Arithmetic = "float64") -> Normal:
        return Normal(0.0, 1.0 * (self.init_range / (self._fan_in(shape) ** 0.5)))

    def formula(self, shape: Shape, arithmetic: Arithmetic = "float64") -> str:
        numbers = f"{number(self.init_range)} / {self._fan_in(shape)} ** 0.5"
        std = number(self(shape).std)
        return f"std = init_range / fan_in ** 0.5 = {numbers} = {std}"

    def _fan_in(self, shape: Shape) -> int:
        fan_in, _ = fans(self.kind, shape, self.fan_in, 1)
        return size(self.kind, "fan_in", fan_in)


paddle_fc = PaddleFC

"""The rule of the Paddle towers: std = init_range / fan_in ** 0.5, weight and bias alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from paddle_init.distributions import Normal
from paddle_init.schemes.base import Arithmetic, Shape, check_range, number, size
from paddle_init.schemes.fans import fans

__all__ = ["PaddleFC", "paddle_fc"]


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
        value = check_range("paddle_fc", "init_range", self.init_range)
        object.__setattr__(self, "init_range", value)
        if self.fan_in is not None:
            object.__setattr__(self, "fan_in", size("paddle_fc", "fan_in", self.fan_in))

    def __call__(self, shape: Shape, arithmetic: Arithmetic = "float64") -> Normal:
        return Normal(0.0, 1.0 * (self.init_range / (self._fan_in(shape) ** 0.5)))

    def formula(self, shape: Shape, arithmetic: Arithmetic = "float64") -> str:
        numbers = f"{number(self.init_range)} / {self._fan_in(shape)} ** 0.5"
        std = number(self(shape).std)
        return f"std = init_range / fan_in ** 0.5 = {numbers} = {std}"

    def _fan_in(self, shape: Shape) -> int:
        fan_in, _ = fans("paddle_fc", shape, self.fan_in, 1)
        return size("paddle_fc", "fan_in", fan_in)


paddle_fc = PaddleFC

"""Constant Variance: weights that keep the std of the signal, for any activation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from paddle_init.distributions import Normal, Uniform
from paddle_init.errors import SchemeError
from paddle_init.schemes.base import Arithmetic, Shape, check_range, fans, size
from paddle_init.texts import did_you_mean, number

__all__ = ["ConstantVariance", "constant_variance"]

Form: TypeAlias = Literal["normal", "uniform"]
FORMS: tuple[Form, ...] = ("normal", "uniform")


@dataclass(frozen=True)
class ConstantVariance:
    """Mean 0 and std c / sqrt(fan_in) with c = std / sqrt(E[a(std z)^2]), z ~ N(0, 1).

    Parameters
    ----------
    activation
        What is applied to the layer's input before the weight, by name, e.g. ``gelu`` or
        ``leaky_relu(0.2)``; kept as its canonical text.
    std
        The std of pre-activations that is to be kept, in (0, inf).
    distribution
        "normal" or "uniform" (bound c * sqrt(3 / fan_in)).
    fan_in
        Given where the shape does not say it, as for a bias.

    Source: "Constant Variance Weight Initialisation".
    """

    activation: str
    std: float = 1.0
    distribution: Form = "normal"
    fan_in: int | None = None
    kind: ClassVar[str] = "constant_variance"

    def __post_init__(self) -> None:
        from paddle_init.activations.builtin import ActivationError
        from paddle_init.activations.notation import activation

        if not isinstance(self.activation, str):
            raise SchemeError(
                "constant_variance: activation must be a name, as gelu or leaky_relu(0.2), got "
                f"{self.activation!r}; for a callable take its gain and variance_scaling(gain)"
            )
        try:
            object.__setattr__(self, "activation", activation(self.activation).text)
        except ActivationError as error:
            raise SchemeError(f"{self.kind}: {error}") from None
        std = check_range(self.kind, "std", self.std)
        if std == 0:
            raise SchemeError(f"{self.kind}: std must be in (0, inf), got 0")
        object.__setattr__(self, "std", std)
        if self.distribution not in FORMS:
            raise SchemeError(
                f"{self.kind}: distribution must be one of {', '.join(FORMS)}, "
                f"got {self.distribution!r}{did_you_mean(self.distribution, FORMS)}"
            )
        if self.fan_in is not None:
            object.__setattr__(self, "fan_in", size(self.kind, "fan_in", self.fan_in))

    @property
    def gain(self) -> float:
        """c: the std of a weight times sqrt(fan_in)."""
        from paddle_init.activations.builtin import ActivationError
        from paddle_init.activations.gains import gain

        try:
            return gain(self.activation, std=self.std).gain
        except ActivationError as error:
            raise SchemeError(f"{self.kind}: {error}") from None

    def __call__(self, shape: Shape, arithmetic: Arithmetic = "float64") -> Normal | Uniform:
        if self.distribution == "uniform":
            bound = self.gain * math.sqrt(3.0 / self._fan_in(shape))
            return Uniform(-bound, bound)
        return Normal(0.0, self.gain / math.sqrt(self._fan_in(shape)))

    @property
    def rule(self) -> str:
        """The rule without the numbers of a shape, as ``std = gain(gelu) / sqrt(fan_in)``."""
        target = "" if self.std == 1 else f", std {number(self.std)}"
        of = f"gain({self.activation}{target})"
        if self.distribution == "uniform":
            return f"bound = {of} * sqrt(3 / fan_in)"
        return f"std = {of} / sqrt(fan_in)"

    def formula(self, shape: Shape, arithmetic: Arithmetic = "float64") -> str:
        fan_in, gain, drawn = self._fan_in(shape), number(self.gain), self(shape)
        if isinstance(drawn, Uniform):
            return f"{self.rule} = {gain} * sqrt(3 / {fan_in}) = {number(drawn.high)}"
        return f"{self.rule} = {gain} / sqrt({fan_in}) = {number(drawn.std)}"

    def _fan_in(self, shape: Shape) -> int:
        fan_in, _ = fans(self.kind, shape, self.fan_in, 1)
        return size(self.kind, "fan_in", fan_in)


constant_variance = ConstantVariance

"""The coefficient that keeps a layer's second moment, for any activation.

A layer y = a(x) W with weights of mean 0 and std c / sqrt(fan_in), fed with x ~ N(mean, std^2),
has E[y^2] = c^2 E[a(x)^2]. It keeps the std of x for

    c = std / sqrt(E[a(x)^2]),

He et al.'s sqrt(2) for ReLU. Some tables give std / sqrt(Var a(x)) instead, which for activations
of mean 0 is the same and for the sigmoid, whose mean is 1/2, is not (1.85 against 4.80): the two
are called `gain` and `std_gain` here.

Sources: "Constant Variance Weight Initialisation"; He et al., "Delving Deep into Rectifiers"
(2015)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from paddle_init.activations.builtin import ACTIVATIONS, Activation, ActivationError
from paddle_init.activations.curves import Array
from paddle_init.activations.notation import Spec, activation
from paddle_init.activations.quadrature import ErrorKind, Expectation, expectations


def calculate_gain(activation: Activation) -> float | None:
    """Return what `calculate_gain` of Paddle and of torch recommend, None where it has no entry.

    Sources: paddle/nn/initializer/initializer.py, 3.3.1; torch/nn/init.py, 2.x, from where Paddle
    took its table, entry by entry.
    """
    if activation.width != 1:
        return None
    match activation.name:
        case "linear" | "sigmoid":
            return 1.0
        case "tanh":
            return 5.0 / 3
        case "relu":
            return math.sqrt(2.0)
        case "leaky_relu":
            return math.sqrt(2.0 / (1 + activation.parameters["negative_slope"] ** 2))
        case "selu" if activation.text == "selu":
            return 3.0 / 4
        case _:
            return None


DEFAULT_TABLE = (
    *(name for name in ACTIVATIONS if name != "gelu"),
    "gelu",
    "gelu(approximate=true)",
    "tanh8",
)


@dataclass(frozen=True)
class Gain:
    """What `gain` found; every number is for weights of std gain / sqrt(fan_in).

    `error` bounds the distance of `gain` from the definition, or estimates it (`error_kind`).
    `std` is the std that the layers keep.
    `uniform_bound` is the bound of U(-b, b) times sqrt(fan_in). `std_gain` is std / std(a(x)),
    None where a(x) is constant. The tables are Paddle's and torch's `calculate_gain`.
    """

    activation: str
    gain: float
    error: float
    error_kind: ErrorKind
    uniform_bound: float
    std_gain: float | None
    paddle_table: float | None
    torch_table: float | None
    std: float = 1.0

    @property
    def paddle_difference(self) -> float | None:
        """What Paddle's table adds to the definition, None where it has no entry."""
        return None if self.paddle_table is None else self.paddle_table - self.gain

    @property
    def torch_difference(self) -> float | None:
        """What torch's table adds to the definition, None where it has no entry."""
        return None if self.torch_table is None else self.torch_table - self.gain

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; null where there is none."""
        form = asdict(self)
        std = form.pop("std")
        form["paddle_difference"] = self.paddle_difference
        form["torch_difference"] = self.torch_difference
        return form | {"std": std}


def gain(spec: Spec, *, std: float = 1.0, mean: float = 0.0) -> Gain:
    """Return std / sqrt(E[a(x)^2]) for x ~ N(mean, std^2), with its error.

    Parameters
    ----------
    spec
        A name with or without parameters, or a callable on arrays; see `activation`.
    std
        The std that the layers are to keep, in (0, inf).
    mean
        The mean of the pre-activations, that of the biases; finite.

    Raises
    ------
    ActivationError
        The activation is unknown or misbehaves, or E[a(x)^2] is 0, infinite or not resolved.
    """
    found = activation(spec)
    if not (math.isfinite(std) and std > 0):
        raise ActivationError(f"std must be in (0, inf), got {std}")
    first, second = power_moments(found, mean, std)
    value = second.value
    where = f"{found.text}: E[a(x)^2] for x ~ N({mean:g}, {std:g}^2)"
    if value == 0:
        raise ActivationError(
            f"{where} is 0 or below the smallest double; no weight restores the signal"
        )
    if not math.isfinite(value) or second.error > 0.5 * value:
        raise ActivationError(f"{where} is infinite or cannot be resolved")
    coefficient = std / math.sqrt(value)
    if not math.isfinite(coefficient):
        raise ActivationError(f"{where} is {value}, too small for a coefficient")
    # gain moves by half the relative error of E[a^2]; the square root and quotient round
    error = coefficient * (0.5 * second.error / (value - second.error) + 2.3e-16)
    recommended = calculate_gain(found)
    return Gain(
        activation=found.text,
        gain=coefficient,
        error=error,
        error_kind=second.kind,
        uniform_bound=coefficient * math.sqrt(3),
        std_gain=_std_gain(found, mean, std, first, second),
        paddle_table=recommended,
        torch_table=recommended,
        std=std,
    )


def gain_table(specs: Iterable[Spec] = DEFAULT_TABLE, *, std: float = 1.0) -> list[Gain]:
    """Return the gain of each activation, of all that Paddle has unless told which."""
    return [gain(spec, std=std) for spec in specs]


@lru_cache(maxsize=256)
def power_moments(found: Activation, mean: float, std: float) -> tuple[Expectation, Expectation]:
    def powers(x: Array) -> tuple[Array, Array]:
        values = found.function(x)
        return values, values * values

    first, second = expectations(powers, mean, std, found.kinks, found.scale, found.exact)
    return first, second


def _std_gain(
    found: Activation, mean: float, std: float, first: Expectation, second: Expectation
) -> float | None:
    centre = first.value
    variance = second.value - centre * centre
    if variance < 0.01 * second.value:  # the difference cancels

        def centred(x: Array) -> tuple[Array]:
            return ((found.function(x) - centre) ** 2,)

        (spread,) = expectations(centred, mean, std, found.kinks, found.scale, found.exact)
        variance = spread.value
    return std / math.sqrt(variance) if variance > (1e-15 * centre) ** 2 else None

"""A fully connected layer as theory sees it: two fans, two distributions, an activation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from paddle_init.distributions import (
    Blocks,
    Constant,
    Distribution,
    Given,
    Normal,
    TruncatedNormal,
    Uniform,
    Unknown,
)
from paddle_init.errors import PaddleInitError
from paddle_init.schemes import Scheme
from paddle_init.schemes.base import size
from paddle_init.theory.activations import Activation
from paddle_init.theory.notation import Spec, activation

__all__ = ["Dense", "Moments", "PropagationError", "mlp", "moments"]


class PropagationError(PaddleInitError, ValueError):
    """A net is no chain of fully connected layers, or its signal cannot be followed."""


@dataclass(frozen=True)
class Moments:
    """Mean and second moment of one number of a tensor."""

    mean: float
    second: float

    @property
    def variance(self) -> float:
        return max(self.second - self.mean * self.mean, 0.0)

    @property
    def std(self) -> float:
        return math.sqrt(self.variance)

    @property
    def rms(self) -> float:
        return math.sqrt(self.second)


@dataclass(frozen=True)
class Dense:
    """a(x W + b) with W of shape (fan_in, fan_out), entries independent.

    `weight` and `bias` are distributions, or Moments where only these are known; a bias of None
    is none.
    """

    fan_in: int
    fan_out: int
    weight: Distribution | Moments
    bias: Distribution | Moments | None = None
    activation: Activation = field(default_factory=lambda: activation("linear"))
    name: str = ""

    def __post_init__(self) -> None:
        owner = self.name or "layer"
        for key in ("fan_in", "fan_out"):
            object.__setattr__(self, key, size(owner, key, getattr(self, key)))
        object.__setattr__(self, "activation", activation(self.activation))


def moments(distribution: Distribution | Moments) -> Moments:
    """Return mean and second moment; of Blocks, those of a row drawn at random.

    Raises
    ------
    PropagationError
        The distribution is unknown.
    """
    match distribution:
        case Moments():
            return distribution
        case Normal() | Uniform() | Constant() | Given():
            mean, std = distribution.mean, distribution.std
            return Moments(mean, mean * mean + std * std)
        case TruncatedNormal():
            return _truncated(distribution)
        case Blocks(parts):
            total = sum(part.rows for part in parts)
            each = [(part.rows / total, moments(part.distribution)) for part in parts]
            return Moments(
                sum(share * item.mean for share, item in each),
                sum(share * item.second for share, item in each),
            )
        case Unknown(description):
            raise PropagationError(f"what is not known has no moments: {description}")


def _truncated(cut: TruncatedNormal) -> Moments:
    if cut.std == 0:
        value = min(max(cut.mean, cut.low), cut.high)
        return Moments(value, value * value)
    low, high = (cut.low - cut.mean) / cut.std, (cut.high - cut.mean) / cut.std
    mass = 0.5 * (math.erfc(low / math.sqrt(2)) - math.erfc(high / math.sqrt(2)))
    if low > 0 or high < 0 or mass < 1e-3:
        raise PropagationError(
            f"a normal of mean {cut.mean:g} and std {cut.std:g} cut to [{cut.low:g}, "
            f"{cut.high:g}], far from its mean, is not followed"
        )
    at_low, at_high = (math.exp(-0.5 * z * z) / math.sqrt(2 * math.pi) for z in (low, high))
    shift = (at_low - at_high) / mass
    spread = 1 + (low * at_low - high * at_high) / mass
    mean = cut.mean + cut.std * shift
    return Moments(mean, cut.mean**2 + 2 * cut.mean * cut.std * shift + cut.std**2 * spread)


def mlp(
    widths: Sequence[int],
    activations: Spec | Sequence[Spec],
    scheme: Scheme,
    bias: Scheme | None = None,
    *,
    first: Scheme | None = None,
    last: Spec = "linear",
) -> tuple[Dense, ...]:
    """Return the layers of an MLP, all drawn by one scheme.

    Parameters
    ----------
    widths
        The input's width, then each layer's; two or more.
    activations
        The hidden layers' activation, or one for each hidden layer.
    scheme, bias
        Rules for the weights, of shape (fan_in, fan_out), and for the biases, of shape
        (1, fan_out); without `bias` there is none.
    first
        The first layer's rule where it differs: its input has passed no activation, so that
        constant_variance("linear") keeps a standard normal input at std 1.
    last
        The activation after the last layer.
    """
    if len(widths) < 2:
        raise PropagationError(f"an MLP has two widths or more, got {list(widths)}")
    pairs = list(pairwise(widths))
    hidden = len(pairs) - 1
    if isinstance(activations, (str, Activation)) or callable(activations):
        each: list[Spec] = [activations] * hidden
    else:
        each = list(activations)
    if len(each) != hidden:
        raise PropagationError(f"{hidden} hidden layers need as many activations, got {len(each)}")
    return tuple(
        Dense(
            fan_in=m,
            fan_out=n,
            weight=(first if first is not None and index == 1 else scheme)((m, n)),
            bias=None if bias is None else bias((1, n)),
            activation=activation(spec),
            name=f"fc{index}",
        )
        for index, ((m, n), spec) in enumerate(zip(pairs, [*each, last], strict=True), start=1)
    )

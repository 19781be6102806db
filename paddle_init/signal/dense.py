"""A fully connected layer as theory sees it: two fans, two distributions, an activation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from paddle_init.activations.builtin import Activation
from paddle_init.activations.curves import Array
from paddle_init.activations.notation import Spec, activation
from paddle_init.activations.quadrature import means
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
from paddle_init.errors import PropagationError
from paddle_init.schemes import Scheme
from paddle_init.schemes.base import size


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


class Integrals(NamedTuple):
    """E of a, a^2, a^4, a', a'^2, a'^4, and d log E[f^2] / d log var(y) for f = a and f = a'."""

    first: float
    second: float
    fourth: float
    slope: float
    slope_second: float
    slope_fourth: float
    response: float
    slope_response: float


def integrals(activation: Activation, mean: float, std: float) -> Integrals:
    """Return a layer's integrals over y ~ N(mean, std^2)."""

    def powers(y: Array) -> tuple[Array, ...]:
        a, slope = activation.function(y), activation.slope(y)
        square, slope_square = a * a, slope * slope
        return a, square, square * square, slope, slope_square, slope_square * slope_square

    found, change = means(powers, mean, std, activation.kinks, activation.scale, activation.exact)
    first, second, fourth, slope, slope_second, slope_fourth = found
    response = change[1] / second if second else 0.0
    slope_response = change[4] / slope_second if slope_second else 0.0
    return Integrals(
        first, second, fourth, slope, slope_second, slope_fourth, response, slope_response
    )


def crossed(activation: Activation, mean: float, own: float, shared: float) -> tuple[float, float]:
    """E of a(y_i) a(y_j) and of a'(y_i) a'(y_j) for y_i = M + sqrt(own) z_i, M shared."""

    def conditional(shift: Array) -> tuple[Array, Array]:
        both = np.array(
            [
                means(
                    lambda y: (activation.function(y), activation.slope(y)),
                    float(centre),
                    math.sqrt(own),
                    activation.kinks,
                    activation.scale,
                    activation.exact,
                )[0]
                for centre in shift
            ]
        )
        return both[:, 0] ** 2, both[:, 1] ** 2

    points, weights = np.polynomial.hermite_e.hermegauss(48)
    weights = weights / weights.sum()
    first, second = conditional(mean + math.sqrt(shared) * points)
    return float(weights @ first), float(weights @ second)


def excess(fourth: float, second: float) -> float:
    """Return E[f^2] / E[f]^2 - 1, the relative variance of f, from the two; 0 where f is."""
    return max(fourth / (second * second) - 1, 0.0) if second > 0 else 0.0


FLAT = 0.1  # of the steepest slope


def saturated_share(activation: Activation, mean: float, std: float) -> float | None:
    """Return P(|a'(x)| < FLAT * max |a'|) for x ~ N(mean, std^2), None unless a is S-shaped."""
    if not activation.s_shaped:
        return None
    low, high = _steep_interval(activation)
    if std == 0:
        return float(not low <= mean <= high)
    below = 0.5 * math.erfc((mean - low) / (std * math.sqrt(2)))
    above = 0.5 * math.erfc((high - mean) / (std * math.sqrt(2)))
    return below + above


@lru_cache(maxsize=64)
def _steep_interval(activation: Activation) -> tuple[float, float]:
    """The interval, found by bisection, on which the slope is at least FLAT of the steepest."""
    reach = 100 * activation.scale + max(map(abs, activation.kinks), default=0.0)
    x = np.linspace(-reach, reach, 20_001)
    slopes = np.abs(activation.slope(x))
    limit = FLAT * float(slopes.max())
    steep = np.flatnonzero(slopes >= limit)
    step = x[1] - x[0]

    def border(inside: float, outside: float) -> float:
        for _ in range(60):
            middle = 0.5 * (inside + outside)
            if abs(float(activation.slope(np.array([middle]))[0])) >= limit:
                inside = middle
            else:
                outside = middle
        return inside

    first, last = float(x[steep[0]]), float(x[steep[-1]])
    return border(first, first - step), border(last, last + step)

"""What becomes of a signal and of its gradient in a chain of fully connected layers.

For a layer y = x W + b with m = fan_in and independent entries of W and of b,

    mean(y)     = m mean(w) mean(x) + mean(b)
    E[y^2]      = m var(w) E[x^2] + var(b) + E[(mean(w) sum(x) + mean(b))^2]

and backward, g being the gradient with respect to a layer's output, d = g a'(y) with respect to
its pre-activation, and n = fan_out,

    E[d^2]      = E[g^2] E[a'(y)^2]
    E[g_prev^2] = n var(w) E[d^2] + mean(w)^2 E[sum(d)^2].

With weights of mean 0 this is the recursion of He et al. (2015), whatever mean the activations
have. E[a(y)], E[a(y)^2] and E[a'(y)^2] are integrals over a normal y.

Assumptions, exact for infinite width:

- numbers are taken over units and samples together, for one draw of the weights;
- y is normal: a sum over many inputs;
- the samples are alike: each has the second moment of all together;
- where mean(w) is not 0, all units share mean(w) sum(x); its variance over samples is followed,
  as a normal's, through the correlation of two units;
- the gradient that comes from above does not depend on y.

At finite width one draw of the weights deviates. `spread` is the relative std of a second moment,
to first order: (E[x^4] / E[x^2]^2 - 1) / fan_in, summed over the layers passed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paddle_init.theory.activations import Activation
from paddle_init.theory.curves import Array
from paddle_init.theory.dense import Dense, Moments, PropagationError, moments
from paddle_init.theory.expectation import means
from paddle_init.theory.saturation import saturated_share

__all__ = ["Propagation", "Signal", "propagate_dense"]

_LIMIT = 1e150  # its square is still a double


@dataclass(frozen=True)
class Signal:
    """One layer: its pre-activation, its activation, and the gradient of the pre-activation.

    `spread` and `gradient_spread` are the relative stds of the second moments of pre-activation
    and gradient over draws of the weights. `saturated` is the share of units whose slope is below
    a tenth of the curve's steepest, None where the activation is not S-shaped.
    """

    name: str
    fan_in: int
    fan_out: int
    activation: str
    pre_activation: Moments
    output: Moments
    gradient: Moments
    spread: float
    gradient_spread: float
    saturated: float | None


@dataclass(frozen=True)
class Propagation:
    """The layers from the input on, and the gradient that reaches the input."""

    signals: tuple[Signal, ...]
    input: Moments
    output_gradient: Moments
    input_gradient: Moments


@dataclass(frozen=True)
class _Forward:
    pre: Moments
    out: Moments
    slope: float
    slope_second: float
    slope_cross: float
    loss: float
    slope_loss: float
    spread: float


def propagate_dense(
    layers: Sequence[Dense],
    input: Moments = Moments(0.0, 1.0),  # noqa: B008
    output_gradient: Moments = Moments(0.0, 1.0),  # noqa: B008
) -> Propagation:
    """Predict the moments of every layer's signal and gradient.

    Parameters
    ----------
    layers
        A chain: each fan_out is the next fan_in.
    input
        Of the net's input, whose entries are independent; standard normal unless told.
    output_gradient
        Of the gradient with respect to the net's output.

    Raises
    ------
    PropagationError
        The layers are no chain, a distribution is unknown, or the signal overflows doubles.
    """
    if not layers:
        raise PropagationError("a net needs at least one layer")
    for before, after in zip(layers, layers[1:], strict=False):
        if before.fan_out != after.fan_in:
            raise PropagationError(
                f"{before.name} has {before.fan_out} outputs, {after.name} {after.fan_in} inputs"
            )
    passed = _forward(layers, input)
    gradients, spreads, arrived = _backward(layers, passed, output_gradient)
    return Propagation(
        signals=tuple(
            Signal(
                name=layer.name,
                fan_in=layer.fan_in,
                fan_out=layer.fan_out,
                activation=layer.activation.text,
                pre_activation=step.pre,
                output=step.out,
                gradient=gradient,
                spread=step.spread,
                gradient_spread=spread,
                saturated=saturated_share(layer.activation, step.pre.mean, step.pre.std),
            )
            for layer, step, gradient, spread in zip(
                layers, passed, gradients, spreads, strict=True
            )
        ),
        input=input,
        output_gradient=output_gradient,
        input_gradient=arrived,
    )


def _forward(layers: Sequence[Dense], x: Moments) -> list[_Forward]:
    passed = []
    cross = x.mean * x.mean  # E[x_i x_j] of two units of one sample
    loss = 2.0 / layers[0].fan_in
    for layer in layers:
        m, w = layer.fan_in, moments(layer.weight)
        b = moments(layer.bias) if layer.bias is not None else Moments(0.0, 0.0)
        shared = 0.0
        if w.mean:
            among = m * (x.second - cross) + m * m * (cross - x.mean * x.mean)
            shared = w.mean * w.mean * max(among, 0.0)
        own = m * w.variance * x.second + b.variance
        mean = m * w.mean * x.mean + b.mean
        if not (abs(mean) < _LIMIT and own + shared < _LIMIT):
            raise PropagationError(f"{layer.name}: the signal overflows")
        std = math.sqrt(own + shared)
        first, second, fourth, slope, slope_second, slope_fourth = _integrals(
            layer.activation, mean, std
        )
        pre = Moments(mean, mean * mean + std * std)
        x, cross, slope_cross = Moments(first, second), first * first, slope * slope
        if shared > 1e-12 * own:
            cross, slope_cross = _crossed(layer.activation, mean, own, shared)
        passed.append(
            _Forward(
                pre=pre,
                out=x,
                slope=slope,
                slope_second=slope_second,
                slope_cross=slope_cross,
                loss=_excess(fourth, second) / layer.fan_out,
                slope_loss=_excess(3 * slope_fourth, slope_second) / layer.fan_out,
                spread=math.sqrt(loss + 2.0 / layer.fan_out),
            )
        )
        loss += passed[-1].loss
    return passed


def _backward(
    layers: Sequence[Dense], passed: Sequence[_Forward], g: Moments
) -> tuple[list[Moments], list[float], Moments]:
    gradients, spreads = [], []
    cross, loss = g.mean * g.mean, 2.0 / layers[-1].fan_out
    for layer, step in zip(reversed(layers), reversed(passed), strict=True):
        n, w = layer.fan_out, moments(layer.weight)
        d = Moments(g.mean * step.slope, g.second * step.slope_second)
        loss += step.slope_loss
        gradients.append(d)
        spreads.append(math.sqrt(loss + step.spread**2))
        square_of_sum = n * d.second + n * (n - 1) * cross * step.slope_cross
        cross = w.mean * w.mean * square_of_sum
        g = Moments(n * w.mean * d.mean, n * w.variance * d.second + cross)
        if not g.second < _LIMIT:
            raise PropagationError(f"{layer.name}: the gradient overflows")
    return gradients[::-1], spreads[::-1], g


def _integrals(activation: Activation, mean: float, std: float) -> list[float]:
    """E of a, a^2, a^4, a', a'^2 and a'^4 at N(mean, std^2)."""

    def powers(y: Array) -> tuple[Array, ...]:
        a, slope = activation.function(y), activation.slope(y)
        square, slope_square = a * a, slope * slope
        return a, square, square * square, slope, slope_square, slope_square * slope_square

    return means(powers, mean, std, activation.kinks, activation.scale, activation.exact)


def _crossed(activation: Activation, mean: float, own: float, shared: float) -> tuple[float, float]:
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
                )
                for centre in shift
            ]
        )
        return both[:, 0] ** 2, both[:, 1] ** 2

    points, weights = np.polynomial.hermite_e.hermegauss(48)
    weights = weights / weights.sum()
    first, second = conditional(mean + math.sqrt(shared) * points)
    return float(weights @ first), float(weights @ second)


def _excess(fourth: float, second: float) -> float:
    return max(fourth / (second * second) - 1, 0.0) if second > 0 else 0.0

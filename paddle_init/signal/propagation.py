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

The last is coarse where gradients of one sample share a mean, that is where mean(w) or the mean of
the output's gradient is not 0: then `notes` says so.

At finite width one draw of the weights deviates. `spread` is the relative std of a second moment,
to first order in 1 / width: each layer adds (E[x^4] / E[x^2]^2 - 1) / fan_out and passes on what
came in times d log E[a(y)^2] / d log var(y). The gradient's is an upper end, since it takes the
deviations of all layers' slopes as one. Once it exceeds 1 it does not fall again, and `notes` names
the layer: a net at a threshold, as hardshrink's, may die out at infinite width and live at 256."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from paddle_init.activations.builtin import Activation
from paddle_init.activations.curves import Array
from paddle_init.activations.quadrature import means
from paddle_init.errors import PropagationError
from paddle_init.languages import Sentence, listed
from paddle_init.signal.dense import Dense, Moments, moments

MEAN_NOT_0 = Sentence(
    "the weights of {names} have a mean that is not 0: gradients there and before are "
    "approximate, as is the signal where that mean is comparable to the std",
    "{names} 的权重均值不为 0：该处及之前的梯度是近似值；均值与标准差相当时，信号也是近似值",
)
UNSURE = Sentence(
    "from {name} on, draws of the weights differ from each other and from the prediction by "
    "factors, at these widths",
    "从 {name} 起，在这样的宽度下，权重的各次抽取之间、抽取与预测之间会相差若干倍",
)
GRADIENT_NOT_0 = Sentence(
    "the output's gradient has a mean that is not 0: gradients are approximate",
    "输出的梯度均值不为 0：各处的梯度是近似值",
)


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

    @property
    def gradient_norm(self) -> float:
        """The gradient's norm over the layer's units, the root of its mean square."""
        return math.sqrt(self.fan_out) * self.gradient.rms


@dataclass(frozen=True)
class Propagation:
    """The layers from the input on, and the gradient that reaches the input."""

    signals: tuple[Signal, ...]
    input: Moments
    output_gradient: Moments
    input_gradient: Moments
    notes: tuple[str, ...] = ()


class _Forward(NamedTuple):
    pre: Moments
    out: Moments
    slope: Moments
    slope_cross: float
    slope_noise: float
    slope_drift: float
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
    for before, after in pairwise(layers):
        if before.fan_out != after.fan_in:
            raise PropagationError(
                f"{before.name} has {before.fan_out} outputs, {after.name} {after.fan_in} inputs"
            )
    weights = [moments(layer.weight) for layer in layers]
    passed = _forward(layers, weights, input)
    gradients, spreads, arrived = _backward(layers, weights, passed, output_gradient)
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
        notes=_notes(layers, weights, passed, output_gradient),
    )


def _notes(
    layers: Sequence[Dense],
    weights: Sequence[Moments],
    passed: Sequence[_Forward],
    output_gradient: Moments,
) -> tuple[str, ...]:
    shifted = [
        layer.name
        for layer, w in zip(layers, weights, strict=True)
        if w.mean * w.mean * layer.fan_out > 1e-3 * w.variance
    ]
    found: list[str] = []
    if shifted:
        found.append(MEAN_NOT_0(names=listed(shifted, len(shifted))))
    unsure = [layer.name for layer, step in zip(layers, passed, strict=True) if step.spread > 1]
    if unsure:
        found.append(UNSURE(name=unsure[0]))
    if output_gradient.mean:
        found.append(GRADIENT_NOT_0())
    return tuple(found)


def _forward(layers: Sequence[Dense], weights: Sequence[Moments], x: Moments) -> list[_Forward]:
    passed = []
    cross = x.mean * x.mean  # E[x_i x_j] of two units of one sample
    noise = lost = 0.0  # relative variance of E[x^2] over draws of the weights
    for layer, w in zip(layers, weights, strict=True):
        m = layer.fan_in
        b = moments(layer.bias) if layer.bias is not None else Moments(0.0, 0.0)
        shared = 0.0
        if w.mean:
            among = m * (x.second - cross) + m * m * (cross - x.mean * x.mean)
            shared = w.mean * w.mean * max(among, 0.0)
        through = m * w.variance * x.second
        own = through + b.variance
        mean = m * w.mean * x.mean + b.mean
        if not (abs(mean) < _LIMIT and own + shared < _LIMIT):
            raise PropagationError(f"{layer.name}: the signal overflows")
        std = math.sqrt(own + shared)
        found = integrals(layer.activation, mean, std)
        pre = Moments(mean, mean * mean + std * std)
        x = Moments(found.first, found.second)
        cross, slope_cross = found.first**2, found.slope**2
        if shared > 1e-12 * own:
            cross, slope_cross = crossed(layer.activation, mean, own, shared)
        entered = max(noise * (through / pre.second) ** 2 if pre.second else 0.0, lost)
        if entered > 1:  # beyond first order: what follows is no better known
            lost = entered
        spread = math.sqrt(entered + 2.0 / layer.fan_out)
        passed.append(
            _Forward(
                pre=pre,
                out=x,
                slope=Moments(found.slope, found.slope_second),
                slope_cross=slope_cross,
                slope_noise=excess(3 * found.slope_fourth, found.slope_second) / layer.fan_out,
                slope_drift=abs(found.slope_response) * math.sqrt(entered),
                spread=spread,
            )
        )
        noise = entered * found.response**2 + excess(found.fourth, x.second) / layer.fan_out
    return passed


def _backward(
    layers: Sequence[Dense],
    weights: Sequence[Moments],
    passed: Sequence[_Forward],
    g: Moments,
) -> tuple[list[Moments], list[float], Moments]:
    gradients, spreads = [], []
    cross, noise, drift = g.mean * g.mean, 0.0, 0.0
    for layer, w, step in zip(reversed(layers), reversed(weights), reversed(passed), strict=True):
        n = layer.fan_out
        d = Moments(g.mean * step.slope.mean, g.second * step.slope.second)
        noise += step.slope_noise
        drift += step.slope_drift
        gradients.append(d)
        spreads.append(math.sqrt(noise) + drift)
        square_of_sum = n * d.second + n * (n - 1) * cross * step.slope_cross
        cross = w.mean * w.mean * square_of_sum
        g = Moments(n * w.mean * d.mean, n * w.variance * d.second + cross)
        if not g.second < _LIMIT:
            raise PropagationError(f"{layer.name}: the gradient overflows")
    return gradients[::-1], spreads[::-1], g


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

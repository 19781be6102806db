"""The integrals over a normal pre-activation that one layer's step needs."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from paddle_init.theory.activations import Activation
from paddle_init.theory.curves import Array
from paddle_init.theory.means import means

__all__ = ["Integrals", "crossed", "excess", "integrals"]


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

"""How many units of an S-shaped activation sit where it is flat."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from paddle_init.theory.activations import Activation

__all__ = ["FLAT", "saturated_share"]

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

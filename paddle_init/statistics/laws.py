"""A distribution as tests need it: its CDF, moments and support, and how coarse its values are."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Normal, Simple, TruncatedNormal, Uniform
from paddle_init.statistics.moments import truncated_moments

Array = NDArray[np.float64]

# Beyond this many stds the normal CDF is 0 or 1 to a double.
FAR, STEP = 9.0, 1 / 256

# So many stds off the mean is one of 1e23 values.
NEVER = 10

LEAST_STD = 2.0**-500

# One value of libstdc++'s float engines: u has 24 bits, x = 2u - 1 a grid of 2**-23.
ENGINE_GRAIN = 2.0**-22


@dataclass(frozen=True)
class Law:
    """What is drawn, for tests: its moments after truncation, its support, CDF and quantiles.

    `grain` is how far the CDF of real draws may be from `cdf`, since uniforms have 24 bits; where
    `distorted`, float32 arithmetic bends the law so much that its moments mean nothing.
    """

    family: str
    mean: float
    std: float
    low: float
    high: float
    cdf: Callable[[Array], Array]
    quantiles: Callable[[int], Array]
    grain: float
    distorted: bool = False


def law(distribution: Simple) -> Law | None:
    """Return the law of what chance decides; None of a constant or an unknown.

    None, too, where the std is so small that its square is no double.
    """
    if getattr(distribution, "std", 0.0) < LEAST_STD:
        return None
    match distribution:
        case Normal(mean, std) if std > 0:
            return _normal(mean, std)
        case Uniform(low, high) if low < high:
            return Law(
                "uniform",
                distribution.mean,
                distribution.std,
                low,
                high,
                lambda x: np.clip((x - low) / (high - low), 0, 1),
                lambda count: np.linspace(low, high, count),
                ENGINE_GRAIN,
            )
        case TruncatedNormal() if distribution.std > 0:
            return _truncated(distribution)
    return None


def _normal(mean: float, std: float) -> Law:
    return Law(
        "normal",
        mean,
        std,
        -math.inf,
        math.inf,
        lambda x: normal_cdf((x - mean) / std),
        lambda count: mean + std * _normal_grid(count),
        ENGINE_GRAIN,
    )


def _normal_grid(count: int) -> Array:
    """Points that are dense where the normal is."""
    grid: Array = 4 * np.sinh(np.linspace(-1.4, 1.4, count)) / np.sinh(1.4)
    return grid


def _truncated(drawn: TruncatedNormal) -> Law | None:
    mean, std = drawn.mean, drawn.std
    if drawn.low <= mean - NEVER * std and mean + NEVER * std <= drawn.high:
        return replace(_normal(mean, std), low=drawn.low, high=drawn.high)
    low, high = max(drawn.low, mean - 40 * std), min(drawn.high, mean + 40 * std)
    if low >= high:
        return None
    ends = normal_cdf(np.array([(low - mean) / std, (high - mean) / std]))
    mass = float(ends[1] - ends[0])
    if mass < 2.0**-20:
        return None
    middle, spread = truncated_moments(drawn)
    near, far = max(low, mean - FAR * std), min(high, mean + FAR * std)
    if spread < LEAST_STD:
        return None
    return Law(
        "truncated_normal",
        middle,
        spread,
        drawn.low,
        drawn.high,
        lambda x: np.clip((normal_cdf((x - mean) / std) - ends[0]) / mass, 0, 1),
        lambda count: np.linspace(near, far, count),
        ENGINE_GRAIN / mass,
        distorted=mass < 0.01,
    )


def blur(distribution: Simple, dtype: str) -> Callable[[Array], Array]:
    """Return how far a value in `dtype` may lie from the real number that the law speaks of.

    Half an ULP of the dtype, and some of the roundings on the way: those in float32, and that of a
    sum with the mean or the lower bound.
    """
    relative, smallest = {
        "float64": (2.0**-51, 0.0),
        "float32": (2.0**-22, 2.0**-149),
        "float16": (2.0**-11 + 2.0**-22, 2.0**-25),
        "bfloat16": (2.0**-8 + 2.0**-22, 2.0**-134),
    }[dtype]
    match distribution:
        case Normal(mean) | TruncatedNormal(mean):
            offset = abs(mean)
        case Uniform(low, high):
            offset = max(abs(low), abs(high))
        case _:
            offset = 0.0
    absolute = smallest + offset * min(relative, 2.0**-22)
    return lambda x: np.abs(x) * relative + absolute


def normal_cdf(z: Array) -> Array:
    """Return the standard normal CDF, within 1e-12, by Hermite interpolation of erfc's values."""
    position = np.clip(z, -FAR, FAR)
    position += FAR
    position /= STEP
    cell = np.minimum(position.astype(np.intp), _KNOTS - 2)
    t = position - cell
    rise, here, ahead = _CDF[cell + 1] - _CDF[cell], _SLOPE[cell], _SLOPE[cell + 1]
    bend = t * (1 - t)
    result: Array = _CDF[cell] + t * rise + bend * ((1 - t) * (here - rise) + t * (rise - ahead))
    return result


def _table() -> tuple[Any, Any]:
    knots = np.arange(_KNOTS) * STEP - FAR
    cdf = np.array([math.erfc(-z / math.sqrt(2)) / 2 for z in knots])
    slope = STEP * np.exp(-0.5 * knots**2) / math.sqrt(2 * math.pi)
    return cdf, slope


_KNOTS = int(2 * FAR / STEP) + 1
_CDF, _SLOPE = _table()

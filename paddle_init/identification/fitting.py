"""The scales with which a stream's standard draws give exactly the found bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.frameworks import rounded
from paddle_init.statistics import as_numbers

__all__ = ["Scale", "fit_normal", "fit_uniform"]

BLOCK = 1 << 20
PROBE = 64
# Neighbours of the likeliest float32 that are tried as a scale.
TRIED = 64
# Digits of a dtype, and the exponent of its smallest number; what the float32 on the way to a half
# type may add to its half ULP.
DIGITS = {
    "float64": (53, -1074),
    "float32": (24, -149),
    "float16": (11, -24),
    "bfloat16": (8, -133),
}
SECOND_ROUNDING = {"float64": 0.0, "float32": 0.0, "float16": 2.0**-12, "bfloat16": 2.0**-15}


@dataclass(frozen=True)
class Scale:
    """Every std in [low, high] gives the found bits; for a uniform, its bound.

    `single` is a float32 in there, or None: then it was no framework that narrows std.
    """

    low: float
    high: float
    single: float | None


def fit_normal(draws: NDArray[np.float32], found: NDArray[Any], dtype: str) -> Scale | None:
    """Return the stds with which double(z) * std, rounded to `dtype`, is `found`, or None.

    A float32 product of float32 factors is the same number: 48 bits fit a double.
    """
    low, high = 0.0, np.inf
    values = as_numbers(found).astype(np.float64)
    for start in range(0, values.size, BLOCK):
        z = draws[start : start + BLOCK].astype(np.float64)
        w = values[start : start + BLOCK]
        if ((z == 0) != (w == 0)).any() and dtype in ("float32", "float64"):
            return None
        below, above = _neighbourhood(w, dtype)
        with np.errstate(divide="ignore", invalid="ignore"):
            least, most = np.minimum(below / z, above / z), np.maximum(below / z, above / z)
        used = z != 0
        low = max(low, float(least[used].max(initial=0.0)))
        high = min(high, float(most[used].min(initial=np.inf)))
        if low > high:
            return None
    for single in _singles(low, high):
        if _gives(draws, single, found, dtype):
            return Scale(low, high, single)
    middle = (low + high) / 2
    return Scale(low, high, None) if _gives(draws, middle, found, dtype) else None


def _neighbourhood(
    w: NDArray[np.float64], dtype: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the reals that round to w: halfway to its neighbours."""
    digits, least = DIGITS[dtype]
    exponent = np.maximum(np.frexp(np.abs(w))[1] - digits, least)
    half = np.ldexp(0.5, exponent) * (1 + SECOND_ROUNDING[dtype])
    return w - half, w + half


def _singles(low: float, high: float) -> list[float]:
    """Return float32s in [low, high], the middle ones first."""
    middle = int(np.float32((low + high) / 2).view(np.int32))
    near = (float(np.int32(middle + step).view(np.float32)) for step in _around(TRIED))
    return [single for single in near if low <= single <= high]


def _around(steps: int) -> list[int]:
    return sorted(range(-steps, steps + 1), key=abs)


def _gives(draws: NDArray[np.float32], std: float, found: NDArray[Any], dtype: str) -> bool:
    for start in range(0, found.size, BLOCK):
        z = draws[start : start + BLOCK].astype(np.float64)
        product = (z * std).astype(np.float64 if dtype == "float64" else np.float32)
        if not np.array_equal(rounded(product, dtype), found[start : start + BLOCK]):
            return False
    return True


def fit_uniform(draws: NDArray[np.float32], found: NDArray[Any], dtype: str) -> Scale | None:
    """Return the bound a with which u * 2a - a in float32 is `found`, or None.

    Only a float32 can be one: that is where Paddle's kernel takes its bounds.
    """
    values = as_numbers(found).astype(np.float64)
    wide = 2 * draws.astype(np.float64) - 1
    # Both terms of the sum are rounded in float32, by as much as a's last bit.
    grain = float(np.abs(values).max(initial=0.0)) * 2.0**-22
    below, above = _neighbourhood(values, dtype)
    far = np.abs(wide) > 2.0**-12
    ends = (below - grain)[far] / wide[far], (above + grain)[far] / wide[far]
    low = float(np.minimum(*ends).max(initial=0.0))
    high = float(np.maximum(*ends).min(initial=np.inf))
    middle = np.float32((low + high) / 2) if low <= high < np.inf else None
    if middle is None:
        return None
    probe = slice(0, PROBE)
    for step in _around(TRIED):
        bound = np.int32(middle.view(np.int32) + step).view(np.float32)
        if all(
            np.array_equal(rounded(draws[part] * (bound - -bound) + -bound, dtype), found[part])
            for part in (probe, slice(None))
        ):
            return Scale(float(bound), float(bound), float(bound))
    return None

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
    half = {
        "float64": np.spacing(np.abs(w)) / 2,
        "float32": np.spacing(np.abs(w).astype(np.float32)).astype(np.float64) / 2,
        "float16": np.spacing(np.abs(w).astype(np.float16)).astype(np.float64) / 2,
        "bfloat16": np.maximum(np.abs(w) * 2.0**-8, 2.0**-134),
    }[dtype]
    half *= 1 + 2.0**-10 if dtype in ("float16", "bfloat16") else 1
    return w - half, w + half


def _singles(low: float, high: float) -> list[float]:
    start = np.float32(low)
    if float(start) < low:
        start = np.nextafter(start, np.float32(np.inf))
    found: list[float] = []
    while float(start) <= high and len(found) < 8:
        found.append(float(start))
        start = np.nextafter(start, np.float32(np.inf))
    return found


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
    values = as_numbers(found)
    wide = 2 * draws.astype(np.float64) - 1
    far = int(np.abs(wide).argmax())
    if not wide[far]:
        return None
    guess = np.float32(abs(float(values[far]) / wide[far]))
    steps = {"float16": 1 << 14, "bfloat16": 1 << 17}.get(dtype, 8)
    bits = guess.view(np.int32)
    probe = np.flatnonzero(values[:64])
    for step in sorted(range(-steps, steps + 1), key=abs):
        bound = np.int32(bits + step).view(np.float32)
        for part in (probe, slice(None)):
            made = draws[part] * (bound - -bound) + -bound
            if not np.array_equal(rounded(made, dtype), found[part]):
                break
        else:
            return Scale(float(bound), float(bound), float(bound))
    return None

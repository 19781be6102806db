"""Many places where a parameter may begin, sifted by its first few values at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["TRIES", "accepted", "near", "sift_normal", "sift_uniform"]

# Tries of the polar method that are looked at: of so many, 6 are accepted but once in 2 million.
TRIES = 20


def near(values: NDArray[Any], drawn: NDArray[Any], roundings: float) -> NDArray[np.bool_]:
    """Tell which columns of `drawn`, shape [n, places], are `values`, [n], times a scale > 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.abs(values).sum() / np.abs(drawn).sum(axis=0)
        off = np.abs(values[:, None] - scale * drawn)
    close: NDArray[np.bool_] = (off <= 3 * roundings * np.abs(values).max()).all(axis=0)
    return close


def sift_uniform(
    uniforms: Iterable[NDArray[Any]], start: NDArray[np.float64], roundings: float
) -> NDArray[np.bool_]:
    """Tell which places' next uniforms give `start`; one array, [places], per draw."""
    drawn = [2 * u.astype(np.float64) - 1 for u, _ in zip(uniforms, start, strict=False)]
    return near(start, np.stack(drawn), roundings)


def sift_normal(
    uniforms: Iterable[NDArray[Any]], start: NDArray[np.float64], roundings: float
) -> NDArray[np.bool_]:
    """Tell which places' next uniforms give the normals `start`.

    Parameters
    ----------
    uniforms
        Of each draw, at every place, as float32: libstdc++'s own rounding.
    start : array, shape [n]
        In draw order; an odd last one is not looked at.
    """
    pairs = start.size // 2
    return near(start[: 2 * pairs], accepted(uniforms, pairs), roundings)


def accepted(uniforms: Iterable[NDArray[Any]], pairs: int) -> NDArray[np.float64]:
    """Return every place's first normals, shape [2 * pairs, places]; NaN where draws run out."""
    drawn: NDArray[np.float64] | None = None
    draws = iter(uniforms)
    for first, second in zip(draws, draws, strict=False):
        x, y = (2 * u.astype(np.float64) - 1 for u in (first, second))
        if drawn is None:
            drawn = np.full((2 * pairs, x.size), np.nan)
            taken = np.zeros(x.size, np.intp)
        square = x * x + y * y
        used = np.flatnonzero((square <= 1) & (square > 0) & (taken < pairs))
        factor = np.sqrt(-2 * np.log(square[used]) / square[used])
        drawn[2 * taken[used], used] = y[used] * factor
        drawn[2 * taken[used] + 1, used] = x[used] * factor
        taken[used] += 1
        if (taken == pairs).all():
            break
    assert drawn is not None
    return drawn

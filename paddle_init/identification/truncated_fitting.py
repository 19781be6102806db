"""The numbers of a Paddle TruncatedNormal that gives the found values from a stream's uniforms."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import TruncatedNormal
from paddle_init.frameworks.truncated_normal import erfinv, truncated_inverse
from paddle_init.identification.fitting import (
    WINDOW,
    Compute,
    Fitted,
    Scale,
    differing,
    fitted_by,
    least_squares_line,
    shortest,
)
from paddle_init.statistics import as_numbers

__all__ = ["cuts_nothing", "fit_truncated", "untruncated"]

FLOAT = np.dtype(np.float32)
SMALLEST = np.float32(np.finfo(np.float32).tiny)
# Paddle's default cutoffs are -2 and 2 themselves; 2.6 cuts at 2 stds.
ABSOLUTE = (2.0, 1.0)
IN_STDS = (2.0, 3.0, 1.0, 2.5, 1.5, 4.0)
# Beyond so many stds float32 cuts nothing off.
FAR = 13.5
# Neighbours of the likeliest std that are tried.
NEAR = 6
# The fewest values from which four numbers are fitted, and how well they then are known.
FEWEST, KNOWN = 64, 1e-4


def fit_truncated(
    draws: NDArray[np.float32], found: NDArray[Any], dtype: str, window: slice = slice(0, WINDOW)
) -> Fitted | None:
    """Return the truncated normal that gives `found` from the uniforms `draws`, or None."""
    if dtype in ("float64", "float16"):
        return None
    u = draws[window]
    there = found[window]
    w = as_numbers(there).astype(np.float64)
    best: tuple[int, TruncatedNormal, bool] | None = None
    for drawn, clamped in _candidates(u, w):
        wrong = differing(_values(drawn, clamped), u, there, dtype).size
        if best is None or wrong < best[0]:
            best = wrong, drawn, clamped
        if not wrong:
            break
    if best is None or best[0] > there.size // 2:
        return None
    _, drawn, clamped = best
    altered = fitted_by(_values(drawn, clamped), draws, found, dtype)
    free = 1 if not drawn.mean and drawn.high == -drawn.low else 4
    if clamped and cuts_nothing(drawn):
        usual = replace(drawn, low=-2.0, high=2.0)
        drawn = usual if cuts_nothing(usual) else drawn
    return Fitted(Scale(*[drawn.std] * 3), drawn, free, *altered)


def untruncated(draws: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the standard values of a truncated normal that cuts nothing off."""
    u = np.maximum(draws.reshape(-1), SMALLEST)
    z: NDArray[np.float64] = erfinv(np.float32(2) * u - np.float32(1)) * np.float64(math.sqrt(2))
    return z.reshape(draws.shape)


def cuts_nothing(drawn: TruncatedNormal) -> bool:
    """Tell whether float32 sees no cut: then the bits do not tell where it is."""
    return min(drawn.mean - drawn.low, drawn.high - drawn.mean) > FAR * drawn.std


def _values(drawn: TruncatedNormal, clamped: bool) -> Compute:
    invert = truncated_inverse(drawn, FLOAT, clamped=clamped)

    def values(u: NDArray[Any]) -> NDArray[Any]:
        made: NDArray[Any] = u * (np.float32(1) - SMALLEST) + SMALLEST
        invert(made)
        return made

    return values


def _candidates(
    u: NDArray[np.float32], w: NDArray[np.float64]
) -> Iterator[tuple[TruncatedNormal, bool]]:
    """Yield what may have drawn these values, with whether it clamps as Paddle 3 does."""
    for cut in ABSOLUTE:
        std = _std_cut_at(cut, u, w)
        for each in _stds(std):
            yield TruncatedNormal(0.0, each, -cut, cut), True
    for ends in IN_STDS:
        std = _std(u, w, ends)
        for each in _stds(std):
            at = shortest(ends * each * (1 - 2.0**-25), ends * each * (1 + 2.0**-25))
            yield TruncatedNormal(0.0, each, -at, at), True
            if ends == 2.0:
                yield TruncatedNormal(0.0, each, -at, at), False
    line = least_squares_line(untruncated(u), w)
    if line is not None:
        std, mean = line
        mean = shortest(mean - std * KNOWN, mean + std * KNOWN)
        for each in _stds(std):
            yield TruncatedNormal(mean, each, mean - 20 * each, mean + 20 * each), True
    yield from _general(u, w)


def _standard(u: NDArray[np.float32], ends: float) -> NDArray[np.float64]:
    from scipy.special import ndtr, ndtri

    p0 = float(np.float32(ndtr(-ends)))
    p1 = float(np.float32(ndtr(ends)))
    z: NDArray[np.float64] = ndtri(p0 + u.astype(np.float64) * (p1 - p0))
    return z


def _std(u: NDArray[np.float32], w: NDArray[np.float64], ends: float) -> float:
    """Return the std with which a cut at so many stds gives these values: the median quotient."""
    z = _standard(u, ends)
    with np.errstate(divide="ignore", invalid="ignore"):
        quotients = w / z
    told = np.isfinite(quotients) & (np.abs(z) > 0.2) & (np.abs(z) < ends)
    return float(np.median(quotients[told])) if told.any() else 0.0


def _std_cut_at(cut: float, u: NDArray[np.float32], w: NDArray[np.float64]) -> float:
    """Return the std that fits where the cut is at a value of its own: by bisection."""
    far = _std(u, w, FAR)
    if far <= 0 or cut / far >= FAR:
        return far
    low, high = math.log(0.02), math.log(FAR)
    for _ in range(60):
        middle = (low + high) / 2
        if math.exp(middle) * _std(u, w, math.exp(middle)) < cut:
            low = middle
        else:
            high = middle
    return _std(u, w, math.exp((low + high) / 2))


def _stds(std: float) -> Iterator[float]:
    if not 0 < std < np.inf:
        return
    short = float(np.float32(shortest(std * (1 - 1e-6), std * (1 + 1e-6))))
    middle = int(np.float32(std).view(np.int32))
    near = (float(np.int32(middle + k).view(np.float32)) for k in range(-NEAR, NEAR + 1))
    yield from dict.fromkeys((short, *near))


def _general(
    u: NDArray[np.float32], w: NDArray[np.float64]
) -> Iterator[tuple[TruncatedNormal, bool]]:
    """Yield one with any mean and cutoffs, from the least squares and in the fewest digits."""
    told = np.isfinite(w)
    if np.count_nonzero(told) < FEWEST:
        return
    from scipy.optimize import least_squares
    from scipy.special import ndtr, ndtri

    p, v = u[told].astype(np.float64), w[told]
    mean, std = float(np.median(v)), float(np.std(v))
    if not std:
        return

    def values(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        m, s, low, high = numbers
        ends = ndtr((low - m) / s), ndtr((high - m) / s)
        made: NDArray[np.float64] = m + s * ndtri(ends[0] + p * (ends[1] - ends[0]))
        return made

    def off(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        _, s, low, high = numbers
        if s <= 0 or low >= high:
            return np.full(v.size, 1e3)
        made = values(numbers)
        made[~np.isfinite(made)] = 1e3
        return (made - v) / std

    room = (v.max() - v.min()) / v.size
    start = np.array([mean, std * 1.2, v.min() - room, v.max() + room])
    solved = least_squares(off, start, x_scale=std, loss="soft_l1", f_scale=1e-4, max_nfev=200)
    numbers = [
        shortest(x - std * KNOWN, x + std * KNOWN) if abs(x) > std * KNOWN else 0.0
        for x in solved.x.tolist()
    ]
    if numbers[1] > 0 and numbers[2] < numbers[3]:
        for each in _stds(numbers[1]):
            yield TruncatedNormal(numbers[0], each, numbers[2], numbers[3]), True

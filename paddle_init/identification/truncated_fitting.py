"""The numbers of a Paddle TruncatedNormal that gives the found values from a stream's uniforms."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import TruncatedNormal
from paddle_init.dtypes import as_numbers
from paddle_init.frameworks.paddle.draws import erfinv, truncated_inverse
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
STEPS = 60


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

    p0, p1 = normal_cdf(np.array([-ends, ends])).astype(np.float32).astype(np.float64)
    return _quantile(p0 + u.astype(np.float64) * (p1 - p0))


def _quantile(p: NDArray[np.float64]) -> NDArray[np.float64]:
    z: NDArray[np.float64] = erfinv(2 * np.clip(p, 0, 1) - 1) * math.sqrt(2)
    return z


def normal_cdf(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard normal's CDF, to a double's last bits."""
    scaled = (z / -math.sqrt(2)).tolist()
    return np.fromiter(map(math.erfc, scaled), np.float64, z.size) / 2


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
    p, v = u[told].astype(np.float64), w[told]
    std = float(np.std(v))
    if not std:
        return
    room = float(np.ptp(v)) / v.size
    numbers = np.array([np.median(v), std * 1.2, v.min() - room, v.max() + room])
    numbers = _least_squares(p, v, numbers, std * 1e-6)
    short = [
        shortest(x - std * KNOWN, x + std * KNOWN) if abs(x) > std * KNOWN else 0.0
        for x in numbers.tolist()
    ]
    if np.isfinite(numbers).all() and short[1] > 0 and short[2] < short[3]:
        for each in _stds(short[1]):
            yield TruncatedNormal(short[0], each, short[2], short[3]), True


def _least_squares(
    p: NDArray[np.float64], v: NDArray[np.float64], numbers: NDArray[np.float64], step: float
) -> NDArray[np.float64]:
    """Fit mean, std and cutoffs by Levenberg and Marquardt's method; outliers are left out."""

    def off(tried: NDArray[np.float64]) -> NDArray[np.float64]:
        mean, std, low, high = tried
        if std <= 0 or low >= high:
            return np.full(v.size, np.inf)
        ends = normal_cdf(np.array([low - mean, high - mean]) / std)
        made: NDArray[np.float64] = mean + std * _quantile(ends[0] + p * (ends[1] - ends[0]))
        return made - v

    damping = 1e-3
    now = off(numbers)
    for _ in range(STEPS):
        limit = 5 * float(np.median(np.abs(now))) + 1e-300
        used = np.abs(now) <= limit
        slopes = np.stack([(off(numbers + step * e) - now)[used] / step for e in np.eye(4)], axis=1)
        if not np.isfinite(slopes).all():
            break
        normal = slopes.T @ slopes
        normal[np.diag_indices(4)] *= 1 + damping
        try:
            tried = numbers - np.linalg.solve(normal, slopes.T @ now[used])
        except np.linalg.LinAlgError:
            break
        there = off(tried)
        if np.abs(there[used]).sum() < np.abs(now[used]).sum():
            numbers, now, damping = tried, there, damping / 10
        else:
            damping *= 10
            if damping > 1e9:
                break
    return numbers

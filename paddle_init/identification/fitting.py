"""The numbers with which a stream's standard draws give the found bits, but for altered values."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Normal, Simple, Uniform
from paddle_init.dtypes import as_numbers, dtype_name, rounded

Values: TypeAlias = NDArray[np.float64]

BLOCK = 1 << 20
# Neighbours of the likeliest float32 that are tried as a scale, and as a shift.
TRIED, SHIFTS = 64, 3
# In units of the largest value's last bit: another rounding moves a value by no more.
NEAR = 8.0
# Values from which the numbers are fitted; the first of them were seen to agree.
WINDOW, AGREEING = 256, 48
# Digits of a dtype, and the exponent of its smallest number; what the float32 on the way to a half
# type may add to its half ULP.
DIGITS = {
    "float64": (53, -1074),
    "float32": (24, -149),
    "float16": (11, -24),
    "bfloat16": (8, -133),
}
# What a value may be off a line, over the largest: the roundings of its arithmetic and dtype.
ROUNDINGS = {
    "float64": 2.0**-21,
    "float32": 2.0**-21,
    "float16": 2.0**-10,
    "bfloat16": 2.0**-7,
}
SECOND_ROUNDING = {"float64": 0.0, "float32": 0.0, "float16": 2.0**-12, "bfloat16": 2.0**-15}
# Bits that one value tells of the stream beyond its scale, at least for nine values in ten.
TELLS = {"float64": 20, "float32": 20, "float16": 8, "bfloat16": 5}
# Where values were altered, the others must tell so many bits, and be so many of a half type.
EVIDENCE, HALF_SHARE = 140, 0.5


@dataclass(frozen=True)
class Scale:
    """Every std in [low, high] gives the found bits; for a uniform, its half width.

    `single` is a float32 in there, or None: then it was no framework that narrows std.
    """

    low: float
    high: float
    single: float | None


@dataclass(frozen=True, eq=False)
class Fitted:
    """A distribution that gives the found values.

    `free` numbers of it were chosen to fit; `altered` are the places, in draw order, where the
    values are others.
    """

    scale: Scale
    drawn: Simple
    free: int
    altered: NDArray[np.intp]
    rounding: int = 0

    def proven(self, size: int, dtype: str, bits: int) -> bool:
        """Tell whether the values that agree tell at least so many bits of the stream."""
        agreeing = size - self.altered.size
        told = (agreeing - self.free) * TELLS[dtype]
        if not self.altered.size:
            return told >= bits
        few = TELLS[dtype] < TELLS["float32"] and agreeing < HALF_SHARE * size
        return told >= EVIDENCE and not few


Compute: TypeAlias = Callable[[NDArray[Any]], NDArray[Any]]
"""From standard draws to float32 or float64 values, before they are rounded to the dtype."""


def differing(
    compute: Compute, draws: NDArray[Any], found: NDArray[Any], dtype: str
) -> NDArray[np.intp]:
    """Return the places where `found` is not what is computed from `draws`."""
    places = []
    for start in range(0, found.size, BLOCK):
        with np.errstate(over="ignore"):
            made = rounded(compute(draws[start : start + BLOCK]), dtype)
        places.append(start + np.flatnonzero(made != found[start : start + BLOCK]))
    return np.concatenate(places) if places else np.empty(0, np.intp)


def _near(
    compute: Compute, draws: NDArray[Any], found: NDArray[Any], altered: NDArray[np.intp]
) -> int:
    """Count the altered values that another rounding would explain."""
    if not altered.size:
        return 0
    w = as_numbers(found).astype(np.float64)
    largest = float(np.abs(w[np.isfinite(w)]).max(initial=0.0))
    with np.errstate(over="ignore"):
        made = compute(draws[altered]).astype(np.float64)
    near = np.abs(w[altered] - made) <= largest * NEAR * 2.0 ** -DIGITS[str(dtype_name(found))][0]
    return int(np.count_nonzero(near & (w[altered] != 0)))


def fitted_by(
    compute: Compute, draws: NDArray[Any], found: NDArray[Any], dtype: str
) -> tuple[NDArray[np.intp], int]:
    """Return the places of altered values, and how many of them rounding would explain."""
    altered = differing(compute, draws, found, dtype)
    return altered, _near(compute, draws, found, altered)


def fit_normal(
    draws: NDArray[Any], found: NDArray[Any], dtype: str, window: slice = slice(0, WINDOW)
) -> Fitted | None:
    """Return the normal whose standard draws z give `found`, or None.

    With mean 0 that is double(z) * std, rounded to `dtype`. A float32 product of float32 factors is
    the same number: 48 bits fit a double. With another mean it is Paddle's, in float32.

    Parameters
    ----------
    window
        Where values were seen to agree, for a mean other than 0.
    """
    scale = _std(draws, found, dtype)
    best = None
    if scale is not None:
        std = (scale.low + scale.high) / 2 if scale.single is None else scale.single
        compute = functools.partial(scaled, std=std, dtype=dtype)
        best = Fitted(scale, Normal(0.0, std), 1, *fitted_by(compute, draws, found, dtype))
        if not best.altered.size:
            return best
    shifted = _shifted(draws, found, dtype, window)
    return min(filter(None, (best, shifted)), key=lambda each: each.altered.size, default=None)


def scaled(draws: NDArray[Any], std: float, dtype: str) -> NDArray[Any]:
    """Return double(z) * std in float32, or in double for float64."""
    product: NDArray[Any] = draws.astype(np.float64) * std
    return product.astype(np.float64 if dtype == "float64" else np.float32)


def _std(draws: NDArray[Any], found: NDArray[Any], dtype: str) -> Scale | None:
    """Return the stds that give the most values."""
    lows, highs = np.empty(found.size), np.empty(found.size)
    for start in range(0, found.size, BLOCK):
        part = slice(start, start + BLOCK)
        z = draws[part].astype(np.float64)
        below, above = neighbourhood(as_numbers(found[part]).astype(np.float64), dtype)
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = below / z, above / z
        lows[part], highs[part] = np.minimum(*ends), np.maximum(*ends)
        none = z == 0
        lows[part][none], highs[part][none] = np.nan, np.nan
    told = np.isfinite(lows) & np.isfinite(highs) & (highs > 0)
    if not told.any():
        return None
    low, high = float(lows[told].max()), float(highs[told].min())
    if low > high:
        low, high = _most_common(lows[told], highs[told])
    best = None
    middle = (low + high) / 2
    for single in _floats_near(middle, TRIED):
        if not low <= single <= high:
            continue
        wrong = differing(
            functools.partial(scaled, std=single, dtype=dtype), draws, found, dtype
        ).size
        if best is None or wrong < best[0]:
            best = wrong, single
        if not wrong or dtype in ("float32", "float64"):  # then the interval is exact
            break
    return Scale(low, high, None if best is None else best[1])


def _most_common(lows: Values, highs: Values) -> tuple[float, float]:
    """Return where the most of these intervals overlap."""
    ends = np.concatenate([lows, highs])
    steps = np.concatenate([np.ones(lows.size, np.int64), -np.ones(highs.size, np.int64)])
    order = np.lexsort((-steps, ends))  # an interval is closed: it opens before another closes
    depth = np.cumsum(steps[order])
    deepest = int(depth.argmax())
    return float(ends[order[deepest]]), float(ends[order[deepest + 1]])


def neighbourhood(w: Values, dtype: str) -> tuple[Values, Values]:
    """Return the reals that round to w: halfway to its neighbours."""
    digits, least = DIGITS[dtype]
    exponent = np.maximum(np.frexp(np.abs(w))[1] - digits, least)
    exponent[w == 0] = least
    half = np.ldexp(0.5, exponent) * (1 + SECOND_ROUNDING[dtype])
    half[~np.isfinite(w)] = np.nan
    return w - half, w + half


def _floats_near(value: float, steps: int) -> Iterable[float]:
    """Yield the float32s next to a number, the nearest first."""
    middle = int(np.float32(value).view(np.int32))
    for step in sorted(range(-steps, steps + 1), key=abs):
        yield float(np.int32(middle + step).view(np.float32))


def shortest(low: float, high: float) -> float:
    """Return the number of the fewest digits in [low, high]."""
    middle = (low + high) / 2
    for digits in range(1, 18):
        short = float(f"{middle:.{digits}g}")
        if low <= short <= high:
            return short
    return middle


def _linear(v: NDArray[Any], slope: np.float32, shift: np.float32) -> NDArray[Any]:
    """Return v * slope + shift in float32, as Paddle's kernels compute it."""
    values: NDArray[Any] = v * slope + shift
    return values


def _shifted(draws: NDArray[Any], found: NDArray[Any], dtype: str, window: slice) -> Fitted | None:
    here, there = draws[window], found[window]
    line = None if dtype == "float64" else _line(here, there)
    best = None if line is None else _best_pair(line, here, there, dtype)
    if best is None:
        return None
    std, mean = best
    altered = fitted_by(functools.partial(_linear, slope=std, shift=mean), draws, found, dtype)
    return Fitted(Scale(*[float(std)] * 3), Normal(float(mean), float(std)), 2, *altered)


def fit_uniform(
    draws: NDArray[Any], found: NDArray[Any], dtype: str, window: slice = slice(0, WINDOW)
) -> Fitted | None:
    """Return the uniform whose u * (high - low) + low in float32 is `found`, or None.

    Only float32 bounds are tried: that is where Paddle's kernel takes them.
    """
    here, there = draws[window], found[window]
    line = None if dtype == "float64" else _line(here, there)
    if line is None:
        return None
    options = []
    if abs(line[0] + 2 * line[1]) < 0.1 * line[0]:
        bounds = [np.float32(bound) for bound in _floats_near(line[0] / 2, TRIED)]
        wrongs = [
            differing(functools.partial(_linear, slope=a + a, shift=-a), here, there, dtype).size
            for a in bounds
        ]
        bound = bounds[int(np.argmin(wrongs))]
        options.append((bound + bound, -bound, 1))
    if not options or min(wrongs):
        end = line[0] + line[1]
        loose = max(abs(end), abs(line[1])) * 2.0**-21
        uppers = {np.float32(shortest(end - k * loose, end + k * loose)) for k in (0.25, 1, 4)}
        best = _best_pair(
            line, here, there, dtype, lambda low: [h - low for h in uppers if h > low]
        )
        if best is not None:
            options.append((*best, 2))
    fitted = []
    for width, low, free in options:
        altered = fitted_by(functools.partial(_linear, slope=width, shift=low), draws, found, dtype)
        half = float(width) / 2
        high = -float(low) if free == 1 else _upper(width, low)
        fitted.append(Fitted(Scale(half, half, half), Uniform(float(low), high), free, *altered))
    return min(fitted, key=lambda each: each.altered.size, default=None)


def _upper(width: np.float32, low: np.float32) -> float:
    """Return an upper bound that has this width in float32."""
    middle = float(width) + float(low)
    near = [h for h in _floats_near(middle, TRIED) if np.float32(h) - low == width]
    if not near:
        return middle
    short = float(np.float32(shortest(min(near), max(near))))
    return short if np.float32(short) - low == width else near[0]


def _line(draws: NDArray[Any], found: NDArray[Any]) -> tuple[float, float] | None:
    return least_squares_line(draws.astype(np.float64), as_numbers(found).astype(np.float64))


def least_squares_line(v: Values, w: Values) -> tuple[float, float] | None:
    """Return slope > 0 and intercept of w over v, or None; the first values count for sure."""
    used = np.isfinite(w) & (np.arange(w.size) < AGREEING)
    for _ in range(4):
        if np.count_nonzero(used) < 3 or not np.ptp(v[used]):
            return None
        x, y = v[used] - v[used].mean(), w[used] - w[used].mean()
        slope = float(x @ y / (x @ x))
        shift = float(w[used].mean() - slope * v[used].mean())
        off = np.abs(w - (slope * v + shift))
        limit = 4 * float(np.median(off[used])) + 1e-300
        used = np.isfinite(w) & (off <= limit)
    return (slope, shift) if slope > 0 else None


def _best_pair(
    line: tuple[float, float],
    draws: NDArray[Any],
    found: NDArray[Any],
    dtype: str,
    widths: Callable[[np.float32], list[np.float32]] = lambda low: [],
) -> tuple[np.float32, np.float32] | None:
    """Return the float32s scale and shift near a line that give the most values.

    `widths` returns further scales that a shift makes likely.
    """
    slope, shift = line
    size = max(abs(shift), slope)
    # What least squares leave open, a few of the last bits of the larger one.
    loose = size * 2.0 ** (2 - DIGITS[dtype][0] if dtype != "float32" else -22)
    scales = _tried(slope, loose)
    shifts = _tried(shift, loose)
    best, fewest = None, found.size
    for b in shifts:
        for a in (*scales, *widths(b)):
            wrong = differing(
                functools.partial(_linear, slope=a, shift=b), draws, found, dtype
            ).size
            if wrong < fewest:
                best, fewest = (a, b), wrong
            if not wrong:
                return best
    return best


def _tried(value: float, loose: float) -> list[np.float32]:
    """Return the number of the fewest digits near a value, and the float32s around it."""
    short = shortest(value - loose, value + loose)
    if abs(value) <= loose:
        short = 0.0
    near = [short, *_floats_near(value, SHIFTS)]
    coarse = np.linspace(value - loose, value + loose, 9)
    return list(dict.fromkeys(np.float32(number) for number in (*near, *coarse)))

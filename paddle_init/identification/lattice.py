"""Are values as they were drawn? What no later arithmetic leaves: the grid of 24-bit uniforms.

x = 2u - 1 is a multiple of 2**-23 where it is positive. A pair of normals gives x back, since the
pair's length says how long (x, y) was: x = w1 / |w| * exp(-|w|**2 / (4 std**2)). Small x come back
so exactly that the grid shows, where std is known exactly; so all stds are tried that the values
allow. After any step of training the grid is gone. Of a uniform with bounds -a, a, small values
are sums of much larger floats, and so multiples of a's last bit. A truncated normal has the
grid in x = erf(w / (sqrt(2) std)), since the uniform that it inverts was float32, whatever the
cutoffs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

GRID = 2.0**23
ROUNDING = 2.0**-22
# In units of the grid: how well a point must be known, and how near the grid counts as on it.
CLEAR, NEAR = 0.1, 0.2
# Stds so far apart (relatively) move a clear point by no more than CLEAR.
STEP = 2 * ROUNDING
ENOUGH, MOST = 40, 64
# Most stds are refused by the first few values.
FIRST, FIRST_NEAR = 16, 12
FEWEST = 8
PROVEN = 1e-9
# Values so near 0, over std, come back well enough from an inversion of a few ULP.
CENTRAL = 0.04
BLOCK = 4096


def as_drawn_normal(
    flat: Values, known: Iterable[float], limits: tuple[float, float]
) -> bool | None:
    """Tell whether float32 values are a normal's of mean 0, as libstdc++ draws it.

    Parameters
    ----------
    flat : array, shape [n]
        In the order of drawing, from a parameter's first value on.
    known
        Stds that are likely, which need fewer values.
    limits
        Between which std lies.

    Returns
    -------
    bool or None
        True with an error probability below 1e-9. False where the values would show the grid and
        do not, whatever the std. None where too few would: some 2,000 values are needed for True
        with a known std, 4,000 else, and for False.
    """
    pairs = flat[: flat.size // 2 * 2].reshape(-1, 2)
    pairs = pairs[(pairs != 0).all(axis=1)]
    listed = np.array(list(known), np.float64)
    return _verdict(lambda std: _clear(pairs, std), _points, listed, limits)


def as_drawn_truncated(
    flat: Values, known: Iterable[float], limits: tuple[float, float]
) -> bool | None:
    """Tell whether float32 values are a truncated normal's of mean 0, as Paddle draws it.

    Parameters, returns: as of `as_drawn_normal`; some 3,000 values are needed.
    """
    positive = flat[flat > 0]

    def clear(std: float) -> Values | None:
        return positive[positive < CENTRAL * std][:MOST, None] if std else None

    return _verdict(clear, _inverted, np.array(list(known), np.float64), limits)


def _verdict(
    clear_at: Callable[[float], Values | None],
    points: Callable[[Values, Values], Values],
    listed: Values,
    limits: tuple[float, float],
) -> bool | None:
    middle = (limits[0] + limits[1]) / 2
    for stds in (listed, None):
        clear = clear_at(middle if stds is None else float(np.mean(stds)) if stds.size else 0)
        if clear is None or len(clear) < (ENOUGH if stds is None else FEWEST):
            continue
        tried = _scan(limits) if stds is None else stds
        best = max(_on_grid(clear, block, points) for block in _blocks(tried))
        if len(tried) * _by_chance(best, len(clear)) < PROVEN:
            return True
        if stds is None and best < 0.9 * len(clear):
            return False
    return None


def _clear(pairs: Values, std: float) -> Values | None:
    """Return the values, with their pairs' lengths, whose points are known well enough: [k, 2]."""
    if not std:
        return None
    length = np.hypot(pairs[:, 0], pairs[:, 1])
    depth = (length / (2 * std)) ** 2
    # Of w0 comes y, of w1 comes x; both are multiples of 2**-23 where they are positive.
    points = pairs * (np.exp(-depth) / length)[:, None]
    error = points * (GRID * ROUNDING) * (1 + 2 * depth)[:, None]
    used = (points > 0) & (error < CLEAR)
    lengths = np.broadcast_to(length[:, None], pairs.shape)
    return np.stack([pairs[used], lengths[used]], axis=1)[:MOST]


def _scan(limits: tuple[float, float]) -> Values:
    low, high = limits
    count = math.ceil(math.log(high / low) / STEP) + 1
    stds: Values = low * np.exp(STEP * np.arange(count))
    return stds


def _blocks(stds: Values) -> Iterator[Values]:
    return (stds[start : start + BLOCK] for start in range(0, len(stds), BLOCK))


def _on_grid(clear: Values, stds: Values, points: Callable[[Values, Values], Values]) -> int:
    """Return how many values lie near the grid, at the std that puts most there."""
    if len(clear) > FIRST:
        stds = stds[_near(points(clear[:FIRST], stds)) >= FIRST_NEAR]
    return int(_near(points(clear, stds)).max(initial=0))


def _points(clear: Values, stds: Values) -> Values:
    """Return x or y of values with their pairs' lengths, at every std, in units of the grid."""
    value, length = clear.T
    points: Values = GRID * value / length * np.exp(-((length / (2 * stds[:, None])) ** 2))
    return points


def _inverted(clear: Values, stds: Values) -> Values:
    """Return x = erf(w / (sqrt(2) std)), by its series, which is exact enough for small w."""
    t = clear[:, 0] / (math.sqrt(2) * stds[:, None])
    points: Values = GRID * 2 / math.sqrt(math.pi) * t * (1 - t * t / 3 + t**4 / 10)
    return points


def _near(points: Values) -> NDArray[np.intp]:
    counts: NDArray[np.intp] = (np.abs(points - np.rint(points)) < NEAR).sum(axis=1)
    return counts


def _by_chance(near: int, size: int) -> float:
    """Bound P(at least `near` of `size` lie near the grid): Hoeffding's, with relative entropy."""
    share, chance = near / size, 2 * NEAR
    if share <= chance:
        return 1.0
    other = (1 - share) * math.log((1 - share) / (1 - chance)) if share < 1 else 0.0
    return math.exp(-size * (share * math.log(share / chance) + other))


def as_drawn_uniform(values: Values) -> bool | None:
    """Tell whether float32 values are those of a uniform on [-a, a], as they were drawn."""
    bound = float(np.abs(values).max())
    small = values[(np.abs(values) < bound / 8) & (values != 0)]
    if small.size < FEWEST:
        return None
    # The least last bit of the sums' terms, which lie within [7/8, 9/8] of the bound.
    unit = 2.0 ** (math.frexp(0.8 * bound)[1] - 24)
    return bool((small == np.rint(small / unit) * unit).all())

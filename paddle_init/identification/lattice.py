"""Are values as they were drawn? What no later arithmetic leaves: the grid of 24-bit uniforms.

x = 2u - 1 is a multiple of 2**-23 where it is positive. A pair of normals gives x back, since the
pair's length says how long (x, y) was: x = w1 / |w| * exp(-|w|**2 / (4 std**2)). Small x come back
so exactly that the grid shows; after any step of training it is gone. Of a uniform with bounds
-a, a, small values are sums of much larger floats, and so multiples of a's last bit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

__all__ = ["as_drawn_normal", "as_drawn_uniform"]

GRID = 2.0**23
ROUNDING = 2.0**-22
CLEAR, NEAR = 0.1, 0.2
FEWEST = 8
PROVEN = 1e-9


def as_drawn_normal(flat: NDArray[np.float64], stds: Iterable[float]) -> bool | None:
    """Tell whether float32 values are a normal's, as it was drawn with one of `stds`.

    Parameters
    ----------
    flat : array, shape [n]
        In the order of drawing, from a parameter's first value on.

    Returns
    -------
    bool or None
        True with an error probability below 1e-9; False where most of the values that would show
        the grid do not, for every std; None where too few would, or no std is given.
    """
    pairs = flat[: flat.size // 2 * 2].reshape(-1, 2)
    pairs = pairs[(pairs != 0).all(axis=1)]
    length = np.hypot(pairs[:, 0], pairs[:, 1])
    verdicts = set()
    tried = list(stds)
    for std in tried:
        depth = (length / (2 * std)) ** 2
        # Both are multiples of 2**-23 where positive: y is w0's, x is w1's.
        points = pairs * (np.exp(-depth) / length)[:, None]
        error = points * (GRID * ROUNDING) * (1 + 2 * depth)[:, None]
        clear = points[(points > 0) & (error < CLEAR)] * GRID
        if clear.size < FEWEST:
            continue
        near = int(np.count_nonzero(np.abs(clear - np.rint(clear)) < NEAR))
        if len(tried) * _by_chance(near, clear.size) < PROVEN:
            return True
        verdicts.add(near > 0.9 * clear.size)
    return False if verdicts == {False} else None


def _by_chance(near: int, size: int) -> float:
    """Bound P(at least `near` of `size` lie near the grid), Hoeffding's in its relative form."""
    share, chance = near / size, 2 * NEAR
    if share <= chance:
        return 1.0
    other = (1 - share) * math.log((1 - share) / (1 - chance)) if share < 1 else 0.0
    return math.exp(-size * (share * math.log(share / chance) + other))


def as_drawn_uniform(values: NDArray[np.float64]) -> bool | None:
    """Tell whether float32 values are those of a uniform on [-a, a], as they were drawn."""
    bound = float(np.abs(values).max())
    small = values[(np.abs(values) < bound / 8) & (values != 0)]
    if small.size < FEWEST:
        return None
    # The least last bit of the sums' terms, which lie within [7/8, 9/8] of the bound.
    unit = 2.0 ** (math.frexp(0.8 * bound)[1] - 24)
    return bool((small == np.rint(small / unit) * unit).all())

"""The polar method of std::normal_distribution, as two steps over arrays.

A try takes two uniforms and is kept or not whatever came before, so tries can be made,
sifted and finished in blocks.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.streams.logf import logf

__all__ = ["finish", "try_points"]


def try_points(uniforms: NDArray[Any], points: NDArray[Any]) -> int:
    """Keep the points of the unit disc: x = 2u - 1, y = 2u' - 1, 0 < x*x + y*y <= 1.

    Parameters
    ----------
    uniforms : array, shape [2 * tries]
        Pairs u, u'. May be overwritten.
    points : array of the same type and shape
        Filled from the front with the kept pairs x, y.

    Returns
    -------
    int
        How many pairs were kept.
    """
    # Through double, as libstdc++ has it, 2u - 1 rounds to the same float.
    np.add(uniforms, uniforms, uniforms)
    np.subtract(uniforms, uniforms.dtype.type(1), uniforms)
    x, y = uniforms[::2], uniforms[1::2]
    square = x * x
    square += y * y
    kept = np.flatnonzero((square <= 1) & (square > 0))
    pair = np.dtype((np.void, 2 * points.itemsize))
    np.take(uniforms.view(pair), kept, out=points[: 2 * kept.size].view(pair), mode="clip")
    return kept.size


def finish(points: NDArray[Any], out: NDArray[Any], mean: Any, std: Any) -> None:
    """Turn kept points into normals, `point * sqrt(-2 log(r2) / r2) * std + mean` in T.

    The first value of a pair comes from y, the second from x.

    Parameters
    ----------
    points, out : arrays of the same type, shape [2 * pairs]
    mean, std : scalars of that type
    """
    x, y = points[::2], points[1::2]
    square = x * x
    square += y * y
    factor = log(square)
    np.multiply(factor, factor.dtype.type(-2), factor)
    np.divide(factor, square, factor)
    np.sqrt(factor, factor)
    np.multiply(y, factor, out[::2])
    np.multiply(x, factor, out[1::2])
    np.multiply(out, std, out)
    np.add(out, mean, out)


def log(x: NDArray[Any]) -> NDArray[Any]:
    """Return glibc's logf of floats, the platform's libm log of doubles.

    NumPy's own logarithms are neither: they differ in the last bit now and then.
    """
    if x.dtype == np.float32:
        return logf(x)
    return np.fromiter(map(math.log, x.tolist()), np.float64, x.size)

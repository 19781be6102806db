"""The polar method of std::normal_distribution, as two steps over arrays, and its logarithm.

A try takes two uniforms and is kept or not whatever came before, so tries can be made,
sifted and finished in blocks.

The logarithm of floats is glibc's logf, from its constants, so that it needs no libm: Szabolcs
Nagy's algorithm from ARM's optimized-routines (MIT licence), which glibc has used since 2.27:
log x = k ln2 + log c + log(z / c) with x = 2**k z and c near the middle of one of 16
intervals, evaluated in double without fused multiply-add, rounded once.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray


def _hex(text: str) -> NDArray[np.float64]:
    return np.array([float.fromhex(number) for number in text.split()])


OFFSET = 0x3F330000

INVC = _hex(
    """
    0x1.661ec79f8f3bep+0 0x1.571ed4aaf883dp+0 0x1.49539f0f010bp+0 0x1.3c995b0b80385p+0
    0x1.30d190c8864a5p+0 0x1.25e227b0b8eap+0 0x1.1bb4a4a1a343fp+0 0x1.12358f08ae5bap+0
    0x1.0953f419900a7p+0 0x1p+0 0x1.e608cfd9a47acp-1 0x1.ca4b31f026aap-1
    0x1.b2036576afce6p-1 0x1.9c2d163a1aa2dp-1 0x1.886e6037841edp-1 0x1.767dcf5534862p-1
    """
)
LOGC = _hex(
    """
    -0x1.57bf7808caadep-2 -0x1.2bef0a7c06ddbp-2 -0x1.01eae7f513a67p-2 -0x1.b31d8a68224e9p-3
    -0x1.6574f0ac07758p-3 -0x1.1aa2bc79c81p-3 -0x1.a4e76ce8c0e5ep-4 -0x1.1973c5a611cccp-4
    -0x1.252f438e10c1ep-5 0x0p+0 0x1.aa5aa5df25984p-5 0x1.c5e53aa362eb4p-4
    0x1.526e57720db08p-3 0x1.bc2860d22477p-3 0x1.1058bc8a07ee1p-2 0x1.4043057b6ee09p-2
    """
)
POLYNOMIAL = _hex("-0x1.00ea348b88334p-2 0x1.5575b0be00b6ap-2 -0x1.ffffef20a4123p-2")
LN2 = float.fromhex("0x1.62e42fefa39efp-1")


def logf(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return glibc's logf of each element.

    Parameters
    ----------
    x : float32 array
        Positive normal numbers, in [2**-126, inf). Others give numbers without meaning.

    Notes
    -----
    **Compatibility Guarantee.** Every bit of glibc's logf, 2.27 and later, for all
    1,056,964,609 normal numbers in (0, 1]; earlier glibc had another logf.
    """
    a0, a1, a2 = POLYNOMIAL
    bits = x.view(np.int32)
    scaled = bits - np.int32(OFFSET)
    interval = (scaled >> np.int32(19)) & np.int32(15)
    exponent = scaled >> np.int32(23)
    scaled &= np.int32(-0x800000)
    np.subtract(bits, scaled, scaled)
    r = scaled.view(np.float32).astype(np.float64)
    buffer = INVC.take(interval)
    r *= buffer
    r -= 1.0
    base = np.multiply(exponent, LN2)
    base += LOGC.take(interval, out=buffer, mode="clip")
    base += r
    square = np.multiply(r, r, out=buffer)
    r *= a1
    r += a2
    r += np.multiply(square, a0)
    r *= square
    r += base
    rounded: NDArray[np.float32] = r.astype(np.float32)
    return rounded


def try_points(uniforms: NDArray[Any], points: NDArray[Any]) -> int:
    """Keep the points of the unit disc: x = 2u - 1, y = 2u' - 1, 0 < x*x + y*y <= 1.

    `uniforms`, shape [2 * tries], are pairs u, u' and may be overwritten; `points`, of the same
    type and shape, is filled from the front with the kept pairs x, y. Returns how many these are.
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

    The first value of a pair comes from y, the second from x. `points` and `out` have the shape
    [2 * pairs]; all four are of the type T.
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

"""The polar method's two steps, for numba; see ../polar.py.

Each is cut into loops that LLVM can vectorize, and one that it cannot, over chunks that
stay in the first-level cache.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["finish_float32", "finish_float64", "try_points"]

Array = NDArray[Any]


def try_points(uniforms: Array, points: Array) -> int:
    """Keep the points of the unit disc; return how many."""
    one = uniforms.dtype.type(1)
    zero = uniforms.dtype.type(0)
    chunk = 1024
    inside = np.empty(chunk, np.uint8)
    kept = 0
    for start in range(0, uniforms.size, 2 * chunk):
        pairs = uniforms[start : start + 2 * chunk]
        tries = pairs.size // 2
        for i in range(pairs.size):
            pairs[i] = pairs[i] + pairs[i] - one
        for i in range(tries):
            square = pairs[2 * i] * pairs[2 * i] + pairs[2 * i + 1] * pairs[2 * i + 1]
            inside[i] = (square <= one) & (square > zero)
        for i in range(tries):
            points[2 * kept] = pairs[2 * i]
            points[2 * kept + 1] = pairs[2 * i + 1]
            kept += int(inside[i])
    return kept


def finish_float32(
    invc: Array,
    logc: Array,
    polynomial: Array,
    ln2: float,
    points: Array,
    out: Array,
    mean: Any,
    std: Any,
) -> None:
    """Turn kept points into normals, with glibc's logf; see ../logf.py."""
    a0, a1, a2 = polynomial[0], polynomial[1], polynomial[2]
    offset = np.int32(0x3F330000)
    chunk = 512
    squares = np.empty(chunk, np.float32)
    all_bits = squares.view(np.int32)
    logs = np.empty(chunk, np.float32)
    table = np.empty((2, chunk))
    inverses, bases = table[0], table[1]
    for start in range(0, out.size, 2 * chunk):
        here = points[start : start + 2 * chunk]
        there = out[start : start + 2 * chunk]
        pairs = there.size // 2
        for i in range(pairs):
            squares[i] = here[2 * i] * here[2 * i] + here[2 * i + 1] * here[2 * i + 1]
        for i in range(pairs):
            interval = np.uint32(all_bits[i] - offset) >> np.uint32(19) & np.uint32(15)
            inverses[i] = invc[interval]
            bases[i] = logc[interval]
        for i in range(pairs):
            bits = all_bits[i]
            scaled = np.int32(bits - offset)
            exponent = np.int32(scaled >> np.int32(23))
            z = np.int32(bits - np.int32(scaled & np.int32(-0x800000))).view(np.float32)
            r = np.float64(z) * inverses[i] - 1.0
            base = bases[i] + np.float64(exponent) * ln2 + r
            square = r * r
            y = a1 * r + a2
            y = a0 * square + y
            logs[i] = y * square + base
        for i in range(pairs):
            factor = np.sqrt(np.float32(np.float32(-2) * logs[i] / squares[i]))
            there[2 * i] = here[2 * i + 1] * factor * std + mean
            there[2 * i + 1] = here[2 * i] * factor * std + mean


def finish_float64(points: Array, out: Array, mean: Any, std: Any) -> None:
    """Turn kept points into normals, with the platform's log."""
    for i in range(out.size // 2):
        x, y = points[2 * i], points[2 * i + 1]
        square = x * x + y * y
        factor = math.sqrt(-2.0 * math.log(square) / square)
        out[2 * i] = y * factor * std + mean
        out[2 * i + 1] = x * factor * std + mean

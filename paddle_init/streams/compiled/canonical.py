"""std::generate_canonical over tempered draws, for numba; see ../canonical.py."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "lcg_float32",
    "lcg_float64",
    "mt19937_64_float32",
    "mt19937_64_float64",
    "mt19937_float32",
    "mt19937_float64",
]

Array = NDArray[Any]


def lcg_float32(draws: Array, out: Array) -> None:
    """float(x - 1) * 2**-31: float rounds r = 2**31 - 2 up."""
    one, largest = np.float32(1), np.float32(1 - 2.0**-24)
    scale = np.float32(2.0**-31)
    for i in range(out.size):
        u = np.float32(np.int32(draws[i] - np.uint32(1))) * scale
        out[i] = u if u < one else largest


def lcg_float64(draws: Array, out: Array) -> None:
    """Two draws, in base r = 2**31 - 2, over r**2 rounded to double."""
    largest = 1 - 2.0**-53
    radix = 2147483646.0
    square = radix * radix
    for i in range(out.size):
        low = np.float64(np.int32(draws[2 * i] - np.uint32(1)))
        high = np.float64(np.int32(draws[2 * i + 1] - np.uint32(1)))
        u = (low + high * radix) / square
        out[i] = u if u < 1.0 else largest


def mt19937_float32(draws: Array, out: Array) -> None:
    """float(x) * 2**-32."""
    one, largest = np.float32(1), np.float32(1 - 2.0**-24)
    scale = np.float32(2.0**-32)
    for i in range(out.size):
        u = np.float32(draws[i]) * scale
        out[i] = u if u < one else largest


def mt19937_float64(draws: Array, out: Array) -> None:
    """Two draws, in base 2**32, times 2**-64."""
    largest = 1 - 2.0**-53
    for i in range(out.size):
        u = (np.float64(draws[2 * i]) + np.float64(draws[2 * i + 1]) * 2.0**32) * 2.0**-64
        out[i] = u if u < 1.0 else largest


def mt19937_64_float32(draws: Array, out: Array) -> None:
    """float(x) * 2**-64, rounded once.

    There is no vector instruction for uint64 to float before AVX-512, so the upper 52 bits
    go through a double in [1, 2), its last bit telling of any bits below (rounding to odd).
    That leaves too few bits when x < 2**38, which a second loop repairs.
    """
    one, largest = np.float32(1), np.float32(1 - 2.0**-24)
    short = np.float32(2.0**-26)
    repair = False
    for i in range(out.size):
        x = draws[i]
        odd = np.uint64(1) if (x & np.uint64(0xFFF)) != np.uint64(0) else np.uint64(0)
        bits = np.uint64((x >> np.uint64(12)) | np.uint64(0x3FF0000000000000) | odd)
        u = np.float32(bits.view(np.float64) - 1.0)
        out[i] = u if u < one else largest
        repair |= bool(u < short)
    if repair:
        for i in range(out.size):
            if draws[i] < np.uint64(1 << 53):
                out[i] = np.float32(np.float64(draws[i])) * np.float32(2.0**-64)


def mt19937_64_float64(draws: Array, out: Array) -> None:
    """double(x) * 2**-64."""
    largest = 1 - 2.0**-53
    for i in range(out.size):
        u = np.float64(draws[i]) * 2.0**-64
        out[i] = u if u < 1.0 else largest

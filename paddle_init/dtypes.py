"""What is left of a number in a dtype."""

from __future__ import annotations

import numpy as np

__all__ = ["stored"]


def stored(value: float, dtype: str) -> float:
    """Round a number to `dtype`, to nearest even; beyond its range an infinity.

    The half types are reached through float32, as Paddle casts.
    """
    if dtype == "float64":
        return value
    with np.errstate(over="ignore"):
        single = np.float32(value)
        if dtype == "float16":
            return float(np.float16(single))
    if dtype == "bfloat16":
        return _bfloat16(single)
    return float(single)


def _bfloat16(value: np.float32) -> float:
    """Keep the upper 16 of a float32's bits, rounded to nearest even."""
    bits = int(np.float32(value).view(np.uint32))
    bits += 0x7FFF + (bits >> 16 & 1)
    return float(np.uint32(bits & 0xFFFF0000).view(np.float32))

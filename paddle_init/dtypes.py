"""What is left of a number in a dtype."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["RANGES", "overflows", "stored", "stored_values"]

# smallest positive and largest finite value
RANGES: MappingProxyType[str, tuple[float, float]] = MappingProxyType(
    {
        name: (float.fromhex(smallest), float.fromhex(largest))
        for name, smallest, largest in (
            ("float64", "0x1p-1074", "0x1.fffffffffffffp1023"),
            ("float32", "0x1p-149", "0x1.fffffep127"),
            ("bfloat16", "0x1p-133", "0x1.fep127"),
            ("float16", "0x1p-24", "0x1.ffcp15"),
        )
    }
)


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


def stored_values(values: NDArray[Any], dtype: str) -> NDArray[Any]:
    """Round floats to `dtype`, as `stored` does one; the result is float64 or float32."""
    if dtype == "float64":
        return values
    with np.errstate(over="ignore", under="ignore"):
        single = values.astype(np.float32)
        if dtype == "float16":
            return single.astype(np.float16).astype(np.float32)
    if dtype == "bfloat16":
        bits = single.view(np.uint32).astype(np.uint64)
        bits += np.uint64(0x7FFF) + (bits >> np.uint64(16) & np.uint64(1))
        kept = (bits & np.uint64(0xFFFF0000)).astype(np.uint32).view(np.float32)
        return np.where(np.isfinite(single), kept, single)
    return single


def overflows(value: float, dtype: str) -> bool:
    """Tell whether a finite number becomes an infinity in `dtype`."""
    return math.isinf(stored(value, dtype))


def _bfloat16(value: np.float32) -> float:
    """Keep the upper 16 of a float32's bits, rounded to nearest even."""
    bits = int(np.float32(value).view(np.uint32))
    bits += 0x7FFF + (bits >> 16 & 1)
    return float(np.uint32(bits & 0xFFFF0000).view(np.float32))

"""What a framework makes of a distribution's numbers when it draws into a dtype."""

from __future__ import annotations

import math
from types import MappingProxyType

import numpy as np

from paddle_init.distributions import Constant, Simple, Unknown, narrowed
from paddle_init.parity.sentences import explanations as say

__all__ = ["EPS", "coarser", "effective", "stored"]

EPS: MappingProxyType[str, float] = MappingProxyType(
    {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
)


def coarser(left: str, right: str) -> str:
    """Return the dtype of the two that keeps fewer digits."""
    return max(left, right, key=EPS.__getitem__)


def effective(distribution: Simple, framework: str, dtype: str) -> Simple:
    """Return the distribution with the numbers that `framework` really draws with.

    Paddle's kernels take mean, std and bounds as float32 whatever the dtype; a constant is filled
    in the dtype itself. abacus multiplies by a double and rounds the product.
    """
    if isinstance(distribution, Constant):
        value = stored(distribution.value, dtype)
        if math.isinf(value):
            return Unknown(say.CONSTANT_OVERFLOWS(value=distribution.value, dtype=dtype))
        return Constant(value)
    return narrowed(distribution, "float32" if framework == "paddle" else dtype)


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

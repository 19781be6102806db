"""What a framework makes of a distribution's numbers when it draws into a dtype."""

from __future__ import annotations

import math
from types import MappingProxyType

from paddle_init.distributions import Constant, Given, Simple, Unknown, narrowed
from paddle_init.dtypes import stored, stored_values
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
    in the dtype itself. abacus multiplies by a double and rounds the product, so that a scale
    beyond the dtype is none of another kind: most of its draws are infinite.
    """
    if isinstance(distribution, Constant):
        value = stored(distribution.value, dtype)
        if math.isinf(value):
            return Unknown(say.CONSTANT_OVERFLOWS(value=distribution.value, dtype=dtype))
        return Constant(value)
    if isinstance(distribution, Given):
        return Given(stored_values(distribution.values, dtype))
    if framework == "paddle":
        return narrowed(distribution, "float32")
    rounded = narrowed(distribution, dtype)
    return distribution if isinstance(rounded, Unknown) else rounded

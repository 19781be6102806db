"""Which Paddle is installed, told without importing it."""

from __future__ import annotations

import math
from functools import cache
from types import MappingProxyType
from typing import Literal, TypeAlias

from paddle_init.distributions import Constant, Given, Simple, Unknown, narrowed
from paddle_init.dtypes import stored, stored_values
from paddle_init.languages import Sentence

Version: TypeAlias = Literal["3.3.1", "2.6.2"]
VERSIONS: tuple[Version, ...] = ("3.3.1", "2.6.2")
PACKAGES = ("paddlepaddle", "paddlepaddle-gpu")


@cache
def installed_version() -> Version:
    """Return the version of `VERSIONS` that draws as the installed Paddle does.

    That of the same major version; 3.3.1 where no Paddle is installed.
    """
    found = next(filter(None, map(_version, PACKAGES)), "3")
    return "2.6.2" if found.startswith("2.") else "3.3.1"


def _version(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version  # slow to import

    try:
        return version(package)
    except PackageNotFoundError:
        return None


CONSTANT_OVERFLOWS = Sentence(
    "the constant {value} overflows {dtype}", "常数 {value} 超出 {dtype} 的范围"
)

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
            return Unknown(CONSTANT_OVERFLOWS(value=distribution.value, dtype=dtype))
        return Constant(value)
    if isinstance(distribution, Given):
        return Given(stored_values(distribution.values, dtype))
    if framework == "paddle":
        return narrowed(distribution, "float32")
    rounded = narrowed(distribution, dtype)
    return distribution if isinstance(rounded, Unknown) else rounded

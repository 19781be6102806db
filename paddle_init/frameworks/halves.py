"""The four dtypes of tensors as NumPy holds them, and the rounding to the half types."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["STORAGE", "as_held", "converted", "rounded"]

# NumPy has no bfloat16; like Paddle's own numpy(), it is held as the bits, in uint16.
STORAGE: MappingProxyType[str, np.dtype[Any]] = MappingProxyType(
    {
        "float32": np.dtype(np.float32),
        "float64": np.dtype(np.float64),
        "float16": np.dtype(np.float16),
        "bfloat16": np.dtype(np.uint16),
    }
)


def rounded(values: NDArray[Any], dtype: str) -> NDArray[Any]:
    """Return `values` in the storage of `dtype`, rounded to nearest, ties to even.

    Parameters
    ----------
    values : float32 or float64 array
        float32 for the half types: that is where Paddle casts from.
    dtype : str
        "float32", "float64", "float16" or "bfloat16".

    Returns
    -------
    array
        Of the dtype STORAGE[dtype]; `values` itself where nothing has to be done.
    """
    if dtype != "bfloat16":
        with np.errstate(over="ignore", under="ignore"):
            return values.astype(STORAGE[dtype], copy=False)
    bits = values.view(np.uint32)
    tie = (bits >> np.uint32(16)) & np.uint32(1)
    upper: NDArray[np.uint16] = ((bits + np.uint32(0x7FFF) + tie) >> np.uint32(16)).astype(
        np.uint16
    )
    upper[np.isnan(values)] = 0x7FFF  # whatever the NaN, as Paddle casts it
    return upper


def converted(values: NDArray[Any], held: str, dtype: str) -> NDArray[Any]:
    """Return values that are held as `held` rounded to `dtype`, which keeps no more digits.

    The half types are reached through float32.
    """
    if held == "bfloat16":
        values = (values.astype(np.uint32) << np.uint32(16)).view(np.float32)
    if dtype != "float64":
        with np.errstate(over="ignore", under="ignore"):
            values = values.astype(np.float32, copy=False)
    return rounded(values, dtype)


def as_held(numbers: NDArray[Any], dtype: str) -> NDArray[Any]:
    """Return float32 or float64 numbers as a tensor of `dtype` holds them."""
    return converted(numbers, "float64", dtype)

"""Arrays as numbers: dtypes by name, and bfloat16 read from its bits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.frameworks.halves import STORAGE

__all__ = ["DTYPE_NAMES", "as_numbers", "dtype_name"]

# uint16 holds bfloat16's bits, as in Paddle's own numpy().
DTYPE_NAMES: dict[np.dtype[Any], str] = {dtype: name for name, dtype in STORAGE.items()}


def dtype_name(array: NDArray[Any]) -> str | None:
    """Return which of the four dtypes an array holds; None of integers and the like."""
    return DTYPE_NAMES.get(array.dtype)


def as_numbers(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array as numbers that NumPy can count with; nothing is rounded."""
    if array.dtype == np.uint16:
        numbers: NDArray[Any] = (array.astype(np.uint32) << np.uint32(16)).view(np.float32)
        return numbers
    return array

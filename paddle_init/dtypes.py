"""Numbers in a dtype: what rounding leaves of them, how they are held, and distances in ULP."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

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


EPS: MappingProxyType[str, float] = MappingProxyType(
    {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
)


def coarser(left: str, right: str) -> str:
    """Return the dtype of the two that keeps fewer digits."""
    return max(left, right, key=EPS.__getitem__)


def stored(value: float, dtype: str) -> float:
    """Round a number to `dtype`, to nearest even; beyond its range an infinity.

    The half types are reached through float32, as Paddle casts.
    """
    return float(stored_values(np.array([value], np.float64), dtype)[0])


def stored_values(values: NDArray[Any], dtype: str) -> NDArray[Any]:
    """Round floats to `dtype`, as `stored` does one; bfloat16 comes as float32."""
    return as_numbers(as_held(values, dtype))


def overflows(value: float, dtype: str) -> bool:
    """Tell whether a finite number becomes an infinity in `dtype`."""
    return math.isinf(stored(value, dtype))


# The polar method's normal is y * sqrt(-2 * log(r2) / r2) with y**2 <= r2. Its y are floats
# 2 * u - 1, none smaller than 2**-24 but 0, so that r2 is at least 2**-48 and z**2 at most
# 96 * log(2).
LARGEST_NORMAL = math.sqrt(96 * math.log(2))


def share_of_infinities(std: float, dtype: str) -> float:
    """Return the share, in [0, 1), of draws of N(0, std**2) that are infinite in `dtype`.

    0 where `std` is so small that no standard normal float reaches the largest value.
    """
    largest = RANGES[dtype][1]
    if std * LARGEST_NORMAL <= largest:
        return 0.0
    return math.erfc(largest / std / math.sqrt(2))


def vanishes(spread: float, dtype: str) -> bool:
    """Tell whether a spread other than 0 is below the smallest positive value of `dtype`."""
    return 0 < spread < RANGES[dtype][0]


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
    bits = bits + np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1))
    upper: NDArray[np.uint16] = (bits >> np.uint32(16)).astype(np.uint16)
    upper[np.isnan(values)] = 0x7FFF  # whatever the NaN, as Paddle casts it
    return upper


def converted(values: NDArray[Any], held: str, dtype: str) -> NDArray[Any]:
    """Return values that are held as `held` rounded to `dtype`, which keeps no more digits.

    The half types are reached through float32.
    """
    if held == "bfloat16":
        values = as_numbers(values)
    if dtype != "float64":
        with np.errstate(over="ignore", under="ignore"):
            values = values.astype(np.float32, copy=False)
    return rounded(values, dtype)


def as_held(numbers: NDArray[Any], dtype: str) -> NDArray[Any]:
    """Return float32 or float64 numbers as a tensor of `dtype` holds them."""
    return converted(numbers, "float64", dtype)


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


def differences(left: NDArray[Any], right: NDArray[Any]) -> tuple[int, int]:
    """Return how many elements differ in some bit, and the largest distance in ULP.

    Parameters
    ----------
    left, right : arrays of the same shape, as their bits
        uint16, uint32 or uint64; of float16 and bfloat16 alike, the order of whose bits is the
        order of the values.

    Notes
    -----
    +0 and -0 differ but are 0 ULP apart. Neighbours are 1 ULP apart, through 0 as well.
    """
    apart = left != right
    count = int(np.count_nonzero(apart))
    if not count:
        return 0, 0
    return count, int(distances(left[apart], right[apart]).max())


def distances(left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.uint64]:
    """Return how many ULP each pair of elements is apart; see `differences`."""
    here, there = _places(left), _places(right)
    apart: NDArray[np.uint64] = np.maximum(here, there) - np.minimum(here, there)
    return apart


def _places(bits: NDArray[Any]) -> NDArray[np.uint64]:
    """Count from the lowest of values: -0 and +0 stand on the middle, 2**63."""
    middle = np.uint64(2**63)
    sign = bits.dtype.type(1 << (8 * bits.itemsize - 1))
    size = (bits & ~sign).astype(np.uint64)
    places: NDArray[np.uint64] = np.where(bits & sign, middle - size, middle + size)
    return places

"""One parameter's right values in a wrong place or form."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.frameworks import rounded
from paddle_init.statistics import as_numbers
from paddle_init.verification.sentences import findings as say

__all__ = ["Relayout", "relayouts"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Relayout:
    """A change of form, made on the expected values; None from it where it has no meaning."""

    code: str
    says: str
    of: Callable[[Array, tuple[int, ...]], Array | None]


def relayouts(expected: Array, found: Array) -> Iterator[tuple[str, str, Array]]:
    """Yield what else `expected` may look like in the shape of `found`, with code and words.

    All changes of form leave the first value where it is, as it is or rounded: where that is
    another, nothing is yielded.
    """
    if expected.size != found.size or not found.size or not _first_alike(expected, found):
        return
    for each in RELAYOUTS:
        made = each.of(expected, found.shape)
        if made is not None and made.shape == found.shape and made.dtype == found.dtype:
            yield each.code, each.says, made


def _first_alike(expected: Array, found: Array) -> bool:
    drawn, there = (float(as_numbers(each.reshape(-1)[:1])[0]) for each in (expected, found))
    # Half types round by at most 2**-8 of the value, or 2**-25; float16 overflows.
    return abs(there - drawn) <= abs(drawn) * 2.0**-8 + 2.0**-25 or not math.isfinite(there)


def _transposed(expected: Array, shape: tuple[int, ...]) -> Array | None:
    return expected.T if expected.ndim == 2 and expected.T.shape == shape else None


def _reshaped(expected: Array, shape: tuple[int, ...]) -> Array | None:
    other = expected.shape != shape and expected.size == np.prod(shape)
    return expected.reshape(shape) if other else None


def _columns(expected: Array, shape: tuple[int, ...]) -> Array | None:
    matrix = expected.ndim == 2 and expected.size == np.prod(shape)
    return expected.ravel("F").reshape(shape) if matrix else None


def _rows(expected: Array, shape: tuple[int, ...]) -> Array | None:
    matrix = expected.ndim == 2 and expected.size == np.prod(shape)
    return expected.ravel("C").reshape(shape, order="F") if matrix else None


def _half(dtype: str, stays: bool) -> Callable[[Array, tuple[int, ...]], Array | None]:
    def through(expected: Array, shape: tuple[int, ...]) -> Array | None:
        if expected.dtype not in (np.float32, np.float64):
            return None
        narrow = rounded(np.ascontiguousarray(expected, np.float32), dtype)
        return as_numbers(narrow).astype(expected.dtype) if stays else narrow

    return through


def _cast(dtype: Any) -> Callable[[Array, tuple[int, ...]], Array | None]:
    def cast(expected: Array, shape: tuple[int, ...]) -> Array | None:
        if expected.dtype not in (np.float32, np.float64):
            return None
        return expected.astype(dtype)

    return cast


RELAYOUTS = (
    Relayout("transposed", say.TRANSPOSED(), _transposed),
    Relayout("shape", say.OTHER_SHAPE(), _reshaped),
    Relayout("column-major", say.COLUMNS_AS_ROWS(), _columns),
    Relayout("row-major", say.ROWS_AS_COLUMNS(), _rows),
    Relayout("float16", say.ROUNDED(dtype="float16"), _half("float16", stays=True)),
    Relayout("bfloat16", say.ROUNDED(dtype="bfloat16"), _half("bfloat16", stays=True)),
    Relayout("dtype", say.OTHER_DTYPE(dtype="float16"), _half("float16", False)),
    Relayout("dtype", say.OTHER_DTYPE(dtype="bfloat16"), _half("bfloat16", False)),
    Relayout("dtype", say.OTHER_DTYPE(dtype="float64"), _cast(np.float64)),
    Relayout("dtype", say.OTHER_DTYPE(dtype="float32"), _cast(np.float32)),
)

"""One array in .npy format, of every version.

Source: numpy/lib/format.py.
"""

from __future__ import annotations

import io
import operator
import warnings
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from paddle_init.weight_files.loading import sentences as say
from paddle_init.weight_files.loading.weights import (
    Array,
    Contents,
    as_array,
    fits,
    unreadable_dtype,
    unreadable_shape,
)

__all__ = ["MAGIC", "NpyHeader", "npy_header"]

MAGIC = b"\x93NUMPY"
LONGEST_HEADER = 1 << 16
READERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
    # 3.0 is 2.0 with a text in UTF-8; only the names of a record's fields can tell.
    (3, 0): np.lib.format.read_array_header_2_0,
}


@dataclass(frozen=True)
class NpyHeader:
    """What stands before an array's values; `start` is where these begin."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    fortran: bool
    start: int

    def fits(self, length: int) -> bool:
        """Tell whether a file of `length` bytes ends where the array does."""
        return fits(self.shape, self.dtype, length - self.start)

    def array(self, data: Contents) -> Array:
        return as_array(data[self.start :], self.dtype, self.shape, fortran=self.fortran)


def npy_header(file: BinaryIO) -> NpyHeader | str:
    """Return the header that a file starts with, or why there is no array that can be read."""
    start = io.BytesIO(file.read(LONGEST_HEADER))
    if start.getbuffer()[: len(MAGIC)] != MAGIC:
        return say.NO_NPY()
    try:
        version = np.lib.format.read_magic(start)
        if version not in READERS:
            return say.NPY_VERSION(version=".".join(map(str, version)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of headers that Python 2 wrote
            shape, fortran, dtype = READERS[version](start)
        shape = tuple(map(operator.index, shape))
    except Exception as error:  # a header is a Python literal: whatever its parser raises
        return say.NPY_HEADER(error=" ".join(str(error).split()))
    if why := unreadable_dtype(dtype) or (min(shape, default=0) >= 0 and unreadable_shape(shape)):
        return why
    return NpyHeader(shape, dtype, bool(fortran), start.tell())

"""Writing a weight file in pieces, wherever in it they belong."""

from __future__ import annotations

import errno
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from paddle_init.errors import PaddleInitError
from paddle_init.output_files import replacing
from paddle_init.printable import clipped, printable
from paddle_init.specs import Tensor
from paddle_init.weight_files.npz import npz_parts
from paddle_init.weight_files.parts import Format, size, stored
from paddle_init.weight_files.pdparams import pdparams_parts
from paddle_init.weight_files.safetensors import safetensors_parts

__all__ = ["FORMATS", "WeightFile", "WeightFileError", "check_path", "writing"]

FORMATS: MappingProxyType[str, Format] = MappingProxyType(
    {".npz": npz_parts, ".safetensors": safetensors_parts, ".pdparams": pdparams_parts}
)
CHUNK = 1 << 20
LARGEST_FILE = 2**63 - 2**32  # of the system; the rest is for headers
LONGEST_NAME = 0xFFFF - len(".npy")
METADATA = "__metadata__"


class WeightFileError(PaddleInitError, ValueError):
    """A format that is not known, or that cannot hold a tensor."""

    def __str__(self) -> str:
        return printable(clipped(super().__str__()))


def check_path(path: str | os.PathLike[str], tensors: Sequence[Tensor]) -> Format:
    """Return the format that a path's suffix names.

    Raises
    ------
    WeightFileError
        There is none, or it cannot hold one of the tensors.
    """
    suffix = os.path.splitext(os.fspath(path))[1]
    if suffix not in FORMATS:
        raise WeightFileError(
            f"{os.fspath(path)}: the name says no format; let it end in {', '.join(FORMATS)}"
        )
    for tensor in tensors:
        if why := _refusal(suffix, tensor):
            raise WeightFileError(f"{os.fspath(path)}: tensor {tensor.name} {why}")
    total = sum(map(size, tensors))
    if total >= LARGEST_FILE:
        raise WeightFileError(f"{os.fspath(path)}: no file can hold {total} bytes")
    return FORMATS[suffix]


def _refusal(suffix: str, tensor: Tensor) -> str | None:
    """Say why a format cannot hold a tensor so that it is found again."""
    name = tensor.name.encode("utf-8", "surrogatepass")
    if name.decode("utf-8", "replace") != tensor.name:
        return "has a name that is no UTF-8"
    if suffix == ".npz":
        if tensor.dtype == "bfloat16":
            return (
                "is bfloat16, which .npz does not have; take .safetensors or .pdparams, or "
                "another dtype"
            )
        if b"\0" in name:
            return "has a NUL in its name, where .npz ends it; take .safetensors or .pdparams"
        if len(name) > LONGEST_NAME:
            return "has too long a name for .npz; take .safetensors or .pdparams"
    if suffix == ".safetensors" and tensor.name == METADATA:
        return f"has the name that .safetensors keeps for itself, {METADATA}"
    return None


@contextmanager
def writing(path: str | os.PathLike[str], tensors: Sequence[Tensor]) -> Iterator[WeightFile]:
    """Open a file of `tensors` that takes the place of `path` once all values are put.

    Where anything fails or interrupts, `path` is as it was.

    Raises
    ------
    WeightFileError
        See `check_path`.
    OutputError
        The folder is missing, the place may not be written, the disk is full.
    """
    form = check_path(path, tensors)
    with replacing(os.fspath(path)) as file:
        if not file.seekable():
            raise WeightFileError(f"{os.fspath(path)}: a weight file cannot be written to a pipe")
        weights = WeightFile(file, tensors, form)
        yield weights
        weights.finish()


class WeightFile:
    """A file of known size whose tensors are filled in."""

    def __init__(self, file: BinaryIO, tensors: Sequence[Tensor], form: Format) -> None:
        self._file, self._tensors, self._form = file, tensors, form
        self._offsets: dict[str, int] = {}
        end = 0
        for part in form(tensors, lambda tensor, checksum: 0):
            if isinstance(part, Tensor):
                self._offsets[part.name] = end
            end += size(part)
        _reserve(file, end)

    def put(self, tensor: Tensor, start: int, values: NDArray[np.generic]) -> None:
        """Write consecutive elements of `tensor`, row-major from `start`."""
        data = np.ascontiguousarray(values, stored(tensor))
        self._file.seek(self._offsets[tensor.name] + start * data.itemsize)
        self._file.write(data.data)

    def finish(self) -> None:
        """Write what stands between the tensors."""
        parts = self._form(self._tensors, self._checksum)
        self._file.seek(0)
        for part in parts:
            if isinstance(part, Tensor):
                self._file.seek(size(part), os.SEEK_CUR)
            else:
                self._file.write(part)
        self._file.flush()

    def _checksum(self, tensor: Tensor, checksum: int) -> int:
        self._file.seek(self._offsets[tensor.name])
        left = size(tensor)
        while left:
            chunk = self._file.read(min(left, CHUNK))
            checksum = zlib.crc32(chunk, checksum)
            left -= len(chunk)
        return checksum


def _reserve(file: BinaryIO, length: int) -> None:
    """Take the room on the disk now, so that a full disk is told before the work."""
    if length and hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(file.fileno(), 0, length)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP, errno.ENODEV, errno.ESPIPE):
                raise

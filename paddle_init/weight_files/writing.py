"""Writing a weight file in pieces, wherever in it they belong."""

from __future__ import annotations

import errno
import io
import json
import math
import os
import pickle
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paddle_init.dtypes import STORAGE
from paddle_init.files import replacing
from paddle_init.specs import Tensor
from paddle_init.weight_files.weights import WeightFileError

# From the file's start to its end; a tensor stands for its values, row-major, little-endian.
Parts: TypeAlias = list[bytes | Tensor]

# Carries a CRC-32 on over the data of a tensor.
Checksum: TypeAlias = Callable[[Tensor, int], int]

# The sizes of the parts do not depend on checksums.
Format: TypeAlias = Callable[[Sequence[Tensor], Checksum], Parts]


def stored(tensor: Tensor) -> np.dtype[Any]:
    """Return the type of a tensor's values in a file."""
    little: np.dtype[Any] = STORAGE[tensor.dtype].newbyteorder("<")
    return little


def size(part: bytes | Tensor) -> int:
    if isinstance(part, bytes):
        return len(part)
    return math.prod(part.shape) * stored(part).itemsize


# .npz: a zip archive of .npy files, stored as they are; zip64 where 4 GiB are passed.
# Source: PKWARE's APPNOTE.TXT 6.3.9, sections 4.3.7, 4.3.12 to 4.3.16 and 4.5.3.

FULL_16, FULL_32 = 0xFFFF, 0xFFFFFFFF
PLAIN, ZIP64 = 20, 45
UTF8 = 1 << 11
STORED = 0
UNIX = 3 << 8
PERMISSIONS = 0o100644 << 16
MIDNIGHT, FIRST_DAY = 0, (0 << 9) | (1 << 5) | 1  # 1980-01-01, so that bytes are reproducible


@dataclass(frozen=True)
class Member:
    """One .npy file of the archive."""

    name: bytes
    checksum: int
    size: int
    offset: int

    @property
    def common(self) -> bytes:
        """What its two headers share."""
        return struct.pack("<4HI", UTF8, STORED, MIDNIGHT, FIRST_DAY, self.checksum)

    def local_header(self) -> bytes:
        large = self.size >= FULL_32
        extra = struct.pack("<2H2Q", 1, 16, self.size, self.size) if large else b""
        shown = FULL_32 if large else self.size
        sizes = struct.pack("<2I2H", shown, shown, len(self.name), len(extra))
        version = struct.pack("<H", ZIP64 if large else PLAIN)
        return b"PK\x03\x04" + version + self.common + sizes + self.name + extra

    def central_header(self) -> bytes:
        numbers = (self.size, self.size, self.offset)
        over = [number for number in numbers if number >= FULL_32]
        extra = struct.pack(f"<2H{len(over)}Q", 1, 8 * len(over), *over) if over else b""
        version = ZIP64 if over else PLAIN
        length, packed, offset = (min(number, FULL_32) for number in numbers)
        return (
            b"PK\x01\x02"
            + struct.pack("<2H", UNIX | version, version)
            + self.common
            + struct.pack("<2I3H", length, packed, len(self.name), len(extra), 0)
            + struct.pack("<2H2I", 0, 0, PERMISSIONS, offset)
            + self.name
            + extra
        )


def npy_header(tensor: Tensor) -> bytes:
    out = io.BytesIO()
    description = {"descr": stored(tensor).str, "fortran_order": False, "shape": tensor.shape}
    np.lib.format.write_array_header_1_0(out, description)
    return out.getvalue()


def npz_parts(tensors: Sequence[Tensor], checksum: Checksum) -> Parts:
    parts: Parts = []
    members = []
    offset = 0
    for tensor in tensors:
        inner = npy_header(tensor)
        name = f"{tensor.name}.npy".encode()
        member = Member(
            name, checksum(tensor, zlib.crc32(inner)), len(inner) + size(tensor), offset
        )
        header = member.local_header() + inner
        members.append(member)
        parts += [header, tensor]
        offset += len(header) + size(tensor)
    directory = b"".join(member.central_header() for member in members)
    return [*parts, directory + _end(len(members), len(directory), offset)]


def _end(count: int, length: int, offset: int) -> bytes:
    shown = min(count, FULL_16), min(length, FULL_32), min(offset, FULL_32)
    end = b"PK\x05\x06" + struct.pack("<4H2IH", 0, 0, shown[0], *shown, 0)
    if shown == (count, length, offset) and FULL_16 not in shown and FULL_32 not in shown:
        return end
    record = struct.pack("<Q2H2I4Q", 44, UNIX | ZIP64, ZIP64, 0, 0, count, count, length, offset)
    locator = struct.pack("<IQI", 0, offset + length, 1)
    return b"PK\x06\x06" + record + b"PK\x06\x07" + locator + end


# .pdparams: the pickle that paddle.static.save writes, a dict of arrays by name, as opcodes, since
# pickle itself wants all the data in memory. `paddle.load` makes tensors of the arrays; uint16
# becomes bfloat16.


def push(value: Any) -> bytes:
    """Return the opcodes that put a small value on the stack: protocol 2 without its frame."""
    return pickle.dumps(value, protocol=2)[len(pickle.PROTO) + 1 : -len(pickle.STOP)]


# The name that every NumPy knows, 1 or 2; ndarray's own __setstate__ then fills it.
EMPTY_ARRAY = (
    pickle.GLOBAL
    + b"numpy.core.multiarray\n_reconstruct\n"
    + pickle.GLOBAL
    + b"numpy\nndarray\n"
    + push((0,))
    + (pickle.SHORT_BINBYTES + b"\x01b")
    + pickle.TUPLE3
    + pickle.REDUCE
)
STATE_VERSION = 1


def pdparams_parts(tensors: Sequence[Tensor], checksum: Checksum) -> Parts:
    """Return the parts of a .pdparams file; it has no checksums."""
    parts: Parts = [pickle.PROTO + b"\x04" + pickle.EMPTY_DICT]
    for tensor in tensors:
        state = push(STATE_VERSION) + push(tensor.shape) + push(stored(tensor)) + pickle.NEWFALSE
        length = size(tensor).to_bytes(8, "little")
        head = push(tensor.name) + EMPTY_ARRAY + pickle.MARK + state
        parts += [
            head + pickle.BINBYTES8 + length,
            tensor,
            pickle.TUPLE + pickle.BUILD + pickle.SETITEM,
        ]
    return [*parts, pickle.STOP]


ALIGNMENT = 8
NAMES: MappingProxyType[str, str] = MappingProxyType(
    {"float32": "F32", "float64": "F64", "float16": "F16", "bfloat16": "BF16"}
)


def safetensors_parts(tensors: Sequence[Tensor], checksum: Checksum) -> Parts:
    header: dict[str, Any] = {}
    start = 0
    for tensor in tensors:
        end = start + size(tensor)
        header[tensor.name] = {
            "dtype": NAMES[tensor.dtype],
            "shape": tensor.shape,
            "data_offsets": [start, end],
        }
        start = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % ALIGNMENT)
    return [len(text).to_bytes(8, "little") + text, *tensors]


FORMATS: MappingProxyType[str, Format] = MappingProxyType(
    {".npz": npz_parts, ".safetensors": safetensors_parts, ".pdparams": pdparams_parts}
)
CHUNK = 1 << 20
LARGEST_FILE = 2**63 - 2**32  # of the system; the rest is for headers
LONGEST_NAME = 0xFFFF - len(".npy")
METADATA = "__metadata__"


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

""".npz: a zip archive of .npy files. Stored ones are mapped, compressed ones read when asked for.

Sources: PKWARE's APPNOTE.TXT 6.3.9, 4.3.7; numpy/lib/format.py, for every version of .npy."""

from __future__ import annotations

import functools
import io
import lzma
import operator
import struct
import warnings
import zipfile
import zlib
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

import numpy as np

from paddle_init.languages import Sentence
from paddle_init.weight_files.weights import (
    Array,
    ContentError,
    Contents,
    Loader,
    WeightFileError,
    Weights,
    as_array,
    fits,
    unreadable_dtype,
    unreadable_shape,
)

NO_NPY = Sentence("it is no .npy file", "它不是 .npy 文件")
NPY_HEADER = Sentence(
    "its .npy header cannot be read ({error})", "无法读取它的 .npy 头部（{error}）"
)
NPY_VERSION = Sentence(".npy version {version} is not known", "未知的 .npy 版本 {version}")
COMPRESSION = Sentence(
    "it is compressed or encrypted in a way that is not known ({error})",
    "它的压缩或加密方式未知（{error}）",
)

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


def npy_header(file: BinaryIO) -> NpyHeader | str:
    """Return the header that a file starts with, or why there is no array that can be read."""
    start = io.BytesIO(file.read(LONGEST_HEADER))
    if start.getbuffer()[: len(MAGIC)] != MAGIC:
        return NO_NPY()
    try:
        version = np.lib.format.read_magic(start)
        if version not in READERS:
            return NPY_VERSION(version=".".join(map(str, version)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of headers that Python 2 wrote
            shape, fortran, dtype = READERS[version](start)
        shape = tuple(map(operator.index, shape))
    except Exception as error:  # a header is a Python literal: whatever its parser raises
        return NPY_HEADER(error=" ".join(str(error).split()))
    if why := unreadable_dtype(dtype) or (min(shape, default=0) >= 0 and unreadable_shape(shape)):
        return why
    return NpyHeader(shape, dtype, bool(fortran), start.tell())


LOCAL_HEADER, LENGTHS = 30, 26
ENCRYPTED = 1
SUFFIX = ".npy"
LONGEST_START = 1 << 16
UNKNOWN_FORM = (NotImplementedError, RuntimeError)
BROKEN = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError)


def npz_weights(path: str, data: Contents) -> Weights:
    """Return the arrays of a .npz file; a member's content says whether it is one, not its name.

    Raises
    ------
    ContentError, WeightFileError
        The archive is broken or gives a name twice, or is PyTorch's; from an array, when it is
        read: its checksum is not that of its bytes.
    """
    try:
        archive = zipfile.ZipFile(io.BufferedReader(_Reader(data)))
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as error:
        raise ContentError(f"the archive is truncated or broken ({error})") from error
    loaders: dict[str, Loader] = {}
    unreadable: dict[str, str] = {}
    members: dict[str, str] = {}
    for info in archive.infolist():
        if info.filename.endswith("/data.pkl"):
            raise ContentError(
                "this is a checkpoint of PyTorch's; save its tensors as .safetensors"
            )
        if info.is_dir() and not info.file_size:
            continue
        member = _Member(path, data, archive, info)
        header = member.header()
        name = info.filename.removesuffix(SUFFIX)
        if name in members:
            raise ContentError(
                f"the name {name!r} is given twice: by the members {members[name]!r} and "
                f"{info.filename!r}"
            )
        members[name] = info.filename
        if isinstance(header, str):
            unreadable[name] = header
        else:
            loaders[name] = functools.partial(member.array, header)
    return Weights(path, loaders, unreadable)


@dataclass(frozen=True)
class _Member:
    path: str
    data: Contents
    archive: zipfile.ZipFile
    info: zipfile.ZipInfo

    def header(self) -> NpyHeader | str:
        """Return the .npy header, or why it cannot be read although the member is whole."""
        if self._is_stored():
            header = npy_header(io.BytesIO(self._span()[:LONGEST_START]))
        else:
            try:
                with self.archive.open(self.info) as member:
                    header = npy_header(cast(BinaryIO, member))
            except UNKNOWN_FORM as error:
                return COMPRESSION(error=error)
            except BROKEN as error:
                raise self._error(f"cannot be read: {error}") from error
        if isinstance(header, str):
            self.content()  # what is broken is no array of another kind
            return header
        length = self.info.file_size - header.start
        if not fits(header.shape, header.dtype, length):
            raise self._error(
                f"an array of shape {list(header.shape)} and type {header.dtype} has {length} bytes"
            )
        return header

    def array(self, header: NpyHeader) -> Array:
        values = self.content()[header.start :]
        return as_array(values, header.dtype, header.shape, fortran=header.fortran)

    def content(self) -> Contents:
        """Return the member's bytes, which are those that were written."""
        if self._is_stored():
            content = self._span()
            if len(content) < self.info.file_size or zlib.crc32(content) != self.info.CRC:
                raise self._error("the bytes are not those that were written (checksum)")
            return content
        try:
            return memoryview(self.archive.read(self.info))
        except (*BROKEN, *UNKNOWN_FORM) as error:
            raise self._error(f"cannot be read: {error}") from error

    def _is_stored(self) -> bool:
        encrypted = self.info.flag_bits & ENCRYPTED
        return self.info.compress_type == zipfile.ZIP_STORED and not encrypted

    def _span(self) -> Contents:
        at = self.info.header_offset
        lengths = self.data[at + LENGTHS : at + LOCAL_HEADER]
        if len(lengths) < LOCAL_HEADER - LENGTHS:
            raise self._error("the file ends before it")
        start = at + LOCAL_HEADER + sum(struct.unpack("<2H", lengths))
        return self.data[start : start + self.info.file_size]

    def _error(self, message: str) -> WeightFileError:
        return WeightFileError(f"{self.path}: {self.info.filename}: {message}")


class _Reader(io.RawIOBase):
    """A file that is already in memory, or mapped."""

    def __init__(self, data: Contents) -> None:
        self._data, self._at = data, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        part = self._data[self._at : self._at + len(into)]
        into[: len(part)] = part
        self._at += len(part)
        return len(part)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: len(self._data)}[whence]
        if base + offset < 0:
            raise OSError("before the start")
        self._at = base + offset
        return self._at

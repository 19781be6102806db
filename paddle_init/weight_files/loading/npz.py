""".npz: a zip archive of .npy files. Stored ones are mapped, compressed ones read when asked for.

Source: PKWARE's APPNOTE.TXT 6.3.9, 4.3.7, and numpy/lib/format.py.
"""

from __future__ import annotations

import functools
import io
import struct
import zipfile
import zlib
from typing import Any

import numpy as np

from paddle_init.weight_files.loading.weights import (
    Array,
    Contents,
    Loader,
    Weights,
    as_array,
    fits,
)
from paddle_init.weight_files.writing import WeightFileError

__all__ = ["npz_weights"]

LOCAL_HEADER, LENGTHS = 30, 26
LONGEST_HEADER = 1 << 16
ENCRYPTED = 1
NUMBERS = "fiub"
UNREADABLE = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, OSError)


def npz_weights(path: str, data: Contents) -> Weights:
    """Return the arrays of a .npz file.

    Raises
    ------
    WeightFileError
        The archive is broken, or is PyTorch's; from an array, when it is read: its checksum is
        not that of its bytes, or it does not hold numbers.
    """
    try:
        archive = zipfile.ZipFile(io.BufferedReader(_Reader(data)))
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise WeightFileError(f"{path}: the archive is truncated or broken ({error})") from error
    loaders: dict[str, Loader] = {}
    skipped = []
    for info in archive.infolist():
        if info.filename.endswith("/data.pkl"):
            raise WeightFileError(
                f"{path}: this is a checkpoint of PyTorch's; save its tensors as .safetensors"
            )
        if info.filename.endswith(".npy"):
            load = functools.partial(_load, path, data, archive, info)
            loaders[info.filename.removesuffix(".npy")] = load
        else:
            skipped.append(info.filename)
    return Weights(path, loaders, tuple(skipped))


def _load(path: str, data: Contents, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Array:
    where = f"{path}: {info.filename}"
    if info.compress_type == zipfile.ZIP_STORED and not info.flag_bits & ENCRYPTED:
        member = _stored(where, data, info)
    else:
        try:
            member = memoryview(archive.read(info))
        except (
            zipfile.BadZipFile,
            zlib.error,
            NotImplementedError,
            RuntimeError,
            OSError,
        ) as error:
            raise WeightFileError(f"{where}: cannot be read: {error}") from error
    return _npy(where, member)


def _stored(where: str, data: Contents, info: zipfile.ZipInfo) -> Contents:
    lengths = data[info.header_offset + LENGTHS : info.header_offset + LOCAL_HEADER]
    if len(lengths) < LOCAL_HEADER - LENGTHS:
        raise WeightFileError(f"{where}: the file ends before it")
    start = info.header_offset + LOCAL_HEADER + sum(struct.unpack("<2H", lengths))
    member = data[start : start + info.file_size]
    if zlib.crc32(member) != info.CRC:
        raise WeightFileError(f"{where}: the bytes are not those that were written (checksum)")
    return member


def _npy(where: str, member: Contents) -> Array:
    header = io.BytesIO(member[:LONGEST_HEADER])
    try:
        version = np.lib.format.read_magic(header)
        read = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }[version]
        shape, fortran, dtype = read(header)
    except (ValueError, KeyError, EOFError) as error:
        raise WeightFileError(f"{where}: no .npy file of numbers: {error}") from error
    values = member[header.tell() :]
    if dtype.kind not in NUMBERS:
        raise WeightFileError(f"{where}: holds {dtype}, expected numbers")
    if not fits(shape, dtype, len(values)):
        raise WeightFileError(
            f"{where}: an array of shape {list(shape)} and type {dtype} has {len(values)} bytes"
        )
    return as_array(values, dtype, shape, fortran=fortran)


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

"""What kind of file one is: a regular one, and of which format by its first bytes."""

from __future__ import annotations

import errno
import os
import stat
from types import MappingProxyType
from typing import BinaryIO

__all__ = [
    "NO_REGULAR_FILE",
    "START",
    "is_text",
    "other_kind",
    "regular_file",
    "weight_format",
    "weight_format_of",
]

NO_REGULAR_FILE = "this is a pipe, a socket or a device; name a file"

# So many first bytes tell the kind.
START = 4096
LONGEST_HEADER = 100_000_000
ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # with members, and without any
HEADER_STARTS = (b"{", b" ", b"\t", b"\n", b"\r")
PICKLE_PROTOCOLS = (b"\x02", b"\x03", b"\x04", b"\x05")
OTHERS: MappingProxyType[bytes, str] = MappingProxyType(
    {
        b"\x93NUMPY": "a single .npy array; save it with numpy.savez under the parameter's name",
        b"\x89HDF": "an HDF5 file",
        b"\x1f\x8b": "gzip-compressed; decompress it first",
        b"GGUF": "a GGUF file",
    }
)


def weight_format(start: bytes) -> str | None:
    """Return the suffix of the weight files that begin so; None where none does."""
    if start[:4] in ZIP:
        return ".npz"
    # Before pickles, since the length of a header may be 0x280.
    if start[8:9] in HEADER_STARTS and int.from_bytes(start[:8], "little") <= LONGEST_HEADER:
        return ".safetensors"
    if start[:1] == b"\x80" and start[1:2] in PICKLE_PROTOCOLS:
        return ".pdparams"
    return None


def weight_format_of(path: str) -> str | None:
    """Return what `weight_format` says of a file; None of what is no file that can be read."""
    try:
        with regular_file(path) as file:
            return weight_format(file.read(START))
    except (OSError, ValueError):
        return None


def other_kind(start: bytes) -> str | None:
    """Return what a file is that may be taken for a weight file and is none."""
    return next((kind for magic, kind in OTHERS.items() if start.startswith(magic)), None)


def is_text(start: bytes) -> bool:
    """Tell whether a file begins as a text does."""
    return not any(byte < 32 and byte not in b"\t\n\r\f" for byte in start)


def regular_file(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file for reading; nothing is waited for, as a pipe without a writer would be.

    Raises
    ------
    OSError
        As `open` does; with ENXIO for a pipe, a socket or a device.
    """
    file = open(path, "rb", opener=_opened_at_once)  # noqa: SIM115
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.ENXIO, NO_REGULAR_FILE)
    return file


def _opened_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)

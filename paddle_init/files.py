"""Input files that are regular ones, of the kind their first bytes tell; output files that are
whole or not there, written beside their place and then renamed."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from types import MappingProxyType
from typing import BinaryIO

from paddle_init.errors import PaddleInitError
from paddle_init.texts import printable

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


class OutputError(PaddleInitError, OSError):
    """A result cannot be written where it should go."""

    def __str__(self) -> str:
        return printable(str(self.args[0]))


@contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of `path` once it is written to the end.

    Until then, and where anything fails or interrupts, `path` is as it was and nothing else is
    left. The new file keeps the old one's permissions; a symbolic link stays one, its target is
    replaced. A device or a pipe is written to directly.

    Raises
    ------
    OutputError
        The folder is missing, the place may not be written, the disk is full.
    """
    try:
        old = _stat(path)
        if not os.path.basename(path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if old is not None and not stat.S_ISREG(old.st_mode):
            with open(path, "wb") as file:
                yield file
            return
        with _beside(os.path.realpath(path), old) as file:
            yield file
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(f"{path or repr(path)}: {reason(error, path)}") from error


def refuse_input(path: str, inputs: Iterable[str]) -> None:
    """Refuse an output path that names one of the files that were read.

    Raises
    ------
    OutputError
    """
    refuse_files(path, identities(inputs))


def refuse_files(path: str, inputs: Collection[tuple[int, int]]) -> None:
    """Refuse an output path that is one of the files of these `identities`, by any name."""
    if not identities([path]).isdisjoint(inputs):
        raise OutputError(f"{path}: this file is the input; name another for the output")


def identities(paths: Iterable[str]) -> frozenset[tuple[int, int]]:
    """Return the device and inode of every path that exists."""
    found = set()
    for path in paths:
        with suppress(OSError, ValueError):
            status = os.stat(path)
            found.add((status.st_dev, status.st_ino))
    return frozenset(found)


def reason(error: OSError, path: str) -> str:
    """Say why the system refused to write to `path`."""
    folder = os.path.dirname(os.path.realpath(path)) or os.curdir
    match error.errno:
        case errno.ENOTDIR if os.path.isfile(path):
            return "this is a file; name a folder"
        case errno.ENOENT | errno.ENOTDIR:
            return f"there is no folder {folder}"
        case errno.EEXIST:
            return "this is a file; name a folder"
        case errno.EISDIR:
            return "this is a folder; name a file"
        case errno.EACCES | errno.EPERM:
            return "there is no permission to write here"
        case errno.ENOSPC | errno.EDQUOT:
            return "the disk is full"
    return f"cannot be written: {error.strerror or error}"


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


@contextmanager
def _beside(target: str, old: os.stat_result | None) -> Iterator[BinaryIO]:
    if old is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    new = os.path.join(os.path.dirname(target), f".paddle-init-{secrets.token_hex(8)}")
    try:  # a signal may come as soon as the file is there
        descriptor = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        with open(descriptor, "w+b") as file:
            if old is not None:
                with suppress(PermissionError):
                    os.chown(descriptor, old.st_uid, old.st_gid)
                os.chmod(descriptor, stat.S_IMODE(old.st_mode))
            yield file
        os.replace(new, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(new)
        raise

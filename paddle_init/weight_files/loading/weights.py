"""The arrays of a weight file by name, each read when it is asked for."""

from __future__ import annotations

import errno
import mmap
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paddle_init.file_kinds import NO_REGULAR_FILE, regular_file
from paddle_init.weight_files.loading import sentences as say
from paddle_init.weight_files.writing import WeightFileError

__all__ = [
    "Array",
    "Contents",
    "Loader",
    "Weights",
    "as_array",
    "contents",
    "fits",
    "unreadable_dtype",
    "unreadable_shape",
    "without_number",
]

Array: TypeAlias = NDArray[Any]
Loader: TypeAlias = Callable[[], Array]

# All bytes of a file; mapped, so that only what is looked at is read.
Contents: TypeAlias = memoryview

NUMBERS = "fiub"
KINDS = {"U": say.TEXT, "S": say.BYTES, "V": say.RECORDS}
NOTHING: Mapping[str, Any] = MappingProxyType({})


NUMBER = re.compile(r"@[0-9]+\Z")


class Weights(Mapping[str, Array]):
    """Arrays by name, in the file's order; bfloat16 is held as its bits, in uint16.

    Attributes
    ----------
    source : str
        Where they come from.
    unreadable : mapping of str to str
        What the file holds besides arrays of numbers, by name, and why it cannot be read.
    aliases : mapping of str to tuple of str
        Other names of arrays: the parameter's own, where the file says it. A parameter that the
        file holds under several names has several arrays. A numbered name, such as fc1_w@1, counts
        without its number too, if one alone is such.
    """

    def __init__(
        self,
        source: str,
        loaders: Mapping[str, Loader],
        unreadable: Mapping[str, str] = NOTHING,
        aliases: Mapping[str, tuple[str, ...]] = NOTHING,
    ) -> None:
        self.source = source
        self.unreadable = dict(unreadable)
        self.aliases = {**_without_number(aliases), **aliases}
        self._loaders = dict(loaders)

    @property
    def skipped(self) -> tuple[str, ...]:
        """Names of what cannot be read."""
        return tuple(self.unreadable)

    def places(self, name: str) -> tuple[str, ...]:
        """Return the file's own names of what `name` means in it, readable or not."""
        if name in self._loaders or name in self.unreadable:
            return (name,)
        return self.aliases.get(name, ())

    def __getitem__(self, name: str) -> Array:
        return self._loaders[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._loaders)

    def __len__(self) -> int:
        return len(self._loaders)

    def __contains__(self, name: object) -> bool:
        return name in self._loaders

    def __repr__(self) -> str:
        return f"<Weights of {self.source}: {len(self)} arrays>"


def without_number(name: str) -> str:
    """Return a parameter's name without the number that a further net of one process gives it."""
    return NUMBER.sub("", name)


def _without_number(aliases: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    shorter = Counter(map(without_number, aliases))
    return {
        short: places
        for own, places in aliases.items()
        if shorter[short := without_number(own)] == 1
    }


def contents(path: str) -> Contents:
    """Return a file's bytes, mapped where the system can; nothing is waited for.

    Raises
    ------
    WeightFileError
        There is no such file, it is a folder, a device, a pipe or a socket, it is empty, or it
        cannot be read.
    """
    try:
        with regular_file(path) as file:
            size = os.fstat(file.fileno()).st_size
            # Files of /proc have no length, and may have no end.
            if not size:
                raise WeightFileError(f"{path}: the file is empty")
            try:
                return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            except (ValueError, OSError):  # a file system without mapping
                return memoryview(file.read(size))
    except IsADirectoryError:
        raise WeightFileError(f"{path}: this is a folder; name a weight file") from None
    except FileNotFoundError:
        raise WeightFileError(f"{path}: no such file") from None
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise WeightFileError(f"{path}: {NO_REGULAR_FILE}") from None
        raise WeightFileError(f"{path}: cannot be read: {os.strerror(error.errno or 0)}") from error
    except ValueError as error:
        if isinstance(error, WeightFileError):
            raise
        raise WeightFileError(f"{path!r}: this is no path: {error}") from None


def unreadable_dtype(dtype: np.dtype[Any]) -> str | None:
    """Return why values of a type cannot be read; None where they can."""
    if dtype.hasobject:
        return say.OBJECTS()
    if dtype.kind in NUMBERS:
        return None
    kind = KINDS.get(dtype.kind)
    return say.DTYPE(dtype=kind() if kind else dtype)


def unreadable_shape(shape: tuple[int, ...]) -> str | None:
    """Return why NumPy has no array of a shape that some bytes fit; None where it has."""
    empty = 0 in shape
    try:
        np.empty(0 if empty else 1).reshape(shape if empty else (1,) * len(shape))
    except (ValueError, OverflowError):
        return say.SHAPE(shape=list(shape))
    return None


def fits(shape: tuple[int, ...], dtype: np.dtype[Any], length: int) -> bool:
    """Tell whether `length` bytes are the values of an array, whatever its shape claims."""
    size = dtype.itemsize
    for side in shape:
        if side < 0:
            return False
        size *= side
    return size == length


def as_array(
    data: Contents | bytes, dtype: np.dtype[Any], shape: tuple[int, ...], *, fortran: bool = False
) -> Array:
    """Return bytes as a read-only array in the machine's byte order; nothing is copied if it is so.

    The bytes are exactly the array's; see `fits`.
    """
    flat = np.frombuffer(data, dtype) if len(data) else np.empty(0, dtype)
    native = flat.astype(dtype.newbyteorder("="), copy=False)
    return native.reshape(shape, order="F" if fortran else "C")

"""The arrays of a weight file by name, each read when it is asked for."""

from __future__ import annotations

import mmap
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paddle_init.weight_files.writing import WeightFileError

__all__ = [
    "Array",
    "Contents",
    "Loader",
    "Weights",
    "as_array",
    "contents",
    "fits",
    "without_number",
]

Array: TypeAlias = NDArray[Any]
Loader: TypeAlias = Callable[[], Array]

# All bytes of a file; mapped, so that only what is looked at is read.
Contents: TypeAlias = memoryview


NUMBER = re.compile(r"@[0-9]+\Z")


class Weights(Mapping[str, Array]):
    """Arrays by name, in the file's order; bfloat16 is held as its bits, in uint16.

    Attributes
    ----------
    source : str
        Where they come from.
    skipped : tuple of str
        Names of what the file holds besides arrays of numbers.
    aliases : mapping of str to str
        Other names of arrays: the parameter's own, where a file lists a net's attributes; a
        numbered one, such as fc1_w@1, without its number too, if one alone is such.
    """

    def __init__(
        self,
        source: str,
        loaders: Mapping[str, Loader],
        skipped: tuple[str, ...] = (),
        aliases: Mapping[str, str] | None = None,
    ) -> None:
        self.source, self.skipped = source, skipped
        self.aliases = {**_without_number(aliases or {}), **(aliases or {})}
        self._loaders = dict(loaders)

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


def _without_number(aliases: Mapping[str, str]) -> dict[str, str]:
    shorter = Counter(map(without_number, aliases))
    return {
        short: name for own, name in aliases.items() if shorter[short := without_number(own)] == 1
    }


def contents(path: str) -> Contents:
    """Return a file's bytes, mapped where the system can.

    Raises
    ------
    WeightFileError
        There is no such file, it is a folder or empty, or it cannot be read.
    """
    try:
        with open(path, "rb") as file:
            try:
                data: Any = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            except (ValueError, OSError):  # empty, or a pipe
                data = file.read()
    except IsADirectoryError:
        raise WeightFileError(f"{path}: this is a folder; name a weight file") from None
    except FileNotFoundError:
        raise WeightFileError(f"{path}: no such file") from None
    except OSError as error:
        raise WeightFileError(f"{path}: cannot be read: {os.strerror(error.errno or 0)}") from error
    if not len(data):
        raise WeightFileError(f"{path}: the file is empty")
    return memoryview(data)


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

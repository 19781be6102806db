"""Where a tensor's values come from: the draws and fixed values that it holds, unchanged."""

from __future__ import annotations

import weakref
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from paddle_init.distributions import Simple
from paddle_init.dtypes import stored
from paddle_init.errors import Source
from paddle_init.schemes.base import Shape
from paddle_init.specs import DTYPES, Overwrite


@dataclass(eq=False)
class RandomOp:
    """A random op, of a dynamic graph or a program, or numbers that something unseen drew.

    `clock` is its place among all that was seen, -1 where Paddle runs it in no fixed order.
    `replayed` is what takes the same from the stream, `held` what its result holds. `seed` is that
    of paddle.seed, if it was called since the stream's last draw; `after` is the op to whose end
    the stream was put back, or "" for its start. `parameter` is the first that it filled.
    `title` is what its draw is called where it fills none.
    """

    name: str
    clock: int
    replayed: Simple
    held: Simple
    shape: Shape
    dtype: str
    op_seed: int = 0
    seed: int | None = None
    after: RandomOp | str | None = None
    source: Source | None = None
    initializer: str = ""
    parameter: str = ""
    moves: bool = True
    title: str = ""


@dataclass(eq=False)
class Written:
    """Values that were written and not drawn: all are `value`, or, where that is None, an array's.

    `digest` is a checksum of the array; None for values that Paddle's own initializer computes
    from the shape. `moved` tells that NumPy's or Python's random generator was used before.
    """

    clock: int
    value: float | None
    digest: int | None = None
    moved: bool = False
    source: Source | None = None
    initializer: str = ""


@dataclass(frozen=True)
class Piece:
    """Values [start, stop), row-major, of a draw or of what is fixed or not known."""

    origin: RandomOp | Written | Simple
    start: int
    stop: int

    @property
    def size(self) -> int:
        return self.stop - self.start

    @property
    def drawn(self) -> bool:
        return isinstance(self.origin, RandomOp)


def cut(pieces: Sequence[Piece], start: int, stop: int) -> tuple[Piece, ...]:
    """Return values [start, stop) of pieces one after another; of no values an empty piece."""
    found, at = [], 0
    for piece in pieces:
        low, high = max(start - at, 0), min(stop - at, piece.size)
        if low < high:
            found.append(Piece(piece.origin, piece.start + low, piece.start + high))
        at += piece.size
    return tuple(found or (replace(piece, stop=piece.start) for piece in pieces[:1]))


@dataclass(frozen=True)
class Origin:
    """A tensor's values in row-major order: pieces one after another, then cast, then overwritten.

    `dtypes` begins with the one in which they were made and ends with the tensor's.
    """

    pieces: tuple[Piece, ...]
    dtypes: tuple[str, ...]
    overwritten: tuple[Overwrite, ...] = ()

    def __deepcopy__(self, _: object) -> Origin:
        return self

    @property
    def written(self) -> bool:
        return all(isinstance(piece.origin, Written) for piece in self.pieces)

    def cast(self, dtype: str) -> Origin:
        if dtype == self.dtypes[-1]:
            return self
        edits, last = self.overwritten, self.dtypes[-1]
        if last in DTYPES:
            edits = tuple(replace(o, value=stored(o.value, last)) for o in edits)
        return Origin(self.pieces, (*self.dtypes, dtype), edits)

    def part(self, start: int, stop: int) -> Origin | None:
        """Return values [start, stop); None where some of the tensor's are overwritten."""
        if self.overwritten:
            return None
        return Origin(cut(self.pieces, start, stop), self.dtypes)


@dataclass(frozen=True)
class Noted:
    """What was noted of a tensor, and by what a later change of its values shows."""

    tensor: Any
    origin: Origin
    version: int
    checksum: int | None
    clock: int


@dataclass
class Provenance:
    """The origins of the tensors that are alive.

    A tensor's record holds as long as its inplace version is the one that was noted: views share
    it. Writes that Paddle does not count must be told by `changed`. Of parameters a checksum is
    kept too.
    """

    _noted: dict[int, Noted] = field(default_factory=dict)
    _parameters: dict[int, Any] = field(default_factory=dict)

    def note(self, tensor: Any, origin: Origin, clock: int) -> None:
        key = id(tensor)
        reference = weakref.ref(tensor, lambda _: self._drop(key, reference))
        sum_ = None
        if _is_parameter(tensor):
            sum_ = checksum(tensor)
            self._parameters[tensor.data_ptr()] = reference
        self._noted[key] = Noted(reference, origin, tensor.inplace_version, sum_, clock)

    def origin(self, tensor: Any) -> Origin | None:
        """Return where a tensor's values come from, or None where that is not known."""
        noted = self._of(tensor)
        return None if noted is None else noted.origin

    def final(self, parameter: Any) -> tuple[Origin, int] | None:
        """Return a parameter's origin and when it was noted, if its bits are still the same."""
        noted = self._of(parameter)
        if noted is None or (noted.checksum is not None and noted.checksum != checksum(parameter)):
            return None
        return noted.origin, noted.clock

    def changed(self, tensor: Any) -> None:
        """Tell a write that Paddle does not count, to all tensors that share the memory."""
        tensor._bump_inplace_version()

    def forget(self, tensor: Any) -> None:
        self._noted.pop(id(tensor), None)

    def sharing(self, tensor: Any) -> Any:
        """Return the parameter of which `tensor` is a view of the whole, in order; else None."""
        if not tensor._is_initialized() or not tensor.is_contiguous():
            return None
        found = self._parameters.get(tensor.data_ptr(), lambda: None)()
        if (
            found is None
            or found.data_ptr() != tensor.data_ptr()
            or found.size != tensor.size
            or found.dtype != tensor.dtype
        ):
            return None
        return found

    def _of(self, tensor: Any) -> Noted | None:
        noted = self._noted.get(id(tensor))
        if noted is None and not _is_parameter(tensor):
            parameter = self.sharing(tensor)
            noted = None if parameter is None else self._noted.get(id(parameter))
        if noted is None or noted.version != tensor.inplace_version:
            return None
        return noted

    def _drop(self, key: int, reference: Any) -> None:
        noted = self._noted.get(key)
        if noted is not None and noted.tensor is reference:
            del self._noted[key]


def checksum(tensor: Any) -> int | None:
    """Return a checksum of a tensor's bits, or None where it has no memory yet."""
    if not tensor._is_initialized():
        return None
    return crc(tensor.numpy())


def crc(values: Any) -> int:
    contiguous: Any = np.ascontiguousarray(values)
    return zlib.crc32(contiguous)


def joined_runs(indices: Any) -> Iterator[tuple[int, int, int]]:
    """Yield (start, count, step) of runs that together are the ascending `indices`."""
    at = 0
    while at < len(indices):
        if at + 1 == len(indices):
            yield int(indices[at]), 1, 1
            return
        step = int(indices[at + 1] - indices[at])
        breaks = np.flatnonzero(np.diff(indices[at:]) != step)
        count = int(breaks[0]) + 1 if len(breaks) else len(indices) - at
        yield int(indices[at]), count, step
        at += count


def _is_parameter(tensor: Any) -> bool:
    from paddle.base.framework import EagerParamBase

    return isinstance(tensor, EagerParamBase)

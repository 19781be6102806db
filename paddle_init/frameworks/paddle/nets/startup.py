"""A startup program followed op by op: what is drawn, in order, and which values a name ends with.

Ranges are of elements, row-major, so that reshaping changes none.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paddle_init.distributions import Constant, Given, Normal, Simple, Uniform, Unknown
from paddle_init.dtypes import stored
from paddle_init.errors import Source
from paddle_init.frameworks.paddle.nets import sentences as say
from paddle_init.frameworks.paddle.nets.assembling import drawn
from paddle_init.schemes.base import Shape
from paddle_init.specs import DTYPES, Overwrite


@dataclass(frozen=True)
class RandomOp:
    """A random op: what it draws, whether anything takes it or nothing.

    `op_seed` is 0 where it uses the global generator. `ordered` is False where Paddle runs it in
    no fixed order beside the other random ops.
    """

    kind: str
    place: int
    shape: Shape
    dtype: str
    distribution: Simple
    op_seed: int = 0
    ordered: bool = True
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Range:
    """Elements [start, stop) of a random op, by its index, or of what is not drawn."""

    of: int | Simple
    start: int
    stop: int

    @property
    def size(self) -> int:
        return self.stop - self.start


@dataclass(frozen=True)
class Value:
    """What a variable holds; `draws` are the random ops that it depends on in any way."""

    shape: Shape
    dtype: str
    ranges: tuple[Range, ...]
    overwritten: tuple[Overwrite, ...] = ()
    draws: frozenset[int] = frozenset()

    @property
    def array(self) -> NDArray[np.float64] | None:
        """Its elements, flat, where nothing of it is drawn or unknown."""
        parts = []
        for each in self.ranges:
            if isinstance(each.of, Constant):
                parts.append(np.full(each.size, each.of.value))
            elif isinstance(each.of, Given):
                parts.append(each.of.values[each.start : each.stop].astype(np.float64))
            else:
                return None
        return np.concatenate(parts) if parts and not self.overwritten else None


@dataclass(frozen=True)
class Bound:
    """A name that outlives the program, and the value that it ends with."""

    name: str
    value: Value
    place: int
    source: Source | None = None


class Startup:
    """The variables of a startup program while its ops are followed, and what they drew.

    Each key, a variable, has a cell, which it shares with others where memory is shared. `place`
    is the number of the op that is followed.
    """

    def __init__(self) -> None:
        self.random: list[RandomOp] = []
        self.place = 0
        self._values: list[Value] = []
        self._cells: dict[Hashable, int] = {}
        self._names: dict[str, tuple[Hashable, int, Source | None]] = {}

    @property
    def bound(self) -> tuple[Bound, ...]:
        """The names in the order in which they were first bound, with what they hold now."""
        return tuple(
            Bound(name, self.value(key), place, source)
            for name, (key, place, source) in self._names.items()
        )

    def value(self, key: Hashable) -> Value:
        """Return what a variable holds now."""
        cell = self._cells.get(key)
        return _unknown((), "float32", say.NOT_FOLLOWED()) if cell is None else self._values[cell]

    def number(self, key: Hashable) -> float | None:
        """Return the number that a variable of one element holds; None where that is not known."""
        array = self.value(key).array
        return float(array[0]) if array is not None and array.size == 1 else None

    def bind(self, name: str, key: Hashable, source: Source | None = None) -> None:
        """Let a name stand for a variable."""
        place = self._names[name][1] if name in self._names else self.place
        self._names[name] = (key, place, source)

    def put(self, key: Hashable, value: Value) -> None:
        """Write a value into a variable, and so into all that share its memory."""
        if key in self._cells:
            self._values[self._cells[key]] = value
        else:
            self._cells[key] = len(self._values)
            self._values.append(value)

    def share(self, key: Hashable, other: Hashable) -> None:
        """Give a variable the memory of another."""
        if other not in self._cells:
            self.put(other, self.value(other))
        self._cells[key] = self._cells[other]

    def draw(self, key: Hashable, op: RandomOp, overwritten: Sequence[Overwrite] = ()) -> None:
        """Note a random op whose result is the variable.

        Where its numbers are no distribution's, the result is unknown, but not what it takes from
        the stream: that depends on the kind of op alone.
        """
        index, held = len(self.random), op.distribution
        if isinstance(held, Unknown):
            like = Normal() if op.kind == "gaussian" else Uniform()
            self.random.append(replace(op, distribution=like))
            self.put(key, _unknown(op.shape, op.dtype, held.description, [index]))
            return
        self.random.append(op)
        ranges = (Range(index, 0, math.prod(op.shape)),)
        value = Value(op.shape, op.dtype, ranges, tuple(overwritten), frozenset({index}))
        self.put(key, value)

    def skip(self, op: RandomOp) -> Hashable:
        """Note a random op whose values are not followed; return what its results depend on."""
        key = ("random", len(self.random))
        self.put(key, _unknown((), "", op.kind, [len(self.random)]))
        self.random.append(op)
        return key

    def fill(self, key: Hashable, shape: Shape, dtype: str, held: Simple) -> None:
        """Fill a variable with what is not drawn."""
        if isinstance(held, Unknown):
            held = replace(held, takes=0)
        self.put(key, Value(shape, dtype, (Range(held, 0, math.prod(shape)),)))

    def make(
        self, key: Hashable, shape: Shape, dtype: str, kind: str, inputs: Sequence[Hashable]
    ) -> None:
        """Let an op that is not followed make the variable of its inputs."""
        draws = frozenset().union(*(self.value(each).draws for each in inputs))
        self.put(key, _unknown(shape, dtype, say.MADE_BY_OP(kind=kind), draws))

    def cast(self, key: Hashable, of: Hashable, dtype: str, kind: str) -> None:
        """Round a variable to a dtype; what is rounded twice is not followed."""
        value = self.value(of)
        cast = [self.random[r.of].dtype != value.dtype for r in value.ranges if type(r.of) is int]
        array = value.array
        if dtype == value.dtype:
            self.put(key, value)
        elif array is not None and {dtype, value.dtype} <= set(DTYPES):
            self._cast_array(key, value, array, dtype)
        elif any(cast) or array is not None or value.dtype not in DTYPES:
            self.make(key, value.shape, dtype, kind, [of])
        else:
            self.put(key, replace(value, dtype=dtype))

    def _cast_array(
        self, key: Hashable, value: Value, array: NDArray[np.float64], dtype: str
    ) -> None:
        first = _rounded(array, value.dtype)
        if np.array_equal(_rounded(first, dtype), _rounded(array, dtype), equal_nan=True):
            self.put(key, replace(value, dtype=dtype))
        else:
            self.fill(key, value.shape, dtype, fixed(first))

    def reshape(self, key: Hashable, of: Hashable, shape: Shape) -> None:
        """Give the elements of a variable another shape."""
        self.put(key, replace(self.value(of), shape=shape))

    def rows(
        self,
        key: Hashable,
        of: Hashable,
        start: float | None,
        stop: float | None,
        shape: Shape,
        kind: str,
    ) -> None:
        """Take rows [start, stop) of a variable, counted from its end where negative."""
        value = self.value(of)
        if start is None or stop is None or not value.shape or value.overwritten:
            self.make(key, shape, value.dtype, kind, [of])
            return
        first, last, _ = slice(int(start), int(stop)).indices(value.shape[0])
        width, place, ranges = math.prod(value.shape[1:]), 0, []
        for each in value.ranges:
            low, high = max(first * width, place), min(last * width, place + each.size)
            if low < high:
                shift = each.start - place
                ranges.append(Range(each.of, low + shift, high + shift))
            place += each.size
        self.put(key, replace(value, shape=shape, ranges=tuple(ranges)))

    def concat(
        self, key: Hashable, parts: Sequence[Hashable], axis: float | None, shape: Shape, kind: str
    ) -> None:
        """Put variables under each other; beside each other they are not followed."""
        values = [self.value(part) for part in parts]
        dtypes = {value.dtype for value in values}
        if axis != 0 or len(dtypes) != 1:
            self.make(key, shape, values[0].dtype, kind, parts)
            return
        start, overwritten = 0, []
        for value in values:
            overwritten += [replace(o, start=o.start + start) for o in value.overwritten]
            start += math.prod(value.shape)
        ranges = tuple(each for value in values for each in value.ranges)
        draws = frozenset().union(*(value.draws for value in values))
        self.put(key, Value(shape, dtypes.pop(), ranges, tuple(overwritten), draws))

    def scatter(
        self, key: Hashable, inputs: Sequence[Hashable], overwrite: bool, kind: str
    ) -> None:
        """Set given elements of given values, as Dirac does."""
        into, places, values = (self.value(each) for each in inputs[:3])
        arrays = [value.array for value in (into, places, values)]
        array, indices, updates = arrays
        known = array is not None and indices is not None and updates is not None
        if not (known and overwrite) or len(into.shape) != 1 or updates.size != indices.size:  # type: ignore[union-attr]
            self.make(key, into.shape, into.dtype, kind, inputs)
            return
        changed = array.copy()  # type: ignore[union-attr]
        changed[indices.astype(np.int64)] = updates  # type: ignore[union-attr]
        self.fill(key, into.shape, into.dtype, fixed(changed))


def fixed(values: ArrayLike) -> Simple:
    """Return given values as what they are: a constant where all are one number."""
    try:
        held = Given(np.asarray(values))
    except Exception:
        return Unknown(say.GIVEN_VALUES(count=np.size(values)), takes=0)
    array = held.values.astype(np.float64)
    if array.size and (array.view(np.uint64) == array.view(np.uint64)[0]).all():
        return drawn("constant", value=float(array[0]))
    return held


def _unknown(shape: Shape, dtype: str, why: str, draws: Iterable[int] = ()) -> Value:
    whole = Range(Unknown(why, takes=0), 0, math.prod(shape))
    return Value(shape, dtype, (whole,), draws=frozenset(draws))


def _rounded(array: NDArray[np.float64], dtype: str) -> NDArray[np.float64]:
    if dtype == "float64":
        return array
    with np.errstate(over="ignore"):
        if dtype == "float32":
            return array.astype(np.float32).astype(np.float64)
        return np.array([stored(float(each), dtype) for each in array], np.float64)

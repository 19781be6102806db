"""A startup program followed op by op: what is drawn, in order, and which values a name ends with.

Ranges are of elements, row-major, so that reshaping changes none.
"""

from __future__ import annotations

import math
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Constant, Given, Normal, Simple, Uniform, Unknown
from paddle_init.dtypes import stored
from paddle_init.errors import Notice, Source
from paddle_init.frameworks.paddle.nets import sentences as say
from paddle_init.frameworks.paddle.nets.assembling import (
    Member,
    Rows,
    in_rows,
    name_ops,
    net_spec,
    of_one_shape,
    only,
)
from paddle_init.frameworks.paddle.nets.parameters import (
    Found,
    LayerParameter,
    Part,
    given,
    left_out,
)
from paddle_init.frameworks.paddle.nets.provenance import Piece, RandomOp, Written, cut
from paddle_init.languages import listed
from paddle_init.schemes.base import Shape
from paddle_init.specs import DTYPES, NetSpec, Overwrite


@dataclass(frozen=True)
class Variable:
    """A variable that an op makes, by its key; one that is no tensor has no dtype."""

    key: Hashable
    shape: Shape
    dtype: str

    @property
    def size(self) -> int:
        return math.prod(self.shape)


@dataclass(frozen=True)
class Value:
    """What a variable holds; `draws` are the random ops that it depends on in any way."""

    shape: Shape
    dtype: str
    pieces: tuple[Piece, ...]
    overwritten: tuple[Overwrite, ...] = ()
    draws: frozenset[RandomOp] = frozenset()

    @property
    def array(self) -> NDArray[np.float64] | None:
        """Its elements, flat, where nothing of it is drawn or unknown."""
        parts = []
        for each in self.pieces:
            if isinstance(each.origin, Constant):
                parts.append(np.full(each.size, each.origin.value))
            elif isinstance(each.origin, Given):
                parts.append(each.origin.values[each.start : each.stop].astype(np.float64))
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
        cell = self._cells.get(key)
        return NOT_FOLLOWED if cell is None else self._values[cell]

    def number(self, key: Hashable) -> float | None:
        """Return the number that a variable of one element holds; None where that is not known."""
        array = self.value(key).array
        return float(array[0]) if array is not None and array.size == 1 else None

    def bind(self, name: str, key: Hashable, source: Source | None = None) -> None:
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

    def random_op(
        self,
        kind: str,
        drawn: Simple,
        result: Variable | None = None,
        op_seed: int = 0,
        ordered: bool = True,
        source: Source | None = None,
    ) -> RandomOp:
        """Note a random op, with or without what it makes."""
        shape, dtype = (result.shape, result.dtype) if result else ((1,), "float32")
        replayed, clock = drawn, self.place if ordered else -1
        if dtype not in DTYPES and not isinstance(drawn, Unknown):
            replayed = Unknown(say.OF_OTHER_DTYPE(kind=kind, dtype=dtype))
        op = RandomOp(kind, clock, replayed, drawn, shape, dtype, op_seed, source=source)
        op.title = f"{kind} (op {self.place})"
        self.random.append(op)
        return op

    def draw(
        self,
        result: Variable,
        kind: str,
        drawn: Simple,
        op_seed: int,
        source: Source | None,
        overwritten: Sequence[Overwrite] = (),
    ) -> None:
        """Note a random op whose result is the variable.

        Where its numbers are no distribution's, the result is unknown, but not what it takes from
        the stream: that depends on the kind of op alone.
        """
        like = Normal() if kind == "gaussian" else Uniform()
        known = like if isinstance(drawn, Unknown) else drawn
        op = self.random_op(kind, known, result, op_seed, source=source)
        self._put(result, op if known is drawn else drawn, {op}, overwritten)

    def fill(self, result: Variable, held: Simple) -> None:
        self._put(result, held)

    def make(
        self,
        result: Variable,
        kind: str,
        inputs: Sequence[Hashable],
        random: Iterable[RandomOp] = (),
    ) -> None:
        """Let an op that is not followed make the variable of its inputs."""
        draws = {op for each in inputs for op in self.value(each).draws}
        self._put(result, Unknown(say.MADE_BY_OP(kind=kind)), {*draws, *random})

    def _put(
        self,
        result: Variable,
        held: RandomOp | Simple,
        draws: Iterable[RandomOp] = (),
        overwritten: Sequence[Overwrite] = (),
    ) -> None:
        if isinstance(held, Unknown):
            held, overwritten = replace(held, takes=0), ()
        whole = Piece(held, 0, result.size)
        value = Value(result.shape, result.dtype, (whole,), tuple(overwritten), frozenset(draws))
        self.put(result.key, value)

    def cast(self, key: Hashable, of: Hashable, dtype: str, kind: str) -> None:
        """Round a variable to a dtype; what is rounded twice is not followed."""
        value = self.value(of)
        origins = (piece.origin for piece in value.pieces)
        cast = any(o.dtype != value.dtype for o in origins if isinstance(o, RandomOp))
        array = value.array
        if dtype == value.dtype:
            self.put(key, value)
        elif array is not None and {dtype, value.dtype} <= set(DTYPES):
            self._cast_array(key, value, array, dtype)
        elif cast or array is not None or value.dtype not in DTYPES:
            self.make(Variable(key, value.shape, dtype), kind, [of])
        else:
            self.put(key, replace(value, dtype=dtype))

    def _cast_array(
        self, key: Hashable, value: Value, array: NDArray[np.float64], dtype: str
    ) -> None:
        first = _rounded(array, value.dtype)
        if np.array_equal(_rounded(first, dtype), _rounded(array, dtype), equal_nan=True):
            self.put(key, replace(value, dtype=dtype))
        else:
            self.fill(Variable(key, value.shape, dtype), given(first))

    def reshape(self, key: Hashable, of: Hashable, shape: Shape) -> None:
        self.put(key, replace(self.value(of), shape=shape))

    def rows(
        self,
        result: Variable,
        of: Hashable,
        start: float | None,
        stop: float | None,
        kind: str,
    ) -> None:
        """Take rows [start, stop) of a variable, counted from its end where negative."""
        value = self.value(of)
        if start is None or stop is None or not value.shape or value.overwritten:
            self.make(replace(result, dtype=value.dtype), kind, [of])
            return
        first, last, _ = slice(int(start), int(stop)).indices(value.shape[0])
        width = math.prod(value.shape[1:])
        pieces = cut(value.pieces, first * width, last * width)
        self.put(result.key, replace(value, shape=result.shape, pieces=pieces))

    def concat(
        self, result: Variable, parts: Sequence[Hashable], axis: float | None, kind: str
    ) -> None:
        """Put variables under each other; beside each other they are not followed."""
        values = [self.value(part) for part in parts]
        dtypes = {value.dtype for value in values}
        if axis != 0 or len(dtypes) != 1:
            self.make(replace(result, dtype=values[0].dtype), kind, parts)
            return
        start, overwritten = 0, []
        for value in values:
            overwritten += [replace(o, start=o.start + start) for o in value.overwritten]
            start += math.prod(value.shape)
        pieces = tuple(each for value in values for each in value.pieces)
        draws = frozenset(op for value in values for op in value.draws)
        self.put(result.key, Value(result.shape, dtypes.pop(), pieces, tuple(overwritten), draws))

    def scatter(
        self, key: Hashable, inputs: Sequence[Hashable], overwrite: bool, kind: str
    ) -> None:
        """Set given elements of given values, as Dirac does."""
        into, places, values = (self.value(each) for each in inputs[:3])
        arrays = [value.array for value in (into, places, values)]
        array, indices, updates = arrays
        known = array is not None and indices is not None and updates is not None
        if not (known and overwrite) or len(into.shape) != 1 or updates.size != indices.size:  # type: ignore[union-attr]
            self.make(Variable(key, into.shape, into.dtype), kind, inputs)
            return
        changed = array.copy()  # type: ignore[union-attr]
        changed[indices.astype(np.int64)] = updates  # type: ignore[union-attr]
        self.fill(Variable(key, into.shape, into.dtype), given(changed))


# of a variable that the program does not make
NOT_FOLLOWED = Value((), "float32", (Piece(Unknown(say.NOT_FOLLOWED(), takes=0), 0, 1),))


def _rounded(array: NDArray[np.float64], dtype: str) -> NDArray[np.float64]:
    if dtype == "float64":
        return array
    with np.errstate(over="ignore"):
        if dtype == "float32":
            return array.astype(np.float32).astype(np.float64)
        return np.array([stored(float(each), dtype) for each in array], np.float64)


@dataclass(frozen=True)
class Followed:
    """What a startup program draws, in order, and the names that it binds.

    `state` are names that are no parameters: moments, learning rates and their like.
    """

    random: tuple[RandomOp, ...]
    bound: tuple[Bound, ...]
    state: tuple[str, ...]
    roles: Mapping[str, str]

    @property
    def parameters(self) -> tuple[Found, ...]:
        """The bound parameters, each with the distributions of its rows."""
        return tuple(self._found(each) for each in self.bound)

    def _found(self, bound: Bound) -> Found:
        value, parts = bound.value, []
        width = math.prod(value.shape[1:])
        for each in value.pieces:
            rows = each.size // width if width else value.shape[0]
            of = each.origin
            parts.append(
                Part(rows, of.held, of.op_seed)
                if isinstance(of, RandomOp)
                else Part(rows, _own(each))
            )
        role = self.roles.get(bound.name, "")
        return Found(
            bound.name, value.shape, value.dtype, tuple(parts), role=role, source=bound.source
        )


def startup_spec(
    program: Followed,
    found: Sequence[Found],
    *,
    held: Mapping[str, LayerParameter] | None = None,
    notices: Iterable[Notice] = (),
) -> NetSpec:
    """Return the net spec of a startup program.

    Parameters
    ----------
    found
        `program.parameters` with whatever else is known of them.
    held
        The parameters that the net has, by Paddle's names; what others draw is no tensor. By
        default it has all.
    """
    odd = [notice for each in found if (notice := left_out(each))]
    bound = {each.name: each for each in program.bound}
    why = Unknown(say.NOT_WHOLE_ROWS(), takes=0)
    kept = [each for each in found if not left_out(each) and (held is None or each.name in held)]
    members = of_one_shape([_member(each, bound[each.name], held or {}, why) for each in kept], why)
    name_ops(members, {each.name for each in kept})
    used = {op for each in program.bound for op in each.value.draws}
    return net_spec(
        program.random,
        members,
        (*notices, *odd, *_other_draws(program.random, used)),
        op_seed=only({op.op_seed for op in program.random if not isinstance(op.held, Unknown)}),
        buffers=program.state if held is None else (),
    )


def _member(found: Found, bound: Bound, held: Mapping[str, LayerParameter], why: Unknown) -> Member:
    value, rows = bound.value, []
    whole = (Piece(why, 0, math.prod(value.shape)),)
    for piece, count, _ in in_rows(value.pieces, value.shape) or [(whole[0], value.shape[0], 0)]:
        if isinstance(piece.origin, RandomOp):
            width = math.prod(value.shape[1:])
            first = piece.start // width if width else 0
            rows.append(Rows(count, bound.place, piece.origin, first))
        else:
            own = _own(piece)
            rows.append(Rows(count, bound.place, None, 0, own, found.source, found.initializer))
    aliases = held[found.name].names[1:] if found.name in held else ()
    return Member(found, tuple(rows), aliases, value.overwritten)


def _own(piece: Piece) -> Simple:
    """Return what a piece of what is not drawn holds, of given values those of the piece."""
    of = piece.origin
    assert not isinstance(of, (RandomOp, Written))
    if isinstance(of, Given) and piece.size < of.values.size:
        return Given(of.values[piece.start : piece.stop])
    return of


def _other_draws(random: Sequence[RandomOp], used: Container[RandomOp]) -> Iterator[Notice]:
    """Tell what else draws from the global generator while a startup program runs."""
    shared = [op for op in random if not op.op_seed]
    ordered = [op for op in shared if op.clock >= 0]
    endless = [op for op in ordered if isinstance(op.held, Unknown) and op.held.takes is None]
    for sentence, ops in (
        (say.UNORDERED_DRAWS, [op for op in shared if op.clock < 0]),
        (say.UNCOUNTED_DRAWS, endless),
        (say.REPLAYED_DRAWS, [op for op in ordered if op not in used and op not in endless]),
    ):
        if ops:
            titles = listed([op.title for op in ops], 5)
            yield Notice("other-draws", sentence(ops=titles), source=ops[0].source)

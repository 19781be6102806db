"""Parameters, and the random ops and fixed values that fill them, as a net spec."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from paddle_init.distributions import Constant, Given, Normal, Simple, Uniform, Unknown, by_chance
from paddle_init.dtypes import stored, stored_values
from paddle_init.errors import Notice, Source
from paddle_init.frameworks.paddle.facts import installed_version
from paddle_init.frameworks.paddle.nets import sentences as say
from paddle_init.frameworks.paddle.nets.parameters import (
    Found,
    LayerParameter,
    Part,
    left_out,
    role_by_shape,
)
from paddle_init.frameworks.paddle.nets.provenance import Piece, RandomOp
from paddle_init.schemes import Fixed
from paddle_init.schemes.base import Shape
from paddle_init.specs import (
    DTYPES,
    Draw,
    NetSpec,
    Overwrite,
    RowBlock,
    Seeding,
    Tensor,
    default_engine,
)
from paddle_init.specs.net import owned_by_name

HALVES = ("float16", "bfloat16")
LAST = 2**62  # the clock of what LazyGuard draws, after all that was seen


@dataclass(frozen=True)
class Rows:
    """Rows of a parameter, and where they come from: a random op, or a distribution of their own.

    `clock` is the place among all draws, `start` the first row of the op's that is taken.
    """

    rows: int
    clock: int
    op: RandomOp | None = None
    start: int = 0
    own: Simple | None = None
    source: Source | None = None
    initializer: str = ""
    op_seed: int = 0

    @property
    def waits(self) -> bool:
        """Whether LazyGuard draws them after all that was seen."""
        return self.clock == LAST and self.own is not None and by_chance(self.own)

    @property
    def part(self) -> Part:
        if self.op is not None:
            return Part(self.rows, self.op.held, self.op.op_seed)
        assert self.own is not None
        return Part(self.rows, self.own, self.op_seed)


@dataclass(frozen=True)
class Member:
    """A parameter of the net, with what is known of its values.

    `later` is how many come after it that have its name, the last of which the net has.
    """

    found: Found
    rows: tuple[Rows, ...]
    aliases: tuple[str, ...] = ()
    overwritten: tuple[Overwrite, ...] = ()
    later: int = 0

    @property
    def label(self) -> str:
        return _before_last(self.found.name, self.later)

    @property
    def trailing(self) -> Shape:
        return self.found.shape[1:]


def in_rows(pieces: Sequence[Piece], shape: Shape) -> Iterator[tuple[Piece, int, int]] | None:
    """Return (piece, number of rows, first row); None where a piece holds no whole rows."""
    width, count = math.prod(shape[1:]), shape[0] if shape else 1
    if len(pieces) > 1 and (not width or any(piece.size % width for piece in pieces)):
        return None
    if any(width and piece.drawn and piece.start % width for piece in pieces):
        return None
    if len(pieces) == 1:
        return iter([(pieces[0], count, 0)])
    starts = np.cumsum([0, *(piece.size for piece in pieces)])
    return ((p, p.size // width, int(at) // width) for p, at in zip(pieces, starts, strict=False))


def of_one_shape(members: Iterable[Member], why: Simple) -> list[Member]:
    """Make those unknown that take parts of a draw which no rows of one shape hold."""
    trailing: dict[int, Shape] = {}
    kept = []
    for member in members:
        found, width = member.found, math.prod(member.trailing)
        ops = [rows.op for rows in member.rows if rows.op is not None]
        sizes = (math.prod(op.shape) for op in ops)
        if any(trailing.get(id(op), member.trailing) != member.trailing for op in ops) or any(
            size % width if width else size for size in sizes
        ):
            first = member.rows[0]
            whole = found.shape[0]
            unknown = Rows(whole, first.clock, None, 0, why, found.source, found.initializer)
            member = replace(member, rows=(unknown,))
        else:
            trailing |= {id(op): member.trailing for op in ops}
        kept.append(member)
    return kept


def name_ops(members: Iterable[Member], names: Container[str]) -> None:
    """Give each op that is taken, and has none of `names`, that of the first to take it."""
    for member in members:
        for rows in member.rows:
            if rows.op is not None and rows.op.parameter not in names:
                rows.op.parameter = member.found.name
                rows.op.initializer = rows.op.initializer or member.found.initializer


def net_spec(
    ops: Sequence[RandomOp],
    members: Sequence[Member],
    notices: Iterable[Notice],
    *,
    seed: int | None = None,
    seeds: Mapping[int, int] = MappingProxyType({}),
    end: tuple[int | None, RandomOp | str | None] = (None, None),
    op_seed: int | None = None,
    buffers: Iterable[str] = (),
) -> NetSpec:
    """Return the net spec of parameters and of all that draws from the random stream.

    Parameters
    ----------
    seed, seeds
        Of the stream's start, and of ops before which another was given, by identity.
    end
        The seed or the place from which LazyGuard's draws go on, where not from the last draw.
    op_seed
        That of all random draws; 0 where they have none in common. By default it is looked for.
    """
    takers: dict[int, list[Member]] = {}
    placed: list[tuple[int, Placed]] = [(op.clock, op) for op in ops]
    for member in members:
        for rows in member.rows:
            if rows.op is None:
                placed.append((rows.clock, (member, rows)))
            else:
                takers.setdefault(id(rows.op), []).append(member)
    order = [what for _, what in sorted(placed, key=lambda each: each[0])]
    names = dict(zip(map(_identity, order), _labels(order, takers), strict=True))
    draws = []
    for what in order:
        name = names[_identity(what)]
        if isinstance(what, RandomOp):
            draw = _op_draw(what, name, takers.get(id(what), []))
            draw = replace(draw, seed=seeds.get(id(what)), after=_end_of(what.after, names))
        else:
            member, rows = what
            assert rows.own is not None
            scheme = Fixed(rows.own, rows.initializer)
            shape = (rows.rows, *member.trailing)
            draw = Draw(name, shape, scheme, rows.source, rows.op_seed or None)
            if rows.waits and not rows.op_seed:
                draw, end = replace(draw, seed=end[0], after=_end_of(end[1], names)), (None, None)
        draws.append(draw)
    tensors = {m.found.name: _tensor(m, names) for m in members if left_out(m.found) is None}
    shared = _common_seed(draws) if op_seed is None else op_seed
    engine = default_engine("paddle")
    stream = None if seed is None else Seeding(engine, seed=seed)
    return NetSpec(
        "paddle",
        tuple(_without_seed(draw, shared) for draw in draws) if tensors else (),
        owned_by_name(tensors.values()),
        Seeding(engine, op_seed=shared) if shared else stream,
        notices=tuple(notices),
        buffers=tuple(buffers),
    )


# What takes a place among the draws: a random op, or rows that are filled without one.
Placed: TypeAlias = RandomOp | tuple[Member, Rows]


def _identity(what: Placed) -> int:
    return id(what if isinstance(what, RandomOp) else what[1])


def _end_of(after: RandomOp | str | None, names: Mapping[int, str]) -> str | None:
    return names.get(id(after)) if isinstance(after, RandomOp) else after


def _tensor(member: Member, names: Mapping[int, str]) -> Tensor:
    found = member.found
    blocks = tuple(
        RowBlock(names[id(rows.op or rows)], rows.start, rows.start + rows.rows)
        for rows in member.rows
    )
    role = found.role or role_by_shape(found.shape, found.name)
    return Tensor(
        found.shown,
        role,
        found.shape,
        blocks,
        found.dtype,
        found.source,
        overwritten=member.overwritten,
        aliases=member.aliases,
    )


def _op_draw(op: RandomOp, name: str, takers: Sequence[Member]) -> Draw:
    shape = op.shape or (1,)
    dtype: str | None = op.dtype if op.dtype in DTYPES else None
    if takers:
        trailing = takers[0].trailing
        width = math.prod(trailing)
        rows = math.prod(op.shape) // width if width else takers[0].found.shape[0]
        shape = (rows, *trailing)
        dtypes = {member.found.dtype for member in takers}
        if dtypes == {op.dtype} or _rounds_alike(op, dtypes):
            dtype = None
    elif dtype == "float32":
        dtype = None
    scheme = Fixed(op.replayed, op.initializer)
    return Draw(name, shape, scheme, op.source, op.op_seed or None, dtype=dtype)


def _rounds_alike(op: RandomOp, dtypes: set[str]) -> bool:
    """Tell a float32 draw that is cast to a half type, which is how that type is drawn."""
    plain = isinstance(op.replayed, (Normal, Uniform))
    return plain and op.dtype == "float32" and len(dtypes) == 1 and "float64" not in dtypes


def _labels(order: Sequence[Placed], takers: Mapping[int, list[Member]]) -> Iterator[str]:
    """Name the draws after their parameters; of several of one the last has the plain name."""
    plain = []
    for what in order:
        owners = takers.get(id(what), []) if isinstance(what, RandomOp) else [what[0]]
        name = what.parameter if isinstance(what, RandomOp) else what[0].label
        blocks = (_block(member, what) for member in owners if member.label == name and member.rows)
        plain.append(next(filter(None, blocks), name))
    left, taken, others = Counter(plain), set(plain), 0
    for name, what in zip(plain, order, strict=True):
        left[name] -= 1
        if name:
            yield _before_last(name, left[name])
            continue
        assert isinstance(what, RandomOp)
        others += 1
        label = what.title or f"other draw {others} ({what.name or 'not seen'})"
        while label in taken:
            label += "'"
        yield label


def _block(member: Member, what: Placed) -> str:
    """Return the name of the first of a parameter's several blocks that is this one."""
    start = 0
    for rows in member.rows:
        if len(member.rows) > 1 and (rows.op or rows) is (
            what if isinstance(what, RandomOp) else what[1]
        ):
            return f"{member.label}[{start}:{start + rows.rows}]"
        start += rows.rows
    return ""


def _before_last(name: str, later: int) -> str:
    return f"{name} ({later} before its last)" if later else name


def _common_seed(draws: Iterable[Draw]) -> int:
    seeds = set()
    for draw in draws:
        assert isinstance(draw.scheme, Fixed)
        held = draw.scheme.value
        if by_chance(held) or (isinstance(held, Unknown) and held.takes != 0):
            seeds.add(draw.op_seed or 0)
    return only(seeds)


def only(seeds: set[int]) -> int:
    """Return the one op seed of several draws, 0 where there is no one."""
    return next(iter(seeds)) if len(seeds) == 1 else 0


def _without_seed(draw: Draw, op_seed: int) -> Draw:
    return replace(draw, op_seed=None) if op_seed and draw.op_seed == op_seed else draw


def assembled(
    found: Sequence[Found],
    notices: Iterable[Notice],
    held: Mapping[str, LayerParameter] = MappingProxyType({}),
    buffers: Iterable[str] = (),
) -> NetSpec:
    """Return the net spec of parameters that were found, in the order of drawing.

    What no tensor can hold still takes its place in the stream. `held` tells further names.
    """
    odd = [notice for each in found if (notice := left_out(each))]
    kept = [e for e in found if not left_out(e) or any(part.random for part in e.parts)]
    seeds = {part.op_seed for each in kept for part in each.parts if part.random}
    left = Counter(each.name for each in kept)
    members = []
    for clock, each in enumerate(kept):
        left[each.name] -= 1
        rows = tuple(
            Rows(
                part.rows,
                clock,
                own=part.distribution,
                source=each.source,
                initializer=each.initializer,
                op_seed=part.op_seed,
            )
            for part in each.parts
        )
        aliases = held[each.name].names[1:] if each.name in held else ()
        members.append(Member(each, rows, aliases, later=left[each.name]))
    return net_spec((), members, (*notices, *odd), op_seed=only(seeds), buffers=buffers)


# Paddle 2 casts to and from half types in its own way: it cuts off and does not round to nearest.


def unchanged(held: Simple, dtypes: Collection[str]) -> bool:
    """Tell values that each dtype, of those of specs, holds as they are, such as 0."""
    if not set(dtypes) <= set(DTYPES):
        return False
    if isinstance(held, Constant):
        return all(stored(held.value, dtype) == held.value for dtype in dtypes)
    return isinstance(held, Given) and all(
        np.array_equal(stored_values(held.values, dtype), held.values, equal_nan=True)
        for dtype in dtypes
    )


def cuts_halves() -> bool:
    """Tell whether the installed Paddle casts so."""
    return installed_version() == "2.6.2"


def without_cut_halves(spec: NetSpec) -> NetSpec:
    """Return a net's spec in which what the installed Paddle casts in its own way is not known.

    What is drawn takes from the stream what it took, so that all else stays known.
    """
    if not cuts_halves():
        return spec
    draws, tensors = list(spec.draws), []
    taken = set(spec.draw_by_name)
    for tensor in spec.tensors:
        if not _exact(tensor, spec):
            name = f"{tensor.name} ({tensor.dtype})"
            while name in taken:
                name += "'"
            taken.add(name)
            held = Unknown(say.OLDER_HALVES(), takes=0)
            draws.append(Draw(name, tensor.shape, Fixed(held), tensor.source))
            rows = (RowBlock(name, 0, tensor.shape[0]),)
            tensor = replace(tensor, blocks=rows, overwritten=())
        tensors.append(tensor)
    return replace(spec, draws=tuple(draws), tensors=tuple(tensors))


def _exact(tensor: Tensor, spec: NetSpec) -> bool:
    """Tell whether a tensor's values, or the unknown, need no rounding to a half type."""
    for block in tensor.blocks:
        dtypes = (tensor.dtype, spec.draw_by_name[block.draw].dtype)
        dtype = next((each for each in dtypes if each in HALVES), None)
        held = spec.drawn(block.draw)
        if not (dtype is None or isinstance(held, Unknown) or unchanged(held, [dtype])):
            return False
    return tensor.dtype not in HALVES or all(
        stored(each.value, tensor.dtype) == each.value for each in tensor.overwritten
    )

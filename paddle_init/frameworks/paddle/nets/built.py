"""A net that was built under observation, as a net spec."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from paddle_init.distributions import (
    Constant,
    Normal,
    Simple,
    Uniform,
    Unknown,
    by_chance,
)
from paddle_init.dtypes import stored
from paddle_init.errors import Notice, Source
from paddle_init.frameworks.paddle.nets import sentences as say
from paddle_init.frameworks.paddle.nets.assembling import (
    Found,
    Held,
    Part,
    given,
    left_out,
    role_by_shape,
    seeding,
)
from paddle_init.frameworks.paddle.nets.attributes import blank_found, unfilled
from paddle_init.frameworks.paddle.nets.doubts import MASKS, Doubts
from paddle_init.frameworks.paddle.nets.initializer_draws import initializer_name, is_paddles
from paddle_init.frameworks.paddle.nets.observing import Filled, Observation
from paddle_init.frameworks.paddle.nets.provenance import Origin, Piece, RandomOp
from paddle_init.frameworks.paddle.nets.seeding import (
    idle_seed_notices,
    kaiming_traps,
    number_traps,
    numpy_notices,
    seed_traps,
    stream_notices,
    stream_seeds,
    uninitialized,
)
from paddle_init.schemes import Fixed
from paddle_init.schemes.base import Shape
from paddle_init.specs import DTYPES, Draw, NetSpec, Overwrite, RowBlock, Tensor
from paddle_init.specs.net import owned_by_name

WIDER: Mapping[str, tuple[str, ...]] = {
    "float16": ("float32", "float64"),
    "bfloat16": ("float32", "float64"),
    "float32": ("float64",),
    "float64": (),
}
HALVES = ("float16", "bfloat16")
LAST = 2**62


@dataclass(frozen=True)
class Rows:
    """Rows of a parameter, and where they come from: a draw's rows, or a distribution of its own.

    `clock` is its place among all that was seen.
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
        """Tell rows that LazyGuard draws after all that was seen."""
        return self.clock == LAST and self.own is not None and by_chance(self.own)


@dataclass(frozen=True)
class Member:
    """A parameter of the net, with what is known of its values."""

    found: Found
    parameter: Any
    aliases: tuple[str, ...]
    rows: tuple[Rows, ...]
    drawn_dtype: str
    overwritten: tuple[Overwrite, ...] = ()

    @property
    def trailing(self) -> Shape:
        return self.found.shape[1:]


def built_spec(
    seen: Observation,
    held: Mapping[str, Held] | None,
    buffers: Sequence[str],
    doubts: Doubts,
    program_seeds: Sequence[int],
) -> NetSpec:
    """Return the net spec of a dynamic net whose building was observed.

    `held` are the net's parameters; without it every parameter that was made counts.
    """
    parameters = (
        seen.created if held is None else {name: each.parameter for name, each in held.items()}
    )
    notices: list[Notice] = []
    members: list[Member] = []
    for key, parameter in parameters.items():
        member, told = _member(seen, key, parameter, held, doubts)
        members.append(member)
        notices += told
    kept = _of_one_shape([m for m in members if left_out(m.found) is None])
    odd = [notice for m in members if (notice := left_out(m.found))]
    used = {id(rows.op) for m in kept for rows in m.rows if rows.op is not None}
    waiting = any(rows.waits for m in kept for rows in m.rows)
    ops = _needed(_certain(seen.ops, doubts), used, waiting)
    shown = {m.found.name: m.found.shown for m in members}
    seed, seeds = stream_seeds(ops)
    for op in ops:
        # a draw may have filled a parameter that the net does not have, and moved on from there
        if op.parameter not in shown and id(op) in used:
            op.parameter = next(m.found.name for m in kept if any(rows.op is op for rows in m.rows))
    draws, tensors, found = _put_together(ops, kept, seeds, seen.at_end)
    op_seed = _common_seed(draws)
    notices += stream_notices(ops, shown, seen.at_end[0])
    notices += idle_seed_notices(program_seeds, found)
    notices += numpy_notices(seen.numpy_seeds, found)
    if seen.moved_at is not None and any(part.random for each in found for part in each.parts):
        notices.append(Notice("chance-in-builder", say.CHANCE(count=len(MASKS))))
    notices += [*number_traps(found), *seed_traps(found)]
    return NetSpec(
        "paddle",
        tuple(_shared_seed(draw, op_seed) for draw in draws) if tensors else (),
        owned_by_name(tensors),
        seeding(seed, op_seed),
        notices=(*notices, *odd),
        buffers=tuple(buffers),
    )


# What each parameter holds


def _member(
    seen: Observation,
    key: str,
    parameter: Any,
    held: Mapping[str, Held] | None,
    doubts: Doubts,
) -> tuple[Member, list[Notice]]:
    own = held[key] if held else None
    blank = blank_found(key, parameter, own, seen.sources.get(parameter.name))
    aliases = own.names[1:] if own else ()
    if getattr(parameter, "_init_func", None) is not None and not parameter._is_initialized():
        each, told = unfilled(key, parameter, own, say.NOT_SEEN())
        rows = tuple(
            Rows(
                part.rows,
                LAST,
                own=part.distribution,
                initializer=each.initializer,
                op_seed=part.op_seed,
            )
            for part in each.parts
        )
        return Member(each, parameter, aliases, rows, each.dtype), told
    final = seen.final(parameter)
    origin = final and final[0]
    why, told = _unknown_because(seen, blank, parameter, final, doubts)
    if why is None and origin is not None:
        known = _rows(blank, parameter, origin, seen)
        if known is not None:
            filled = seen.filled.get(parameter.name)
            traps = _traps(blank, origin, filled) if filled else []
            dtypes = _path(origin.dtypes)
            edits = origin.overwritten
            return Member(blank, parameter, aliases, known, dtypes[0], edits), traps
        why = say.NO_ROWS()
    assert why is not None
    clock = max((op.clock for op in seen.ops if op.parameter == parameter.name), default=LAST - 1)
    filled = seen.filled.get(parameter.name)
    name = initializer_name(filled.initializer) if filled else ""
    unknown = Rows(
        blank.shape[0] if blank.shape else 1,
        clock,
        own=Unknown(why, takes=0),
        source=blank.source,
        initializer=name,
    )
    return Member(blank, parameter, aliases, (unknown,), blank.dtype), told


def _traps(blank: Found, origin: Origin, filled: Filled) -> list[Notice]:
    """Return what a Kaiming initializer that filled the parameter takes without a word."""
    if filled.origin is None or filled.origin.pieces != origin.pieces or len(origin.pieces) != 1:
        return []
    op = origin.pieces[0].origin
    if not isinstance(op, RandomOp):
        return []
    part = Part(blank.shape[0] if blank.shape else 1, op.held)
    return list(kaiming_traps(replace(blank, parts=(part,)), filled.initializer))


def _unknown_because(
    seen: Observation,
    blank: Found,
    parameter: Any,
    final: tuple[Origin, int] | None,
    doubts: Doubts,
) -> tuple[str | None, list[Notice]]:
    """Return why it is not known what a parameter holds, or None where it is known."""
    filled = seen.filled.get(parameter.name)
    if final is not None:
        return doubts.of(blank.name, *final), []
    if filled is None:
        return say.NOT_SEEN(), []
    name = initializer_name(filled.initializer)
    if isinstance(filled.initializer, type):
        each = replace(blank, parts=(Part(1, Unknown(name)),))
        return say.A_CLASS(name=name), [uninitialized(each, filled.initializer)]
    if filled.origin is not None:
        why = say.CHANGED(name=name)
        message = say.CHANGED_AFTER(name=blank.shown, what=why)
        return why, [Notice("changed-after", message, blank.shown, blank.source)]
    return (say.INITIALIZER if is_paddles(filled.initializer) else say.NOT_PADDLES)(name=name), []


def _rows(
    blank: Found, parameter: Any, origin: Origin, seen: Observation
) -> tuple[Rows, ...] | None:
    """Return an origin's pieces as rows; None where they are none, or are rounded twice."""
    shape = blank.shape
    path = _path(origin.dtypes)
    drawn = any(isinstance(piece.origin, RandomOp) for piece in origin.pieces)
    if drawn and len(path) > 2:
        return None
    if not (set(path[1:]).isdisjoint(HALVES) or _rounds_to_nearest() or _needs_none(origin)):
        return None
    width = math.prod(shape[1:])
    count = shape[0] if shape else 1
    if len(origin.pieces) == 1:
        return (_row(origin.pieces[0], count, 0, parameter, origin, seen, width),)
    found, at = [], 0
    for piece in origin.pieces:
        size = piece.stop - piece.start
        if not width or size % width or piece.start % width:
            return None
        found.append(_row(piece, size // width, at, parameter, origin, seen, width))
        at += size // width
    return tuple(found)


def _row(
    piece: Piece,
    rows: int,
    at: int,
    parameter: Any,
    origin: Origin,
    seen: Observation,
    width: int,
) -> Rows:
    made = piece.origin
    if isinstance(made, RandomOp):
        if isinstance(made.held, Unknown):
            own: Simple = Unknown(made.held.description, takes=0)
            return Rows(rows, made.clock, own=own, source=made.source, initializer=made.initializer)
        return Rows(rows, made.clock, made, piece.start // width if width else 0)
    if made.value is not None:
        value = made.value
        for dtype in origin.dtypes[:-1]:
            value = stored(value, dtype)
        finite = math.isfinite(stored(value, origin.dtypes[-1]))
        own = Constant(value) if finite else Unknown(say.NOT_FINITE(), takes=0)
    else:
        own = given(seen.values(parameter)[at * width : (at + rows) * width])
    return Rows(rows, made.clock, own=own, source=made.source, initializer=made.initializer)


def _path(dtypes: tuple[str, ...]) -> tuple[str, ...]:
    """Return the dtypes through which values went, without those that change no bit."""
    path = list(dtypes)
    while len(path) > 2 and path[1] in (path[0], *WIDER.get(path[0], ())):
        del path[1]
    return (path[0],) if len(set(path)) == 1 else tuple(path)


def _needs_none(origin: Origin) -> bool:
    """Tell values that every dtype on their way holds as they are, such as 0."""
    constants = [
        None if isinstance(piece.origin, RandomOp) else piece.origin.value
        for piece in origin.pieces
    ]
    return all(
        value is not None and all(stored(value, dtype) == value for dtype in origin.dtypes)
        for value in constants
    )


def _rounds_to_nearest() -> bool:
    """Tell whether the installed Paddle casts to a half type to nearest even; 2.6.2 cuts off."""
    import paddle

    return int(paddle.__version__.split(".")[0]) != 2


def _of_one_shape(members: Sequence[Member]) -> list[Member]:
    """Make those unknown that take parts of a draw which no rows of one shape hold."""
    trailing: dict[int, Shape] = {}
    kept = []
    for member in members:
        for rows in member.rows:
            if rows.op is None:
                continue
            count, width = math.prod(rows.op.shape), math.prod(member.trailing)
            whole = trailing.setdefault(id(rows.op), member.trailing)
            if whole != member.trailing or (width and count % width):
                why = Unknown(say.NO_ROWS(), takes=0)
                first = member.found.shape[0]
                own = Rows(first, rows.clock, own=why, source=member.found.source)
                member = replace(member, rows=(own,), drawn_dtype=member.found.dtype)
                break
        kept.append(member)
    return kept


# The draws


def _certain(ops: Sequence[RandomOp], doubts: Doubts) -> list[RandomOp]:
    """Return the ops, with those after a doubt unknown."""
    if doubts.after is None or not any(op.clock > doubts.after for op in ops):
        return list(ops)
    kept = [op for op in ops if op.clock <= doubts.after]
    what = Unknown(str(doubts.why))
    return [*kept, RandomOp("", doubts.after + 1, what, what, (1,), "float32")]


def _needed(ops: Sequence[RandomOp], used: set[int], waiting: bool) -> list[RandomOp]:
    """Return the stream's ops up to the last that matters, and seeded ones that are used."""
    stream = [op for op in ops if op.moves]
    while stream and not waiting and id(stream[-1]) not in used and not stream[-1].parameter:
        stream.pop()
    left = {id(op) for op in stream}
    return [op for op in ops if id(op) in left or (not op.moves and id(op) in used)]


def _put_together(
    ops: Sequence[RandomOp],
    members: Sequence[Member],
    seeds: Mapping[int, int],
    end: tuple[int | None, RandomOp | str | None],
) -> tuple[list[Draw], list[Tensor], list[Found]]:
    """Return draws and tensors, and for the notices what each random or fixed part holds."""
    takers: dict[int, list[Member]] = {}
    for member in members:
        for rows in member.rows:
            if rows.op is not None:
                takers.setdefault(id(rows.op), []).append(member)
    listed: list[tuple[int, str, Any]] = [(op.clock, op.parameter, op) for op in ops]
    listed += [
        (rows.clock, member.found.name, (member, rows))
        for member in members
        for rows in member.rows
        if rows.op is None
    ]
    listed.sort(key=lambda each: each[0])
    names = dict(zip((id(what) for *_, what in listed), _labels(listed, takers), strict=True))
    draws, own_names = [], {}
    for _, _, what in listed:
        name = names[id(what)]
        if isinstance(what, RandomOp):
            draws.append(_op_draw(what, name, takers.get(id(what), []), names, seeds))
        else:
            member, rows = what
            own_names[id(rows)] = name
            draw = _own_draw(member, rows, name)
            if rows.waits and not rows.op_seed:
                after = end[1]
                back = names.get(id(after)) if isinstance(after, RandomOp) else after
                draw, end = replace(draw, seed=end[0], after=back), (None, None)
            draws.append(draw)
    tensors, found = [], []
    for member in members:
        blocks, parts = [], []
        for rows in member.rows:
            made = rows.op
            name = own_names[id(rows)] if made is None else names[id(made)]
            blocks.append(RowBlock(name, rows.start, rows.start + rows.rows))
            held = rows.own if made is None else made.held
            assert held is not None
            parts.append(Part(rows.rows, held, rows.op_seed if made is None else made.op_seed))
        each = member.found
        role = each.role or role_by_shape(each.shape, each.name)
        found.append(replace(each, parts=tuple(parts)))
        tensors.append(
            Tensor(
                each.shown,
                role,
                each.shape,
                tuple(blocks),
                each.dtype,
                each.source,
                overwritten=member.overwritten,
                aliases=member.aliases,
            )
        )
    return draws, tensors, found


def _own_draw(member: Member, rows: Rows, name: str) -> Draw:
    assert rows.own is not None
    shape = (rows.rows, *member.trailing)
    scheme = Fixed(rows.own, rows.initializer)
    return Draw(name, shape, scheme, rows.source, rows.op_seed or None)


def _common_seed(draws: Sequence[Draw]) -> int:
    """Return the op seed that all random draws share, or 0."""
    seeds = set()
    for draw in draws:
        assert isinstance(draw.scheme, Fixed)
        held = draw.scheme.value
        if by_chance(held) or (isinstance(held, Unknown) and held.takes != 0):
            seeds.add(draw.op_seed or 0)
    return seeds.pop() if len(seeds) == 1 else 0


def _op_draw(
    op: RandomOp,
    name: str,
    takers: Sequence[Member],
    names: Mapping[int, str],
    seeds: Mapping[int, int],
) -> Draw:
    shape = op.shape or (1,)
    held = op.replayed
    dtype: str | None = op.dtype if op.dtype in DTYPES else None
    if takers:
        width = math.prod(takers[0].trailing)
        rows = math.prod(op.shape) // width if width else takers[0].found.shape[0]
        shape = (rows, *takers[0].trailing)
        if all(m.found.dtype == op.dtype for m in takers) or _rounds_alike(op, takers):
            dtype = None
    elif dtype == "float32":
        dtype = None
    after = op.after
    return Draw(
        name,
        shape,
        Fixed(held, op.initializer),
        op.source,
        op.op_seed or None,
        dtype=dtype,
        seed=seeds.get(id(op)),
        after=names[id(after)] if isinstance(after, RandomOp) else after,
    )


def _rounds_alike(op: RandomOp, takers: Sequence[Member]) -> bool:
    """Tell a float32 draw that is cast to a half type, which is how that type is drawn."""
    dtypes = {member.found.dtype for member in takers}
    plain = isinstance(op.replayed, (Normal, Uniform))
    return plain and op.dtype == "float32" and len(dtypes) == 1 and "float64" not in dtypes


def _labels(
    listed: Sequence[tuple[int, str, Any]], takers: Mapping[int, list[Member]]
) -> Iterator[str]:
    """Name the draws after their parameters; of several of one the last has the plain name."""
    blocks: dict[int, str] = {}
    for _, name, what in listed:
        owners = takers.get(id(what), []) if isinstance(what, RandomOp) else [what[0]]
        for member in owners:
            if len(member.rows) < 2 or member.found.name != name:
                continue
            at = 0
            for rows in member.rows:
                if rows.op is what or (not isinstance(what, RandomOp) and rows is what[1]):
                    blocks.setdefault(id(what), f"{name}[{at}:{at + rows.rows}]")
                at += rows.rows
    plain = [blocks.get(id(what), name) for _, name, what in listed]
    left = Counter(plain)
    taken = set(plain)
    others = 0
    for name, (_, _, what) in zip(plain, listed, strict=True):
        left[name] -= 1
        if name:
            yield f"{name} ({left[name]} before its last)" if left[name] else name
            continue
        others += 1
        made = what.name or "not seen"
        label = f"other draw {others} ({made})"
        while label in taken:
            label += "'"
        yield label


def _shared_seed(draw: Draw, op_seed: int) -> Draw:
    return replace(draw, op_seed=None) if op_seed and draw.op_seed == op_seed else draw

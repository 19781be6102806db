"""A net that was built under observation, as a net spec."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import Any

from paddle_init.distributions import (
    Constant,
    Simple,
    Unknown,
)
from paddle_init.dtypes import stored
from paddle_init.errors import Notice
from paddle_init.frameworks.paddle.nets import sentences as say
from paddle_init.frameworks.paddle.nets.assembling import (
    HALVES,
    LAST,
    Member,
    Rows,
    cuts_halves,
    in_rows,
    name_ops,
    net_spec,
    of_one_shape,
    unchanged,
)
from paddle_init.frameworks.paddle.nets.doubts import MASKS, Doubts
from paddle_init.frameworks.paddle.nets.initializer_draws import (
    blank_found,
    initializer_name,
    is_paddles,
    kaiming_notices,
    unfilled,
    uninitialized,
)
from paddle_init.frameworks.paddle.nets.lint import (
    idle_seed_notices,
    lint,
    numpy_notices,
    stream_notices,
    stream_seeds,
)
from paddle_init.frameworks.paddle.nets.observing import Filled, Observation
from paddle_init.frameworks.paddle.nets.parameters import (
    Found,
    Held,
    Part,
    given,
    left_out,
)
from paddle_init.frameworks.paddle.nets.provenance import Origin, Piece, RandomOp, Written
from paddle_init.specs import NetSpec

WIDER: Mapping[str, tuple[str, ...]] = {
    "float16": ("float32", "float64"),
    "bfloat16": ("float32", "float64"),
    "float32": ("float64",),
    "float64": (),
}


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
    kept = [m for m in members if left_out(m.found) is None]
    kept = of_one_shape(kept, Unknown(say.NO_ROWS(), takes=0))
    odd = [notice for m in members if (notice := left_out(m.found))]
    used = {id(rows.op) for m in kept for rows in m.rows if rows.op is not None}
    waiting = any(rows.waits for m in kept for rows in m.rows)
    ops = _needed(_certain(seen.ops, doubts), used, waiting)
    shown = {m.found.name: m.found.shown for m in members}
    seed, seeds = stream_seeds(ops)
    # a draw may have filled a parameter that the net does not have, and moved on from there
    name_ops(kept, shown)
    found = [replace(m.found, parts=tuple(rows.part for rows in m.rows)) for m in kept]
    notices += stream_notices(ops, shown, seen.at_end[0])
    notices += idle_seed_notices(program_seeds, found)
    notices += numpy_notices(seen.numpy_seeds, found)
    if seen.moved_at is not None and any(part.random for each in found for part in each.parts):
        notices.append(Notice("chance-in-builder", say.CHANCE(count=len(MASKS))))
    notices += [*lint(found), *odd]
    return net_spec(ops, kept, notices, seed=seed, seeds=seeds, end=seen.at_end, buffers=buffers)


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
        name = each.initializer
        rows = tuple(
            Rows(part.rows, LAST, None, 0, part.distribution, None, name, part.op_seed)
            for part in each.parts
        )
        return Member(each, rows, aliases), told
    final = seen.final(parameter)
    origin = final and final[0]
    why, told = _unknown_because(seen, blank, parameter, final, doubts)
    if why is None and origin is not None:
        known = _rows(blank, parameter, origin, seen)
        if known is not None:
            filled = seen.filled.get(parameter.name)
            kaiming = _kaiming_notices(blank, origin, filled) if filled else []
            return Member(blank, known, aliases, origin.overwritten), kaiming
        why = say.NO_ROWS()
    assert why is not None
    clock = max((op.clock for op in seen.ops if op.parameter == parameter.name), default=LAST - 1)
    filled = seen.filled.get(parameter.name)
    name = initializer_name(filled.initializer) if filled else ""
    count = blank.shape[0] if blank.shape else 1
    unknown = Rows(count, clock, None, 0, Unknown(why, takes=0), blank.source, name)
    return Member(blank, (unknown,), aliases), told


def _kaiming_notices(blank: Found, origin: Origin, filled: Filled) -> list[Notice]:
    """Return what a Kaiming initializer that filled the parameter takes without a word."""
    if filled.origin is None or filled.origin.pieces != origin.pieces or len(origin.pieces) != 1:
        return []
    op = origin.pieces[0].origin
    if not isinstance(op, RandomOp):
        return []
    part = Part(blank.shape[0] if blank.shape else 1, op.held)
    return list(kaiming_notices(replace(blank, parts=(part,)), filled.initializer))


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
    path = _path(origin.dtypes)
    if len(path) > 2 and any(piece.drawn for piece in origin.pieces):
        return None
    if not set(path[1:]).isdisjoint(HALVES) and cuts_halves() and not _needs_no_cast(origin):
        return None
    pieces = in_rows(origin.pieces, blank.shape)
    if pieces is None:
        return None
    width = math.prod(blank.shape[1:])

    def values(start: int, rows: int) -> Simple:
        return given(seen.values(parameter)[start * width : (start + rows) * width])

    return tuple(
        _row(piece, rows, origin.dtypes, width, partial(values, start, rows))
        for piece, rows, start in pieces
    )


def _row(
    piece: Piece, rows: int, dtypes: Sequence[str], width: int, values: Callable[[], Simple]
) -> Rows:
    origin = piece.origin
    if isinstance(origin, RandomOp):
        if not isinstance(origin.held, Unknown):
            return Rows(rows, origin.clock, origin, piece.start // width if width else 0)
        own: Simple = Unknown(origin.held.description, takes=0)
    else:
        assert isinstance(origin, Written)
        if origin.value is None:
            own = values()
        else:
            value = reduce(stored, dtypes[:-1], origin.value)
            finite = math.isfinite(stored(value, dtypes[-1]))
            own = Constant(value) if finite else Unknown(say.NOT_FINITE(), takes=0)
    return Rows(rows, origin.clock, None, 0, own, origin.source, origin.initializer)


def _path(dtypes: tuple[str, ...]) -> tuple[str, ...]:
    """Return the dtypes through which values went, without those that change no bit."""
    path = list(dtypes)
    while len(path) > 2 and path[1] in (path[0], *WIDER.get(path[0], ())):
        del path[1]
    return (path[0],) if len(set(path)) == 1 else tuple(path)


def _needs_no_cast(origin: Origin) -> bool:
    """Tell numbers that every dtype on their way holds as they are, such as 0."""
    numbers = [getattr(piece.origin, "value", None) for piece in origin.pieces]
    return all(n is not None and unchanged(Constant(n), origin.dtypes) for n in numbers)


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

"""Dynamic nets built under observation: what is certain of them, and their net spec.

What of one call of the function may differ under another seed, further calls tell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from typing import Any, TypeAlias

from paddle_init.distributions import Constant, Simple, Unknown
from paddle_init.dtypes import stored
from paddle_init.errors import Notice
from paddle_init.frameworks.paddle.nets import initializer_draws, lint
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
from paddle_init.frameworks.paddle.nets.observing import Exaggeration, Filled, Observation, Read
from paddle_init.frameworks.paddle.nets.parameters import (
    Found,
    LayerParameter,
    Part,
    given,
    left_out,
)
from paddle_init.frameworks.paddle.nets.provenance import Origin, Piece, RandomOp, Written
from paddle_init.frameworks.paddle.nets.user_code import in_brackets
from paddle_init.languages import Message
from paddle_init.specs import DTYPES, NetSpec

# Calls the function under other seeds: all that it gives are changed by the first argument.
# What it looks at is exaggerated, if need be. None where it fails then.
CallAgain: TypeAlias = Callable[[int, Exaggeration | None], "Call | None"]
MASKS = (0x2545F491, 0x1B873593, 0x0E6546B6, 0x38B34AE5, 0x3C6EF372, 0x07F4A7C1)
# Beyond any threshold for weights, on either side and near 0.
FACTORS = (1e4, -1e4, 1e-4)


@dataclass(frozen=True)
class Call:
    """One call of the function: what was seen, and the net's parameters by Paddle's names."""

    seen: Observation
    parameters: Mapping[str, LayerParameter]

    def holdings(self) -> dict[str, object]:
        """Return for each parameter where its values come from, comparable between calls."""
        ops = {id(op): index for index, op in enumerate(self.seen.ops)}
        found: dict[str, object] = {}
        for name, each in self.parameters.items():
            final = self.seen.final(each.parameter)
            found[name] = final and (
                each.names,
                tuple(
                    (ops.get(id(p.origin)), _written_value(p.origin), p.start, p.stop)
                    for p in final[0].pieces
                ),
                final[0].dtypes,
                final[0].overwritten,
            )
        return found


@dataclass(frozen=True)
class Doubts:
    """What is not sure: all that was seen after the clock `after`, values, and parameters."""

    after: int | None = None
    why: Message | None = None
    values: tuple[tuple[Written, Message], ...] = ()
    parameters: Mapping[str, Message] = field(default_factory=dict)

    def of(self, name: str, origin: Origin, clock: int) -> Message | None:
        """Return why it is not sure what a parameter holds, or None; `clock` says since when."""
        for piece in origin.pieces:
            for written, why in self.values:
                if piece.origin is written:
                    return why
        if name in self.parameters:
            return self.parameters[name]
        return self.why if self.after is not None and clock > self.after else None


def doubts(call: Call, call_again: CallAgain) -> Doubts:
    """Return what of a call is not sure; the function is called again where that must be seen.

    It is where it wrote arrays of its own, where it used NumPy's or Python's random numbers, and
    where it looked at values after something was drawn. Values that it looked at and that are
    others under other seeds are then exaggerated: what it decides by them comes out otherwise.
    What it decides by NumPy's or Python's random numbers shows where one of several calls differs.
    """
    seen = call.seen
    written = _written_values(call)
    looked = _late_reads(seen)
    otherwise = seen.moved_at is not None or seen.clock_read
    if not (looked or otherwise or seen.ended or any(each.digest is not None for each in written)):
        return Doubts()
    again = call_again(MASKS[0], None)
    found: list[tuple[int, Message]] = []
    if seen.ended is not None:
        found.append(seen.ended)
    parameters: dict[str, Message] = {}
    if again is None and seen.moved_at is not None:
        found.append((seen.moved_at - 1, say.OTHERWISE(line="")))
    others = [again]
    random = [each for each in looked if _may_be_random(seen, each, again)]
    whole = any(seen.reads[index].integers for index in random)
    if (seen.moved_at is not None or whole) and again is not None:
        # what hangs on a coin may come out alike once
        others += [call_again(mask, None) for mask in MASKS[1:]]
    holdings = call.holdings()
    for other in filter(None, others):
        if (first := _first_difference(seen, other.seen)) is not None:
            found.append(first)
        parameters |= _differing(holdings, other.holdings(), say.OTHERWISE(line=""))
    for index in random:
        if not seen.reads[index].shown or seen.reads[index].integers or again is None:
            found.append((seen.reads[index].clock, _looked_at(seen.reads[index])))
            break
    if again is not None and any(seen.reads[index].shown for index in random):
        why = _looked_at(seen.reads[random[0]])
        plain = again.holdings()
        for factor in FACTORS:
            reads = frozenset(random)
            limit = 4 * seen.clock + 1000
            probed = call_again(MASKS[0], Exaggeration(reads, factor, limit))
            if probed is None:
                found.append((seen.reads[random[0]].clock, why))
                parameters = dict.fromkeys(call.parameters, why)
                break
            if (first := _first_difference(again.seen, probed.seen)) is not None:
                found.append((_clock_there(first[0], again.seen, seen), why))
            parameters |= _differing(plain, probed.holdings(), why)
    after_, why_ = min(found, key=lambda each: each[0], default=(None, None))
    return Doubts(after_, why_, _doubted_values(seen, again, written), parameters)


def _late_reads(seen: Observation) -> list[int]:
    first = min((op.clock for op in seen.ops), default=seen.clock)
    return [index for index, read in enumerate(seen.reads) if read.clock > first]


def _may_be_random(seen: Observation, index: int, again: Call | None) -> bool:
    others: Sequence[Read] = () if again is None else again.seen.reads
    alike = index < len(others) and others[index].digest == seen.reads[index].digest
    return not (alike and seen.reads[index].telling)


def _first_difference(seen: Observation, other: Observation) -> tuple[int, Message] | None:
    """Return the clock before the first op that is another in the other call."""
    for index, op in enumerate(seen.ops):
        if index >= len(other.ops) or _comparable(op) != _comparable(other.ops[index]):
            return op.clock - 1, say.OTHERWISE(line=in_brackets(op.source))
    if len(other.ops) > len(seen.ops):
        last = seen.ops[-1].clock if seen.ops else 0
        return last, say.OTHERWISE(line="")
    return None


def _clock_there(clock: int, there: Observation, here: Observation) -> int:
    """Return where an op's clock of one call is in another that has the same ops."""
    for index, op in enumerate(there.ops):
        if op.clock > clock and index < len(here.ops):
            return here.ops[index].clock - 1
    return clock


def _doubted_values(
    seen: Observation, again: Call | None, written: Iterable[Written]
) -> tuple[tuple[Written, Message], ...]:
    found = []
    for each in written:
        index = seen.written.index(each)
        others = [] if again is None else again.seen.written
        other = others[index] if index < len(others) else None
        theirs = each.digest is not None
        if theirs and each.moved:
            found.append((each, say.VALUES_MOVED()))
        elif (theirs or again is not None) and (
            other is None or (other.value, other.digest) != (each.value, each.digest)
        ):
            found.append((each, say.VALUES_DIFFER()))
    return tuple(found)


def _differing(
    holdings: Mapping[str, object], others: Mapping[str, object], why: Message
) -> dict[str, Message]:
    return {name: why for name, held in holdings.items() if others.get(name) != held}


def _written_value(origin: object) -> object:
    return (origin.value, origin.digest) if isinstance(origin, Written) else None


def _written_values(call: Call) -> list[Written]:
    origins = (call.seen.final(each.parameter) for each in call.parameters.values())
    pieces = (piece.origin for final in origins if final for piece in final[0].pieces)
    return list(dict.fromkeys(each for each in pieces if isinstance(each, Written)))


def _comparable(op: RandomOp) -> tuple[object, ...]:
    after = op.after.name if isinstance(op.after, RandomOp) else op.after
    return op.name, op.replayed, op.held, op.shape, op.dtype, op.op_seed, op.seed, after, op.moves


def _looked_at(read: Read) -> Message:
    return say.LOOKED_AT(line=in_brackets(read.source))


WIDER: Mapping[str, tuple[str, ...]] = {
    "float16": ("float32", "float64"),
    "bfloat16": ("float32", "float64"),
    "float32": ("float64",),
    "float64": (),
}


def built_spec(
    call: Call, buffers: Sequence[str], doubts: Doubts, program_seeds: Sequence[int]
) -> NetSpec:
    """Return the net spec of a dynamic net whose building was observed."""
    seen = call.seen
    members = [_member(seen, key, each, doubts) for key, each in call.parameters.items()]
    notices = [notice for member in members for notice in member.found.notices]
    kept = [m for m in members if left_out(m.found) is None]
    kept = of_one_shape(kept, Unknown(say.NO_ROWS(), takes=0))
    odd = [notice for m in members if (notice := left_out(m.found))]
    used = {id(rows.op) for m in kept for rows in m.rows if rows.op is not None}
    waiting = any(rows.waits for m in kept for rows in m.rows)
    ops = _needed(_certain(seen.ops, doubts), used, waiting)
    shown = {m.found.name: m.found.shown for m in members}
    seed, seeds = lint.stream_seeds(ops)
    # a draw may have filled a parameter that the net does not have, and moved on from there
    name_ops(kept, shown)
    found = [replace(m.found, parts=tuple(rows.part for rows in m.rows)) for m in kept]
    notices += lint.stream_notices(ops, shown, seen.at_end[0])
    notices += lint.idle_seed_notices(program_seeds, found)
    notices += lint.numpy_notices(seen.numpy_seeds, found)
    if seen.moved_at is not None and any(part.random for each in found for part in each.parts):
        notices.append(Notice("chance-in-builder", say.CHANCE(count=len(MASKS))))
    notices += [*lint.lint(found), *odd]
    return net_spec(ops, kept, notices, seed=seed, seeds=seeds, end=seen.at_end, buffers=buffers)


# What each parameter holds


def _member(seen: Observation, key: str, own: LayerParameter, doubts: Doubts) -> Member:
    parameter = own.parameter
    blank = initializer_draws.blank_found(key, own, seen.sources.get(parameter.name))
    aliases = own.names[1:]
    if getattr(parameter, "_init_func", None) is not None and not parameter._is_initialized():
        each = initializer_draws.unfilled(key, own, say.NOT_SEEN())
        name = each.initializer
        rows = tuple(
            Rows(part.rows, LAST, None, 0, part.distribution, None, name, part.op_seed)
            for part in each.parts
        )
        return Member(each, rows, aliases)
    final = seen.final(parameter)
    origin = final and final[0]
    why, notices = _unknown_because(seen, blank, parameter, final, doubts)
    if why is None and origin is not None:
        known = _rows(blank, parameter, origin, seen)
        if known is not None:
            filled = seen.filled.get(parameter.name)
            kaiming = _kaiming_notices(blank, origin, filled) if filled else ()
            blank = replace(blank, notices=tuple(kaiming))
            # what went through integers is given as it ended, with all that was set in it
            overwritten = origin.overwritten if _of_floats(origin) else ()
            return Member(blank, known, aliases, overwritten)
        why = say.NO_ROWS()
    assert why is not None
    clock = max((op.clock for op in seen.ops if op.parameter == parameter.name), default=LAST - 1)
    filled = seen.filled.get(parameter.name)
    name = initializer_draws.initializer_name(filled.initializer) if filled else ""
    count = blank.shape[0] if blank.shape else 1
    unknown = Rows(count, clock, None, 0, Unknown(why, takes=0), blank.source, name)
    return Member(replace(blank, notices=tuple(notices)), (unknown,), aliases)


def _kaiming_notices(blank: Found, origin: Origin, filled: Filled) -> list[Notice]:
    """Return what a Kaiming initializer that filled the parameter takes without a word."""
    if filled.origin is None or filled.origin.pieces != origin.pieces or len(origin.pieces) != 1:
        return []
    op = origin.pieces[0].origin
    if not isinstance(op, RandomOp):
        return []
    part = Part(blank.shape[0] if blank.shape else 1, op.held)
    return list(
        initializer_draws.kaiming_notices(replace(blank, parts=(part,)), filled.initializer)
    )


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
    name = initializer_draws.initializer_name(filled.initializer)
    if isinstance(filled.initializer, type):
        each = replace(blank, parts=(Part(1, Unknown(name)),))
        return say.A_CLASS(name=name), [initializer_draws.uninitialized(each, filled.initializer)]
    if filled.origin is not None:
        why = say.CHANGED(name=name)
        message = say.CHANGED_AFTER(name=blank.shown, what=why)
        return why, [Notice("changed-after", message, blank.shown, blank.source)]
    return (
        say.INITIALIZER if initializer_draws.is_paddles(filled.initializer) else say.NOT_PADDLES
    )(name=name), []


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
        _row(piece, rows, origin, width, partial(values, start, rows))
        for piece, rows, start in pieces
    )


def _row(piece: Piece, rows: int, whole: Origin, width: int, values: Callable[[], Simple]) -> Rows:
    origin = piece.origin
    if isinstance(origin, RandomOp):
        if not isinstance(origin.held, Unknown):
            return Rows(rows, origin.clock, origin, piece.start // width if width else 0)
        own: Simple = Unknown(origin.held.description, takes=0)
    else:
        assert isinstance(origin, Written)
        if origin.value is None or not _of_floats(whole):
            own = values()
        else:
            value = reduce(stored, whole.dtypes[:-1], origin.value)
            finite = math.isfinite(stored(value, whole.dtypes[-1]))
            own = Constant(value) if finite else Unknown(say.NOT_FINITE(), takes=0)
    return Rows(rows, origin.clock, None, 0, own, origin.source, origin.initializer)


def _of_floats(origin: Origin) -> bool:
    return set(origin.dtypes) <= set(DTYPES)


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

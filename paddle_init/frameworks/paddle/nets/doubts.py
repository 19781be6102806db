"""What of one call of a function may be otherwise under another seed: further calls tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from paddle_init.frameworks.paddle.nets import sentences as say
from paddle_init.frameworks.paddle.nets.observing import Exaggeration, Observation, Read
from paddle_init.frameworks.paddle.nets.provenance import Origin, RandomOp, Written
from paddle_init.frameworks.paddle.nets.user_code import in_brackets
from paddle_init.languages import Message

# Calls the function under other seeds: all that it gives are changed by the first argument.
# What it looks at is exaggerated, if need be. None where it fails then.
CallAgain: TypeAlias = Callable[[int, Exaggeration | None], "Call | None"]
MASKS = (0x2545F491, 0x1B873593, 0x0E6546B6, 0x38B34AE5, 0x3C6EF372, 0x07F4A7C1)
# Beyond any threshold for weights, on either side and near 0.
FACTORS = (1e4, -1e4, 1e-4)


@dataclass(frozen=True)
class Call:
    """One call of the function: what was seen, and the parameters of the net by their names.

    `names` are those that the net itself has for them.
    """

    seen: Observation
    parameters: Mapping[str, Any]
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def holdings(self) -> dict[str, object]:
        """Return for each parameter where its values come from, comparable between calls."""
        ops = {id(op): index for index, op in enumerate(self.seen.ops)}
        found: dict[str, object] = {}
        for name, parameter in self.parameters.items():
            final = self.seen.final(parameter)
            found[name] = final and (
                self.names.get(name),
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
    written = _held(call)
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
        if (first := _first_otherwise(seen, other.seen)) is not None:
            found.append(first)
        parameters |= _otherwise(holdings, other.holdings(), say.OTHERWISE(line=""))
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
            if (first := _first_otherwise(again.seen, probed.seen)) is not None:
                found.append((_clock_there(first[0], again.seen, seen), why))
            parameters |= _otherwise(plain, probed.holdings(), why)
    after_, why_ = min(found, key=lambda each: each[0], default=(None, None))
    return Doubts(after_, why_, _doubted_values(seen, again, written), parameters)


def _late_reads(seen: Observation) -> list[int]:
    """Return the indices of reads that may have seen a drawn value."""
    first = min((op.clock for op in seen.ops), default=seen.clock)
    return [index for index, read in enumerate(seen.reads) if read.clock > first]


def _may_be_random(seen: Observation, index: int, again: Call | None) -> bool:
    others: Sequence[Read] = () if again is None else again.seen.reads
    alike = index < len(others) and others[index].digest == seen.reads[index].digest
    return not (alike and seen.reads[index].telling)


def _first_otherwise(seen: Observation, other: Observation) -> tuple[int, Message] | None:
    """Return the clock before the first op that is another in the other call."""
    for index, op in enumerate(seen.ops):
        if index >= len(other.ops) or _told(op) != _told(other.ops[index]):
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


def _otherwise(
    holdings: Mapping[str, object], others: Mapping[str, object], why: Message
) -> dict[str, Message]:
    return {name: why for name, held in holdings.items() if others.get(name) != held}


def _written_value(origin: object) -> object:
    return (origin.value, origin.digest) if isinstance(origin, Written) else None


def _held(call: Call) -> list[Written]:
    origins = (call.seen.final(parameter) for parameter in call.parameters.values())
    pieces = (piece.origin for final in origins if final for piece in final[0].pieces)
    return list(dict.fromkeys(each for each in pieces if isinstance(each, Written)))


def _told(op: RandomOp) -> tuple[object, ...]:
    after = op.after.name if isinstance(op.after, RandomOp) else op.after
    return op.name, op.replayed, op.held, op.shape, op.dtype, op.op_seed, op.seed, after, op.moves


def _looked_at(read: Read) -> Message:
    return say.LOOKED_AT(line=in_brackets(read.source))

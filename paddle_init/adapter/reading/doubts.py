"""What of one observation may be otherwise under another seed: a second one tells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from paddle_init.adapter import sentences as say
from paddle_init.adapter.reading.observing import Observation
from paddle_init.adapter.reading.provenance import Origin, RandomOp, Written
from paddle_init.languages import Message

__all__ = ["Doubts", "doubts", "needs_proof"]


@dataclass(frozen=True)
class Doubts:
    """What was seen after the clock `after` may depend on random values, for the reason `why`.

    `values` are written values that are not the same every time, with the reason.
    """

    after: int | None = None
    why: Message | None = None
    values: tuple[tuple[Written, Message], ...] = ()

    def of(self, origin: Origin) -> Message | None:
        """Return why what an origin tells is not sure, or None."""
        for piece in origin.pieces:
            for written, why in self.values:
                if piece.origin is written:
                    return why
        return None


def needs_proof(seen: Observation, origins: Iterable[Origin]) -> bool:
    """Tell whether the function must be called again under other seeds.

    It must where it wrote values of its own, and where it looked at values, or used NumPy's or
    Python's random numbers, before the last of what it did.
    """
    first = min((op.clock for op in seen.ops), default=seen.clock)
    last = max((each.clock for each in (*seen.ops, *seen.written)), default=0)
    looked = any(first < read.clock < last for read in seen.reads)
    moved = seen.moved_at is not None and seen.moved_at < last
    return looked or moved or any(map(_users, _written(origins)))


def doubts(seen: Observation, again: Observation | None, origins: Iterable[Origin]) -> Doubts:
    """Compare an observation with one under other seeds; None where the function failed then."""
    first = min((op.clock for op in seen.ops), default=seen.clock)
    found: list[tuple[int, Message]] = []
    others = [] if again is None else again.reads
    for index, read in enumerate(seen.reads):
        alike = index < len(others) and others[index].digest == read.digest
        if read.clock > first and not (alike and read.telling):
            found.append((read.clock, say.LOOKED_AT(line=_line(read.source))))
            break
    if again is not None:
        pairs = zip(seen.ops, (*again.ops, *[None] * len(seen.ops)), strict=False)
        odd = next((op for op, other in pairs if other is None or _told(op) != _told(other)), None)
        if odd is not None:
            found.append((odd.clock - 1, say.OTHERWISE(line=_line(odd.source))))
    elif seen.moved_at is not None:
        found.append((seen.moved_at - 1, say.OTHERWISE(line="")))
    after, why = min(found, default=(None, None))
    values = []
    for written in _written(origins):
        if not _users(written) and again is not None:
            other = _at(again, seen.written.index(written))
            if other is None or other.value != written.value:
                values.append((written, say.VALUES_DIFFER()))
        elif written.moved:
            values.append((written, say.VALUES_MOVED()))
        elif _users(written):
            other = None if again is None else _at(again, seen.written.index(written))
            if other is None or other.digest != written.digest:
                values.append((written, say.VALUES_DIFFER()))
    return Doubts(after, why, tuple(values))


def _written(origins: Iterable[Origin]) -> list[Written]:
    pieces = (piece.origin for origin in origins for piece in origin.pieces)
    return list(dict.fromkeys(each for each in pieces if isinstance(each, Written)))


def _users(written: Written) -> bool:
    """Tell an array that the function made from what Paddle's own initializer computes."""
    return written.digest is not None


def _at(again: Observation, index: int) -> Written | None:
    return again.written[index] if index < len(again.written) else None


def _told(op: RandomOp) -> tuple[object, ...]:
    after = op.after.name if isinstance(op.after, RandomOp) else op.after
    return op.name, op.replayed, op.held, op.shape, op.dtype, op.op_seed, op.seed, after, op.moves


def _line(source: object) -> str:
    return "" if source is None else f" ({source})"

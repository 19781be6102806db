"""All parameters that one stream draws: in its order, or with other draws between them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from paddle_init.identification.chunk import FEWEST_FOUND, Chunk
from paddle_init.identification.matching import Match, match
from paddle_init.identification.subjects import Subject
from paddle_init.identification.tape import LONGEST, Tape
from paddle_init.specs import Seeding

__all__ = ["AHEAD", "best_match", "search_stream"]

# Draws that are searched of a stream, and behind each parameter that is found.
AHEAD = 1 << 18
# Bits that a parameter must tell of its place in a stream: there are some 2**24 places.
BITS = 44
TRIED = 64


def search_stream(
    tape: Tape,
    subjects: Iterable[Subject],
    seeding: Seeding | None,
    ahead: int = AHEAD,
    known: Match | None = None,
) -> list[Match]:
    """Find parameters in a stream, in the order of drawing.

    Parameters
    ----------
    known
        What is drawn first, if that is known: the others come after it.
    ahead
        How far to look at the start, and behind each parameter that is found.
    """
    left = [s for s in subjects if s.searchable and s.array.size >= FEWEST_FOUND]
    found = [known] if known else []
    left = [subject for subject in left if not known or subject.name != known.name]
    start = known.end if known else 0
    limit = min(start + ahead, LONGEST)
    while start < limit and left:
        count = min(AHEAD, limit - start)
        chunk = Chunk(tape, start, count)
        here = [each for each in (_first(tape, chunk, s, seeding) for s in left) if each]
        found += here
        names = {each.name for each in here}
        left = [subject for subject in left if subject.name not in names]
        limit = min(LONGEST, max([limit, *(each.end + ahead for each in here)]))
        start += count
        for each in sorted(here, key=lambda m: m.position):
            if each.position < start < each.end:  # nothing else begins within
                start = each.end
    return _joined(tape, found)


def _first(tape: Tape, chunk: Chunk, subject: Subject, seeding: Seeding | None) -> Match | None:
    return best_match(
        match(tape, position, subject, reading, seeding, BITS, offset)
        for reading in subject.readings
        for position, offset in chunk.places(subject, reading)[:TRIED]
    )


def best_match(matches: Iterable[Match | None]) -> Match | None:
    """Return the first match that is exact, or else the one with the fewest altered values."""
    best: Match | None = None
    for each in matches:
        if each is None:
            continue
        if each.alteration is None:
            return each
        if best is None or (best.alteration and each.alteration.count < best.alteration.count):
            best = each
    return best


def _joined(tape: Tape, found: list[Match]) -> list[Match]:
    """Let each begin where the one before it ends, where only rejected tries lie between."""
    ends = {0, *(each.end for each in found)}
    joined = []
    for each in sorted(found, key=lambda m: m.position):
        position = each.position
        if each.family == "normal":
            since = tape.rejected_since(position)
            before = [end for end in range(since, position, 2) if end in ends]
            position = max(before, default=position)
        joined.append(replace(each, position=position))
    return joined

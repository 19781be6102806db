"""From one parameter's place in a stream to those of the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from paddle_init.frameworks.base import Order
from paddle_init.identification.matching import Match, begins, match, places
from paddle_init.identification.subjects import Subject
from paddle_init.identification.tape import Tape
from paddle_init.specs import Seeding

__all__ = ["AHEAD", "chain"]

# Draws that are searched for the next parameter where none begins at once.
AHEAD = 1 << 18


def chain(
    tape: Tape, subjects: Iterable[Subject], seeding: Seeding | None, ahead: int = AHEAD
) -> list[Match]:
    """Find parameters on a tape, one after the other from its start.

    Parameters
    ----------
    subjects
        In the order in which ties are broken: that of the file.
    ahead
        How far to look where the next parameter does not begin right after the last.
    """
    left = [subject for subject in subjects if subject.searchable]
    found: list[Match] = []
    position = 0
    while left:
        here = _next(tape, position, left, seeding) or _later(tape, position, ahead, left, seeding)
        if here is None:
            break
        found.append(here)
        position = here.end
        left = [subject for subject in left if subject.name != here.name]
    return found


def _next(tape: Tape, position: int, left: list[Subject], seeding: Seeding | None) -> Match | None:
    normals, uniforms = tape.normals(position, 4), 2 * tape.uniforms(position, 4) - 1
    if normals is None:
        return None
    for subject in left:
        for family, order in subject.readings:
            drawn = normals[0] if family == "normal" else uniforms
            if begins(subject.start(order), drawn, subject.roundings):
                for left_out in _left_out(order):
                    found = match(tape, position, subject, (family, order), seeding, left_out)
                    if found:
                        return found
    return None


def _left_out(order: Order) -> tuple[int, ...]:
    """A bias row that was folded into a draw leaves a gap at the end of each column."""
    return (0, 1) if order == "F" else (0,)


def _later(
    tape: Tape, position: int, ahead: int, left: list[Subject], seeding: Seeding | None
) -> Match | None:
    found = [
        match_
        for subject in left
        for reading in subject.readings
        for match_ in _matches(tape, position, ahead, subject, reading, seeding)
    ]
    return min(found, key=lambda each: each.position, default=None)


def _matches(
    tape: Tape,
    position: int,
    ahead: int,
    subject: Subject,
    reading: tuple[str, Order],
    seeding: Seeding | None,
) -> Iterator[Match]:
    for place in places(tape, position, ahead, subject, reading):
        for left_out in _left_out(reading[1]):
            found = match(tape, place, subject, reading, seeding, left_out)
            if found:
                yield found
                return

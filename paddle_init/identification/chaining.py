"""From one parameter's place in a stream to those of the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from paddle_init.identification.matching import Match, begins, match, places
from paddle_init.identification.subjects import STARTS, Reading, Subject
from paddle_init.identification.tape import Tape
from paddle_init.specs import Seeding

__all__ = ["AHEAD", "chain"]

# Draws that are searched for the next parameter where none begins at once.
AHEAD = 1 << 18
MOST_STARTS = max(STARTS.values())


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
    starts = _starts(tape, position)
    for subject in left:
        for reading in subject.readings:
            found = _match(tape, position, subject, reading, seeding, starts)
            if found:
                return found
    return None


def _later(
    tape: Tape, position: int, ahead: int, left: list[Subject], seeding: Seeding | None
) -> Match | None:
    found = (
        _first(tape, position, ahead, subject, reading, seeding)
        for subject in left
        for reading in subject.readings
    )
    return min(filter(None, found), key=lambda each: each.position, default=None)


def _first(
    tape: Tape,
    position: int,
    ahead: int,
    subject: Subject,
    reading: Reading,
    seeding: Seeding | None,
) -> Match | None:
    for place in places(tape, position, ahead, subject, reading):
        found = _match(tape, place, subject, reading, seeding, _starts(tape, place))
        if found:
            return found
    return None


def _starts(tape: Tape, position: int) -> dict[str, NDArray[np.float32]]:
    """Return the first values that are drawn from a position, of each family."""
    normals = tape.normals(position, MOST_STARTS)
    starts = {"uniform": 2 * tape.uniforms(position, MOST_STARTS) - 1}
    return starts | ({"normal": normals[0]} if normals else {})


def _match(
    tape: Tape,
    position: int,
    subject: Subject,
    reading: Reading,
    seeding: Seeding | None,
    starts: Mapping[str, NDArray[np.float32]],
) -> Match | None:
    family, order = reading
    if family not in starts:
        return None
    if not begins(subject.start(order), starts[family], subject.roundings):
        return None
    # A bias row that was folded into a draw leaves a gap at the end of each column.
    gaps = (0, 1) if order == "F" else (0,)
    found = (match(tape, position, subject, reading, seeding, rows) for rows in gaps)
    return next(filter(None, found), None)

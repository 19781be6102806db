"""A stretch of a stream, indexed by order: where in it may a parameter have been drawn?"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from paddle_init.identification.order_index import SPAN, OrderIndex, comparisons
from paddle_init.identification.prefilter import FEW, on_a_line
from paddle_init.identification.starts import Tape
from paddle_init.identification.subjects import Reading, Subject
from paddle_init.identification.truncated_fitting import untruncated

__all__ = ["FEWEST_FOUND", "Chunk"]

# Fewer values are not searched in the middle of a stream.
FEWEST_FOUND = 4
# Where in a parameter the values are compared, as shares of its length.
SHARES = (0.0, 0.34, 0.67)
# So many places are looked at on a line only; fewer by order alone.
MANY = 32
MARGIN = 4 * SPAN


class Chunk:
    """Draws at positions [start, start + count) of a tape."""

    def __init__(self, tape: Tape, start: int, count: int) -> None:
        self._tape, self._start, self._count = tape, start, count

    @cached_property
    def _uniforms(self) -> NDArray[np.float32]:
        return self._tape.uniforms(self._start, self._count + MARGIN)

    @cached_property
    def _uniform_index(self) -> OrderIndex:
        return OrderIndex(comparisons(self._uniforms)[: self._count])

    @cached_property
    def _untruncated(self) -> NDArray[np.float64]:
        return untruncated(self._uniforms)

    @cached_property
    def _pairs(self) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """Both sequences of tries, one behind the other."""
        halves = [self._tape.pairs(self._start + odd, self._count + MARGIN - odd) for odd in (0, 1)]
        return (
            np.concatenate([places for places, _ in halves]),
            np.concatenate([values for _, values in halves]),
        )

    @cached_property
    def _normal_index(self) -> OrderIndex:
        return OrderIndex(np.ascontiguousarray(comparisons(self._pairs[1])[::2]))

    def places(self, subject: Subject, reading: Reading) -> list[tuple[int, int]]:
        """Return positions where a parameter may begin, each with where values were compared.

        The place that was compared lies in the chunk; the beginning may lie before it.
        """
        found: dict[int, int] = {}
        drawn = subject.drawn(reading)
        for share in SHARES:
            offset = int(share * drawn) // 2 * 2
            if offset and drawn - offset < SPAN:
                break
            for position in self._at(subject, reading, offset):
                found.setdefault(position, offset)
        return sorted(found.items())

    def _at(self, subject: Subject, reading: Reading, offset: int) -> list[int]:
        part, word, mask = subject.window(reading, offset)
        if mask.bit_count() < FEWEST_FOUND - 1:
            return []
        few = np.arange(min(FEW, part.size))
        if reading.kind == "uniform":
            places = self._uniform_index.places(word, mask)
            places = places[places + part.size <= self._uniforms.size]
            if places.size > MANY or part.size < SPAN // 2:
                rows = few[:, None] + places
                fits = on_a_line(self._uniforms[rows], part, subject)
                fits |= on_a_line(self._untruncated[rows], part, subject)
                if part.size >= SPAN // 4 and places.size <= MANY:
                    fits[:] = True
                places = places[fits]
            begins = self._start + places - offset
            return [int(position) for position in begins[begins >= 0]]
        starts, values = self._pairs
        places = self._normal_index.places(word, mask)
        places = places[2 * places + part.size <= values.size]
        if places.size > MANY or part.size < SPAN // 2:
            places = places[on_a_line(values[few[:, None] + 2 * places], part, subject)]
        inside = starts[places][starts[places] < self._start + self._count]
        before = (self._tape.before(int(position), offset // 2) for position in inside)
        return [position for position in before if position is not None]

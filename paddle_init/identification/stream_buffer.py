"""One stream's draws by position, and where among them a parameter may have been drawn."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.frameworks.base import Framework
from paddle_init.frameworks.registry import usual_framework
from paddle_init.identification.parameters import Kind, Reading, Subject
from paddle_init.identification.prefilter import FEW, SPAN, OrderIndex, comparisons, on_a_line
from paddle_init.identification.truncated_fitting import untruncated
from paddle_init.specs import Seeding
from paddle_init.streams import State, Stream, polar
from paddle_init.streams.kernels import numpy_kernels

LONGEST = 1 << 27
CHUNK = 1 << 16


class StreamBuffer:
    """Draws of one stream by position; read as far as is asked for, at most `LONGEST`.

    `seeding` says how the stream starts, where that is known.
    """

    def __init__(self, stream: Stream, seeding: Seeding | None = None) -> None:
        self.seeding = seeding
        self._start: State = stream.state
        self._stream = Stream.restore(stream.state, path="numpy")
        self._kernels = numpy_kernels(stream.engine, np.dtype(np.float32))
        self._uniforms = np.empty(0, np.float32)
        self._known = 0

    @classmethod
    def seeded(cls, seeding: Seeding, framework: Framework | None = None) -> StreamBuffer:
        """Return the stream that a framework seeds so; by default the one that usually does."""
        return cls(next((framework or usual_framework(seeding)).streams(seeding)), seeding)

    @classmethod
    def from_state(cls, engine: str, state: int) -> StreamBuffer:
        """Return the stream of an LCG behind a state."""
        return cls(Stream.restore(State(engine, (state,)), path="numpy"))

    @property
    def engine(self) -> str:
        return self._start.engine

    @property
    def state(self) -> int | None:
        """The state of an LCG at position 0; None where the seeding says it, or of others."""
        words = self._start.words
        return int(words[0]) if len(words) == 1 and self.seeding is None else None

    def draws(
        self, kind: Kind, position: int, count: int
    ) -> tuple[NDArray[np.float32], int] | None:
        """Return `count` standard draws and the position after them; None where it ends before."""
        if kind == "normal":
            return self.normals(position, count)
        values = self.uniforms(position, count)
        return (values, position + count) if values.size == count else None

    def end(self, kind: Kind, position: int, count: int) -> int | None:
        """Return the position after so many draws, which for uniforms may lie beyond `LONGEST`."""
        if kind == "uniform":
            return position + count
        taken = self.normals(position, count)
        return None if taken is None else taken[1]

    def uniforms(self, position: int, count: int) -> NDArray[np.float32]:
        """Return u at positions [position, position + count), shorter where the buffer ends."""
        end = min(position + count, LONGEST)
        if end > self._known:
            self._read(end)
        return self._uniforms[position:end]

    def normals(self, position: int, count: int) -> tuple[NDArray[np.float32], int] | None:
        """Return `count` standard normals of a new distribution, and the position after them.

        None where the buffer ends before.
        """
        pairs = (count + 1) // 2
        kept: list[NDArray[Any]] = []
        at = position
        while pairs:
            # Never more tries than pairs still wanted: the end must be where C++ stops.
            drawn = self.uniforms(at, 2 * pairs).copy()
            if drawn.size < 2 * pairs:
                return None
            points = np.empty_like(drawn)
            found = self._kernels.try_points(drawn, points)
            kept.append(points[: 2 * found].copy())
            at += 2 * pairs
            pairs -= found
        points = np.concatenate(kept) if kept else np.empty(0, np.float32)
        values = np.empty_like(points)
        self._kernels.finish(points, values, np.float32(0), np.float32(1))
        return values[:count], at

    def pairs(self, position: int, count: int) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """Return the positions of accepted tries among `count` draws, and their normals in turn.

        Tries begin at `position` and every second draw behind it.
        """
        drawn = self.uniforms(position, count)
        points = drawn[: drawn.size // 2 * 2].reshape(-1, 2) * np.float32(2) - np.float32(1)
        accepted = np.flatnonzero(in_disc(points[:, 0], points[:, 1]))
        points = points[accepted].reshape(-1)
        values = np.empty_like(points)
        polar.finish(points, values, np.float32(0), np.float32(1))
        return position + 2 * accepted, values

    def before(self, position: int, pairs: int) -> int | None:
        """Return where the accepted try lies that is so many `pairs` before `position`."""
        at, left = position, pairs
        while left:
            count = min(at // 2, max(64, left + left // 2))
            if not count:
                return None
            points = self._uniforms[at - 2 * count : at] * np.float32(2) - np.float32(1)
            accepted = np.flatnonzero(in_disc(points[::2], points[1::2]))
            if accepted.size >= left:
                return at - 2 * count + 2 * int(accepted[-left])
            left -= accepted.size
            at -= 2 * count
        return at

    def rejected_since(self, position: int) -> int:
        """Return the first position from which on all tries before `position` were rejected."""
        at = position
        while at >= 2:
            points = self._uniforms[at - 2 : at] * np.float32(2) - np.float32(1)
            if in_disc(points[:1], points[1:])[0]:
                break
            at -= 2
        return at

    def _read(self, end: int) -> None:
        room = max(end, min(LONGEST, 2 * self._known), CHUNK)
        count = room - self._known
        if self._uniforms.size < room:
            grown = np.empty(room, np.float32)
            grown[: self._known] = self._uniforms[: self._known]
            self._uniforms = grown
        self._kernels.canonical(self._stream.raw(count), self._uniforms[self._known : room])
        self._known = room


def in_disc(x: NDArray[np.float32], y: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Tell which points the polar method accepts, as libstdc++ rounds in float32."""
    square = x * x + y * y
    inside: NDArray[np.bool_] = (square <= 1) & (square > 0)
    return inside


# Fewer values are not searched in the middle of a stream.
FEWEST_FOUND = 4
# Where in a parameter the values are compared, as shares of its length.
SHARES = (0.0, 0.34, 0.67)
# So many places are looked at on a line only; fewer by order alone.
MANY = 32
MARGIN = 4 * SPAN


class IndexedDraws:
    """Draws at positions [start, start + count) of a stream, indexed by their order."""

    def __init__(self, buffer: StreamBuffer, start: int, count: int) -> None:
        self._buffer, self._start, self._count = buffer, start, count

    @cached_property
    def _uniforms(self) -> NDArray[np.float32]:
        return self._buffer.uniforms(self._start, self._count + MARGIN)

    @cached_property
    def _uniform_index(self) -> OrderIndex:
        return OrderIndex(comparisons(self._uniforms)[: self._count])

    @cached_property
    def _untruncated(self) -> NDArray[np.float64]:
        return untruncated(self._uniforms)

    @cached_property
    def _pairs(self) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """Both sequences of tries, one behind the other."""
        count = self._count + MARGIN
        halves = [self._buffer.pairs(self._start + odd, count - odd) for odd in (0, 1)]
        return (
            np.concatenate([places for places, _ in halves]),
            np.concatenate([values for _, values in halves]),
        )

    @cached_property
    def _normal_index(self) -> OrderIndex:
        return OrderIndex(np.ascontiguousarray(comparisons(self._pairs[1])[::2]))

    def places(self, subject: Subject, reading: Reading) -> list[tuple[int, int]]:
        """Return positions where a parameter may begin, each with where values were compared.

        The place that was compared lies in these draws; the beginning may lie before it.
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
                fits = on_a_line(self._uniforms[rows], part, subject.rounding)
                fits |= on_a_line(self._untruncated[rows], part, subject.rounding)
                if part.size >= SPAN // 4 and places.size <= MANY:
                    fits[:] = True
                places = places[fits]
            begins = self._start + places - offset
            return [int(position) for position in begins[begins >= 0]]
        starts, values = self._pairs
        places = self._normal_index.places(word, mask)
        places = places[2 * places + part.size <= values.size]
        if places.size > MANY or part.size < SPAN // 2:
            rows = few[:, None] + 2 * places
            places = places[on_a_line(values[rows], part, subject.rounding)]
        inside = starts[places][starts[places] < self._start + self._count]
        before = (self._buffer.before(int(position), offset // 2) for position in inside)
        return [position for position in before if position is not None]

"""An engine's draws from one state on, with positions: what is drawn from any of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.streams import State, Stream, polar
from paddle_init.streams.kernels import numpy_kernels

__all__ = ["LONGEST", "Tape", "in_disc"]

LONGEST = 1 << 27
CHUNK = 1 << 16


class Tape:
    """Draws of one stream by position; read as far as is asked for, at most `LONGEST`."""

    def __init__(self, stream: Stream) -> None:
        self.start: State = stream.state
        self._stream = Stream.restore(stream.state, path="numpy")
        self._kernels = numpy_kernels(stream.engine, np.dtype(np.float32))
        self._uniforms = np.empty(0, np.float32)
        self._known = 0

    def uniforms(self, position: int, count: int) -> NDArray[np.float32]:
        """Return u at positions [position, position + count), shorter where the tape ends."""
        end = min(position + count, LONGEST)
        if end > self._known:
            self._read(end)
        return self._uniforms[position:end]

    def normals(self, position: int, count: int) -> tuple[NDArray[np.float32], int] | None:
        """Return `count` standard normals of a new distribution, and the position after them.

        None where the tape is too short.
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

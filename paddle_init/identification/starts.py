"""The first draws of many seeds at once, and which of them draw a parameter first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.identification.order_index import SPAN, OrderIndex, comparisons
from paddle_init.identification.prefilter import FEW, on_a_line
from paddle_init.identification.subjects import Kind, Reading, Subject
from paddle_init.identification.truncated_fitting import untruncated
from paddle_init.specs import Seeding
from paddle_init.streams import State, Stream, polar
from paddle_init.streams.engines import MersenneTwister, engine_named
from paddle_init.streams.kernels import numpy_kernels

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


# Draws of each seed: enough for its first values, and for those behind altered ones.
FIRST, DEEP = 96, 312
# Where in a parameter the values are compared: at its start, and behind values that were altered.
OFFSETS = (0, 16, 32, 64, 128, 192)
FEWEST_COMPARED = 16
# Places that are left by order alone and are looked at one by one.
MANY = 32


def _dates() -> Iterable[int]:
    return (
        year * 10000 + month * 100 + day
        for year in range(2014, 2028)
        for month in range(1, 13)
        for day in range(1, 32)
    )


COMMON_SEEDS: tuple[int, ...] = tuple(
    dict.fromkeys(
        [
            *range(10001),
            *(12345, 54321, 123456, 654321, 1234567, 12345678, 123456789, 987654321, 1234567890),
            *(31337, 65535, 65536, 99999, 100000, 1000000, 2**31 - 1, 2**32 - 1),
            *(0xDEADBEEF, 0xC0FFEE, 0xCAFEBABE, 19650218, 34342423252),
            *_dates(),
        ]
    )
)


@dataclass(frozen=True, eq=False)
class Starts:
    """What seeds begin with.

    Parameters
    ----------
    uniforms
        In [0, 1), shape [draws, seeds].
    deeper
        Returns the same seeds with DEEP draws of each.
    """

    seedings: tuple[Seeding, ...]
    uniforms: NDArray[np.float32]
    deeper: Callable[[], Starts]

    @cached_property
    def normals(self) -> NDArray[np.float32]:
        """The first standard normals of each seed, as many as all of them have."""
        points = np.float32(2) * self.uniforms - np.float32(1)
        x, y = points[::2], points[1::2]
        accepted = in_disc(x, y)
        pairs = int(accepted.sum(axis=0).min(initial=len(x)))
        rank = np.cumsum(accepted, axis=0) - 1
        trial, seed = np.nonzero(accepted & (rank < pairs))
        flat = np.stack([x[trial, seed], y[trial, seed]], axis=1).reshape(-1)
        z = np.empty_like(flat)
        polar.finish(flat, z, np.float32(0), np.float32(1))
        normals = np.empty((2 * pairs, x.shape[1]), np.float32)
        place = 2 * rank[trial, seed]
        normals[place, seed], normals[place + 1, seed] = z[::2], z[1::2]
        return normals

    def standardized(self, kind: Kind) -> NDArray[np.float32]:
        """Each seed's first draws without their mean and std: the products with any other such
        column, over the number of draws, are correlations."""
        if kind not in self._standardized:
            values = self.normals if kind == "normal" else self.uniforms
            centered = values - values.mean(axis=0)
            self._standardized[kind] = centered / centered.std(axis=0)
        return self._standardized[kind]

    @cached_property
    def _standardized(self) -> dict[Kind, NDArray[np.float32]]:
        return {}

    @cached_property
    def _indexes(self) -> dict[tuple[Kind, int], OrderIndex]:
        return {}

    def _index(self, kind: Kind, offset: int) -> OrderIndex:
        if (kind, offset) not in self._indexes:
            values = self.normals if kind == "normal" else self.uniforms
            part = values[offset : offset + SPAN]
            words = np.ascontiguousarray(comparisons(part)[0])
            self._indexes[kind, offset] = OrderIndex(words, len(part) - 1)
        return self._indexes[kind, offset]

    def drawing(self, subject: Subject, reading: Reading) -> list[tuple[Seeding, int]]:
        """Return the seedings that may draw a parameter first.

        Returns
        -------
        list of (Seeding, int)
            The int is the drawn value from which on they were compared.
        """
        values = self.normals if reading.kind == "normal" else self.uniforms
        found: dict[int, int] = {}
        for offset in OFFSETS:
            if offset and min(len(values), subject.drawn(reading)) - offset <= FEWEST_COMPARED:
                break
            part, word, mask = subject.window(reading, offset)
            if mask.bit_count() < (FEWEST_COMPARED if offset else 2):
                continue
            seeds = self._index(reading.kind, offset).places(word, mask)
            if seeds.size:
                # All are on a line but for truncated normals, whose values are on a curve.
                drawn = values[offset : offset + min(FEW, part.size)][:, seeds]
                fits = on_a_line(drawn, part, subject)
                if reading.kind == "uniform":
                    fits |= on_a_line(untruncated(drawn), part, subject)
                    if part.size >= FEWEST_COMPARED:
                        fits[:] |= seeds.size <= MANY
                for seed in seeds[fits]:
                    found.setdefault(int(seed), offset)
        return [(self.seedings[seed], offset) for seed, offset in found.items()]


def integer_starts(
    name: str, seeds: Iterable[int], *, op: bool = False, draws: int = FIRST
) -> Starts:
    """Seed an engine of many by integers; `op` says that they are Paddle's op seeds."""
    values = tuple(seeds)
    engine = _twister(name)
    words = np.empty((engine.n + draws, len(values)), engine.word)
    words[0] = np.array([value & engine.maximum for value in values], engine.word)
    for i in range(1, min(engine.n, engine.m + draws + 1)):
        last = words[i - 1]
        words[i] = engine.word.type(engine.f) * (
            last ^ (last >> engine.word.type(engine.bits - 2))
        ) + engine.word.type(i)
    key = "op_seed" if op else "seed"
    seedings = tuple(Seeding(name, **{key: value}) for value in values)  # type: ignore[arg-type]
    deeper = partial(integer_starts, name, values, op=op, draws=DEEP)
    return Starts(seedings, _first_uniforms(engine, words, draws), deeper)


def sequence_starts(
    name: str, sequences: Iterable[tuple[int, ...]], framework: str, draws: int = FIRST
) -> Starts:
    """Seed an engine of many by seed sequences of one length; Paddle's seed s is {s}."""
    values = tuple(sequences)
    engine = _twister(name)
    words = np.empty((engine.n + draws, len(values)), engine.word)
    _seed(words[: engine.n], values, engine.bits // 32)
    seedings = tuple(
        Seeding(name, seed=value[0]) if framework == "paddle" else Seeding(name, seed_seq=value)
        for value in values
    )
    deeper = partial(sequence_starts, name, values, framework, DEEP)
    return Starts(seedings, _first_uniforms(engine, words, draws), deeper)


def paddle_starts_behind(seeds: Sequence[int], position: int) -> Starts:
    """Return what paddle.seed's seeds draw from a position on, in place of the start."""
    engine = _twister("mt19937_64")
    words = np.empty((engine.n, len(seeds)), engine.word)
    _seed(words, tuple((seed,) for seed in seeds), 2)
    for _ in range(position // engine.n + 1):
        _twist(engine, words)
    offset = position % engine.n
    drawn = words[offset : offset + FIRST].copy()
    if len(drawn) < FIRST:
        _twist(engine, words)
        drawn = np.concatenate([drawn, words[: FIRST - len(drawn)]])
    engine.temper(drawn.reshape(-1))
    uniforms = drawn.astype(np.float32) * np.float32(2.0**-engine.bits)
    seedings = tuple(Seeding(engine.name, seed=seed) for seed in seeds)
    return Starts(seedings, uniforms, partial(paddle_starts_behind, seeds, position))


def _twist(engine: MersenneTwister, words: NDArray[Any]) -> None:
    """Replace states, shape [words, seeds], by what follows them; of mt19937_64, where n = 2 m."""
    one, upper = engine.word.type(1), engine.word.type(engine.upper)
    half = engine.m
    for start, stop in ((0, half), (half, engine.n)):
        y = words[start:stop] & upper
        y[:-1] |= words[start + 1 : stop] & ~upper
        y[-1] |= words[stop % engine.n] & ~upper
        odd = engine.word.type(0) - (y & one)
        y >>= one
        y ^= odd & engine.word.type(engine.a)
        y ^= words[half:] if not start else words[:half]
        words[start:stop] = y


def _seed(words: NDArray[Any], sequences: tuple[tuple[int, ...], ...], parts: int) -> None:
    generated = _generate(np.array(sequences, np.int64).T, len(words) * parts)
    if parts == 1:
        words[:] = generated
        return
    words[:] = generated[1::2]
    words <<= words.dtype.type(32)
    words |= generated[::2]


def _twister(name: str) -> MersenneTwister:
    engine = engine_named(name)
    assert isinstance(engine, MersenneTwister)
    return engine


def _first_uniforms(
    engine: MersenneTwister, words: NDArray[Any], draws: int
) -> NDArray[np.float32]:
    """Return the first draws, as float32 in [0, 1), of states that are the first rows of `words`.

    The other rows are filled.
    """
    one, upper = engine.word.type(1), engine.word.type(engine.upper)
    n, m = engine.n, engine.m
    uniforms = np.empty((draws, words.shape[1]), np.float32)
    start = 0
    while start < draws:  # a new word is made of three old ones, the last n - m rows before it
        stop = min(start + n - m, draws)
        y = (words[start:stop] & upper) | (words[start + 1 : stop + 1] & ~upper)
        odd = engine.word.type(0) - (y & one)
        y >>= one
        y ^= words[start + m : stop + m]
        y ^= odd & engine.word.type(engine.a)
        words[n + start : n + stop] = y
        engine.temper(y.reshape(-1))
        np.multiply(y.astype(np.float32), np.float32(2.0**-engine.bits), uniforms[start:stop])
        start = stop
    return uniforms


def _generate(values: NDArray[np.int64], n: int) -> NDArray[np.uint32]:
    """std::seed_seq's words, shape [n, seeds], of values [length, seeds]: seed_sequence in bulk."""
    v = values.astype(np.uint64).astype(np.uint32)
    s = len(v)
    t = 11 if n >= 623 else 7 if n >= 68 else 5 if n >= 39 else 3 if n >= 7 else (n - 1) // 2
    p = (n - t) // 2
    q = p + t
    m = max(s + 1, n)
    b = np.full((n, v.shape[1]), 0x8B8B8B8B, np.uint32)

    def scrambled(word: NDArray[np.uint32], factor: int) -> NDArray[np.uint32]:
        mixed: NDArray[np.uint32] = (word ^ (word >> np.uint32(27))) * np.uint32(factor)
        return mixed

    for k in range(m):
        here, near, far = k % n, (k + p) % n, (k + q) % n
        r1 = scrambled(b[here] ^ b[near] ^ b[(k - 1) % n], 1664525)
        if k == 0:
            r2 = r1 + np.uint32(s)
        else:
            r2 = r1 + np.uint32(here) + v[k - 1] if k <= s else r1 + np.uint32(here)
        b[near] += r1
        b[far] += r2
        b[here] = r2
    for k in range(m, m + n):
        here, near, far = k % n, (k + p) % n, (k + q) % n
        r3 = scrambled(b[here] + b[near] + b[(k - 1) % n], 1566083941)
        r4 = r3 - np.uint32(here)
        b[near] ^= r3
        b[far] ^= r4
        b[here] = r4
    return b

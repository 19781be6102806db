"""The first draws of many seeds at once, and which of them draw a parameter first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paddle_init.frameworks.base import StreamHypothesis
from paddle_init.identification.parameters import Kind, Reading, Subject
from paddle_init.identification.prefilter import FEW, SPAN, OrderIndex, comparisons, on_a_line
from paddle_init.identification.stream_buffer import in_disc
from paddle_init.identification.truncated_fitting import untruncated
from paddle_init.specs import Seeding
from paddle_init.specs.frameworks import SeedKey
from paddle_init.streams import polar
from paddle_init.streams.engines import MersenneTwister, engine_named

# What each seed gives std::seed_seq; one number where the engine takes the seed itself.
Sequences: TypeAlias = Sequence[tuple[int, ...]]

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
COUNTERS = tuple(tuple(range(c, c + 4)) for c in range(257))


@dataclass(frozen=True, eq=False)
class SeedTable:
    """What seeds begin with.

    Parameters
    ----------
    uniforms
        In [0, 1), shape [draws, seeds].
    with_more
        Returns the same seeds with DEEP draws of each.
    """

    seedings: tuple[Seeding, ...]
    uniforms: NDArray[np.float32]
    with_more: Callable[[], SeedTable]

    @cached_property
    def deeper(self) -> SeedTable:
        """The same seeds with more draws of each."""
        return self.with_more()

    def draws(self, kind: Kind) -> NDArray[np.float32]:
        return self.normals if kind == "normal" else self.uniforms

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
            values = self.draws(kind)
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
            values = self.draws(kind)
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
        values = self.draws(reading.kind)
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
                fits = on_a_line(drawn, part, subject.rounding)
                if reading.kind == "uniform":
                    fits |= on_a_line(untruncated(drawn), part, subject.rounding)
                    if part.size >= FEWEST_COMPARED:
                        fits[:] |= seeds.size <= MANY
                for seed in seeds[fits]:
                    found.setdefault(int(seed), offset)
        return [(self.seedings[seed], offset) for seed, offset in found.items()]


def hypothesis_table(hypothesis: StreamHypothesis) -> SeedTable:
    """Return what the usual seeds of a framework's streams draw first."""
    return seed_table(
        hypothesis.engine, hypothesis.key, usual_seeds(hypothesis), sequence=hypothesis.sequence
    )


def usual_seeds(hypothesis: StreamHypothesis) -> Sequences:
    """Return the seeds that are searched; an op seed is a positive int32, or -1."""
    if hypothesis.seeds == "counters":
        return COUNTERS
    if hypothesis.key == "op_seed":
        return tuple((seed,) for seed in (*COMMON_SEEDS, -1) if seed == -1 or 0 < seed < 2**31)
    return tuple((seed,) for seed in COMMON_SEEDS)


def seed_table(
    name: str, key: SeedKey, seeds: Sequences, *, sequence: bool, draws: int = FIRST
) -> SeedTable:
    """Seed an engine many times: by seed sequences of one length, or by one integer each.

    `key` is what the seeds are given as, in a `Seeding`.
    """
    engine = twister(name)
    words = np.empty((engine.n + draws, len(seeds)), engine.word)
    if sequence:
        _seed(words[: engine.n], seeds, engine.bits // 32)
    else:
        words[0] = np.array([seed & engine.maximum for (seed,) in seeds], engine.word)
        for i in range(1, min(engine.n, engine.m + draws + 1)):
            last = words[i - 1]
            words[i] = engine.word.type(engine.f) * (
                last ^ (last >> engine.word.type(engine.bits - 2))
            ) + engine.word.type(i)
    given = seeds if key == "seed_seq" else [seed for (seed,) in seeds]
    seedings = tuple(Seeding(name, **{key: seed}) for seed in given)  # type: ignore[arg-type]
    deeper = partial(seed_table, name, key, seeds, sequence=sequence, draws=DEEP)
    return SeedTable(seedings, _first_uniforms(engine, words, draws), deeper)


def table_behind(hypothesis: StreamHypothesis, seeds: Sequence[int], position: int) -> SeedTable:
    """Return what seeds of a mt19937_64 draw from a position on, in place of the start."""
    engine = twister(hypothesis.engine)
    words = np.empty((engine.n, len(seeds)), engine.word)
    _seed(words, tuple((seed,) for seed in seeds), engine.bits // 32)
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
    return SeedTable(seedings, uniforms, partial(table_behind, hypothesis, seeds, position))


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


def _seed(words: NDArray[Any], sequences: Sequences, parts: int) -> None:
    generated = _generate(np.array(sequences, np.int64).T, len(words) * parts)
    if parts == 1:
        words[:] = generated
        return
    words[:] = generated[1::2]
    words <<= words.dtype.type(32)
    words |= generated[::2]


def twister(name: str) -> MersenneTwister:
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

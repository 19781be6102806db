"""Which seed? Common seeds of every engine, and every state of the two LCGs."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from paddle_init.identification.chaining import AHEAD, chain
from paddle_init.identification.folding import folded_biases
from paddle_init.identification.lcg_logarithm import PERIOD, logarithm
from paddle_init.identification.lcg_states import MODULUS, first_draws
from paddle_init.identification.matching import Match, match
from paddle_init.identification.sifting import TRIES, accepted, near, sift_normal
from paddle_init.identification.starts import (
    COMMON_SEEDS,
    Starts,
    integer_starts,
    sequence_starts,
)
from paddle_init.identification.subjects import ROUNDINGS, Subject
from paddle_init.identification.tape import LONGEST, Tape
from paddle_init.specs import Seeding
from paddle_init.streams import State, Stream
from paddle_init.streams.engines import engine_named
from paddle_init.streams.lcg import LinearCongruential

__all__ = ["FAMOUS_SEEDS", "search"]

LCGS = ("minstd_rand0", "minstd_rand")
FAMOUS_SEEDS = (*range(11), 42, 100, 123, 1234, 1337, 12345, 2**31 - 1, *range(2015, 2028))
COUNTERS = tuple(tuple(range(c, c + 4)) for c in range(257))
# The probability at which a seed that is so near by chance is still named.
COINCIDENCE = 1e-3
STARTS_TRIED = 64
# Half types leave a million states to look at for each parameter; those of a net have one stream.
WIDE_SEARCHED = 2
# In so few tries nearly every place draws two pairs, and nearly every wrong one shows.
FEW_TRIES = (3, 6)


def search(subjects: list[Subject], ahead: int = AHEAD) -> list[Match]:
    """Find the streams of parameters; those without a match are in none that was searched.

    Parameters
    ----------
    ahead
        How many draws of each famous seed, and behind each parameter that is found, are searched.
    """
    found: dict[str, Match] = {}

    def left() -> list[Subject]:
        return [s for s in subjects if s.searchable and s.name not in found]

    def take(matches: list[Match]) -> None:
        for each in matches:
            found.setdefault(each.name, each)

    for seeding, subject in _started(left()):
        if subject.name in found:
            continue
        # An op seed is for one parameter each; abacus with that engine and seed runs on.
        further = ahead if seeding.op_seed is None else 0
        take(chain(Tape(_stream(seeding)), left(), seeding, further))
    for engine in LCGS:
        take(_whole_space(engine, left(), ahead))
    take(_from_famous(left(), ahead))
    for tape, matches in _by_tape(found.values()):
        found.update({each.name: each for each in folded_biases(tape, matches, subjects)})
    return list(found.values())


def _by_tape(matches: Iterable[Match]) -> Iterator[tuple[Tape, list[Match]]]:
    groups: dict[tuple[str, Seeding | None, int | None], list[Match]] = {}
    for each in matches:
        groups.setdefault((each.engine, each.seeding, each.state), []).append(each)
    for (engine, seeding, state), group in list(groups.items()):
        yield Tape(_stream(seeding) if seeding else _restored(engine, state or 1)), group


def _stream(seeding: Seeding) -> Stream:
    """Return the stream as its framework seeds it: Paddle's seed goes through a seed_seq."""
    if seeding.seed_seq is not None:
        return Stream(seeding.engine, seed_seq=seeding.seed_seq)
    if seeding.op_seed is not None:
        return Stream(seeding.engine, seeding.op_seed % 2**64)
    if seeding.engine == "mt19937_64":
        return Stream(seeding.engine, seed_seq=[seeding.seed or 0])
    return Stream(seeding.engine, seeding.seed)


@functools.cache
def _tables() -> tuple[Starts, ...]:
    ops = [*(seed for seed in COMMON_SEEDS if 0 < seed < 2**31), -1]
    return (
        sequence_starts("mt19937_64", [(seed,) for seed in COMMON_SEEDS], "paddle"),
        integer_starts("mt19937_64", ops, op=True),
        integer_starts("mt19937", COMMON_SEEDS),
        sequence_starts("mt19937", COUNTERS, "abacus"),
        sequence_starts("mt19937_64", COUNTERS, "abacus"),
    )


def _started(subjects: list[Subject]) -> Iterator[tuple[Seeding, Subject]]:
    """Yield common seeds whose stream begins with a parameter."""
    if not subjects:
        return
    for table in _tables():
        for subject in subjects:
            for family, order in subject.readings:
                alike = table.alike(subject.start(order), family, subject.roundings)
                yield from ((seeding, subject) for seeding in alike[:STARTS_TRIED])


def _whole_space(engine: str, subjects: list[Subject], ahead: int) -> list[Match]:
    """Find any state of an LCG that draws a parameter; then how it is reached from a seed."""
    by_state = {}
    exact = [s for s in subjects if s.roundings <= ROUNDINGS["float32"]]
    wide = [s for s in subjects if s.roundings > ROUNDINGS["float32"]][:WIDE_SEARCHED]
    for subject in (*exact, *wide):
        if subject.array.size > 3:
            found = _state_of(engine, subject)
            if found is not None:
                by_state[subject.name] = found
    if not by_state:
        return []
    origin, seeding = _origin(engine, [each.state or 0 for each in by_state.values()])
    tape = Tape(_restored(engine, origin))
    known = [s for s in subjects if s.searchable]
    matches = {each.name: each for each in chain(tape, known, seeding, ahead)}
    return [*matches.values(), *(m for name, m in by_state.items() if name not in matches)]


def _restored(engine: str, state: int) -> Stream:
    return Stream.restore(State(engine, (state,)), path="numpy")


def _multiplier(engine: str) -> int:
    known = engine_named(engine)
    assert isinstance(known, LinearCongruential)
    return known.multiplier


def _state_of(engine: str, subject: Subject) -> Match | None:
    multiplier = _multiplier(engine)
    back = pow(multiplier, -1, MODULUS)
    for family, order in subject.readings:
        if family != "normal":
            continue
        start = subject.start(order)
        firsts = first_draws(float(start[0]), float(start[1]), multiplier, 2 * subject.roundings)
        if firsts is None:
            continue
        for first in _sifted(firsts, start, multiplier, subject.roundings):
            tape = Tape(_restored(engine, first * back % MODULUS))
            for left_out in (0, 1) if order == "F" else (0,):
                found = match(tape, 0, subject, (family, order), None, left_out)
                if found:
                    return found
    return None


def _sifted(
    firsts: NDArray[np.int64], start: NDArray[np.float64], multiplier: int, roundings: float
) -> list[int]:
    """Keep the first draws whose followers give the other first values as well."""
    for tries in FEW_TRIES:
        if firsts.size:
            drawn = accepted(_uniforms(firsts, multiplier, tries), pairs=2)
            open_yet = np.isnan(drawn[-1])
            firsts = firsts[open_yet | near(start[:4], drawn, roundings)]
    if not firsts.size:
        return []
    kept = sift_normal(_uniforms(firsts, multiplier, TRIES), start, roundings)
    return [int(first) for first in firsts[kept]]


def _uniforms(
    draws: NDArray[np.int64], multiplier: int, tries: int
) -> Iterator[NDArray[np.float32]]:
    for _ in range(2 * tries):
        yield (draws - 1).astype(np.float32) * np.float32(2.0**-31)
        draws = draws * multiplier % MODULUS


def _origin(engine: str, states: list[int]) -> tuple[int, Seeding | None]:
    """Return the likeliest state that all the others come after, and its seed if it has one.

    A seed is named where no seed so common would be so few draws away by chance.
    """
    multiplier = _multiplier(engine)
    places = [logarithm(state, multiplier) for state in states]
    best: tuple[float, Seeding] | None = None
    for rank, (seeding, place) in enumerate(_logarithms(engine)):
        away = min((other - place) % PERIOD for other in places)
        chance = (rank + 1) * (away + 1) / PERIOD * len(states)
        if away < LONGEST and (best is None or chance < best[0]):
            best = chance, seeding
    if best is not None and best[0] < COINCIDENCE:
        return int(_stream(best[1]).state.words[0]), best[1]
    # The longest way round without a state lies before the first one.
    ordered = sorted(zip(places, states, strict=True))
    gaps = [
        ((place - ordered[i - 1][0]) % PERIOD or PERIOD, state)
        for i, (place, state) in enumerate(ordered)
    ]
    return max(gaps)[1], None


@functools.cache
def _logarithms(engine: str) -> tuple[tuple[Seeding, int], ...]:
    """Return common seedings of an LCG, the most usual first, with their states' logarithms."""
    seedings = [Seeding(engine, seed_seq=COUNTERS[0]), Seeding(engine, seed=1)]
    seedings += [Seeding(engine, seed=seed) for seed in FAMOUS_SEEDS]
    seedings += [Seeding(engine, seed_seq=counter) for counter in COUNTERS]
    seedings += [Seeding(engine, seed_seq=(seed,)) for seed in FAMOUS_SEEDS]
    seedings += [Seeding(engine, seed=seed) for seed in COMMON_SEEDS]
    return tuple(
        (seeding, logarithm(int(_stream(seeding).state.words[0]), _multiplier(engine)))
        for seeding in dict.fromkeys(seedings)
    )


def _from_famous(subjects: list[Subject], ahead: int) -> list[Match]:
    """Look for parameters in the middle of Paddle's streams of famous seeds."""
    left = list(subjects)
    found: list[Match] = []
    for seed in FAMOUS_SEEDS:
        if not left:
            break
        seeding = Seeding("mt19937_64", seed=seed)
        found += chain(Tape(_stream(seeding)), left, seeding, ahead)
        names = {each.name for each in found}
        left = [subject for subject in left if subject.name not in names]
    return found

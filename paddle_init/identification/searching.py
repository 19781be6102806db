"""Which seed? Common seeds of every engine, and every state of the two LCGs."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from paddle_init.frameworks.base import StreamHypothesis
from paddle_init.frameworks.registry import searched_frameworks, usual_framework
from paddle_init.identification.fitting import TELLS
from paddle_init.identification.lcg import (
    MODULUS,
    PERIOD,
    back_to,
    first_draws_of,
    logarithm,
    windows,
)
from paddle_init.identification.matching import (
    Match,
    behind,
    folded_biases,
    match,
    moved_match,
    seeds_near,
)
from paddle_init.identification.parameters import Subject
from paddle_init.identification.records import Searched
from paddle_init.identification.seed_tables import (
    COMMON_SEEDS,
    COUNTERS,
    SeedTable,
    hypothesis_table,
    twister,
    usual_seeds,
)
from paddle_init.identification.stream_buffer import (
    FEWEST_FOUND,
    LONGEST,
    IndexedDraws,
    StreamBuffer,
)
from paddle_init.specs import Seeding
from paddle_init.streams.engines import LinearCongruential, engine_named

# Draws that are searched of a stream, and behind each parameter that is found.
AHEAD = 1 << 18
# Bits that a parameter must tell of its place in a stream: there are some 2**24 places.
BITS = 44
TRIED = 64
LCGS = ("minstd_rand0", "minstd_rand")
FAMOUS_SEEDS = (*range(11), 42, 100, 123, 1234, 1337, 12345, 2**31 - 1, *range(2015, 2028))
# The probability at which a seed that is so near by chance is still named.
COINCIDENCE = 1e-3
STARTS_TRIED = 64
# Parameters that may be the first of a trained net, and seeds that are looked at for each.
MOVED_TRIED, FEW_MOVED = 64, 4
# Draws behind a parameter with an op seed in which others are looked for.
BEHIND_OP_SEED = 64
# Half types leave a million states to look at for each parameter; those of a net have one stream.
WIDE_SEARCHED = 2
# Bits that a parameter must tell of a seed that it is the first draw of, and of an LCG's state.
START_BITS, STATE_BITS = 40, 53


def search_stream(
    buffer: StreamBuffer,
    subjects: Iterable[Subject],
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
        indexed = IndexedDraws(buffer, start, count)
        here = [each for each in (_first(buffer, indexed, s) for s in left) if each]
        found += here
        names = {each.name for each in here}
        left = [subject for subject in left if subject.name not in names]
        limit = min(LONGEST, max([limit, *(each.end + ahead for each in here)]))
        start += count
        for each in sorted(here, key=lambda m: m.position):
            if each.position < start < each.end:  # nothing else begins within
                start = each.end
    return _joined(buffer, found)


def _first(buffer: StreamBuffer, indexed: IndexedDraws, subject: Subject) -> Match | None:
    return best_match(
        match(buffer, position, subject, reading, BITS, offset)
        for reading in subject.readings
        for position, offset in indexed.places(subject, reading)[:TRIED]
    )


def best_match(matches: Iterable[Match | None]) -> Match | None:
    """Return the first match that is exact, or else the one with the fewest altered values."""
    best: Match | None = None
    for each in filter(None, matches):
        if each.alteration is None:
            return each
        if best is None or (best.alteration and each.alteration.count < best.alteration.count):
            best = each
    return best


def _joined(buffer: StreamBuffer, found: list[Match]) -> list[Match]:
    """Let each begin where the one before it ends, where only rejected tries lie between."""
    ends = {0, *(each.end for each in found)}
    joined = []
    for each in sorted(found, key=lambda m: m.position):
        position = each.position
        if each.family == "normal":
            since = buffer.rejected_since(position)
            before = [end for end in range(since, position, 2) if end in ends]
            position = max(before, default=position)
        joined.append(replace(each, position=position))
    return joined


@dataclass(frozen=True)
class Found:
    """What a search found.

    Parameters
    ----------
    matches
        Of every parameter that a searched stream draws.
    in_every_state
        The parameters that every state of the LCGs was searched for.
    """

    matches: tuple[Match, ...]
    in_every_state: frozenset[str]


def search(subjects: list[Subject], ahead: int = AHEAD) -> Found:
    """Find the streams of parameters; those without a match are in none that was searched.

    Parameters
    ----------
    ahead
        How many draws of each famous seed, and behind each parameter that is found, are searched.
    """
    found: dict[str, Match] = {}

    def left() -> list[Subject]:
        return [s for s in subjects if s.searchable and s.name not in found]

    def keep(matches: Iterable[Match]) -> None:
        for each in matches:
            found.setdefault(each.name, each)

    def search_starts(table: SeedTable) -> None:
        for subject in left():
            if subject.name not in found:
                keep(_from_start(table, subject, left, ahead))

    for table in tables():
        search_starts(table)
    searched: list[set[str]] = []
    for engine in LCGS:
        matches, names = _whole_space(engine, left(), ahead)
        searched.append(names)
        keep(matches)
    keep(_from_famous(left(), ahead))
    if left():  # once more, since first values may have been altered
        search_starts(tables()[0].deeper)
    for buffer, matches in _by_stream(found.values()):
        found.update({each.name: each for each in folded_biases(buffer, matches, subjects)})
    keep(_moved(left(), list(found.values())))
    return Found(tuple(found.values()), frozenset(set.intersection(*searched)))


def _moved(subjects: list[Subject], matches: list[Match]) -> Iterator[Match]:
    """Find moved parameters: behind those that are found, and at the start of common seeds."""
    left = {subject.name: subject for subject in subjects}

    def taken(found: Iterable[Match]) -> Iterator[Match]:
        for each in found:
            del left[each.name]
            yield each

    for buffer, group in _by_stream(matches):
        begun = {each.position for each in group}
        for position in sorted({0, *(each.end for each in group)} - begun):
            yield from taken(behind(buffer, position, left.values()))
    tried: set[str] = set()
    while len(tried) < MOVED_TRIED:
        subject = next((s for name, s in left.items() if name not in tried), None)
        if subject is None:
            return
        tried.add(subject.name)
        first = _moved_from_start(subject)
        if first is not None:
            buffer, each = first
            yield from taken([each])
            yield from taken(behind(buffer, each.end, left.values()))


def _moved_from_start(subject: Subject) -> tuple[StreamBuffer, Match] | None:
    for reading in subject.readings:
        for table in () if reading.gap else tables():
            for buffer in map(StreamBuffer.seeded, seeds_near(table, subject, reading)[:FEW_MOVED]):
                if found := moved_match(buffer, 0, subject, reading):
                    return buffer, found
    return None


def _from_start(
    table: SeedTable, subject: Subject, left: Callable[[], list[Subject]], ahead: int
) -> list[Match]:
    """Find a parameter that a common seed draws first, and the others of its stream."""
    buffers: dict[Seeding, StreamBuffer] = {}

    def matches() -> Iterator[Match | None]:
        for reading in subject.readings:
            for seeding, offset in table.drawing(subject, reading)[:STARTS_TRIED]:
                buffer = buffers.setdefault(seeding, StreamBuffer.seeded(seeding))
                yield match(buffer, 0, subject, reading, START_BITS, offset)

    first = best_match(matches())
    if first is None or first.seeding is None:
        return []
    # An op seed is for one parameter each; abacus with that engine and seed runs on.
    further = ahead if first.seeding.op_seed is None else BEHIND_OP_SEED
    return search_stream(buffers[first.seeding], left(), further, first)


def _by_stream(matches: Iterable[Match]) -> Iterator[tuple[StreamBuffer, list[Match]]]:
    groups: dict[tuple[str, Seeding | None, int | None], list[Match]] = {}
    for each in matches:
        groups.setdefault((each.engine, each.seeding, each.state), []).append(each)
    for (engine, seeding, state), group in list(groups.items()):
        if seeding is not None:
            yield StreamBuffer.seeded(seeding), group
        else:
            yield StreamBuffer.from_state(engine, state or 1), group


@functools.cache
def hypotheses() -> tuple[StreamHypothesis, ...]:
    """Return the streams of all frameworks that are searched, the likeliest first."""
    return tuple(each for one in searched_frameworks() for each in one.stream_hypotheses)


@functools.cache
def tables() -> tuple[SeedTable, ...]:
    """Return what common seeds draw first, one table for each of the hypotheses."""
    return tuple(map(hypothesis_table, hypotheses()))


def _whole_space(engine: str, subjects: list[Subject], ahead: int) -> tuple[list[Match], set[str]]:
    """Find any state of an LCG that draws a parameter; then how it is reached from a seed.

    Returns
    -------
    list of Match, set of str
        The set has the parameters that every state was searched for.
    """
    by_state: dict[str, Match] = {}
    searched: set[str] = set()
    known: set[str] = set()
    exact = [s for s in subjects if TELLS[s.dtype] == TELLS["float32"]]
    wide = [s for s in subjects if TELLS[s.dtype] < TELLS["float32"]][:WIDE_SEARCHED]
    for subject in (*exact, *wide):
        if subject.name in known or subject.array.size < FEWEST_FOUND:
            continue
        found, complete = _state_of(engine, subject)
        if complete:
            searched.add(subject.name)
        if found is not None:
            by_state[subject.name] = found
            others = [s for s in subjects if s.name not in known]
            buffer = StreamBuffer.from_state(engine, found.state or 1)
            known |= {each.name for each in search_stream(buffer, others, ahead)}
    if not by_state:
        return [], searched
    origin = origin_of(engine, [each.state or 0 for each in by_state.values()])
    if isinstance(origin, Seeding):
        buffer = StreamBuffer.seeded(origin)
    else:
        buffer = StreamBuffer.from_state(engine, origin)
    matches = {each.name: each for each in search_stream(buffer, subjects, ahead)}
    rest = [m for name, m in by_state.items() if name not in matches]
    return [*matches.values(), *rest], searched


def multiplier_of(engine: str) -> int:
    known = engine_named(engine)
    assert isinstance(known, LinearCongruential)
    return known.multiplier


def _state_of(engine: str, subject: Subject) -> tuple[Match | None, bool]:
    """Return a parameter's match, and whether every state was looked at."""
    multiplier = multiplier_of(engine)
    back = pow(multiplier, -1, MODULUS)
    complete = False
    plain = [reading for reading in subject.readings if reading.kind == "normal"]
    for reading in (each for each in plain if not each.gap):
        for place in windows(subject, reading):
            firsts = first_draws_of(subject, reading, place, multiplier)
            complete |= firsts is not None

            # At the start a bias row that was folded in cannot be told yet.
            read = [reading] if place else [each for each in plain if each.order == reading.order]
            begins = [back_to(first, place // 2, multiplier) for first in firsts or ()]
            buffers = [StreamBuffer.from_state(engine, at * back % MODULUS) for at in begins]
            found = best_match(
                match(buffer, 0, subject, each, STATE_BITS, place)
                for buffer, each in itertools.product(buffers, read)
            )
            if found:
                return found, True
    return None, complete


def origin_of(engine: str, states: list[int]) -> int | Seeding:
    """Return the likeliest state that all the others come after, as its seed if it has one.

    A seed is named where no seed so common would be so few draws away by chance.
    """
    multiplier = multiplier_of(engine)
    places = [logarithm(state, multiplier) for state in states]
    best: tuple[float, Seeding] | None = None
    for rank, (seeding, place) in enumerate(_logarithms(engine)):
        away = min((other - place) % PERIOD for other in places)
        chance = (rank + 1) * (away + 1) / PERIOD * len(states)
        if away < LONGEST and (best is None or chance < best[0]):
            best = chance, seeding
    if best is not None and best[0] < COINCIDENCE:
        return best[1]
    # The longest way round without a state lies before the first one.
    ordered = sorted(zip(places, states, strict=True))
    gaps = [
        ((place - ordered[i - 1][0]) % PERIOD or PERIOD, state)
        for i, (place, state) in enumerate(ordered)
    ]
    return max(gaps)[1]


@functools.cache
def _logarithms(engine: str) -> tuple[tuple[Seeding, int], ...]:
    """Return common seedings of an LCG, the most usual first, with their states' logarithms."""
    seedings = [Seeding(engine, seed_seq=COUNTERS[0]), Seeding(engine, seed=1)]
    seedings += [Seeding(engine, seed=seed) for seed in FAMOUS_SEEDS]
    seedings += [Seeding(engine, seed_seq=counter) for counter in COUNTERS]
    seedings += [Seeding(engine, seed_seq=(seed,)) for seed in FAMOUS_SEEDS]
    seedings += [Seeding(engine, seed=seed) for seed in COMMON_SEEDS]
    framework, multiplier = usual_framework(seedings[0]), multiplier_of(engine)
    states = {seeding: next(framework.streams(seeding)).state for seeding in seedings}
    return tuple((s, logarithm(int(state.words[0]), multiplier)) for s, state in states.items())


def famous() -> Iterator[tuple[Seeding, StreamBuffer]]:
    """Yield the likeliest streams of the likeliest framework, which are searched in the middle."""
    likeliest = hypotheses()[0]
    for seed in FAMOUS_SEEDS:
        seeding = Seeding(likeliest.engine, seed=seed)
        yield seeding, StreamBuffer.seeded(seeding)


def _from_famous(subjects: list[Subject], ahead: int) -> list[Match]:
    """Look for parameters in the middle of the streams of famous seeds."""
    left = list(subjects)
    found: list[Match] = []
    for _, buffer in famous():
        if not left:
            break
        found += search_stream(buffer, left, ahead)
        names = {each.name for each in found}
        left = [subject for subject in left if subject.name not in names]
    return found


COMMON = "0 to 10000, dates of 2014 to 2027 as YYYYMMDD, and others that are usual"
FAMOUS = "0 to 10, 2015 to 2027, 42, 100, 123, 1234, 1337, 12345, 2**31 - 1"


def searched(ahead: int) -> tuple[Searched, ...]:
    """Return what `identify` searches, with `ahead` draws of the famous seeds."""
    ordered = sorted(hypotheses(), key=lambda each: (-twister(each.engine).bits, each.seeds))
    first, *others = (_searched(each) for each in ordered)
    return (
        *(Searched(engine, "state", 2**31 - 2, "every state", None) for engine in LCGS),
        first,
        searched_famous(ahead),
        *others,
    )


def searched_famous(draws: int) -> Searched:
    """Return that so many draws of each famous seed were searched."""
    of_common = _searched(hypotheses()[0])
    return replace(of_common, seeds=len(FAMOUS_SEEDS), which=FAMOUS, draws=draws)


def _searched(each: StreamHypothesis) -> Searched:
    which = COMMON
    if each.seeds == "counters":
        which = "{c, c + 1, c + 2, c + 3}, c from 0 to 256"
    elif each.key == "seed_seq":
        which = f"{{s}}, s of {COMMON}"
    elif each.key == "op_seed":
        which = f"{COMMON}, and -1"
    key = "paddle.seed" if each.key == "seed" and each.sequence else each.key
    return Searched(each.engine, key, len(usual_seeds(each)), which, 0)

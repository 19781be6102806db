"""Which seed draws a whole net of a known structure?

The found arrays are put together to draws again: the blocks of a blockwise weight are draws of
their own, a bias row that was folded in is part of its weight's draw. The first of them, without
their means and scales, which are known, are one sequence from the start of the stream, whose order
is looked for at the start of common seeds, and in every state of an LCG. What comes later in the
net is looked for where each famous seed draws it. Every seed that is left draws the whole net with
the project's own drawing; the one that gives the most values counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import (
    Constant,
    Given,
    Normal,
    Uniform,
    Unknown,
    by_chance,
)
from paddle_init.errors import SpecError
from paddle_init.frameworks.knowledge import known_part, seeded_tensors, stream_walk
from paddle_init.frameworks.registry import framework_of
from paddle_init.frameworks.sampling import as_known, as_sampled, draw_arrays
from paddle_init.identification.fitting import TELLS, Scale
from paddle_init.identification.lcg import MODULUS, back_to, first_draws_of, windows
from paddle_init.identification.matching import (
    Alteration,
    Match,
    alteration,
    moved_from,
    seeds_near,
)
from paddle_init.identification.net_draws import (
    Arrays,
    FoundDraw,
    at_start,
    drawn_at,
    first_found,
    found_draws,
)
from paddle_init.identification.parameters import Kind, Reading, Subject
from paddle_init.identification.prefilter import SPAN
from paddle_init.identification.records import NetIdentification, Searched
from paddle_init.identification.searching import (
    COMMON,
    FEW_MOVED,
    LCGS,
    famous,
    hypotheses,
    multiplier_of,
    origin_of,
    searched,
    searched_famous,
    tables,
)
from paddle_init.identification.seed_tables import COMMON_SEEDS, table_behind
from paddle_init.identification.stream_buffer import LONGEST, StreamBuffer
from paddle_init.specs import NetSpec, Seeding
from paddle_init.specs.frameworks import framework_facts
from paddle_init.statistics.moments import point
from paddle_init.verification.comparison import bits_of

# Seeds that draw the whole net, and bits that its values must tell of the right one.
DRAWN, BITS = 64, 44
# Draws that are made to look behind the start of common seeds, and seeds that are seeded at once.
MOST_DRAWN, SEEDED = 1 << 29, 1024

# Which values of each tensor that is found are those that the net draws, flat.
Equal: TypeAlias = Mapping[str, NDArray[np.bool_]]
# A net with a seed, and what of it is found.
_Drawn: TypeAlias = tuple[NetSpec, Equal]


def identify_net(
    spec: NetSpec, found: Arrays, version: str | None = None
) -> tuple[NetIdentification, dict[str, Match]]:
    """Search the seed of a net, of whose tensors `found` holds what is known, by their names.

    Returns
    -------
    NetIdentification
    dict of str to Match
        Of every tensor that the seed draws, but for constants and altered values.
    """
    parts = found_draws(spec, found, version)
    best: _Drawn | None = None
    most = 0
    tried: set[Seeding] = set()
    whole = sum(part.count for part in parts)
    for seeding in _candidates(spec, parts):
        if seeding in tried or len(tried) == DRAWN:
            continue
        tried.add(seeding)
        drawn = _drawn(spec, seeding, found, version)
        bits, values = _told(*drawn)
        if bits >= BITS and (best is None or values > most):
            best, most = drawn, values
        if best and most == whole:
            break
    best = best or _trained(spec, parts, found, version)
    origin, told = spec.origin or "a net spec", _searched(spec, parts)
    if best is None:
        missing = tuple(t.name for t in spec.tensors if t.name not in found)
        return NetIdentification(origin, spec.framework, None, told, missing=missing), {}
    net, matches = _judged(spec, *best, found, version)
    return replace(net, spec=origin, searched=told), matches


def _drawn(spec: NetSpec, seeding: Seeding, found: Arrays, version: str | None) -> _Drawn:
    seeded = known_part(replace(spec, stream=seeding))
    return seeded, _equal(seeded, found, version)


def _trained(
    spec: NetSpec, parts: tuple[FoundDraw, ...], found: Arrays, version: str | None
) -> _Drawn | None:
    """Return the common seed of whose net the values were all moved, as by training."""
    first = at_start(parts)
    if first is None:
        return None
    subject, kind = first
    seedings = [spec.stream]
    for table in tables():
        near = seeds_near(table, subject, Reading(kind, "C"))[:FEW_MOVED]
        seedings += map(framework_of(spec).own_seeding, near)
    tried = (_drawn(spec, s, found, version) for s in dict.fromkeys(seedings) if s is not None)
    moved = ((len(_moved(*drawn, found, version)), drawn) for drawn in tried)
    most, drawn = max(moved, key=lambda each: each[0], default=(0, None))
    return drawn if most else None


def _moved(
    spec: NetSpec, equal: Equal, found: Arrays, version: str | None
) -> dict[str, Alteration]:
    """Return the tensors of which hardly a value is equal and all are near what the net draws."""
    names = [n for n, same in equal.items() if same.size and 2 * np.count_nonzero(same) < same.size]
    if not names:
        return {}
    drawn = draw_arrays(spec, version=version)
    dtypes = {tensor.name: tensor.dtype for tensor in spec.tensors}
    changed = {name: moved_from(drawn[name], found[name], dtypes[name]) for name in names}
    return {name: each for name, each in changed.items() if each is not None}


def _candidates(spec: NetSpec, parts: tuple[FoundDraw, ...]) -> Iterator[Seeding]:
    """Yield seeds that may draw the net, the likeliest first."""
    if spec.stream is not None:
        yield spec.stream
    first = at_start(parts)
    if first is not None:
        subject, kind = first
        yield from _common(spec, subject, kind)
        engines = framework_facts(spec.framework).engines
        for engine in filter(engines.__contains__, LCGS):
            yield from _states(engine, subject)
    if _op_seeds(spec):
        for part in parts[:3]:
            alone = at_start((part,))
            if alone is not None:
                yield from (s for s in _common(spec, *alone) if s.op_seed is not None)
        yield from _famous(parts)
        yield from _behind(parts)


def _op_seeds(spec: NetSpec) -> bool:
    """Tell whether draws may have seeds of their own: then streams are looked into farther."""
    return "op_seed" in framework_facts(spec.framework).seed_keys


def _common(spec: NetSpec, subject: Subject, kind: Kind) -> Iterator[Seeding]:
    own_seeding, reading = framework_of(spec).own_seeding, Reading(kind, "C")
    for deep in (False, True):
        any_found = False
        for table in tables():
            drawing = (table.deeper if deep else table).drawing(subject, reading)[:DRAWN]
            for seeding in filter(None, (own_seeding(seeding) for seeding, _ in drawing)):
                any_found = True
                yield seeding
        if any_found:
            return


def _states(engine: str, subject: Subject) -> Iterator[Seeding]:
    multiplier = multiplier_of(engine)
    back = pow(multiplier, -1, MODULUS)
    reading = Reading("normal", "C")
    for place in windows(subject, reading):
        for first in first_draws_of(subject, reading, place, multiplier) or ():
            state = back_to(first, place // 2, multiplier) * back % MODULUS
            named = origin_of(engine, [state])
            if isinstance(named, Seeding):
                yield named
            yield Seeding(engine, seed=state)


def _famous(parts: tuple[FoundDraw, ...]) -> Iterator[Seeding]:
    """Yield famous seeds that draw some part at its place in the stream."""
    for seeding, buffer in famous():
        position: int | None = 0
        for part in parts:
            if position is None or position + 2 * part.count > LONGEST:
                break
            if drawn_at(buffer, position, part):
                yield seeding
                break
            position = buffer.end(part.kind, position, part.count)


def _behind(parts: tuple[FoundDraw, ...]) -> Iterator[Seeding]:
    """Yield common seeds that draw the first part that was found, behind others."""
    position, part = first_found(parts)
    if part is None or not position:
        return
    first = at_start((part,))
    if first is None:
        return
    subject, kind = first
    wanted = COMMON_SEEDS[: seeds_behind(position)]
    for start in range(0, len(wanted), SEEDED):
        table = table_behind(hypotheses()[0], wanted[start : start + SEEDED], position)
        yield from (seeding for seeding, _ in table.drawing(subject, Reading(kind, "C")))


def seeds_behind(position: int) -> int:
    """Return how many common seeds are searched for what they draw at a position behind 0."""
    return min(len(COMMON_SEEDS), MOST_DRAWN // max(position, 1))


def _searched(spec: NetSpec, parts: tuple[FoundDraw, ...]) -> tuple[Searched, ...]:
    told: list[Searched] = []
    if not any(np.isfinite(part.values).any() for part in parts):
        return ()
    if at_start(parts) is not None:
        famous_seeds = searched_famous(0)
        known = (each for each in searched(0) if each != famous_seeds)
        if _op_seeds(spec):
            told += [each for each in known if each.seeding in ("paddle.seed", "op_seed")]
        else:
            told += [each for each in known if each.seeding != "paddle.seed"]
    if _op_seeds(spec):
        told.append(searched_famous(sum(part.count for part in parts)))
        position, part = first_found(parts)
        if part is not None and position:
            which = f"{COMMON}; as many as {MOST_DRAWN} draws allow, behind {position} draws"
            seeds = seeds_behind(position)
            told.append(replace(told[-1], seeds=seeds, which=which, draws=SPAN))
    return tuple(told)


def _equal(spec: NetSpec, found: Arrays, version: str | None) -> Equal:
    """Draw a net; tell of each tensor's values which are the found ones, bit for bit."""
    try:
        settled, _ = as_known(as_sampled(spec), partial=False)
        drawn = draw_arrays(settled, version=version)
    except SpecError:
        return {}
    equal = {}
    for name, expected in drawn.items():
        array = found.get(name)
        if array is None:
            continue
        if array.shape == expected.shape and array.dtype == expected.dtype:
            equal[name] = (bits_of(array) == bits_of(expected)).reshape(-1)
        else:
            equal[name] = np.zeros(0, np.bool_)
    return equal


def _told(spec: NetSpec, equal: Equal) -> tuple[int, int]:
    """Return how many bits the equal values tell of the seed, and how many they are."""
    bits = values = 0
    telling = seeded_tensors(spec)
    for name, same in equal.items():
        if name in telling and _random(spec, name):
            count = int(np.count_nonzero(same))
            tells = TELLS[spec.tensor_by_name[name].dtype]
            if tells == TELLS["float32"] or 2 * count > same.size:
                bits += count * tells
            values += count
    return bits, values


def _random(spec: NetSpec, name: str) -> bool:
    """Tell a tensor of which some values are left to chance."""
    held = (spec.drawn(block.draw) for block in spec.tensor_by_name[name].blocks)
    return any(by_chance(each) and point(each) is None for each in held)


def _judged(
    spec: NetSpec,
    seeded: NetSpec,
    equal: Equal,
    found: Arrays,
    version: str | None,
) -> tuple[NetIdentification, dict[str, Match]]:
    kinds: dict[str, list[str]] = {
        key: [] for key in ("confirmed", "altered", "different", "constant", "missing", "not_known")
    }
    matches = {}
    spans = _spans(seeded, version)
    moved = _moved(seeded, equal, found, version)
    for tensor in spec.tensors:
        name = tensor.name
        if name not in found:
            kinds["missing"].append(name)
        elif name not in equal:
            kinds["not_known"].append(name)
        elif name in moved:
            kinds["altered"].append(name)
            matches[name] = _matched(seeded, name, spans, moved[name])
        elif not equal[name].any() and (found[name].size or not equal[name].size):
            fits = found[name].shape == tensor.shape and not found[name].size
            kinds["constant" if fits else "different"].append(name)
        elif not _random(seeded, name):
            kinds["constant" if equal[name].all() else "altered"].append(name)
        else:
            places = np.flatnonzero(~equal[name])
            kinds["altered" if places.size else "confirmed"].append(name)
            changed = alteration(places, 0, tensor.shape, "C")
            matches[name] = _matched(seeded, name, spans, changed)
    assert seeded.stream is not None
    net = NetIdentification("", spec.framework, seeded.stream)
    names_by = {key: tuple(names) for key, names in kinds.items()}
    return replace(net, **names_by), matches  # type: ignore[arg-type]


@dataclass(frozen=True)
class _Place:
    """A place in a stream; the position is None where it is too far in it to be told."""

    seeding: Seeding
    position: int | None = 0


def _spans(spec: NetSpec, version: str | None) -> dict[str, tuple[_Place, _Place]]:
    """Return where each draw begins and ends in its stream."""
    framework, buffers = framework_of(spec, version), dict[Seeding, StreamBuffer]()

    @cache
    def end(name: str, start: _Place) -> _Place:
        draw, drawn, position = spec.draw_by_name[name], spec.drawn(name), start.position
        if position is None or 0 in draw.shape or isinstance(drawn, (Constant, Given)):
            return start
        if isinstance(drawn, Unknown):
            return replace(start, position=None if drawn.takes is None else position + drawn.takes)
        if start.seeding not in buffers:
            buffers[start.seeding] = StreamBuffer.seeded(start.seeding, framework)
        kind: Kind = "normal" if isinstance(drawn, Normal) else "uniform"
        behind = buffers[start.seeding].end(kind, position, math.prod(draw.shape))
        return replace(start, position=behind)

    assert spec.stream is not None
    walk = stream_walk(spec, _Place(spec.stream), _Place, lambda draw, here: end(draw.name, here))
    return {draw.name: (here, end(draw.name, here)) for draw, here in walk}


def _matched(
    spec: NetSpec,
    name: str,
    spans: Mapping[str, tuple[_Place, _Place]],
    changed: Alteration | None,
) -> Match:
    blocks = spec.tensor_by_name[name].blocks
    draws = [block.draw for block in blocks if by_chance(spec.drawn(block.draw))]
    drawn = spec.drawn(draws[0])
    std = float(getattr(drawn, "std", 0.0))
    if isinstance(drawn, Uniform):
        std = (drawn.high - drawn.low) / 2
    framework, seeding = framework_of(spec), spans[draws[0]][0].seeding
    starts = [spans[draw][0].position for draw in draws]
    ends = [spans[draw][1].position for draw in draws]
    single = float(np.float32(std)) if framework.float32_numbers else None
    return Match(
        name,
        seeding.engine,
        seeding,
        None,
        min((start for start in starts if start is not None), default=0),
        max((end for end in ends if end is not None), default=0),
        framework.order,
        0,
        drawn.family,
        Scale(std, std, single),
        None,
        drawn if len(set(map(spec.drawn, draws))) == 1 else None,
        changed,
    )

"""Which states of a 31-bit LCG draw given normals? Every one, whatever the scale.

A pair of values leaves some thousand draws that may have given it (`first_draws`). Each of these is
drawn on from, as libstdc++ does in float32, and kept where the values that follow agree with one
scale. Scales are intervals: that of all reals whose product with z rounds to the value. So no
candidate is lost to a tolerance. Values that were altered may stand between.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paddle_init.identification.fitting import neighbourhood
from paddle_init.identification.parameters import Reading, Subject
from paddle_init.identification.stream_buffer import in_disc
from paddle_init.streams import polar

# The polar method turns two draws e, e' = a e mod m into x = 2u - 1, y = 2u' - 1 and returns y *
# f and x * f with one factor f. So the values' ratio is y / x, whatever the scale. Along each of
# the a lines e' = a e - k m the ratio is met at one point, up to rounding: instead of m states, a
# points are looked at, 16,807 for minstd_rand0.


MODULUS = 2**31 - 1
MOST = 1 << 24

# x = 2u - 1 in float32 is off from 2 (e - 1) / 2**31 - 1 by 2**-24 at most: u by half of its last
# bit, and below u = 1/4 2u - 1 by half of its own. A u that rounds to 1 becomes 1 - 2**-24, so
# that x is off by as much as 2**-23.
GRAIN = 2.0**-23


def first_draws(
    first: float, second: float, multiplier: int, roundings: float
) -> NDArray[np.int64] | None:
    """Return every e whose pair may have given the values `first`, `second`, times any scale > 0.

    Parameters
    ----------
    roundings
        Relative error of a value, its rounding in float32 included.

    Returns
    -------
    array or None
        Candidates in [1, m - 1], to be held against more values; None where they are too many, or
        the values are 0.
    """
    a, m, unit = multiplier, MODULUS, 2.0**-30
    slope = unit * (first - a * second)
    if not first or not second or not slope:
        return None
    k = np.arange(a, dtype=np.float64)
    # first * x(e) = second * y(a e - k m), solved for e
    middle = (first * (1 + unit) - second * (1 + unit + k * (m * unit))) / slope
    reach = (abs(first) + abs(second)) * (GRAIN + roundings) / abs(slope) + 1e-3
    line = np.arange(a, dtype=np.int64) * m
    low = np.maximum(np.ceil(np.clip(middle - reach, 0, m)).astype(np.int64), line // a + 1)
    high = np.minimum(np.floor(np.clip(middle + reach, 0, m)).astype(np.int64), (line + m - 1) // a)
    counts = np.maximum(high - low + 1, 0)
    total = int(counts.sum())
    if total > MOST:
        return None
    starts = np.repeat(low, counts)
    steps = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    candidates: NDArray[np.int64] = starts + steps
    return candidates


# Pairs that are tried as a window: the first, and others spread over the values.
SPREAD = (0.0, 0.37, 0.71)
SEEN = 64
# Values that must agree with the window's pair, of so many that follow it.
AGREEING, FOLLOWING = 2, 16
# Tries of the polar method that are looked at.
TRIES = 20
# The ratio of a window's values, so that few lines are near both axes.
STEEPEST = 64.0
# float32's rounding of y * factor, before the scale.
POLAR = 2.0**-24


def windows(subject: Subject, reading: Reading) -> list[int]:
    """Return even places among the drawn values whose pair may be inverted, the first one first."""
    found = []
    drawn = subject.drawn(reading)
    starts = [int(share * drawn) // 2 * 2 for share in SPREAD]
    if not np.isfinite(subject.part(reading, 0, SEEN)).any():
        there = np.flatnonzero(np.isfinite(subject.part(reading, 0, drawn)))
        starts += [int(place) // 2 * 2 for place in there[:1]]
    for start in starts:
        part = subject.part(reading, start, SEEN)
        pairs = part[: part.size // 2 * 2].reshape(-1, 2)
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = np.abs(pairs[:, 0] / pairs[:, 1])
            steep = np.maximum(ratio, 1 / ratio)
        inverted = np.flatnonzero(np.isfinite(steep) & (ratio > 0) & (part.size > 2))
        if inverted.size:
            usual = inverted[steep[inverted] < STEEPEST]
            found.append(start + 2 * int(usual[0] if usual.size else inverted[0]))
    return list(dict.fromkeys(found))


@dataclass
class _Candidates:
    """Draws that may have given a pair, with what is known of each of them."""

    draws: NDArray[np.int64]
    first: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    place: NDArray[np.intp]
    agreeing: NDArray[np.intp]
    compared: NDArray[np.intp]

    def keep(self, kept: NDArray[np.bool_]) -> None:
        for name, values in vars(self).items():
            setattr(self, name, values[kept])


def first_draws_of(
    subject: Subject, reading: Reading, place: int, multiplier: int
) -> list[int] | None:
    """Return the engine's draws that begin the pair at `place`, an even one.

    None where the values of a half type leave too many to look at.
    """
    dtype = subject.dtype
    w = subject.part(reading, place, 2 + FOLLOWING)
    below, above = neighbourhood(w, dtype)
    with np.errstate(invalid="ignore"):
        roundings = float(((above - below) / 2 / np.abs(w))[:2].max())
    firsts = first_draws(float(w[0]), float(w[1]), multiplier, roundings + POLAR)
    if firsts is None:
        return None
    count = firsts.size
    none = (np.zeros(count, np.intp) for _ in range(3))
    known = _Candidates(firsts, firsts, np.zeros(count), np.full(count, np.inf), *none)
    single = dtype in ("float32", "float64")
    for attempt in range(TRIES):
        _one_try(known, below, above, multiplier)
        strict = not single or not attempt
        if strict:
            known.keep(known.agreeing == known.compared)
        if not attempt:
            known.keep(known.agreeing == 2)
        if not known.draws.size or (known.place >= w.size).all():
            break
    needed = np.minimum(known.compared, 2 + AGREEING)
    kept: list[int] = known.first[known.agreeing >= needed].tolist()
    return kept


def _one_try(
    known: _Candidates,
    below: NDArray[np.float64],
    above: NDArray[np.float64],
    multiplier: int,
) -> None:
    second = known.draws * multiplier % MODULUS
    x, y = _points(known.draws), _points(second)
    known.draws = second * multiplier % MODULUS
    used = np.flatnonzero(in_disc(x, y) & (known.place < below.size))
    points = np.stack([x[used], y[used]], axis=1).reshape(-1)
    z = np.empty_like(points)
    polar.finish(points, z, np.float32(0), np.float32(1))
    for step in range(2):
        place = known.place[used] + step
        there = place < below.size
        rows = used[there]
        ends = below[place[there]], above[place[there]]
        with np.errstate(divide="ignore", invalid="ignore"):
            quotients = [end / z[step::2][there].astype(np.float64) for end in ends]
        low = np.maximum(known.low[rows], np.minimum(*quotients))
        high = np.minimum(known.high[rows], np.maximum(*quotients))
        fits = low <= high
        known.compared[rows] += np.isfinite(ends[0])
        known.agreeing[rows] += fits
        known.low[rows[fits]], known.high[rows[fits]] = low[fits], high[fits]
    known.place[used] += 2


def _points(draws: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return 2u - 1 of an LCG's draws, as libstdc++ rounds it in float32."""
    u = (draws - 1).astype(np.float32) * np.float32(2.0**-31)
    np.minimum(u, np.float32(1 - 2.0**-24), out=u)
    points: NDArray[np.float32] = u + u - np.float32(1)
    return points


def back_to(first: int, pairs: int, multiplier: int) -> int:
    """Return the draw that begins the accepted pair so many `pairs` before the one at `first`."""
    back = pow(multiplier, -2, MODULUS)
    draw, left = first, pairs
    while left:
        count = max(64, left + left // 2)
        earlier = np.empty(count, np.int64)
        earlier[0], filled = draw * back % MODULUS, 1
        while filled < count:  # powers of the step, doubled
            step = pow(back, filled, MODULUS)
            part = earlier[: min(filled, count - filled)]
            earlier[filled : filled + part.size] = part * step % MODULUS
            filled += part.size
        x, y = _points(earlier), _points(earlier * multiplier % MODULUS)
        accepted = np.flatnonzero(in_disc(x, y))[:left]
        left -= accepted.size
        draw = int(earlier[accepted[-1]] if not left else earlier[-1])
    return draw


# Both multipliers are primitive roots mod 2**31 - 1, and 2**31 - 2 = 2 * 3**2 * 7 * 11 * 31 * 151
# * 331 has small factors alone, so Pohlig and Hellman's method takes a few table look-ups.
PERIOD = MODULUS - 1
FACTORS = (2, 9, 7, 11, 31, 151, 331)


@functools.cache
def _tables(multiplier: int) -> tuple[tuple[int, int, int, dict[int, int]], ...]:
    """For each factor q: q, PERIOD / q, its CRT coefficient, and logarithms in its subgroup."""
    tables = []
    for q in FACTORS:
        rest = PERIOD // q
        root = pow(multiplier, rest, MODULUS)
        logs, power = {}, 1
        for exponent in range(q):
            logs[power] = exponent
            power = power * root % MODULUS
        tables.append((q, rest, rest * pow(rest, -1, q), logs))
    return tuple(tables)


def logarithm(state: int, multiplier: int) -> int:
    """Return n in [0, 2**31 - 2) with multiplier**n = state mod 2**31 - 1.

    `logarithm(b) - logarithm(a)`, mod the period, is how many draws lead from state a to b.
    """
    parts = _tables(multiplier)
    total = sum(logs[pow(state, rest, MODULUS)] * unit for _, rest, unit, logs in parts)
    return total % PERIOD

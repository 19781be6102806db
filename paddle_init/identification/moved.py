"""Parameters of which every value is near its own draw of a stream and none, or hardly one, is it.

So training leaves them. A draw and a value that was moved from it are correlated, which is looked
for at the start of common seeds' streams, and behind every parameter that is found. That a stream's
draws are moved is a proof that they are not initial only where nothing else that is fresh explains
it: another rounding (of float64 draws, say), another function of each draw, an orthogonal or
normalized matrix.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.identification.fitting import Scale
from paddle_init.identification.matching import Alteration, Match, alteration
from paddle_init.identification.prefilter import ROUNDINGS
from paddle_init.identification.starts import Starts
from paddle_init.identification.subjects import Reading, Subject
from paddle_init.identification.tape import Tape
from paddle_init.specs import Seeding
from paddle_init.statistics import as_numbers

__all__ = ["behind", "moved_from", "moved_match", "seeds_near"]

Values = NDArray[np.float64]

# The least correlation that counts, in standard deviations of Fisher's z (by chance 1e-15), and
# as such: one wild value correlates with any other.
SIGMAS, LEAST = 8.0, 0.5
FEWEST = 32
# So many first values are looked at, and so many parameters behind each that is found.
MOST, NEXT = 1 << 16, 8
# A rounding moves half of all values by less, over the std: float32's, where log cancels.
ROUNDED = 2.0**-14
# Of neighbouring draws so many must have values in the other order.
INVERTED = 8
# A matrix is orthogonal, or has rows of one length, up to so much.
COMPUTED, WIDEST = 1e-3, 1 << 12


def seeds_near(table: Starts, subject: Subject, reading: Reading) -> list[Seeding]:
    """Return the seeds whose first draws the first values of a parameter are correlated with."""
    table_draws = table.normals if reading.kind == "normal" else table.uniforms
    part = subject.part(reading, 0, len(table_draws))
    told = np.isfinite(part)
    if np.count_nonzero(told) < FEWEST or not np.ptp(part[told]):
        return []
    draws = table.standardized(reading.kind)[: part.size]
    if told.all() and part.size == len(table_draws):
        w = ((part - part.mean()) / part.std()).astype(np.float32)
        r = (w @ draws) / np.float32(part.size)
    else:
        v = table_draws[: part.size][told].astype(np.float32)
        v = v - v.mean(axis=0)
        w = (part[told] - part[told].mean()).astype(np.float32)
        with np.errstate(invalid="ignore", divide="ignore"):
            r = (w @ v) / np.sqrt((w @ w) * (v * v).sum(axis=0))
    near = np.flatnonzero(r >= _least(int(np.count_nonzero(told))))
    return [table.seedings[int(seed)] for seed in near[np.argsort(-r[near])]]


def _least(size: int) -> float:
    return max(LEAST, math.tanh(SIGMAS / math.sqrt(size - 3)))


def behind(
    tape: Tape, position: int, seeding: Seeding | None, subjects: Iterable[Subject]
) -> Iterator[Match]:
    """Yield parameters whose draws follow each other from a position on, moved."""
    left = list(subjects)
    at: int | None = position
    while left and at is not None:
        start, at = at, None
        for subject in left[:NEXT]:
            found = next(
                (
                    each
                    for reading in subject.readings
                    if not reading.gap
                    and (each := moved_match(tape, start, subject, reading, seeding))
                ),
                None,
            )
            if found is not None:
                left.remove(subject)
                at = found.end
                yield found
                break


def moved_match(
    tape: Tape, position: int, subject: Subject, reading: Reading, seeding: Seeding | None
) -> Match | None:
    """Return the match of a parameter whose values are near the draws from a position on."""
    size = subject.array.size
    if size < FEWEST or subject.dtype not in ROUNDINGS:
        return None
    first = _drawn(tape, position, reading, min(size, MOST))
    if first is None:
        return None
    w: Values = as_numbers(subject.flat(reading.order)).astype(np.float64)
    line = _line(first[0], w[: first[0].size])
    if line is None:
        return None
    taken = first if first[0].size == size else _drawn(tape, position, reading, size)
    if taken is None:
        return None
    r, slope, shift = line
    draws, end = taken
    off = np.abs(w - (slope * draws + shift))
    # No scale is found: where a value is the draw's, another one is not.
    every = np.arange(size)
    rounding = max(ROUNDED * float(np.std(w)), 8 * ROUNDINGS[subject.dtype] * subject.largest)
    rounded_only = float(np.median(off)) <= rounding
    changed = alteration(every, size if rounded_only else 0, subject.shape, reading.order)
    assert changed is not None
    proven = not rounded_only and not _fresh(draws, w, subject.array, rounding)
    scale = slope if reading.kind == "normal" else slope / 2
    words = tape.start.words
    return Match(
        subject.name,
        tape.start.engine,
        seeding,
        int(words[0]) if len(words) == 1 and seeding is None else None,
        position,
        end,
        reading.order,
        0,
        reading.kind,
        Scale(scale, scale, None),
        None,
        None,
        replace(changed, correlation=r, moved=proven),
    )


def moved_from(expected: NDArray[Any], found: NDArray[Any], dtype: str) -> Alteration | None:
    """Return how found values were moved from those that a known net draws; None if not near."""
    if found.size < FEWEST or dtype not in ROUNDINGS:
        return None
    v, w = (as_numbers(each).astype(np.float64).reshape(-1) for each in (expected, found))
    line = _line(v, w)
    if line is None:
        return None
    changed = alteration(np.flatnonzero(v != w), 0, found.shape, "C")
    if changed is None:
        return None
    rounding = max(ROUNDED * float(v.std()), 8 * ROUNDINGS[dtype] * float(np.abs(w).max()))
    moved = float(np.median(np.abs(w - v))) > rounding
    rounded = 0 if moved else changed.count
    return replace(changed, rounding=rounded, correlation=line[0], moved=moved)


def _drawn(
    tape: Tape, position: int, reading: Reading, count: int
) -> tuple[NDArray[np.float32], int] | None:
    if reading.kind == "normal":
        return tape.normals(position, count)
    draws = tape.uniforms(position, count)
    return (draws, position + count) if draws.size == count else None


def _line(draws: NDArray[Any], w: Values) -> tuple[float, float, float] | None:
    """Return correlation, slope and shift of values over draws; None where they are not near."""
    v = draws.astype(np.float64)
    if not np.isfinite(w).all() or not np.ptp(w) or not np.ptp(v):
        return None
    x, y = v - v.mean(), w - w.mean()
    r = float(x @ y / math.sqrt(float(x @ x) * float(y @ y)))
    if r < _least(w.size):
        return None
    slope = float(x @ y / (x @ x))
    return r, slope, float(w.mean() - slope * v.mean())


def _fresh(draws: NDArray[np.float32], w: Values, array: NDArray[Any], rounding: float) -> bool:
    """Tell whether values may be fresh, as a function of each draw or of a matrix of draws."""
    rising = w[np.argsort(draws, kind="stable")]
    if np.count_nonzero(np.diff(rising) < -2 * rounding) < INVERTED:
        return True
    if array.ndim < 2:
        return False
    matrix = as_numbers(array).astype(np.float64).reshape(len(array), -1)
    for each in (matrix, matrix.T):
        norms = np.sqrt((each * each).sum(axis=1))
        if len(each) > 1 and np.ptp(norms) <= COMPUTED * norms.max():
            return True
    short = matrix if len(matrix) <= matrix.shape[1] else matrix.T
    if len(short) > WIDEST:
        return False
    products = short @ short.T
    largest = float(np.diag(products).max())
    np.fill_diagonal(products, 0)
    return len(short) > 1 and bool(np.abs(products).max() <= COMPUTED * largest)

"""A parameter compared with a stream: where in it, in which order, with which numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Simple
from paddle_init.dtypes import as_numbers
from paddle_init.frameworks.base import Order
from paddle_init.identification.fitting import (
    AGREEING,
    ROUNDINGS,
    WINDOW,
    Fitted,
    Scale,
    fit_normal,
    fit_uniform,
)
from paddle_init.identification.parameters import Reading, Subject
from paddle_init.identification.prefilter import SPAN
from paddle_init.identification.seed_tables import SeedTable
from paddle_init.identification.stream_buffer import IndexedDraws, StreamBuffer
from paddle_init.identification.truncated_fitting import fit_truncated
from paddle_init.specs import Seeding

Values: TypeAlias = NDArray[np.float64]

SHOWN = 5
# Values of a block, at least; draws in which it is looked for, at most; places that are tried.
LEAST_BLOCK, MOST_DRAWS, TRIED = 16, 1 << 22, 4


@dataclass(frozen=True)
class Alteration:
    """Values that are not those of the stream.

    Parameters
    ----------
    count
        How many.
    rounding
        How many of them another rounding would explain.
    first
        The indices of the first few, row-major.
    rows, first_rows
        How many rows they lie in, and the first few.
    blocks
        Whether the same stream draws them with other numbers: then it was drawn in blocks, or
        a part was scaled.
    correlation
        Of the values with the stream's draws, where no value, or hardly one, is the stream's and
        all are near; else None.
    moved
        Whether no other rounding and nothing that is computed from draws alone would explain that:
        the values were changed since.
    """

    count: int
    rounding: int
    first: tuple[tuple[int, ...], ...]
    rows: int
    first_rows: tuple[int, ...]
    blocks: bool = False
    correlation: float | None = None
    moved: bool = False


@dataclass(frozen=True)
class Match:
    """A parameter that a stream draws, but for the values in `alteration`.

    Parameters
    ----------
    seeding
        How the stream starts, where that is known.
    state
        The LCG's state at `position` 0 where `seeding` is not known.
    position, end
        Draws of the engine before the parameter's first and after its last value.
    order
        How its draws fill it.
    left_out
        Rows that were drawn below it and are not in it: a folded bias.
    scale
        What stds, or half widths of a uniform, give these bits.
    folded_into
        The weight of whose draws it is the last row; else None.
    drawn
        A distribution that gives these bits. Cutoffs that cut nothing off cannot be told.
    alteration
        None where every bit is the stream's.
    """

    name: str
    engine: str
    seeding: Seeding | None
    state: int | None
    position: int
    end: int
    order: Order
    left_out: int
    family: str
    scale: Scale
    folded_into: str | None = None
    drawn: Simple | None = None
    alteration: Alteration | None = None


def match(
    buffer: StreamBuffer,
    position: int,
    subject: Subject,
    reading: Reading,
    bits: int,
    window: int = 0,
) -> Match | None:
    """Return the match of a parameter that was drawn from `position` on, or None.

    Parameters
    ----------
    bits
        So much the values must tell of the stream.
    window
        From which drawn value on some were seen to agree.
    """
    taken = buffer.draws(reading.kind, position, subject.drawn(reading))
    if taken is None:
        return None
    draws, end = taken
    rows = subject.shape[0] if subject.shape else 1
    if reading.gap:
        draws = draws.reshape(-1, rows + reading.gap)[:, :rows].reshape(-1)
        column, row = divmod(window, rows + reading.gap)
        window = column * rows + min(row, rows - 1)
    start = max(0, min(window, subject.array.size - AGREEING))
    fitted = _fitted(draws, subject, reading, bits, slice(start, start + WINDOW))
    if fitted is None:
        return None
    altered = alteration(fitted.altered, fitted.rounding, subject.shape, reading.order)
    if altered is not None and 2 * altered.rounding <= altered.count:
        flat = subject.flat(reading.order)
        blocks = _in_blocks(buffer, position, end, flat, fitted.altered, bits)
        altered = replace(altered, blocks=blocks)
    matched = _matched(buffer, position, end, subject, reading)
    return matched(fitted.drawn.family, fitted.scale, drawn=fitted.drawn, alteration=altered)


def _matched(
    buffer: StreamBuffer, position: int, end: int, subject: Subject, reading: Reading
) -> Callable[..., Match]:
    """Return a match of this parameter at this place, which wants its numbers."""
    stream = subject.name, buffer.engine, buffer.seeding, buffer.state
    return partial(Match, *stream, position, end, reading.order, reading.gap)


def _in_blocks(
    buffer: StreamBuffer,
    position: int,
    end: int,
    flat: NDArray[Any],
    altered: NDArray[np.intp],
    bits: int,
) -> bool:
    """Tell whether the values from the first altered one on are another draw of the stream."""
    first, last = int(altered[0]), int(altered[-1]) + 1
    if last - first < LEAST_BLOCK or 2 * altered.size < last - first:
        return False
    rest = Subject("", flat[first:last])
    if not rest.searchable:
        return False
    indexed = IndexedDraws(buffer, position, min(end - position, MOST_DRAWS) + 2 * SPAN)
    for reading in (Reading("normal", "C"), Reading("uniform", "C")):
        for place, offset in indexed.places(rest, reading)[:TRIED]:
            taken = None if offset else buffer.draws(reading.kind, place, rest.array.size)
            if taken and _fitted(taken[0], rest, reading, bits):
                return True
    return False


def alteration(
    altered: NDArray[np.intp], rounding: int, shape: tuple[int, ...], order: Order
) -> Alteration | None:
    """Return where values were altered, of places in the order of drawing."""
    if not altered.size:
        return None
    if order == "F":
        altered = np.sort(altered % shape[0] * shape[1] + altered // shape[0])
    rows = np.unique(altered // max(1, int(np.prod(shape[1:]))))
    first = tuple(
        tuple(int(i) for i in np.unravel_index(int(place), shape)) for place in altered[:SHOWN]
    )
    return Alteration(
        int(altered.size), rounding, first, int(rows.size), tuple(map(int, rows[:SHOWN]))
    )


def _fitted(
    draws: NDArray[np.float32],
    subject: Subject,
    reading: Reading,
    bits: int,
    window: slice = slice(0, WINDOW),
) -> Fitted | None:
    """Return the distribution that gives the most values, if these tell so many bits."""
    flat = subject.flat(reading.order)
    best: Fitted | None = None
    for fit in (fit_normal,) if reading.kind == "normal" else (fit_uniform, fit_truncated):
        fitted = fit(draws, flat, subject.dtype, window)
        if fitted is not None and (best is None or fitted.altered.size < best.altered.size):
            best = fitted
        if best is not None and not best.altered.size:
            break
    return best if best is not None and best.proven(flat.size, subject.dtype, bits) else None


# What training leaves: every value is near its own draw and none, or hardly one, is it. A draw and
# a value that was moved from it are correlated, which is looked for at the start of common seeds'
# streams, and behind every parameter that is found. That a stream's draws are moved is a proof that
# they are not initial only where nothing else that is fresh explains it: another rounding (of
# float64 draws, say), another function of each draw, an orthogonal or normalized matrix.

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


def seeds_near(table: SeedTable, subject: Subject, reading: Reading) -> list[Seeding]:
    """Return the seeds whose first draws the first values of a parameter are correlated with."""
    table_draws = table.draws(reading.kind)
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


def behind(buffer: StreamBuffer, position: int, subjects: Iterable[Subject]) -> Iterator[Match]:
    """Yield parameters whose draws follow each other from a position on, moved."""
    left = list(subjects)
    found: Match | None
    while left:
        for subject in left[:NEXT]:
            read = (reading for reading in subject.readings if not reading.gap)
            tried = (moved_match(buffer, position, subject, reading) for reading in read)
            if found := next(filter(None, tried), None):
                left.remove(subject)
                position = found.end
                yield found
                break
        else:
            return


def moved_match(
    buffer: StreamBuffer, position: int, subject: Subject, reading: Reading
) -> Match | None:
    """Return the match of a parameter whose values are near the draws from a position on."""
    size = subject.array.size
    if size < FEWEST or subject.dtype not in ROUNDINGS:
        return None
    first = buffer.draws(reading.kind, position, min(size, MOST))
    if first is None:
        return None
    w: Values = as_numbers(subject.flat(reading.order)).astype(np.float64)
    line = _line(first[0], w[: first[0].size])
    if line is None:
        return None
    taken = first if first[0].size == size else buffer.draws(reading.kind, position, size)
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
    matched = _matched(buffer, position, end, subject, reading)
    near = replace(changed, correlation=r, moved=proven)
    return matched(reading.kind, Scale(scale, scale, None), alteration=near)


def moved_from(expected: NDArray[Any], found: NDArray[Any], dtype: str) -> Alteration | None:
    """Return how found values were moved from those that a known net draws; None if not near."""
    if found.size < FEWEST or dtype not in ROUNDINGS:
        return None
    v, w = (as_numbers(each).astype(np.float64).reshape(-1) for each in (expected, found))
    line = _line(v, w)
    changed = alteration(np.flatnonzero(v != w), 0, found.shape, "C")
    if line is None or changed is None:
        return None
    rounding = max(ROUNDED * float(v.std()), 8 * ROUNDINGS[dtype] * float(np.abs(w).max()))
    moved = float(np.median(np.abs(w - v))) > rounding
    rounded = 0 if moved else changed.count
    return replace(changed, rounding=rounded, correlation=line[0], moved=moved)


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


# Bits that values must tell of a place in a stream: there are some 2**24 places.
BITS = 44


def folded_biases(
    buffer: StreamBuffer, matches: Iterable[Match], subjects: list[Subject]
) -> Iterator[Match]:
    """Yield matches of vectors that no stream was found for, and the weights' with that row.

    A weight of one column could as well end before its bias: draws tell.
    """
    found = {each.name: each for each in matches}
    by_name = {subject.name: subject for subject in subjects}
    for subject in subjects:
        if subject.name in found or subject.array.ndim != 1 or not subject.numbers.any():
            continue
        for weight in found.values():
            shape = by_name[weight.name].shape
            columns = len(shape) == 2 and (weight.left_out or shape[1] == 1)
            if columns and shape[1] == subject.array.size and weight.family == "normal":
                yield from _folded(buffer, weight, by_name[weight.name], subject)


def _folded(buffer: StreamBuffer, weight: Match, matrix: Subject, bias: Subject) -> Iterator[Match]:
    rows, columns = matrix.shape
    taken = buffer.normals(weight.position, (rows + 1) * columns)
    if taken is None or bias.dtype != matrix.dtype:
        return
    draws, end = taken
    both = np.concatenate([matrix.array, bias.array[None, :]]).T.reshape(-1)
    fitted = fit_normal(draws, both, bias.dtype)
    if fitted is None or not fitted.proven(both.size, bias.dtype, BITS):
        return
    column, row = np.divmod(fitted.altered, rows + 1)
    if np.count_nonzero(row == rows) * 2 > columns:  # then it is another bias
        return
    whole = replace(weight, end=end, order="F", left_out=1, scale=fitted.scale, drawn=fitted.drawn)
    inside = row < rows
    of_weight = (column * rows + row)[inside]
    yield replace(whole, alteration=alteration(of_weight, fitted.rounding, matrix.shape, "F"))
    of_bias = alteration(column[~inside], fitted.rounding, bias.shape, "C")
    yield replace(whole, name=bias.name, left_out=0, folded_into=weight.name, alteration=of_bias)

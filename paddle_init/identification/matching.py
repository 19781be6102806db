"""A parameter compared with a stream: where in it, in which order, with which numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Simple
from paddle_init.frameworks.base import Order
from paddle_init.identification.chunk import Chunk
from paddle_init.identification.fitting import (
    AGREEING,
    WINDOW,
    Fitted,
    Scale,
    fit_normal,
    fit_uniform,
)
from paddle_init.identification.order_index import SPAN
from paddle_init.identification.subjects import Reading, Subject
from paddle_init.identification.tape import Tape
from paddle_init.identification.truncated_fitting import fit_truncated
from paddle_init.specs import Seeding

__all__ = ["SHOWN", "Alteration", "Match", "alteration", "match"]

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
    tape: Tape,
    position: int,
    subject: Subject,
    reading: Reading,
    seeding: Seeding | None,
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
    taken = _drawn(tape, position, reading, subject.drawn(reading))
    if taken is None:
        return None
    draws, end = taken
    rows = subject.shape[0] if subject.shape else 1
    if reading.gap:
        draws = draws.reshape(-1, rows + reading.gap)[:, :rows].reshape(-1)
        column, row = divmod(window, rows + reading.gap)
        window = column * rows + min(row, rows - 1)
    flat = subject.flat(reading.order)
    start = max(0, min(window, flat.size - AGREEING))
    fitted = _fitted(draws, flat, subject.dtype, reading, slice(start, start + WINDOW))
    if fitted is None or not fitted.proven(flat.size, subject.dtype, bits):
        return None
    words = tape.start.words
    altered = alteration(fitted.altered, fitted.rounding, subject.shape, reading.order)
    if altered is not None and 2 * altered.rounding <= altered.count:
        blocks = _in_blocks(tape, position, end, flat, fitted.altered, bits)
        altered = replace(altered, blocks=blocks)
    return Match(
        subject.name,
        tape.start.engine,
        seeding,
        int(words[0]) if len(words) == 1 and seeding is None else None,
        position,
        end,
        reading.order,
        reading.gap,
        fitted.drawn.family,
        fitted.scale,
        None,
        fitted.drawn,
        altered,
    )


def _in_blocks(
    tape: Tape, position: int, end: int, flat: NDArray[Any], altered: NDArray[np.intp], bits: int
) -> bool:
    """Tell whether the values from the first altered one on are another draw of the stream."""
    first, last = int(altered[0]), int(altered[-1]) + 1
    if last - first < LEAST_BLOCK or 2 * altered.size < last - first:
        return False
    rest = Subject("", flat[first:last])
    if not rest.searchable:
        return False
    chunk = Chunk(tape, position, min(end - position, MOST_DRAWS) + 2 * SPAN)
    readings = (Reading("normal", "C"), Reading("uniform", "C"))
    return any(
        _fits(tape, place, rest, reading, bits)
        for reading in readings
        for place, offset in chunk.places(rest, reading)[:TRIED]
        if not offset
    )


def _fits(tape: Tape, position: int, subject: Subject, reading: Reading, bits: int) -> bool:
    taken = _drawn(tape, position, reading, subject.array.size)
    if taken is None:
        return False
    flat = subject.flat("C")
    fitted = _fitted(taken[0], flat, subject.dtype, reading, slice(0, WINDOW))
    return fitted is not None and fitted.proven(flat.size, subject.dtype, bits)


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
    draws: NDArray[np.float32], flat: NDArray[Any], dtype: str, reading: Reading, window: slice
) -> Fitted | None:
    fits = (fit_normal,) if reading.kind == "normal" else (fit_uniform, fit_truncated)
    best: Fitted | None = None
    for fit in fits:
        fitted = fit(draws, flat, dtype, window)
        if fitted is not None and (best is None or fitted.altered.size < best.altered.size):
            best = fitted
        if best is not None and not best.altered.size:
            break
    return best


def _drawn(
    tape: Tape, position: int, reading: Reading, count: int
) -> tuple[NDArray[np.float32], int] | None:
    if reading.kind == "normal":
        return tape.normals(position, count)
    draws = tape.uniforms(position, count)
    return (draws, position + count) if draws.size == count else None

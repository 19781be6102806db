"""A parameter held against a stream: where on the tape, in which order, with which scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.frameworks.base import Order
from paddle_init.identification.fitting import Scale, fit_normal, fit_uniform
from paddle_init.identification.sifting import TRIES, near, sift_normal, sift_uniform
from paddle_init.identification.subjects import Reading, Subject
from paddle_init.identification.tape import Tape
from paddle_init.specs import Seeding

__all__ = ["Match", "begins", "match", "places"]

PROBE = 64


@dataclass(frozen=True)
class Match:
    """A parameter whose every bit a stream gives.

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
        What stds, or bounds of a uniform, give these bits.
    folded_into
        The weight of whose draws it is the last row; else None.
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


def begins(start: NDArray[np.float64], drawn: NDArray[Any], roundings: float) -> bool:
    """Tell whether a few values may be `drawn` times a scale > 0."""
    if drawn.size < start.size:
        return False
    return bool(near(start, drawn[: start.size, None].astype(np.float64), roundings)[0])


def match(
    tape: Tape,
    position: int,
    subject: Subject,
    reading: Reading,
    seeding: Seeding | None = None,
    left_out: int = 0,
) -> Match | None:
    """Return the match of a parameter that was drawn from `position` on, or None."""
    family, order = reading
    fit = fit_normal if family == "normal" else fit_uniform
    shape = subject.shape
    rows = shape[0] if shape else 1
    size = subject.array.size + left_out * (subject.array.size // rows)
    scale = None
    for count in dict.fromkeys((min(size, PROBE), size)):
        taken = _drawn(tape, position, family, count)
        if taken is None:
            return None
        draws, end = taken
        if count < size and left_out:
            continue
        flat = subject.flat(order)[:count]
        if left_out:
            draws = draws.reshape(-1, rows + left_out)[:, :rows].reshape(-1)
        scale = fit(draws, flat, subject.dtype)
        if scale is None:
            return None
    if scale is None:
        return None
    state = int(tape.start.words[0]) if len(tape.start.words) == 1 and seeding is None else None
    return Match(
        subject.name,
        tape.start.engine,
        seeding,
        state,
        position,
        end,
        order,
        left_out,
        family,
        scale,
    )


def _drawn(
    tape: Tape, position: int, family: str, count: int
) -> tuple[NDArray[np.float32], int] | None:
    if family == "normal":
        return tape.normals(position, count)
    draws = tape.uniforms(position, count)
    return (draws, position + count) if draws.size == count else None


def places(tape: Tape, position: int, length: int, subject: Subject, reading: Reading) -> list[int]:
    """Return positions in [position, position + length) where a parameter may begin."""
    family, order = reading
    start = subject.start(order)
    if start.size < 3 or not start[:2].all():
        return []
    u = tape.uniforms(position, length + 2 * TRIES)
    if u.size < 2 * TRIES:
        return []
    points = 2 * u[: u.size - 2 * TRIES + 2] - 1
    x, y = points[:-1], points[1:]
    first, second = (y, x) if family == "normal" else (x, y)
    slack = np.float32(2 * subject.roundings)
    w0, w1 = (np.float32(value / np.abs(start).max()) for value in start[:2])
    close = np.abs(first * w1 - second * w0) <= slack
    close &= (first > 0) == (w0 > 0)
    if family == "normal":
        close &= x * x + y * y <= 1
    candidates = np.flatnonzero(close)
    sift = sift_normal if family == "normal" else sift_uniform
    kept = sift((u[candidates + draw] for draw in range(2 * TRIES)), start, subject.roundings)
    return [position + int(i) for i in candidates[kept]] if candidates.size else []

"""Biases that are the last row of their weight's draws."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from paddle_init.identification.fitting import fit_normal
from paddle_init.identification.matching import Match, alteration
from paddle_init.identification.subjects import Subject
from paddle_init.identification.tape import Tape

__all__ = ["folded_biases"]

BITS = 44


def folded_biases(tape: Tape, matches: Iterable[Match], subjects: list[Subject]) -> Iterator[Match]:
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
                yield from _folded(tape, weight, by_name[weight.name], subject)


def _folded(tape: Tape, weight: Match, matrix: Subject, bias: Subject) -> Iterator[Match]:
    rows, columns = matrix.shape
    taken = tape.normals(weight.position, (rows + 1) * columns)
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

"""Parameters that were drawn from the same numbers, whatever their scales."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Simple
from paddle_init.dtypes import as_numbers
from paddle_init.frameworks.registry import framework_of
from paddle_init.specs import NetSpec, Tensor
from paddle_init.statistics.laws import law
from paddle_init.statistics.rounding import chance_of_equality, densest, resolution
from paddle_init.statistics.tails import at_least

# So many of a parameter's first values are compared at most.
LONGEST = 256
# Values that are rounded more coarsely, in stds, are compared with values of the same law only.
COARSEST = 1 / 16
# Windows of a start by which candidates are found, and how many candidates each keeps.
WINDOWS, KEPT = 8, 4


@dataclass(frozen=True)
class Repetition:
    """`later` begins with the draws of `earlier`: `equal` of the first `compared` values.

    `whole` where all its elements are equal.
    """

    earlier: Tensor
    later: Tensor
    whole: bool
    equal: int
    compared: int


@dataclass(frozen=True)
class _Start:
    """A parameter's first values in draw order, and what they were drawn from."""

    tensor: Tensor
    drawn: Simple
    values: NDArray[Any]


def repetitions(
    spec: NetSpec, found: Mapping[str, NDArray[Any]], threshold: float
) -> tuple[Repetition, ...]:
    """Find parameters that begin alike, once mean and std are taken off.

    Parameters of one law and dtype hold the same numbers where they hold the same draws: how many
    of their first values are equal is a binomial count, whose probability of success is that of
    two independent draws being rounded to one number. A few values may have been changed since.
    Other pairs are compared after mean and std are taken off, up to rounding; all values must
    agree there. The probability of any coincidence among independent parameters is at most
    `threshold`. Parameters whose first values leave too little to chance are passed over: nothing
    can be said of them.
    """
    starts = [
        start
        for tensor in spec.tensors
        if tensor.name in found
        for start in _starts(spec, tensor, found[tensor.name])
    ]
    if len(starts) < 2:
        return ()
    level = threshold / (len(starts) * (len(starts) - 1))  # each pair is looked at in two ways
    repeated: dict[str, Repetition] = {}
    for group in _grouped(starts, lambda start: (start.drawn, start.tensor.dtype)):
        repeated |= {each.later.name: each for each in _equal(group, level, found)}
    rest = [start for start in starts if start.tensor.name not in repeated]
    for family in _grouped(rest, lambda start: start.drawn.family):
        repeated |= {each.later.name: each for each in _scaled(family, level, found)}
    return tuple(repeated[t.name] for t in spec.tensors if t.name in repeated)


def _starts(spec: NetSpec, tensor: Tensor, array: NDArray[Any]) -> Iterator[_Start]:
    """Yield the first values in draw order, of a tensor that chance decides."""
    block = tensor.blocks[0]
    framework = framework_of(spec)
    drawn = framework.effective(spec.drawn(block.draw), tensor.dtype)
    if law(drawn) is None or block.start or not array.size:
        return
    rows = array if array.ndim == 1 else array[: block.rows].reshape(block.rows, -1)
    if framework.order == "F" and rows.ndim == 2:
        # Of a folded draw each column ends in the bias row, which is not here.
        folded = block.stop < spec.draw_by_name[block.draw].shape[0]
        rows = rows[:, : 1 if folded else 1 + LONGEST // len(rows)].T
    values = np.ascontiguousarray(rows.reshape(-1)[:LONGEST])
    if np.isfinite(as_numbers(values)).all():
        yield _Start(tensor, drawn, values)


def _grouped(starts: Iterable[_Start], key: Callable[[_Start], Hashable]) -> Iterator[list[_Start]]:
    groups: dict[Hashable, list[_Start]] = {}
    for start in starts:
        groups.setdefault(key(start), []).append(start)
    return (group for group in groups.values() if len(group) > 1)


def _equal(
    group: list[_Start], level: float, found: Mapping[str, NDArray[Any]]
) -> Iterator[Repetition]:
    """Hold each start against earlier ones that it shares a window of values with."""
    chance = chance_of_equality(group[0].drawn, group[0].tensor.dtype)
    if chance**LONGEST > level:
        return
    # Of all that came before, about one shares a window of this length by chance.
    length = max(1, math.ceil(math.log(len(group)) / -math.log(chance)))
    earlier: dict[tuple[int, bytes], list[_Start]] = {}
    for start in group:
        windows = [
            earlier.setdefault((i, start.values[i : i + length].tobytes()), [])
            for i in range(0, min(start.values.size, WINDOWS * length), length)
        ]
        best: Repetition | None = None
        for other in {id(each): each for window in windows for each in window}.values():
            compared = min(start.values.size, other.values.size)
            same = start.values[:compared] == other.values[:compared]
            equal = int(np.count_nonzero(same))
            if at_least(equal, compared, chance) > level:
                continue
            whole = np.array_equal(found[other.tensor.name], found[start.tensor.name])
            if best is None or (whole, equal) > (best.whole, best.equal):
                best = Repetition(other.tensor, start.tensor, whole, equal, compared)
        if best is not None:
            yield best
        if best is None or not best.whole:
            for window in windows:
                if len(window) < KEPT:
                    window.append(start)


def _scaled(
    family: list[_Start], level: float, found: Mapping[str, NDArray[Any]]
) -> Iterator[Repetition]:
    """Hold starts of one family against each other, with mean and std taken off."""
    fine = [s for s in family if resolution(s.drawn, s.tensor.dtype) <= COARSEST]
    if len(fine) < 2:
        return
    blurs = np.array([resolution(s.drawn, s.tensor.dtype) for s in fine])
    # Two that round one draw lie within 2 blurs; so do roundings of two draws within 4.
    chance = max(8 * densest(s.drawn) for s in fine) * float(blurs.max()) + 2.0**-20
    if chance >= 1:
        return
    count = math.ceil(math.log(level) / math.log(chance))
    kept = [i for i, start in enumerate(fine) if start.values.size >= count]
    if len(kept) < 2:
        return
    stds = np.array([_in_stds(fine[i], count) for i in kept])
    blurs = blurs[kept]
    order = np.argsort(stds[:, 0], kind="stable")
    stds, blurs = stds[order], blurs[order]
    last = np.searchsorted(stds[:, 0], stds[:, 0] + blurs + blurs.max(), "right")
    taken = np.zeros(len(order), bool)
    for i, end in enumerate(last):
        if taken[i] or end == i + 1:
            continue
        near = np.arange(i + 1, end)[~taken[i + 1 : end]]
        for column in range(count):
            apart = np.abs(stds[near, column] - stds[i, column])
            near = near[apart <= blurs[near] + blurs[i]]
            if not near.size:
                break
        taken[near] = True
        first, *others = (fine[kept[j]] for j in sorted(order[[i, *near]]))
        for later in others:
            whole = np.array_equal(found[first.tensor.name], found[later.tensor.name])
            yield Repetition(first.tensor, later.tensor, whole, count, count)


def _in_stds(start: _Start, count: int) -> NDArray[np.float64]:
    drawn = law(start.drawn)
    assert drawn is not None
    values: NDArray[np.float64] = as_numbers(start.values[:count]).astype(np.float64)
    return (values - drawn.mean) / drawn.std

"""Parameters that were drawn from the same numbers, whatever their scales."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paddle_init.specs import NetSpec, Tensor
from paddle_init.statistics import as_numbers, law

__all__ = ["Repetition", "repetitions"]

Start: TypeAlias = tuple[Tensor, NDArray[np.float64]]

# How far two roundings of one draw may lie apart, in stds.
TOLERANCES: MappingProxyType[str, float] = MappingProxyType(
    {"float64": 1e-6, "float32": 4e-6, "float16": 8e-3, "bfloat16": 6e-2}
)
LONGEST = 64


@dataclass(frozen=True)
class Repetition:
    """`later` begins with the draws of `earlier`; `whole` where all its elements are equal."""

    earlier: Tensor
    later: Tensor
    whole: bool


def repetitions(
    spec: NetSpec, found: Mapping[str, NDArray[Any]], threshold: float
) -> tuple[Repetition, ...]:
    """Find parameters that begin alike once mean and std are taken off.

    As many of a parameter's first values are compared as it takes for the probability of any
    coincidence among independent parameters to be at most `threshold`. Shorter ones are passed
    over: nothing can be said of them.
    """
    random = [t for t in spec.tensors if t.name in found and found[t.name].size]
    if len(random) < 2:
        return ()
    tolerance = max(TOLERANCES[t.dtype] for t in random)
    pairs = len(random) * (len(random) - 1) / 2
    count = min(LONGEST, max(2, math.ceil(math.log(threshold / pairs) / math.log(tolerance))))
    starts: dict[str, list[Start]] = {}
    for tensor in random:
        start = _start(spec, tensor, found[tensor.name], count)
        if start is not None:
            starts.setdefault(start[0], []).append((tensor, start[1]))
    return tuple(
        repetition
        for family in starts.values()
        for group in _groups(family, tolerance)
        for repetition in _told(sorted(group, key=spec.tensors.index), found)
    )


def _told(group: list[Tensor], found: Mapping[str, NDArray[Any]]) -> Iterator[Repetition]:
    """Hold each against the first one that it equals, or else against the first one."""
    for index, later in enumerate(group[1:], 1):
        values = found[later.name]
        equal = (t for t in group[:index] if np.array_equal(found[t.name], values))
        whole = next(equal, None)
        yield Repetition(whole or group[0], later, whole is not None)


def _start(
    spec: NetSpec, tensor: Tensor, array: NDArray[Any], count: int
) -> tuple[str, NDArray[np.float64]] | None:
    """Return the family and the first values in draw order, in stds off the mean."""
    block = tensor.blocks[0]
    drawn = law(spec.drawn(block.draw))
    if drawn is None or block.start:
        return None
    rows = array if array.ndim == 1 else array[: block.rows].reshape(block.rows, -1)
    flat = rows
    if spec.framework == "abacus" and spec.storage_order == "F" and rows.ndim == 2:
        # Of a folded draw each column ends in the bias row, which is not here.
        folded = block.stop < spec.draw_by_name[block.draw].shape[0]
        flat = rows[:, : 1 if folded else 1 + count // len(rows)].T
    values = as_numbers(flat.reshape(-1)[:count]).astype(np.float64)
    if values.size < count or not np.isfinite(values).all():
        return None
    return drawn.family, (values - drawn.mean) / drawn.std


def _groups(starts: list[Start], tolerance: float) -> Iterator[list[Tensor]]:
    """Yield the tensors that begin alike, where they are two or more."""
    ranked = sorted(starts, key=lambda start: float(start[1][0]))
    taken: set[str] = set()
    for i, (tensor, start) in enumerate(ranked):
        group = [tensor]
        for other, values in ranked[i + 1 :]:
            if values[0] - start[0] > tolerance:
                break
            if other.name not in taken and (np.abs(values - start) <= tolerance).all():
                group.append(other)
        if tensor.name not in taken and len(group) > 1:
            taken.update(member.name for member in group)
            yield group

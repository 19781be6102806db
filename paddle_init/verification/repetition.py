"""Parameters that were drawn from the same numbers, whatever their scales."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.specs import NetSpec, Tensor
from paddle_init.statistics import as_numbers, law

__all__ = ["Repetition", "repetitions"]

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
    starts: dict[str, list[tuple[Tensor, NDArray[np.float64]]]] = {}
    for tensor in random:
        start = _start(spec, tensor, found[tensor.name], count)
        if start is not None:
            starts.setdefault(start[0], []).append((tensor, start[1]))
    order = {t.name: i for i, t in enumerate(spec.tensors)}
    return tuple(
        Repetition(first, second, _equal(found[first.name], found[second.name]))
        for family in starts.values()
        for one, other in _alike(family, tolerance)
        for first, second in (sorted((one, other), key=lambda t: order[t.name]),)
    )


def _start(
    spec: NetSpec, tensor: Tensor, array: NDArray[Any], count: int
) -> tuple[str, NDArray[np.float64]] | None:
    """Return the family and the first values in draw order, in stds off the mean."""
    block = tensor.blocks[0]
    drawn = law(spec.drawn(block.draw))
    if drawn is None or block.start:
        return None
    rows = array if array.ndim == 1 else array[: block.rows].reshape(block.rows, -1)
    columns = spec.framework == "abacus" and spec.storage_order == "F" and rows.ndim == 2
    folded = block.stop < spec.draw_by_name[block.draw].shape[0]
    flat = (
        rows[:, 0]
        if columns and folded
        else rows[:, : 1 + count // len(rows)].T
        if columns
        else rows
    )
    values = as_numbers(flat.reshape(-1)[:count]).astype(np.float64)
    if values.size < count or not np.isfinite(values).all():
        return None
    return drawn.family, (values - drawn.mean) / drawn.std


def _alike(
    starts: list[tuple[Tensor, NDArray[np.float64]]], tolerance: float
) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield each tensor that begins like one before it, with the first such."""
    ranked = sorted(starts, key=lambda start: float(start[1][0]))
    taken: set[str] = set()
    for i, (tensor, start) in enumerate(ranked):
        if tensor.name in taken:
            continue
        for other, values in ranked[i + 1 :]:
            if values[0] - start[0] > tolerance:
                break
            if other.name not in taken and (np.abs(values - start) <= tolerance).all():
                taken.add(other.name)
                yield tensor, other


def _equal(one: NDArray[Any], other: NDArray[Any]) -> bool:
    return one.shape == other.shape and bool(np.array_equal(one, other))

"""What drawing both sides shows: the same bits, the same draws but for rounding, or others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Normal, Simple, Uniform
from paddle_init.dtypes import STORAGE, coarser, converted, differences
from paddle_init.frameworks.drawing import check_net, draw_net
from paddle_init.frameworks.knowledge import Reason, only, unknown_tensors
from paddle_init.frameworks.sampling import draw_arrays
from paddle_init.parity.records import Drawn, Level
from paddle_init.schemes import Fixed
from paddle_init.specs import NetSpec, Tensor

__all__ = ["Drawing"]

Counts = dict[str, tuple[int, int]]


@dataclass(frozen=True)
class Drawing:
    """Two nets drawn as far as both are known; as a function, what that showed of one parameter.

    The left side is held in memory, the right one compared with it block by block.

    Raises
    ------
    CannotDrawError
        A side cannot be drawn.
    """

    left: NetSpec
    right: NetSpec
    unknown: Mapping[str, Reason] = field(init=False)

    def __post_init__(self) -> None:
        unknown = {**unknown_tensors(self.right), **unknown_tensors(self.left)}
        for side in ("left", "right"):
            net = getattr(self, side)
            object.__setattr__(self, side, only(net, set(net.tensor_by_name) - set(unknown)))
            check_net(getattr(self, side))
        object.__setattr__(self, "unknown", unknown)

    def __call__(self, left: NetSpec, right: NetSpec, name: str) -> Drawn | None:
        """Return what the drawn values of the parameter `name` showed; None where not known."""
        if name not in self.left.tensor_by_name or name not in self.right.tensor_by_name:
            return None
        differing, max_ulp = self._values.get(name, (0, 0))
        here, there = self.left.tensor_by_name[name], self.right.tensor_by_name[name]
        if not differing:
            level = Level.IDENTICAL if here.dtype == there.dtype else Level.ROUNDING
        else:
            level = Level.ROUNDING if self._same_draws[name] else Level.STREAM
        return Drawn(level, max_ulp, differing)

    @cached_property
    def _values(self) -> Counts:
        return _compared(self.left, self.right)

    @cached_property
    def _same_draws(self) -> dict[str, bool]:
        """Whether a parameter has the same draws on both sides, whatever they are scaled by."""
        counts = _compared(_standard(self.left), _standard(self.right))
        return {name: not differing for name, (differing, _) in counts.items()}


def _standard(spec: NetSpec) -> NetSpec:
    """Return `spec` with the mean, the scale and the last rounding of every draw taken off."""
    tensors = (
        one if one.dtype == "float64" else replace(one, dtype="float32") for one in spec.tensors
    )
    draws = (
        replace(
            one,
            scheme=Fixed(_standardized(spec.drawn(one.name))),
            dtype="float32" if one.dtype in ("float16", "bfloat16") else one.dtype,
        )
        for one in spec.draws
    )
    return replace(spec, draws=tuple(draws), tensors=tuple(tensors))


def _standardized(drawn: Simple) -> Simple:
    if isinstance(drawn, Normal):
        return Normal(0.0, 1.0)
    return Uniform(0.0, 1.0) if isinstance(drawn, Uniform) else drawn


def _compared(left: NetSpec, right: NetSpec) -> Counts:
    comparing = _Comparing(draw_arrays(left), left)
    draw_net(right, comparing)
    return comparing.counts


class _Comparing:
    """Takes values and counts how they differ from those that it holds."""

    def __init__(self, values: dict[str, NDArray[Any]], spec: NetSpec) -> None:
        self._values, self._spec = values, spec
        self.counts: Counts = {}

    def put(self, tensor: Tensor, start: int, values: NDArray[np.generic]) -> None:
        partner = self._spec.tensor_by_name.get(tensor.name)
        if partner is None or partner.shape != tensor.shape:
            return
        dtype = coarser(partner.dtype, tensor.dtype)
        held = self._values[tensor.name].reshape(-1)[start : start + values.size]
        differing, ulp = self.counts.get(tensor.name, (0, 0))
        more, farther = differences(_bits(held, partner, dtype), _bits(values, tensor, dtype))
        self.counts[tensor.name] = differing + more, max(ulp, farther)


def _bits(values: NDArray[Any], tensor: Tensor, dtype: str) -> NDArray[Any]:
    if tensor.dtype != dtype:
        values = converted(values, tensor.dtype, dtype)
    return np.ascontiguousarray(values).view(f"u{STORAGE[dtype].itemsize}")

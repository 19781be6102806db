"""Which array of a file is which tensor of a spec."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.errors import SpecError
from paddle_init.parity.mapping import Pairing
from paddle_init.parity.words import listed
from paddle_init.specs import NetSpec
from paddle_init.weight_files.loading import Weights

__all__ = ["Named", "found_arrays"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Named:
    """Arrays by the spec's names.

    `used` are the weights' names of them; `prefix` stands before each where no name is equal.
    """

    arrays: Mapping[str, Array]
    used: frozenset[str]
    prefix: str = ""


def found_arrays(spec: NetSpec, weights: Weights, pairs: Iterable[Pairing]) -> Named:
    """Return the arrays of a spec's tensors.

    What `pairs` say comes first; then equal names, the parameters' own or the file's; and where
    nothing matches so, equal names behind a prefix, if one alone has them all. One tensor against
    several arrays takes these as its rows, from the first down; and in reverse.

    Raises
    ------
    SpecError
        A pairing names what is not there, or its rows do not come out even.
    """
    arrays: dict[str, Array] = {}
    used: set[str] = set()
    for pairing in pairs:
        try:
            names = [_known(name, weights) for name in pairing.right]
            arrays.update(_paired(spec, pairing, [weights[name] for name in names]))
        except SpecError as error:
            raise SpecError(error.message, pairing.source) from None
        used.update(names)
    for tensor in spec.tensors:
        name = weights.aliases.get(tensor.name, tensor.name)
        if tensor.name not in arrays and name in weights:
            arrays[tensor.name] = weights[name]
            used.add(name)
    if arrays or not spec.tensors:
        return Named(arrays, frozenset(used))
    prefix = _prefix(list(spec.tensor_by_name), weights)
    behind = {name: prefix + name for name in spec.tensor_by_name} if prefix else {}
    arrays = {name: weights[longer] for name, longer in behind.items()}
    return Named(arrays, frozenset(behind.values()), prefix)


def _prefix(names: list[str], weights: Weights) -> str:
    """Return the one text that stands before all of `names` in the weights, or none."""
    first = names[0]
    prefixes = {longer.removesuffix(first) for longer in weights if longer.endswith("." + first)}
    fitting = [each for each in prefixes if all(each + name in weights for name in names)]
    return fitting[0] if len(fitting) == 1 else ""


def _known(name: str, weights: Weights) -> str:
    name = weights.aliases.get(name, name)
    if name not in weights:
        raise SpecError(
            f"the mapping names {name!r}, which {weights.source} does not have; it has "
            f"{listed(list(weights)) or 'none'}"
        )
    return name


def _paired(spec: NetSpec, pairing: Pairing, arrays: list[Array]) -> dict[str, Array]:
    for name in pairing.left:
        if name not in spec.tensor_by_name:
            tensors = listed(list(spec.tensor_by_name)) or "none"
            raise SpecError(f"the mapping names {name!r}, which is no tensor; it has {tensors}")
    first = pairing.left[0]
    if len(arrays) > 1:
        return {first: _stacked(first, arrays)}
    (array,) = arrays
    if len(pairing.left) == 1:
        return {first: array.T if pairing.transposed else array}
    shapes = [spec.tensor_by_name[name].shape for name in pairing.left]
    rows = [shape[0] if len(shape) == array.ndim else 1 for shape in shapes]
    if sum(rows) != len(array):
        raise SpecError(
            f"the mapping puts {sum(rows)} rows of {', '.join(pairing.left)} into "
            f"{pairing.right[0]}, which has {len(array)}"
        )
    parts = np.split(array, np.cumsum(rows)[:-1])
    return {
        name: part if len(shape) == array.ndim else part[0]
        for name, part, shape in zip(pairing.left, parts, shapes, strict=True)
    }


def _stacked(name: str, arrays: list[Array]) -> Array:
    deepest = max(array.ndim for array in arrays)
    rows = [array if array.ndim == deepest else array[None] for array in arrays]
    try:
        return np.concatenate(rows)
    except ValueError as error:
        shapes = ", ".join(str(list(array.shape)) for array in arrays)
        raise SpecError(f"the arrays of {name} have rows that differ: {shapes}") from error

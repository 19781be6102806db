"""Which array of a file is which tensor of a spec."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Unknown
from paddle_init.errors import SpecError
from paddle_init.parity.words import listed
from paddle_init.schemes import Fixed
from paddle_init.specs import Draw, NetSpec, RowBlock, Tensor
from paddle_init.specs.mapping import Pairing
from paddle_init.specs.pairing import owned_by_name
from paddle_init.specs.prefixes import Prefixes, prefixes
from paddle_init.verification.sentences import findings as say
from paddle_init.weight_files.loading import Weights

__all__ = ["Named", "as_spec", "found_arrays"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Named:
    """Arrays by the spec's names.

    `used` are the weights' names of them. Where no name is equal, `prefix` stands before each of
    the weights' names, or `spec_prefix` before each of the spec's.
    """

    arrays: Mapping[str, Array]
    used: frozenset[str]
    prefix: str = ""
    spec_prefix: str = ""


def found_arrays(spec: NetSpec, weights: Weights, pairs: Iterable[Pairing]) -> Named:
    """Return the arrays of a spec's tensors.

    What `pairs` say comes first; then equal names, the parameters' own or the file's; and where
    nothing matches so, equal names behind a prefix of all names; see `prefixes`. One tensor against
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
    left = [name for name in spec.tensor_by_name if name not in arrays]
    equal = {name: own for name in left if (own := weights.aliases.get(name, name)) in weights}
    found = Prefixes()
    if not equal:
        found = prefixes(left, [name for name in weights if name not in used])
        behind = {found.right_bare(name): name for name in weights if name not in used}
        equal = {name: behind[bare] for name in left if (bare := found.left_bare(name)) in behind}
    arrays |= {name: weights[own] for name, own in equal.items()}
    return Named(arrays, frozenset(used | set(equal.values())), found.right, found.left)


def as_spec(weights: Weights, spec: NetSpec) -> tuple[NetSpec, tuple[str, ...]]:
    """Return weights as a spec of unknown distributions, to be matched with `spec` by shape.

    An array is for what the spec's tensors of its shape are for, where these agree; else its name
    and its neighbours tell. Left out, and returned by name, is what cannot be a parameter: single
    numbers, and a normalization's running statistics.
    """
    roles: dict[tuple[int, ...], set[str]] = {}
    for tensor in spec.tensors:
        roles.setdefault(tensor.shape, set()).add(tensor.role)
    normalized = {name.removesuffix("_mean") for name in weights if name.endswith("._mean")}
    shapes = {name: weights[name].shape for name in weights}
    draws, tensors = [], []
    for name, shape in shapes.items():
        layer, dot, leaf = name.rpartition(".")
        if not shape or (layer + dot in normalized and leaf in ("_mean", "_variance")):
            continue
        known = roles.get(shape, set())
        role = next(iter(known)) if len(known) == 1 else {1: "bias", 2: "weight"}.get(len(shape))
        beside = shapes.get(layer + dot + "weight")
        if layer + dot in normalized or (len(known) != 1 and beside and len(beside) == 1):
            role = "other"
        draws.append(Draw(name, shape, Fixed(Unknown(say.FOUND_VALUES()))))
        rows = (RowBlock(name, 0, shape[0]),)
        tensors.append(Tensor(name, role or "other", shape, rows))
    made = NetSpec("paddle", tuple(draws), owned_by_name(tensors), origin=weights.source)
    return made, tuple(name for name in weights if name not in made.tensor_by_name)


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

"""Which array of the weights is which tensor of a spec."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Unknown
from paddle_init.dtypes import dtype_name
from paddle_init.errors import Notice, SpecError
from paddle_init.files import weight_format_of
from paddle_init.frameworks.registry import HOME
from paddle_init.frameworks.resolving import names_object
from paddle_init.languages import listed
from paddle_init.schemes import Fixed
from paddle_init.specs import Draw, NetSpec, RowBlock, Tensor
from paddle_init.specs.mapping import WRAPPER, Pairing, before
from paddle_init.specs.net import owned_by_name
from paddle_init.texts import did_you_mean
from paddle_init.verification import sentences as messages
from paddle_init.weight_files.reading import load_weights
from paddle_init.weight_files.weights import (
    NO_ARRAY,
    Leaf,
    Member,
    NestingError,
    Weights,
    gathered,
    key_text,
    unreadable_dtype,
)

WeightsLike: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any] | Any"


def as_weights(weights: WeightsLike) -> Weights:
    """Return weights by name.

    Parameters
    ----------
    weights
        A path; a mapping of arrays or Paddle tensors by name, which may hold others; or a Layer,
        whose state_dict is taken.

    Raises
    ------
    WeightFileError
        A file cannot be read.
    SpecError
        It is none of these, or holds no array.
    """
    if isinstance(weights, Weights):
        return weights
    if isinstance(weights, (str, os.PathLike)):
        return load_weights(weights)
    if not isinstance(weights, Mapping) and hasattr(weights, "state_dict"):
        weights = weights.state_dict()
    if not isinstance(weights, Mapping):
        raise SpecError(
            f"weights: found {type(weights).__name__}, allowed are a path, a mapping of arrays by "
            "name, and a Layer"
        )
    try:
        arrays = gathered("arrays", weights, _members, _leaf)
    except NestingError as error:
        raise SpecError(f"weights: {error}") from None
    if arrays.unreadable and not arrays:
        name, why = next(iter(arrays.unreadable.items()))
        raise SpecError(f"weights[{name!r}]: expected an array, but {why}")
    return arrays


def refuse_exchanged(weights: object, spec: object) -> None:
    """Tell a weight file that stands in the spec's place, and a spec in the weights'.

    Raises
    ------
    SpecError
        The two are exchanged.
    """
    if not isinstance(weights, (str, os.PathLike)) or not isinstance(spec, (str, os.PathLike)):
        return
    first, second = os.fspath(weights), os.fspath(spec)
    form = weight_format_of(second)
    if form is None or weight_format_of(first) is not None:
        return
    if os.path.exists(first) or names_object(first):
        raise SpecError(
            f"weights and spec are exchanged: {second} is a weight file ({form}), {first} is none; "
            f"`paddle-init verify {shlex.quote(second)} {shlex.quote(first)}`"
        )


def _members(value: Any) -> Iterable[Member] | None:
    if isinstance(value, Mapping):
        return ((key_text(key), each, None) for key, each in value.items())
    if isinstance(value, (list, tuple)) and not _is_numbers(value):
        return ((str(index), each, None) for index, each in enumerate(value))
    return None


def _is_numbers(value: Any) -> bool:
    """Tell a number, or lists of lists of numbers, from a list of arrays."""
    if isinstance(value, (list, tuple)):
        return all(map(_is_numbers, value))
    return isinstance(value, (int, float, complex))


def _leaf(value: Any) -> Leaf:
    is_tensor = hasattr(value, "numpy")
    array = None
    if is_tensor or isinstance(value, (np.ndarray, np.generic, list, tuple)):
        with suppress(ValueError, OverflowError):  # lists of lists of other lengths
            array = np.asarray(value.numpy() if is_tensor else value)
    if array is None:
        return Leaf(NO_ARRAY(kind=type(value).__name__))
    if why := unreadable_dtype(array.dtype):
        return Leaf(why)
    native = array.astype(array.dtype.newbyteorder("="), copy=False)
    own_name = getattr(value, "name", None) if is_tensor else None
    return Leaf(lambda: native, own_name if isinstance(own_name, str) else None)


Array = NDArray[Any]


@dataclass(frozen=True)
class Copy:
    """A further array of a tensor: under an alias of it, or with the same own name in the file.

    `array` is None where it cannot be read.
    """

    name: str
    of: str
    array: Array | None


@dataclass
class FoundArrays:
    """Which array of the weights is which tensor of a spec.

    Parameters
    ----------
    arrays
        By the spec's names of tensors.
    used
        The weights' names of what was matched.
    prefix, dropped
        What stands before each of the weights' names, and before each of the spec's, where no name
        is equal.
    prefixes
        Those of which it is not known which one is meant.
    copies
        Further arrays of tensors that have one.
    unreadable
        The spec's names of what the weights have and cannot be read, with the weights' names.
    renamed
        Tensors that are there under an alias alone, with the alias.
    buffers
        The weights' names of the spec's buffers.
    tensor_of
        By the weights' names, the tensor that an array holds as it is: not turned, and not with
        others as its rows.
    """

    arrays: dict[str, Array] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    prefix: str = ""
    dropped: str = ""
    prefixes: tuple[str, ...] = ()
    copies: list[Copy] = field(default_factory=list)
    unreadable: list[tuple[str, str]] = field(default_factory=list)
    renamed: list[tuple[str, str]] = field(default_factory=list)
    buffers: list[str] = field(default_factory=list)
    tensor_of: dict[str, str] = field(default_factory=dict)

    def places(self, names: Iterable[str], weights: Weights) -> Iterator[tuple[str, str]]:
        """Yield a name to show, and the weights' name, of each array that one of `names` means.

        Arrays beyond the first under one name are shown under the weights' names of them.
        """
        for name in names:
            own = self.prefix + name.removeprefix(self.dropped)
            for index, place in enumerate(weights.places(own)):
                yield place.removeprefix(self.prefix) if index else name, place


def found_arrays(spec: NetSpec, weights: Weights, pairs: Iterable[Pairing]) -> FoundArrays:
    """Return the arrays of a spec's tensors.

    What `pairs` say comes first; then equal names, the parameters' own or the file's, or a
    tensor's aliases; and where nothing matches so, equal names behind a prefix, if one alone has
    them all. One tensor against several arrays takes these as its rows, from the first down; and in
    reverse.

    Raises
    ------
    SpecError
        A pairing names what is not there, or one thing twice, or its rows do not come out even.
    """
    found = FoundArrays()
    under_aliases = _take_pairs(found, spec, weights, pairs)
    names_of = {tensor.name: (tensor.name, *tensor.aliases) for tensor in spec.tensors}
    left = {name: names for name, names in names_of.items() if name not in found.arrays}
    if left:
        found.dropped, found.prefixes = _affixes(left, weights, found.used)
    if len(found.prefixes) == 1:
        (found.prefix,), found.prefixes = found.prefixes, ()
    # What has one tensor's name is no copy of another.
    owner_of = {found.prefix + name.removeprefix(found.dropped): name for name in names_of}
    for tensor in spec.tensors:
        name, names = tensor.name, names_of[tensor.name]
        held: list[tuple[str, Array | None]] = [*under_aliases.get(name, ())]
        for shown, place in found.places(names, weights):
            of_other = owner_of.get(place, name) != name
            if place in found.used or of_other or (shown == name and name in found.arrays):
                continue
            found.used.add(place)
            found.tensor_of[place] = name
            if place in weights.unreadable:
                found.unreadable.append((shown, place))
            held.append((shown, weights.get(place)))
        order = {each: index for index, each in enumerate(names)}
        for shown, array in sorted(held, key=lambda each: order.get(each[0], len(order))):
            if name not in found.arrays and array is not None:
                found.arrays[name] = array
                if shown in tensor.aliases:
                    found.renamed.append((name, shown))
            elif shown != name:
                found.copies.append(Copy(shown, name, array))
    places = [place for _, place in found.places(spec.buffers, weights)]
    found.buffers = [place for place in places if place not in found.used]
    found.used.update(found.buffers)
    return found


def _take_pairs(
    found: FoundArrays, spec: NetSpec, weights: Weights, pairs: Iterable[Pairing]
) -> dict[str, list[tuple[str, Array]]]:
    """Take what a mapping says; return, by tensor, the arrays that it gives to aliases."""
    under_aliases: dict[str, list[tuple[str, Array]]] = {}
    owners = {alias: tensor.name for tensor in spec.tensors for alias in tensor.aliases}
    lefts: set[str] = set()
    tensor_by_array: dict[str, str] = {}
    for pairing in pairs:
        first, alone = pairing.left[0], len(pairing.left) == len(pairing.right) == 1
        tensor = owners.get(first, first)
        try:
            names = [_known(name, weights) for name in pairing.right]
            _refuse_twice(pairing.left, lefts)
            # Tied weights are one tensor, which one array may hold under all of its names.
            _refuse_twice(names, {n for n, of in tensor_by_array.items() if of != tensor})
            lefts.update(pairing.left)
            tensor_by_array |= dict.fromkeys(names, tensor)
            arrays = [weights[name] for name in names]
            if alone and first in owners:
                array = arrays[0].T if pairing.transposed else arrays[0]
                under_aliases.setdefault(tensor, []).append((first, array))
            else:
                found.arrays |= _paired(spec, pairing, arrays)
        except SpecError as error:
            raise SpecError(error.message, pairing.source) from None
        found.used.update(names)
        if alone and not pairing.transposed:
            found.tensor_of[names[0]] = tensor
    return under_aliases


def _refuse_twice(names: Iterable[str], before: Iterable[str]) -> None:
    taken = set(before)
    for name in names:
        if name in taken:
            raise SpecError(f"the mapping names {name!r} twice")
        taken.add(name)


def _affixes(
    names_of: Mapping[str, tuple[str, ...]], weights: Weights, used: set[str]
) -> tuple[str, tuple[str, ...]]:
    """Return what to take off the spec's names, and what the weights' begin with; see `Named`.

    Nothing where a name is equal. Taken off is DataParallel's wrapper, or a text that all of the
    spec's names begin with and without which the weights have them all.
    """
    every = (*weights, *weights.unreadable, *weights.aliases)
    places = [place for place in every if place not in used]
    first, *others = names_of
    ends = [at + 1 for at, letter in enumerate(first) if letter == "."]
    shared = [first[:end] for end in ends if all(n.startswith(first[:end]) for n in others)]
    for dropped in ("", *shared):
        bare = {n: tuple(e.removeprefix(dropped) for e in all_) for n, all_ in names_of.items()}
        equal = {
            tensor
            for tensor, names in bare.items()
            for name in names
            if any(place not in used for place in weights.places(name))
        }
        if equal and (dropped in ("", WRAPPER) or len(equal) == len(bare)):
            return dropped, ()
        owners = {name: tensor for tensor, names in bare.items() for name in names}
        if dropped in ("", WRAPPER) and (texts := before(owners, places)):
            return dropped, texts
    return "", ()


def _known(name: str, weights: Weights) -> str:
    places = [place for place in weights.places(name) if place in weights]
    if places:
        return places[0]
    if name in weights.unreadable:
        raise SpecError(
            f"the mapping names {name!r} of {weights.source}, which cannot be read: "
            f"{weights.unreadable[name]}"
        )
    raise SpecError(
        f"the mapping names {name!r}, which {weights.source} does not have; it has "
        f"{listed(list(weights)) or 'none'}{did_you_mean(name, weights)}"
    )


def _paired(spec: NetSpec, pairing: Pairing, arrays: list[Array]) -> dict[str, Array]:
    for name in pairing.left:
        if name not in spec.tensor_by_name:
            tensors = listed(list(spec.tensor_by_name)) or "none"
            tensors += did_you_mean(name, spec.tensor_by_name)
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


def name_notices(spec: NetSpec, weights: Weights, found: FoundArrays) -> Iterator[Notice]:
    """Tell how names were matched, and what of the weights is not compared."""
    if found.dropped:
        yield Notice("prefix", messages.SPECS_PREFIX(prefix=found.dropped))
    if found.prefix:
        yield Notice("prefix", messages.PREFIX(prefix=found.prefix))
    elif found.prefixes:
        yield Notice("names", messages.SEVERAL_PREFIXES(prefixes=listed(found.prefixes)))
    elif not found.arrays and not found.unreadable and spec.tensors:
        has, wants = listed(list(weights)), listed(list(spec.tensor_by_name))
        yield Notice("names", messages.NO_NAME_IN_COMMON(has=has or messages.NONE(), wants=wants))
    for name, alias in found.renamed:
        yield Notice("alias", messages.ONLY_UNDER_ALIAS(alias=alias), name)
    shown = {place: name for name, place in found.unreadable}
    for place, why in weights.unreadable.items():
        yield Notice("unreadable", messages.UNREADABLE(why=why), shown.get(place, place))
    if found.buffers:
        yield Notice("buffers", messages.BUFFERS(names=listed(found.buffers)))


def misfit(tensor: Tensor, found: NDArray[Any]) -> Notice:
    if found.shape != tensor.shape:
        message = messages.SHAPE(found=list(found.shape), wanted=list(tensor.shape))
        if found.shape == tensor.shape[::-1]:
            return Notice("transposed", messages.LOOKS_TRANSPOSED(shape=message), tensor.name)
        return Notice("shape", message, tensor.name)
    message = messages.DTYPE(found=dtype_name(found) or found.dtype, wanted=tensor.dtype)
    return Notice("dtype", message, tensor.name)


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
        draws.append(Draw(name, shape, Fixed(Unknown(messages.FOUND_VALUES()))))
        rows = (RowBlock(name, 0, shape[0]),)
        tensors.append(Tensor(name, role or "other", shape, rows))
    spec_of = NetSpec(HOME, tuple(draws), owned_by_name(tensors), origin=weights.source)
    return spec_of, tuple(name for name in weights if name not in spec_of.tensor_by_name)

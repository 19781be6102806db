"""Which array of a file is which tensor of a spec."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddle_init.distributions import Unknown
from paddle_init.errors import Notice, SpecError
from paddle_init.languages import listed
from paddle_init.schemes import Fixed
from paddle_init.specs import Draw, NetSpec, RowBlock, Seeding, Tensor
from paddle_init.specs.mapping import Pairing
from paddle_init.specs.net import owned_by_name
from paddle_init.specs.regrouping import WRAPPER, before
from paddle_init.statistics import dtype_name
from paddle_init.texts import did_you_mean
from paddle_init.verification import form_sentences as forms
from paddle_init.verification import sentences as say
from paddle_init.verification.checking import compare_bits, fits, same_bits
from paddle_init.verification.records import ParameterVerification, Verdict
from paddle_init.verification.repetition import Repetition
from paddle_init.weight_files.reading import Weights

Array = NDArray[Any]


@dataclass(frozen=True)
class Copy:
    """A further array of a tensor: under an alias of it, or with the same own name in the file.

    `array` is None where it cannot be read.
    """

    name: str
    of: str
    array: Array | None


@dataclass(frozen=True)
class Named:
    """Arrays by the spec's names.

    `used` are the weights' names of what was matched. `prefix` stands before each of them where no
    name is equal, `dropped` before each of the spec's; `prefixes` are those of which it is not
    known which one is meant. `unreadable` are the spec's names of what the weights have and cannot
    be read, with the weights' names; `renamed` those of tensors that are there under an alias
    alone. `buffers` are the weights' names of the spec's. `tensor_of` says of the weights' names
    which tensor they hold, as it is: not turned, and not with others as its rows.
    """

    arrays: Mapping[str, Array]
    used: frozenset[str]
    prefix: str = ""
    dropped: str = ""
    prefixes: tuple[str, ...] = ()
    copies: tuple[Copy, ...] = ()
    unreadable: tuple[tuple[str, str], ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    buffers: tuple[str, ...] = ()
    tensor_of: Mapping[str, str] = field(default_factory=dict)


def found_arrays(spec: NetSpec, weights: Weights, pairs: Iterable[Pairing]) -> Named:
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
    given = _given(spec, weights, pairs)
    names_of = {tensor.name: (tensor.name, *tensor.aliases) for tensor in spec.tensors}
    dropped = ""
    prefixes: tuple[str, ...] = ()
    left = {name: names for name, names in names_of.items() if name not in given.arrays}
    if left:
        dropped, prefixes = _affixes(left, weights, given.used)
    prefix = prefixes[0] if len(prefixes) == 1 else ""
    # What has one tensor's name is no copy of another.
    claimed = {prefix + name.removeprefix(dropped): name for name in names_of}
    arrays, used, tensor_of = dict(given.arrays), set(given.used), dict(given.tensor_of)
    copies: list[Copy] = []
    unreadable: list[tuple[str, str]] = []
    renamed: list[tuple[str, str]] = []
    for tensor in spec.tensors:
        held_as: list[tuple[str, Array | None]] = [*given.under_aliases.get(tensor.name, ())]
        for shown, place in _places(names_of[tensor.name], weights, prefix, dropped):
            of_other = claimed.get(place, tensor.name) != tensor.name
            again = shown == tensor.name and tensor.name in given.arrays
            if place in used or of_other or again:
                continue
            used.add(place)
            if place in weights.unreadable:
                unreadable.append((shown, place))
            held_as.append((shown, weights.get(place)))
            tensor_of[place] = tensor.name
        order = {name: index for index, name in enumerate(names_of[tensor.name])}
        held_as.sort(key=lambda each: order.get(each[0], len(order)))
        for shown, array in held_as:
            if tensor.name not in arrays and array is not None:
                arrays[tensor.name] = array
                if shown in tensor.aliases:
                    renamed.append((tensor.name, shown))
            elif shown != tensor.name:
                copies.append(Copy(shown, tensor.name, array))
    buffers = [
        place for _, place in _places(spec.buffers, weights, prefix, dropped) if place not in used
    ]
    return Named(
        arrays,
        frozenset(used.union(buffers)),
        prefix,
        dropped,
        prefixes if len(prefixes) > 1 else (),
        tuple(copies),
        tuple(unreadable),
        tuple(renamed),
        tuple(buffers),
        tensor_of,
    )


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


@dataclass(frozen=True)
class _Given:
    """What pairings name: arrays by tensor, those of aliases by tensor, and the weights' names.

    `tensor_of` is that of `Named`.
    """

    arrays: Mapping[str, Array]
    under_aliases: Mapping[str, list[tuple[str, Array | None]]]
    used: frozenset[str]
    tensor_of: Mapping[str, str]


def _given(spec: NetSpec, weights: Weights, pairs: Iterable[Pairing]) -> _Given:
    arrays: dict[str, Array] = {}
    under_aliases: dict[str, list[tuple[str, Array | None]]] = {}
    used: set[str] = set()
    tensor_of: dict[str, str] = {}
    owners = {alias: tensor.name for tensor in spec.tensors for alias in tensor.aliases}
    lefts: set[str] = set()
    tensor_by_array: dict[str, str] = {}
    for pairing in pairs:
        try:
            names = [_known(name, weights) for name in pairing.right]
            _refuse_twice(pairing.left, lefts)
            tensor = owners.get(pairing.left[0], pairing.left[0])
            # Tied weights are one tensor, which one array may hold under all of its names.
            _refuse_twice(names, {n for n, held in tensor_by_array.items() if held != tensor})
            lefts.update(pairing.left)
            tensor_by_array |= dict.fromkeys(names, tensor)
            sides = [weights[name] for name in names]
            if len(pairing.left) == len(sides) == 1 and (owner := owners.get(pairing.left[0])):
                turned = sides[0].T if pairing.transposed else sides[0]
                under_aliases.setdefault(owner, []).append((pairing.left[0], turned))
            else:
                arrays.update(_paired(spec, pairing, sides))
        except SpecError as error:
            raise SpecError(error.message, pairing.source) from None
        used.update(names)
        if len(pairing.left) == len(names) == 1 and not pairing.transposed:
            tensor_of[names[0]] = owners.get(pairing.left[0], pairing.left[0])
    return _Given(arrays, under_aliases, frozenset(used), tensor_of)


def _refuse_twice(names: Iterable[str], before: Iterable[str]) -> None:
    taken = set(before)
    for name in names:
        if name in taken:
            raise SpecError(f"the mapping names {name!r} twice")
        taken.add(name)


def _places(
    names: Iterable[str], weights: Weights, prefix: str, dropped: str
) -> Iterator[tuple[str, str]]:
    """Yield a name to show, and the weights' name, of each array that one of `names` means.

    Arrays beyond the first under one name are shown under the weights' names of them.
    """
    for name in names:
        for index, place in enumerate(weights.places(prefix + name.removeprefix(dropped))):
            yield place.removeprefix(prefix) if index else name, place


def _affixes(
    names_of: Mapping[str, tuple[str, ...]], weights: Weights, used: frozenset[str]
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
        named = {n: tuple(e.removeprefix(dropped) for e in all_) for n, all_ in names_of.items()}
        equal = {
            tensor
            for tensor, names in named.items()
            for name in names
            if any(place not in used for place in weights.places(name))
        }
        if equal and (dropped in ("", WRAPPER) or len(equal) == len(named)):
            return dropped, ()
        owners = {name: tensor for tensor, names in named.items() for name in names}
        if dropped in ("", WRAPPER) and (found := before(owners, places)):
            return dropped, found
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


def of_names(spec: NetSpec, weights: Weights, named: Named) -> Iterator[Notice]:
    """Tell how names were matched, and what of the weights is not compared."""
    if named.dropped:
        yield Notice("prefix", say.SPECS_PREFIX(prefix=named.dropped))
    if named.prefix:
        yield Notice("prefix", say.PREFIX(prefix=named.prefix))
    elif named.prefixes:
        yield Notice("names", say.SEVERAL_PREFIXES(prefixes=listed(named.prefixes)))
    elif not named.arrays and not named.unreadable and spec.tensors:
        has, wants = listed(list(weights)), listed(list(spec.tensor_by_name))
        yield Notice("names", say.NO_NAME_IN_COMMON(has=has or say.NONE(), wants=wants))
    for name, alias in named.renamed:
        yield Notice("alias", say.ONLY_UNDER_ALIAS(alias=alias), name)
    shown = {place: name for name, place in named.unreadable}
    for place, why in weights.unreadable.items():
        yield Notice("unreadable", say.UNREADABLE(why=why), shown.get(place, place))
    if named.buffers:
        yield Notice("buffers", say.BUFFERS(names=listed(named.buffers)))


def misfit(tensor: Tensor, found: NDArray[Any]) -> Notice:
    if found.shape != tensor.shape:
        says = say.SHAPE(found=list(found.shape), wanted=list(tensor.shape))
        if found.shape == tensor.shape[::-1]:
            return Notice("transposed", say.LOOKS_TRANSPOSED(shape=says), tensor.name)
        return Notice("shape", says, tensor.name)
    says = say.DTYPE(found=dtype_name(found) or found.dtype, wanted=tensor.dtype)
    return Notice("dtype", says, tensor.name)


def repetition(made: Repetition) -> Notice:
    earlier, later, trap = made.earlier.name, made.later, say.SEED_TRAP()
    if made.whole:
        return Notice("repeated", say.EQUALS(earlier=earlier, trap=trap), later.name)
    if made.equal < made.compared:
        says = say.MOST_EQUAL(equal=made.equal, compared=made.compared, earlier=earlier, trap=trap)
        return Notice("repeats", says, later.name)
    kind = say.KIND_BIAS() if later.role == "bias" else say.KIND_PARAMETER()
    says = say.BEGINS_WITH(kind=kind, earlier=earlier, trap=trap)
    return Notice("repeats", says, later.name)


def stream_words(stream: Seeding | None, *, within: bool = False) -> str | None:
    """Name the stream; `within` where the net seeds draws itself."""
    if stream is None:
        return forms.SEEDS_WITHIN() if within else None
    if stream.seed_seq is not None:
        return f"{stream.engine}, seed_seq {{{', '.join(map(str, stream.seed_seq))}}}"
    if stream.op_seed is not None:
        return forms.OP_SEED(engine=stream.engine, seed=stream.op_seed)
    return forms.SEED(engine=stream.engine, seed=stream.seed)


def search_command(spec: NetSpec, weights: Weights) -> str:
    """Return the command line that searches the seed of weights through the spec's net."""
    if spec.origin in (None, "<stdin>") or weights.source == "arrays":
        return "identify(weights, spec)"
    return shlex.join(["paddle-init", "identify", weights.source, "--spec", str(spec.origin)])


def verified_copies(
    spec: NetSpec,
    named: Named,
    first: Mapping[str, ParameterVerification],
    expected: Mapping[str, NDArray[Any]],
    max_ulp: int,
) -> Iterator[ParameterVerification]:
    """Compare each further array of a parameter with what the net draws for it.

    Parameters
    ----------
    first
        What became of the parameters' first arrays, by name.
    expected
        What is drawn, where that is known. Elsewhere a copy is compared with the first array: the
        net has one value for both.
    """
    for copy in named.copies:
        tensor, of = spec.tensor_by_name[copy.of], first[copy.of]
        drawn = expected.get(copy.of)
        found = named.arrays.get(copy.of)
        if copy.array is None:
            yield _entry(copy, tensor, Verdict.MISSING)
        elif found is not None and same_bits(found, copy.array):
            yield replace(of, name=copy.name, alias_of=copy.of)
        elif drawn is not None and fits(tensor, copy.array):
            bits = compare_bits(drawn, copy.array)
            verdict = Verdict.IDENTICAL if bits.within(max_ulp) else Verdict.DIFFERS
            yield replace(_entry(copy, tensor, verdict), bits=bits)
        else:
            yield _entry(copy, tensor, Verdict.DIFFERS)


def untied(spec: NetSpec, named: Named) -> Iterator[Notice]:
    """Tell which further arrays are not equal to the first, and which of them Paddle keeps."""
    aliases = {alias for tensor in spec.tensors for alias in tensor.aliases}
    last = {copy.of: copy.name for copy in named.copies if copy.name in aliases}
    for copy in named.copies:
        tensor, found = spec.tensor_by_name[copy.of], named.arrays.get(copy.of)
        if copy.array is None or found is None or same_bits(found, copy.array):
            continue
        if not fits(tensor, copy.array):
            yield misfit(replace(tensor, name=copy.name, aliases=()), copy.array)
        says = say.UNTIED(name=copy.of)
        if copy.name in aliases:
            says = say.UNTIED_LAST(what=says, last=last[copy.of])
        yield Notice("untied", says, copy.name)


def _entry(copy: Copy, tensor: Tensor, verdict: Verdict) -> ParameterVerification:
    shape = tensor.shape if copy.array is None else copy.array.shape
    return ParameterVerification(copy.name, shape, tensor.role, verdict, alias_of=copy.of)

"""Which tensor of one side is which of the other's: by mapping, by name, by order and shape."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from paddle_init.distributions import Constant, Unknown
from paddle_init.errors import Notice, SpecError
from paddle_init.languages import listed
from paddle_init.parity.mapping import Pairing
from paddle_init.parity.near_misses import Candidates
from paddle_init.parity.regrouping import split, transposed
from paddle_init.parity.sentences import warnings as say
from paddle_init.specs import NetSpec, Tensor
from paddle_init.spelling import did_you_mean

__all__ = ["Matching", "matched", "pairings"]


@dataclass(frozen=True)
class Matching:
    """Two specs whose tensors belong together where they have one name.

    `left` and `right` are the specs with tensors renamed, and split where one stands against
    several. `own_names` gives the right's own name of each tensor that had another; `turned` are
    the tensors of which one side is shown transposed. `notices` say what was not told, but found.
    """

    left: NetSpec
    right: NetSpec
    own_names: Mapping[str, str]
    turned: frozenset[str]
    notices: tuple[Notice, ...]

    @cached_property
    def unmatched(self) -> tuple[Candidates, Candidates]:
        """The left's and the right's tensors without partner of their name and shape."""
        ours, theirs = self.left.tensor_by_name, self.right.tensor_by_name
        return _without(self.left.tensors, theirs), _without(self.right.tensors, ours)


def matched(left: NetSpec, right: NetSpec, pairs: Iterable[Pairing] = ()) -> Matching:
    """Match the tensors of two specs.

    What `pairs` say comes first; then equal names; then, of what is left, equal roles and shapes
    in their order, where both sides have as many of them. The last is told by the notice
    ``matched-by-order``. Square weights, whose shape would not show that one side is transposed,
    are told by ``square-layout`` unless `pairs` name them.

    Raises
    ------
    SpecError
        A pairing names no tensor, or one twice, or its rows do not come out even.
    """
    builder = _Builder(left, right, {}, set(), set())
    for pairing in pairs:
        builder.add(pairing)
    stated = set(builder.partners)
    builder.by_name()
    found = builder.by_order()
    notices = [*_found(found), *_squares(builder, stated), *_orders(builder)]
    return builder.matching(notices)


def pairings(matching: Matching) -> Iterator[Pairing]:
    """Yield a matching as what a mapping file would say."""
    for name in matching.left.tensor_by_name:
        if name in matching.right.tensor_by_name:
            turned = True if name in matching.turned else None
            yield Pairing((name,), (matching.own_names.get(name, name),), turned)


@dataclass
class _Builder:
    """The two specs as they are changed, and the right's name by the left's of what is matched."""

    left: NetSpec
    right: NetSpec
    partners: dict[str, str]
    taken: set[str]
    turned: set[str]

    def add(self, pairing: Pairing) -> None:
        try:
            self._add(pairing)
        except SpecError as error:
            raise SpecError(error.message, pairing.source) from None

    def _add(self, pairing: Pairing) -> None:
        lefts = [self._free(self.left, name, self.partners, "left") for name in pairing.left]
        rights = [self._free(self.right, name, self.taken, "right") for name in pairing.right]
        if len(lefts) > 1:
            self.right, rights = _replaced(self.right, rights[0], split(rights[0], lefts))
        elif len(rights) > 1:
            self.left, lefts = _replaced(self.left, lefts[0], split(lefts[0], rights))
        if pairing.transposed:
            self._turn(lefts[0], rights[0])
        for here, there in zip(lefts, rights, strict=True):
            self._pair(here.name, there.name)

    def by_name(self) -> None:
        for name in self.left.tensor_by_name:
            free = name not in self.partners and name not in self.taken
            if free and name in self.right.tensor_by_name:
                self._pair(name, name)

    def by_order(self) -> list[tuple[str, str]]:
        """Pair what is left over by role and shape; return the pairs."""
        ours = _by_kind(t for t in self.left.tensors if t.name not in self.partners)
        theirs = _by_kind(t for t in self.right.tensors if t.name not in self.taken)
        found = [
            pair
            for kind, names in ours.items()
            if len(names) == len(theirs.get(kind, ()))
            for pair in zip(names, theirs[kind], strict=True)
        ]
        for pair in found:
            self._pair(*pair)
        return found

    def matching(self, notices: Iterable[Notice]) -> Matching:
        """Give the right's tensors the left's names."""
        names = {right: left for left, right in self.partners.items()}
        for name in self.right.tensor_by_name:
            if name not in names:
                names[name] = f"{name} (right)" if name in self.left.tensor_by_name else name
        tensors = tuple(_renamed(tensor, names) for tensor in self.right.tensors)
        layers = tuple(
            replace(each, weight=names[each.weight], bias=each.bias and names[each.bias])
            for each in self.right.layers
        )
        own_names = {left: right for left, right in self.partners.items() if left != right}
        right = replace(self.right, tensors=tensors, layers=layers)
        return Matching(self.left, right, own_names, frozenset(self.turned), tuple(notices))

    def _turn(self, here: Tensor, there: Tensor) -> None:
        if here.shape != there.shape[::-1]:
            shapes = f"{here.name} {list(here.shape)} and {there.name} {list(there.shape)}"
            raise SpecError(f"{shapes} are not each other's transpose")
        self.right, _ = transposed(self.right, there)
        self.turned.add(here.name)

    def _pair(self, left: str, right: str) -> None:
        self.partners[left] = right
        self.taken.add(right)

    @staticmethod
    def _free(spec: NetSpec, name: str, taken: Iterable[str], side: str) -> Tensor:
        tensor = spec.tensor_by_name.get(name)
        if tensor is None:
            known = listed(list(spec.tensor_by_name), 10) or "none"
            known += did_you_mean(name, spec.tensor_by_name)
            raise SpecError(f"the {side} has no parameter {name!r}; its parameters: {known}")
        if name in taken:
            raise SpecError(f"{name!r} is paired twice on the {side}")
        return tensor


def _replaced(spec: NetSpec, old: Tensor, new: list[Tensor]) -> tuple[NetSpec, list[Tensor]]:
    """Put `new` in the place of `old`; a name that is taken gets the old one before it."""
    others = spec.tensor_by_name.keys() - {old.name}
    new = [replace(t, name=f"{old.name}.{t.name}") if t.name in others else t for t in new]
    weights = [each.name for each in new if each.role == "weight"]
    tensors = []
    for each in spec.tensors:
        if each.bias_of and old.name in each.bias_of:
            kept = [name for name in each.bias_of if name != old.name]
            each = replace(each, bias_of=(*kept, *weights))
        tensors += new if each.name == old.name else [each]
    return replace(spec, tensors=tuple(tensors), layers=()), new


def _without(tensors: Iterable[Tensor], partners: Mapping[str, Tensor]) -> Candidates:
    def apart(tensor: Tensor) -> bool:
        partner = partners.get(tensor.name)
        return partner is None or partner.shape != tensor.shape

    return Candidates(tuple(filter(apart, tensors)))


def _renamed(tensor: Tensor, names: Mapping[str, str]) -> Tensor:
    owners = tensor.bias_of and tuple(names[owner] for owner in tensor.bias_of)
    return replace(tensor, name=names[tensor.name], bias_of=owners)


def _by_kind(tensors: Iterable[Tensor]) -> dict[tuple[str, tuple[int, ...]], list[str]]:
    kinds: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    for tensor in tensors:
        kinds.setdefault((tensor.role, tensor.shape), []).append(tensor.name)
    return kinds


def _found(pairs: list[tuple[str, str]]) -> Iterator[Notice]:
    if pairs:
        told = listed([f"{left} = {right}" for left, right in pairs], 8)
        yield Notice("matched-by-order", say.MATCHED_BY_ORDER(pairs=told))


def _squares(builder: _Builder, stated: set[str]) -> Iterator[Notice]:
    square = []
    for left, right in builder.partners.items():
        here, there = builder.left.tensor_by_name[left], builder.right.tensor_by_name[right]
        is_square = len(here.shape) == 2 and here.shape[0] == here.shape[1] > 1
        if here.role == "weight" and is_square and here.shape == there.shape:
            square += [] if left in stated else [left]
    if square:
        yield Notice("square-layout", say.SQUARE_LAYOUT(names=listed(square)))


def _orders(builder: _Builder) -> Iterator[Notice]:
    """Tell where one engine would draw the same parameters in two orders."""
    if builder.left.framework != builder.right.framework:
        return
    ours, theirs = _drawn(builder.left), _drawn(builder.right)
    known = set(theirs)
    lefts = [name for name in ours if builder.partners.get(name) in known]
    wanted = [builder.partners[name] for name in lefts]
    shared = set(wanted)
    rights = [name for name in theirs if name in shared]
    if rights != wanted:
        first = next(i for i, (a, b) in enumerate(zip(wanted, rights, strict=True)) if a != b)
        message = say.DRAW_ORDER(left=lefts[first], right=rights[first])
        yield Notice("draw-order", message)


def _drawn(spec: NetSpec) -> list[str]:
    """Return the tensors in the order in which the first random draw of each comes."""
    places = {
        draw.name: place
        for place, draw in enumerate(spec.draws)
        if not isinstance(spec.drawn(draw.name), (Constant, Unknown))
    }
    firsts = {
        tensor.name: min(found)
        for tensor in spec.tensors
        if (found := [places[b.draw] for b in tensor.blocks if b.draw in places])
    }
    return sorted(firsts, key=firsts.__getitem__)

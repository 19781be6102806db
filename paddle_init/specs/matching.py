"""Which tensor of one spec is which of another's: by mapping, name, layer, shape and order."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from paddle_init.distributions import by_chance
from paddle_init.errors import Notice, SpecError
from paddle_init.languages import Message, Sentence, listed
from paddle_init.schemes import Shape
from paddle_init.specs import NetSpec, Tensor
from paddle_init.specs.mapping import Pairing, Prefixes, prefixes, split, transposed
from paddle_init.texts import did_you_mean

MATCHED_BY_ORDER = Sentence(
    "the names differ, so these were matched by role, shape and layer, in their order: {pairs}. "
    "A mapping states which belong together.",
    "名称不同，所以按角色、形状和所在层依次对应：{pairs}。可以用 mapping 写明哪些是一对。",
)
SQUARE_LAYOUT = Sentence(
    "{names}: a square shape does not show whether one side is transposed. Both "
    "are taken as [in, out], as Paddle and abacus have them; a mapping with transposed: "
    "true (torch has [out, in]) or false says so.",
    "{names}：方阵看不出有没有一侧是转置的。两侧都按 [in, out] 理解，Paddle 和 abacus 都是如此；"
    "可在 mapping 里用 transposed: true（torch 是 [out, in]）或 false 写明。",
)
DRAW_ORDER = Sentence(
    "the two sides draw their parameters in different orders, so that one seed gives different "
    "values from the first difference on: {left} on the left, {right} on the right.",
    "两侧抽取参数的顺序不同，因此即使种子相同，从第一处差异起数值就不同：左侧是 {left}，"
    "右侧是 {right}。",
)
PREFIX_LEFT = Sentence(
    "the names on the left have the prefix {prefix!r}, those on the right do not; names are "
    "compared without it.",
    "左侧的名称带有前缀 {prefix!r}，右侧的没有；比较时去掉这个前缀。",
)
PREFIX_RIGHT = Sentence(
    "the names on the right have the prefix {prefix!r}, those on the left do not; names are "
    "compared without it.",
    "右侧的名称带有前缀 {prefix!r}，左侧的没有；比较时去掉这个前缀。",
)
OTHER_LAYERS = Sentence(
    "{names}: a bias of this name belongs to different layers on the two sides, so it is not "
    "matched by name. A mapping states which belong together.",
    "{names}：两侧都有这个名称的偏置，但属于不同的层，所以没有按名称对应。"
    "可以用 mapping 写明哪些是一对。",
)
UNDECIDED = Sentence(
    "{left} on the left and {right} on the right ({kind}): it is not known which of them belong "
    "together",
    "左侧的 {left} 与右侧的 {right}（{kind}）：无法判定哪些是一对",
)
ONLY_LEFT = Sentence("{names} ({kind}): only on the left", "只有左侧有 {names}（{kind}）")
ONLY_RIGHT = Sentence("{names} ({kind}): only on the right", "只有右侧有 {names}（{kind}）")


SHOWN = 8

K = TypeVar("K")


@dataclass(frozen=True)
class Unmatched:
    """Tensors of one shape without partner, by their own names; `role` has every role of them."""

    role: str
    shape: Shape
    left: tuple[str, ...]
    right: tuple[str, ...]

    @property
    def told(self) -> Message:
        kind = f"{self.role} {' x '.join(map(str, self.shape))}"
        if self.left and self.right:
            names = {"left": listed(self.left, SHOWN), "right": listed(self.right, SHOWN)}
            return UNDECIDED(**names, kind=kind)
        sentence = ONLY_LEFT if self.left else ONLY_RIGHT
        return sentence(names=listed(self.left or self.right, SHOWN), kind=kind)


@dataclass(frozen=True)
class Matching:
    """Two specs whose tensors belong together where they have one name.

    `left` and `right` are the specs with tensors renamed, and split where one stands against
    several. `own_names` gives the right's own name of each tensor that had another; `turned` are
    the tensors of which one side is shown transposed. `notices` say what was not told, but found;
    `unmatched` is what has no partner.
    """

    left: NetSpec
    right: NetSpec
    own_names: Mapping[str, str]
    turned: frozenset[str] = frozenset()
    notices: tuple[Notice, ...] = ()
    unmatched: tuple[Unmatched, ...] = ()


def matched(left: NetSpec, right: NetSpec, pairs: Iterable[Pairing] = ()) -> Matching:
    """Match the tensors of two specs.

    1. What `pairs` say.
    2. Equal names, aliases included; but no bias whose weight is another on the other side. A
       prefix that all names of a side have, as DataParallel's, counts for nothing; it is told by
       ``name-prefix``.
    3. Of what is left, weights and others of equal role and shape in their order, where both
       sides have as many of them, and what has equal names stands in the same order.
    4. A bias goes with its weight. By role, shape and order it is matched only where a side does
       not say whose bias it is.

    Steps 3 and 4 are told by the notice ``matched-by-order``. Square weights, whose shape would not
    show that one side is transposed, are told by ``square-layout`` unless `pairs` name them.

    Raises
    ------
    SpecError
        A pairing names no tensor, or one twice, or its rows do not come out even.
    """
    builder = _Builder(left, right)
    for pairing in pairs:
        builder.add(pairing)
    stated = set(builder.partners)
    named = _Names(builder.left, builder.right)
    for here, there in named.pairs:
        if builder.left.tensor_by_name[here].role != "bias" and builder.free(here, there):
            builder.pair(here, there)
    builder.by_order(("weight", "other"))
    astray = builder.biases_by_name(named.pairs)
    builder.weights_by_bias()
    builder.biases_by_layer()
    builder.by_order(("bias",))
    return builder.matching([*_notices(builder, named.prefixes, astray, stated)])


def pairings(matching: Matching) -> Iterator[Pairing]:
    """Yield a matching as what a mapping file would say."""
    for name in matching.left.tensor_by_name:
        if name in matching.right.tensor_by_name:
            turned = True if name in matching.turned else None
            yield Pairing((name,), (matching.own_names.get(name, name),), turned)


class _Names:
    """The pairs of tensors of one name, a prefix of all names taken off."""

    def __init__(self, left: NetSpec, right: NetSpec) -> None:
        ours, theirs = (
            {name: t.name for t in spec.tensors for name in (*t.aliases, t.name)}
            for spec in (left, right)
        )
        self.prefixes: Prefixes = prefixes(list(ours), list(theirs))
        there = {self.prefixes.right_bare(name): own for name, own in theirs.items()}
        self.pairs: list[tuple[str, str]] = []
        for tensor in left.tensors:
            bare = map(self.prefixes.left_bare, (tensor.name, *tensor.aliases))
            if own := next((there[name] for name in bare if name in there), None):
                self.pairs.append((tensor.name, own))


@dataclass
class _Builder:
    """The two specs as they are changed, and both sides' names of what is matched.

    `guessed` are the pairs that neither a mapping nor their names say.
    """

    left: NetSpec
    right: NetSpec
    partners: dict[str, str] = field(default_factory=dict)
    taken: dict[str, str] = field(default_factory=dict)
    turned: set[str] = field(default_factory=set)
    guessed: list[tuple[str, str]] = field(default_factory=list)

    def add(self, pairing: Pairing) -> None:
        try:
            self._add(pairing)
        except SpecError as error:
            raise SpecError(error.message, pairing.source) from None

    def _add(self, pairing: Pairing) -> None:
        lefts = [self._known(self.left, name, self.partners, "left") for name in pairing.left]
        rights = [self._known(self.right, name, self.taken, "right") for name in pairing.right]
        if len(lefts) > 1:
            self.right, rights = _replaced(self.right, rights[0], split(rights[0], lefts))
        elif len(rights) > 1:
            self.left, lefts = _replaced(self.left, lefts[0], split(lefts[0], rights))
        if pairing.transposed:
            self._turn(lefts[0], rights[0])
        for here, there in zip(lefts, rights, strict=True):
            self.pair(here.name, there.name)

    def free(self, left: str, right: str) -> bool:
        return left not in self.partners and right not in self.taken

    def pair(self, left: str, right: str) -> None:
        self.partners[left] = right
        self.taken[right] = left

    def guess(self, left: str, right: str) -> None:
        self.pair(left, right)
        self.guessed.append((left, right))

    def by_order(self, roles: Container[str]) -> None:
        """Pair what is left of some roles by shape, in order.

        What a tensor is called in its layer counts, weight or bias, where both sides say it.
        """
        for leaves in (True, False):

            def kind(tensor: Tensor, leaves: bool = leaves) -> tuple[str, Shape, str]:
                return tensor.role, tensor.shape, _leaf(tensor) if leaves else ""

            ours, theirs = (
                _grouped((each for each in spec.tensors if each.role in roles), kind)
                for spec in (self.left, self.right)
            )
            for key, lefts in ours.items():
                for here, there in self._in_order(lefts, theirs.get(key, [])):
                    self.guess(here.name, there.name)

    def _in_order(self, lefts: list[Tensor], rights: list[Tensor]) -> list[tuple[Tensor, Tensor]]:
        """Return the pairs of what is left of one kind, or none where order does not settle it."""
        ours = [each for each in lefts if each.name not in self.partners]
        theirs = [each for each in rights if each.name not in self.taken]
        if len(ours) != len(theirs) or not ours:
            return []
        pairs = list(zip(ours, theirs, strict=True))
        if not all(_may_be(here, there) for here, there in pairs):
            return []
        if len(pairs) > 1:
            names = {here.name: there.name for here, there in pairs}
            places = {each.name: place for place, each in enumerate(rights)}
            partners = (self.partners.get(each.name, names.get(each.name, "")) for each in lefts)
            order = [places[name] for name in partners if name in places]
            if order != sorted(order):
                return []
        return pairs

    def biases_by_name(self, named: Iterable[tuple[str, str]]) -> list[str]:
        """Pair biases of equal names; return those whose weights are no partners."""
        astray = []
        for here, there in named:
            if not self.free(here, there):
                continue
            if self._of_other_layers(here, there):
                astray.append(here)
            else:
                self.pair(here, there)
        return astray

    def weights_by_bias(self) -> None:
        """Pair weights that are left, and whose biases are partners."""
        for bias in self.left.tensors:
            partner = self.right.tensor_by_name.get(self.partners.get(bias.name, ""))
            if bias.role != "bias" or partner is None:
                continue
            owners = bias.bias_of or (), partner.bias_of or ()
            if any(len(each) != 1 for each in owners):
                continue
            (here,), (there,) = owners
            ours, theirs = self.left.tensor_by_name[here], self.right.tensor_by_name[there]
            if self.free(here, there) and ours.shape == theirs.shape:
                self.guess(here, there)

    def biases_by_layer(self) -> None:
        """Pair the only bias of a weight with the only one of its partner."""
        ours = _by_owner(t for t in self.left.tensors if t.name not in self.partners)
        theirs = _by_owner(t for t in self.right.tensors if t.name not in self.taken)
        for weight, lefts in ours.items():
            rights = theirs.get(self.partners.get(weight, ""), [])
            if len(lefts) == len(rights) == 1 and lefts[0].shape == rights[0].shape:
                here, there = lefts[0].name, rights[0].name
                if self.free(here, there):
                    self.guess(here, there)

    def matching(self, notices: Iterable[Notice]) -> Matching:
        """Give the right's tensors the left's names."""
        unmatched = tuple(self._unmatched())
        names = dict(self.taken)
        for name in self.right.tensor_by_name:
            if name not in names:
                names[name] = f"{name} (right)" if name in self.left.tensor_by_name else name
        tensors = tuple(_renamed(tensor, names) for tensor in self.right.tensors)
        layers = tuple(
            replace(each, weight=names[each.weight], bias=each.bias and names[each.bias])
            for each in self.right.layers
        )
        own_names = {left: right for left, right in self.partners.items() if left != right}
        right = replace(self.right, tensors=_bare(tensors), layers=layers)
        return Matching(
            self.left, right, own_names, frozenset(self.turned), tuple(notices), unmatched
        )

    def _unmatched(self) -> Iterator[Unmatched]:
        """Yield what has no partner, by shape: what it is for may be known of one side alone."""
        ours, theirs = (
            _grouped((t for t in spec.tensors if t.name not in paired), lambda t: t.shape)
            for spec, paired in ((self.left, self.partners), (self.right, self.taken))
        )
        for shape in dict.fromkeys((*ours, *theirs)):
            lefts, rights = ours.get(shape, ()), theirs.get(shape, ())
            roles = " or ".join(dict.fromkeys(each.role for each in (*lefts, *rights)))
            left, right = (tuple(each.name for each in side) for side in (lefts, rights))
            yield Unmatched(roles, shape, left, right)

    def square_weights(self) -> Iterator[str]:
        """Yield the left's weights whose shape would not show that one of the two is transposed."""
        for left, right in self.partners.items():
            here, there = self.left.tensor_by_name[left], self.right.tensor_by_name[right]
            square = len(here.shape) == 2 and here.shape[0] == here.shape[1] > 1
            if here.role == "weight" and square and here.shape == there.shape:
                yield left

    def _of_other_layers(self, left: str, right: str) -> bool:
        """Tell whether both sides say whose bias it is, and the two weights are no partners."""
        ours = self.left.tensor_by_name[left].bias_of or ()
        theirs = self.right.tensor_by_name[right].bias_of or ()
        if not ours or not theirs or any(self.partners.get(each) in theirs for each in ours):
            return False
        known = any(each in self.partners for each in ours)
        return known or any(each in self.taken for each in theirs)

    def _turn(self, here: Tensor, there: Tensor) -> None:
        if here.shape != there.shape[::-1]:
            shapes = f"{here.name} {list(here.shape)} and {there.name} {list(there.shape)}"
            raise SpecError(f"{shapes} are not each other's transpose")
        self.right, _ = transposed(self.right, there)
        self.turned.add(here.name)

    @staticmethod
    def _known(spec: NetSpec, name: str, taken: Iterable[str], side: str) -> Tensor:
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


def _renamed(tensor: Tensor, names: Mapping[str, str]) -> Tensor:
    owners = tensor.bias_of and tuple(names[owner] for owner in tensor.bias_of)
    return replace(tensor, name=names[tensor.name], bias_of=owners)


def _bare(tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Take off the aliases, which may be what another tensor is called now."""
    return tuple(replace(each, aliases=()) if each.aliases else each for each in tensors)


def _grouped(tensors: Iterable[Tensor], key: Callable[[Tensor], K]) -> dict[K, list[Tensor]]:
    found: dict[K, list[Tensor]] = {}
    for tensor in tensors:
        found.setdefault(key(tensor), []).append(tensor)
    return found


def _leaf(tensor: Tensor) -> str:
    """Return what a layer calls its parameter, where that says what it is for."""
    leaf = tensor.name.rpartition(".")[2]
    return leaf if tensor.role == "other" and leaf in ("weight", "bias") else ""


def _may_be(left: Tensor, right: Tensor) -> bool:
    """Tell whether two of one role and shape may be partners, as far as both sides know them.

    Biases of which both sides know the layer are matched by it, or not at all.
    """
    if left.role == "bias":
        return not (left.bias_of and right.bias_of)
    leaves = {_leaf(left), _leaf(right)} - {""}
    return len(leaves) < 2


def _by_owner(tensors: Iterable[Tensor]) -> dict[str, list[Tensor]]:
    """Return biases by the weights that they belong to."""
    found: dict[str, list[Tensor]] = {}
    for tensor in tensors:
        for weight in tensor.bias_of or () if tensor.role == "bias" else ():
            found.setdefault(weight, []).append(tensor)
    return found


def _notices(
    builder: _Builder,
    found: Prefixes,
    astray: list[str],
    stated: set[str],
) -> Iterator[Notice]:
    for prefix, sentence in ((found.left, PREFIX_LEFT), (found.right, PREFIX_RIGHT)):
        if prefix:
            yield Notice("name-prefix", sentence(prefix=prefix))
    if builder.guessed:
        places = {name: place for place, name in enumerate(builder.left.tensor_by_name)}
        guessed = sorted(builder.guessed, key=lambda pair: places[pair[0]])
        pairs = listed([f"{left} = {right}" for left, right in guessed], SHOWN)
        yield Notice("matched-by-order", MATCHED_BY_ORDER(pairs=pairs))
    if astray:
        yield Notice("bias-of-other-layer", OTHER_LAYERS(names=listed(astray)))
    if square := [name for name in builder.square_weights() if name not in stated]:
        yield Notice("square-layout", SQUARE_LAYOUT(names=listed(square)))
    yield from _orders(builder)


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
        message = DRAW_ORDER(left=lefts[first], right=rights[first])
        yield Notice("draw-order", message)


def _drawn(spec: NetSpec) -> list[str]:
    """Return the tensors in the order in which the first random draw of each comes."""
    places = {
        draw.name: place
        for place, draw in enumerate(spec.draws)
        if by_chance(spec.drawn(draw.name))
    }
    firsts = {
        tensor.name: min(found)
        for tensor in spec.tensors
        if (found := [places[b.draw] for b in tensor.blocks if b.draw in places])
    }
    return sorted(firsts, key=firsts.__getitem__)

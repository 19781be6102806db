"""The net spec: what is drawn, in draw order, and what Paddle holds, in creation order."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol, TypeVar

from paddle_init.distributions import Block, Blocks, Distribution, Given, Simple, stacked
from paddle_init.errors import Notice, SchemeError, Source, SpecError
from paddle_init.schemes import Arithmetic
from paddle_init.schemes.base import ARITHMETICS
from paddle_init.specs.frameworks import FrameworkFacts, framework_facts, owner
from paddle_init.specs.parts import Draw, Layer, RowBlock, Seeding, Tensor, names
from paddle_init.texts import did_you_mean


def paired(tensors: Sequence[Tensor], layers: Iterable[Layer]) -> tuple[tuple[str, str], ...]:
    """Return (weight, bias) by tensor name, in the order of the biases.

    A bias says it itself, by `bias_of`; else the layers do; where there are none, it is the bias
    of the weight right before it.

    Raises
    ------
    SpecError
        `bias_of` names no weight of the bias's width.
    """
    weights = {tensor.name: tensor for tensor in tensors if tensor.role == "weight"}
    of_layers: dict[str, list[str]] = {}
    has_layers = False
    for layer in layers:
        has_layers = True
        if layer.bias is not None:
            of_layers.setdefault(layer.bias, []).append(layer.weight)
    pairs: dict[tuple[str, str], None] = {}
    for before, bias in zip((None, *tensors), tensors, strict=False):
        if bias.role != "bias":
            continue
        owners: Iterable[str]
        if bias.bias_of is not None:
            owners = bias.bias_of
            for name in owners:
                _check(bias, name, weights)
        else:
            owners = of_layers.get(bias.name, ()) if has_layers else by_position(before, bias)
        pairs |= dict.fromkeys((owner, bias.name) for owner in owners)
    return tuple(pairs)


def with_owners(tensors: Iterable[Tensor], pairs: Iterable[tuple[str, str]]) -> tuple[Tensor, ...]:
    """Let every bias say its weights itself, so that it keeps them without the layers."""
    owners: dict[str, list[str]] = {}
    for weight, bias in pairs:
        owners.setdefault(bias, []).append(weight)
    return tuple(
        replace(tensor, bias_of=tuple(owners.get(tensor.name, ())))
        if tensor.role == "bias" and tensor.bias_of is None
        else tensor
        for tensor in tensors
    )


def owned_by_name(tensors: Iterable[Tensor]) -> tuple[Tensor, ...]:
    """Let a bias that does not say its weight take the one beside it: fc.bias that of fc.weight.

    A bias of several names, which layers share, is that of each. Where a layer has no such weight
    of its width, or several, nothing is said of it.
    """
    every = tuple(tensors)
    weights: dict[tuple[str, int], list[str]] = {}
    for tensor in every:
        if tensor.role == "weight":
            layer, dot, _ = tensor.name.rpartition(".")
            weights.setdefault((layer + dot, tensor.shape[-1]), []).append(tensor.name)

    def owned(bias: Tensor) -> Tensor:
        if bias.role != "bias" or bias.bias_of is not None:
            return bias
        owners: dict[str, None] = {}
        for name in (bias.name, *bias.aliases):
            layer, dot, _ = name.rpartition(".")
            beside = weights.get((layer + dot, bias.shape[-1]), [])
            owners |= dict.fromkeys(beside if len(beside) == 1 else ())
        return replace(bias, bias_of=tuple(owners)) if owners else bias

    return tuple(map(owned, every))


def by_position(before: Tensor | None, bias: Tensor) -> tuple[str, ...]:
    """Return the weight that a bias belongs to by standing right behind it, if there is one."""
    if before is None or before.role != "weight" or before.shape[-1] != bias.shape[-1]:
        return ()
    return (before.name,)


def _check(bias: Tensor, name: str, weights: Mapping[str, Tensor]) -> None:
    weight = weights.get(name)
    if weight is None:
        meant = did_you_mean(name, weights)
        said = f"tensor {bias.name}: bias_of: no weight is named {name!r}{meant}"
        raise SpecError(said, bias.source)
    if weight.shape[-1] != bias.shape[-1]:
        raise SpecError(
            f"tensor {bias.name}: bias_of: the weight {name} has {weight.shape[-1]} columns, "
            f"the bias {bias.shape[-1]}",
            bias.source,
        )


STORAGE_ORDERS = ("F", "C")


class _Named(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def source(self) -> Source | None: ...


N = TypeVar("N", bound=_Named)


def plain_tensor(draw: Draw) -> Tensor:
    """Return the tensor that holds one whole draw; 1-D is a bias, everything else a weight."""
    role = "bias" if len(draw.shape) == 1 else "weight"
    block = RowBlock(draw.name, 0, draw.shape[0])
    return Tensor(draw.name, role, draw.shape, (block,), source=draw.source)


@dataclass(frozen=True)
class NetSpec:
    """A whole net's initialization, in one framework's terms.

    Parameters
    ----------
    framework
        One of `framework_names`: whose engine, order and arithmetic draw it.
    draws
        In the order of drawing.
    tensors
        In Paddle's order of creation; by default each draw is one tensor of the same name.
    stream
        How the random stream starts, or None where that is not known.
    arithmetic
        abacus only: the type in which scales are computed, "float64" or "float32".
    storage_order
        abacus only: how a draw's values fill its matrix, "F" (column-major) or "C".
    pairs
        (weight, bias) by tensor name; see `pairing.paired`. Not given but found.
    layers, skipped_layers, notices, origin, included
        Where the spec came from a conf: its fully connected layers, the names of the others, what
        its reader warned about, its path, and those of the files that it includes. Carried along,
        no part of equality.
    buffers
        Names in the net's state_dict that are no parameters, such as BatchNorm's `_mean`.

    Raises
    ------
    SpecError
        The parts contradict each other.
    """

    framework: str
    draws: tuple[Draw, ...]
    tensors: tuple[Tensor, ...] = ()
    stream: Seeding | None = None
    arithmetic: Arithmetic = "float64"
    storage_order: str = "F"
    pairs: tuple[tuple[str, str], ...] = field(init=False)
    layers: tuple[Layer, ...] = field(default=(), compare=False)
    skipped_layers: tuple[str, ...] = field(default=(), compare=False)
    notices: tuple[Notice, ...] = field(default=(), compare=False)
    origin: str | None = field(default=None, compare=False)
    included: tuple[str, ...] = field(default=(), compare=False)
    buffers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "draws", tuple(self.draws))
        tensors = tuple(self.tensors) or tuple(map(plain_tensor, self.draws))
        object.__setattr__(self, "tensors", tensors)
        facts = framework_facts(self.framework)
        for name, allowed in (
            ("arithmetic", ARITHMETICS),
            ("storage_order", STORAGE_ORDERS),
        ):
            if getattr(self, name) not in allowed:
                value = getattr(self, name)
                raise SpecError(
                    f"{name} must be one of {', '.join(allowed)}, "
                    f"got {value!r}{did_you_mean(value, allowed)}"
                )
        if not facts.options and (self.arithmetic, self.storage_order) != ("float64", "F"):
            raise SpecError(
                f"arithmetic and storage_order are {owner('arithmetic').title}'s; "
                f"a {self.framework} spec has neither"
            )
        if self.stream is not None:
            self.stream.check(self.framework)
        draws = _unique("draw", self.draws)
        self._check_starts(facts)
        for tensor in _unique("tensor", self.tensors).values():
            tensor.check(draws)
            if tensor.overwritten and not facts.overwrites:
                raise SpecError(
                    f"tensor {tensor.name}: overwritten is {owner('overwrites').title}'s; "
                    f"{self.framework} sets no elements after a draw",
                    tensor.source,
                )
        object.__setattr__(self, "buffers", names("buffers", self.buffers))
        self._check_names()
        pairs = paired(self.tensors, self.layers)
        object.__setattr__(self, "pairs", pairs)
        object.__setattr__(self, "tensors", with_owners(self.tensors, pairs))

    @property
    def seeded(self) -> bool:
        """Whether a stream that draws take is seeded: the net's, or one of their own."""
        own = any(draw.seed is not None or draw.op_seed is not None for draw in self.draws)
        return self.stream is not None or own

    @cached_property
    def draw_by_name(self) -> dict[str, Draw]:
        return {draw.name: draw for draw in self.draws}

    @cached_property
    def tensor_by_name(self) -> dict[str, Tensor]:
        return {tensor.name: tensor for tensor in self.tensors}

    def _check_starts(self, facts: FrameworkFacts) -> None:
        """Refuse draws that start where their framework or the list of draws has no start."""
        earlier = {""}
        for draw in self.draws:
            if draw.starts and not facts.restarts:
                raise SpecError(
                    f"draw {draw.name}: {draw.starts[0]} is {owner('restarts').title}'s",
                    draw.source,
                )
            if draw.after is not None and draw.after not in earlier:
                raise SpecError(
                    f"draw {draw.name}: after: no earlier draw is named {draw.after!r}",
                    draw.source,
                )
            earlier.add(draw.name)

    def _check_names(self) -> None:
        """Refuse a name of the state_dict that stands for two things."""
        taken: dict[str, str] = {tensor.name: "a tensor" for tensor in self.tensors}
        further = [
            *(
                (alias, f"an alias of {t.name}", t.source)
                for t in self.tensors
                for alias in t.aliases
            ),
            *((buffer, "a buffer", None) for buffer in self.buffers),
        ]
        for name, what, source in further:
            if name in taken:
                raise SpecError(f"the name {name!r} is {taken[name]} and {what}", source)
            taken[name] = what

    def drawn(self, name: str) -> Simple:
        """Return what the draw of this name holds, its scheme applied to its own shape."""
        if name not in self._drawn:
            self._drawn[name] = self._applied(self.draw_by_name[name])
        return self._drawn[name]

    @cached_property
    def _drawn(self) -> dict[str, Simple]:
        return {}

    def _applied(self, draw: Draw) -> Simple:
        try:
            drawn = draw.scheme(draw.shape, self.arithmetic)
        except SchemeError as error:
            raise SpecError(f"draw {draw.name}: {error}", draw.source) from None
        if isinstance(drawn, Blocks):
            raise SpecError(f"draw {draw.name}: a draw has one distribution, not blocks")
        if isinstance(drawn, Given) and drawn.values.size != math.prod(draw.shape):
            raise SpecError(
                f"draw {draw.name}: {drawn.values.size} values are given, its shape "
                f"{list(draw.shape)} has {math.prod(draw.shape)}",
                draw.source,
            )
        return drawn

    def drawn_rows(self, block: RowBlock) -> Simple:
        """Return what rows of a draw hold: of given values those of the rows."""
        drawn = self.drawn(block.draw)
        if isinstance(drawn, Given):
            return drawn.rows(block.start, block.stop, self.draw_by_name[block.draw].shape[0])
        return drawn

    def distribution(self, tensor: Tensor) -> Distribution:
        """Return what `tensor` holds: one distribution, or Blocks where its rows differ."""
        return stacked(Block(block.rows, self.drawn_rows(block)) for block in tensor.blocks)

    @cached_property
    def bias_by_weight(self) -> dict[str, str | None]:
        """Each weight's first bias, by tensor name; None where it has none."""
        first = dict(reversed(self.pairs))
        return {t.name: first.get(t.name) for t in self.tensors if t.role == "weight"}

    @cached_property
    def weight_by_bias(self) -> dict[str, str]:
        """The first weight that each bias belongs to, by tensor name."""
        return {bias: weight for weight, bias in reversed(self.pairs)}


def _unique(kind: str, items: Iterable[N]) -> dict[str, N]:
    seen: dict[str, N] = {}
    for item in items:
        if item.name in seen:
            raise SpecError(f"two {kind}s are named {item.name!r}", item.source)
        seen[item.name] = item
    return seen

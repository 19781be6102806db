"""A fully connected layer as theory sees it: two fans, two distributions, an activation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from paddle_init.activations.builtin import Activation
from paddle_init.activations.notation import Spec, activation
from paddle_init.distributions import Blocks, Distribution, Unknown
from paddle_init.errors import PropagationError
from paddle_init.schemes import Scheme
from paddle_init.schemes.base import size
from paddle_init.specs import NetSpec
from paddle_init.statistics.moments import moments as drawn_moments


@dataclass(frozen=True)
class Moments:
    """Mean and second moment of one number of a tensor."""

    mean: float
    second: float

    @property
    def variance(self) -> float:
        return max(self.second - self.mean * self.mean, 0.0)

    @property
    def std(self) -> float:
        return math.sqrt(self.variance)

    @property
    def rms(self) -> float:
        return math.sqrt(self.second)


@dataclass(frozen=True)
class Dense:
    """a(x W + b) with W of shape (fan_in, fan_out), entries independent.

    `weight` and `bias` are distributions, or Moments where only these are known; a bias of None
    is none.
    """

    fan_in: int
    fan_out: int
    weight: Distribution | Moments
    bias: Distribution | Moments | None = None
    activation: Activation = field(default_factory=lambda: activation("linear"))
    name: str = ""

    def __post_init__(self) -> None:
        owner = self.name or "layer"
        for key in ("fan_in", "fan_out"):
            object.__setattr__(self, key, size(owner, key, getattr(self, key)))
        object.__setattr__(self, "activation", activation(self.activation))


def moments(distribution: Distribution | Moments) -> Moments:
    """Return mean and second moment; of Blocks, those of a row drawn at random.

    Raises
    ------
    PropagationError
        The distribution is unknown.
    """
    match distribution:
        case Moments():
            return distribution
        case Blocks(parts):
            total = sum(part.rows for part in parts)
            each = [(part.rows / total, moments(part.distribution)) for part in parts]
            return Moments(
                sum(share * item.mean for share, item in each),
                sum(share * item.second for share, item in each),
            )
        case Unknown(description):
            raise PropagationError(f"what is not known has no moments: {description}")
    found = drawn_moments(distribution)
    assert found is not None  # only of Unknown
    mean, std = found
    return Moments(mean, mean * mean + std * std)


def mlp(
    widths: Sequence[int],
    activations: Spec | Sequence[Spec],
    scheme: Scheme,
    bias: Scheme | None = None,
    *,
    first: Scheme | None = None,
    last: Spec = "linear",
) -> tuple[Dense, ...]:
    """Return the layers of an MLP, all drawn by one scheme.

    Parameters
    ----------
    widths
        The input's width, then each layer's; two or more.
    activations
        The hidden layers' activation, or one for each hidden layer.
    scheme, bias
        Rules for the weights, of shape (fan_in, fan_out), and for the biases, of shape
        (1, fan_out); without `bias` there is none.
    first
        The first layer's rule where it differs: its input has passed no activation, so that
        constant_variance("linear") keeps a standard normal input at std 1.
    last
        The activation after the last layer.
    """
    if len(widths) < 2:
        raise PropagationError(f"an MLP has two widths or more, got {list(widths)}")
    pairs = list(pairwise(widths))
    hidden = len(pairs) - 1
    if isinstance(activations, (str, Activation)) or callable(activations):
        each: list[Spec] = [activations] * hidden
    else:
        each = list(activations)
    if len(each) != hidden:
        raise PropagationError(f"{hidden} hidden layers need as many activations, got {len(each)}")
    return tuple(
        Dense(
            fan_in=m,
            fan_out=n,
            weight=(first if first is not None and index == 1 else scheme)((m, n)),
            bias=None if bias is None else bias((1, n)),
            activation=activation(spec),
            name=f"fc{index}",
        )
        for index, ((m, n), spec) in enumerate(zip(pairs, [*each, last], strict=True), start=1)
    )


def from_spec(spec: NetSpec, activations: Spec | Sequence[Spec] | None = None) -> tuple[Dense, ...]:
    """Return the fully connected layers of a spec as a chain.

    Parameters
    ----------
    spec
        Where it has layers, from a conf, they say the order, the biases and the activations.
        Elsewhere the weights stand in the order of creation, each with its bias.
    activations
        One for all hidden layers (the last stays linear) or one for each layer; needed where the
        spec has no layers, wins over them where it has.

    Raises
    ------
    PropagationError
        The layers do not form one chain, as with a branch or a skip, or share a weight. Several
        inputs of the first layer are one: the concatenation of them.
    ActivationError
        An activation is unknown.
    """
    rows = _from_layers(spec) if spec.layers else _from_tensors(spec)
    if not rows:
        raise PropagationError("the spec holds no weight")
    if activations is None and not spec.layers:
        raise PropagationError(
            "the spec does not say the activations; give one for the hidden layers or one for each "
            "(--activation)"
        )
    if activations is None:
        chosen = [activation(name) for _, _, _, name in rows]
    elif isinstance(activations, (str, Activation)) or callable(activations):
        chosen = [activation(activations)] * (len(rows) - 1) + [activation("linear")]
    else:
        chosen = [activation(item) for item in activations]
    if len(chosen) != len(rows):
        raise PropagationError(f"{len(rows)} layers need as many activations, got {len(chosen)}")
    layers = tuple(
        _dense(spec, name, weight, bias, found)
        for (name, weight, bias, _), found in zip(rows, chosen, strict=True)
    )
    for one, other in pairwise(layers):
        if one.fan_out != other.fan_in:
            raise PropagationError(
                f"{one.name} has {one.fan_out} outputs, {other.name} {other.fan_in} inputs: "
                "no chain of fully connected layers"
            )
    return layers


def _from_layers(spec: NetSpec) -> list[tuple[str, str, str | None, str]]:
    for before, layer in zip((None, *spec.layers), spec.layers, strict=False):
        where = f"{layer.source}: " if layer.source else ""
        if before is not None and len(layer.inputs) != 1:
            names = ", ".join(item.name for item in layer.inputs)
            raise PropagationError(
                f"{where}{layer.name} reads {len(layer.inputs)} inputs ({names}); "
                "only a chain is followed"
            )
        if before is not None and layer.inputs[0].name != before.output:
            raise PropagationError(
                f"{where}{layer.name} reads {layer.inputs[0].name}, not {before.output} of the "
                f"layer before it, {before.name}; only a chain is followed"
            )
    users: dict[str, str] = {}
    for layer in spec.layers:
        if layer.weight in users:
            raise PropagationError(
                f"{users[layer.weight]} and {layer.name} share the weight {layer.weight}; only "
                "independent weights are followed"
            )
        users[layer.weight] = layer.name
    return [(layer.name, layer.weight, layer.bias, layer.activation) for layer in spec.layers]


def _from_tensors(spec: NetSpec) -> list[tuple[str, str, str | None, str]]:
    return [(weight, weight, bias, "") for weight, bias in spec.bias_by_weight.items()]


def _dense(spec: NetSpec, name: str, weight: str, bias: str | None, found: Activation) -> Dense:
    tensor = spec.tensor_by_name[weight]
    if len(tensor.shape) != 2:
        raise PropagationError(
            f"{weight}: a fully connected weight has two dimensions, got {list(tensor.shape)}"
        )
    for each in filter(None, (weight, bias)):
        if spec.tensor_by_name[each].overwritten:
            raise PropagationError(
                f"{each}: elements of it are set after the draw; only what is drawn is followed"
            )
    drawn = None if bias is None else spec.distribution(spec.tensor_by_name[bias])
    if isinstance(drawn, Blocks):
        raise PropagationError(f"{bias}: a bias has one distribution, not blocks")
    return Dense(
        fan_in=tensor.shape[0],
        fan_out=tensor.shape[1],
        weight=spec.distribution(tensor),
        bias=drawn,
        activation=found,
        name=name,
    )

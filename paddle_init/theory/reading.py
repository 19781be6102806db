"""From a net spec to the chain of layers that theory follows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from paddle_init.distributions import Blocks
from paddle_init.specs import NetSpec
from paddle_init.theory.activations import Activation
from paddle_init.theory.dense import Dense, PropagationError
from paddle_init.theory.notation import Spec, activation

__all__ = ["from_spec"]


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

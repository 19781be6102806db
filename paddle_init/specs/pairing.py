"""Which bias belongs to which weight."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from paddle_init.errors import SpecError
from paddle_init.specs.parts import Layer, Tensor
from paddle_init.spelling import did_you_mean

__all__ = ["by_position", "owned_by_name", "paired", "with_owners"]


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

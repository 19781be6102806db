"""Layers for a net spec that has none: the plainest ones that give its tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

from abacus_compat.errors import InexpressibleError
from paddle_init.specs import Input, Layer, NetSpec, Tensor

__all__ = ["bias_row", "inferred_layers", "stacked_draws"]


def stacked_draws(weight: Tensor, bias: Tensor | None) -> tuple[str, ...]:
    """The draws that a layer stacks: its weight's, then a bias that is a draw of its own."""
    blocks = weight.blocks if bias is None else weight.blocks + bias.blocks
    return tuple(dict.fromkeys(block.draw for block in blocks))


def bias_row(spec: NetSpec, weight: Tensor, bias: Tensor) -> int:
    """The row of a layer's stacked draws that is its bias."""
    first = bias.blocks[0]
    row = first.start
    for name in stacked_draws(weight, bias):
        if name == first.draw:
            break
        row += spec.draw_by_name[name].shape[0]
    return row


def inferred_layers(spec: NetSpec) -> tuple[Layer, ...]:
    """Make every weight a linear layer of inputs from outside.

    A weight with two biases makes two layers, as does a bias with two weights.

    Raises
    ------
    InexpressibleError
        A bias belongs to no weight.
    """
    taken = {*spec.draw_by_name, *spec.tensor_by_name}
    input_name, layer_name = _free("input", taken), _free("layer", taken)
    layers = []
    for weight, bias in _pairs(spec):
        rows = weight.shape[0]
        before = rows if bias is None else min(bias_row(spec, weight, bias), rows)
        inputs = tuple(Input(input_name(), width) for width in (before, rows - before) if width)
        name = layer_name()
        layers.append(Layer(name, name, inputs, weight.name, bias.name if bias else None, "linear"))
    return tuple(layers)


def _pairs(spec: NetSpec) -> Iterator[tuple[Tensor, Tensor | None]]:
    biases: dict[str, list[str]] = {}
    for weight, bias in spec.pairs:
        biases.setdefault(weight, []).append(bias)
    for tensor in spec.tensors:
        if tensor.role == "bias" and tensor.name not in spec.weight_by_bias:
            said = f"bias {tensor.name}: a layer has a bias beside a weight, and none is known"
            raise InexpressibleError(f"{said}; say it by bias_of", tensor.source)
        if tensor.role == "weight":
            for bias in biases.get(tensor.name, ()):
                yield tensor, spec.tensor_by_name[bias]
            if tensor.name not in biases:
                yield tensor, None


def _free(stem: str, taken: set[str]) -> Callable[[], str]:
    names = (f"{stem}_{number}" for number in count(1))
    return lambda: next(name for name in names if name not in taken)

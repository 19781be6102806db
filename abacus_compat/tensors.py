"""Which of Paddle's parameters hold which rows of the draws."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from abacus_compat.conf import Param
from abacus_compat.layers import FullyConnected
from paddle_init.document import Problem
from paddle_init.specs import RowBlock, Tensor

__all__ = ["LayerTensors", "layer_tensors", "placed"]


@dataclass(frozen=True, slots=True)
class LayerTensors:
    """A layer's weight, and its bias where it has one; `folded` is the draw whose row that is."""

    layer: FullyConnected
    weight: Tensor
    bias: Tensor | None
    folded: Param | None


def layer_tensors(layer: FullyConnected) -> LayerTensors | None:
    """Cut the stack of a layer's parameters into a weight and a bias.

    The weight takes the name of its first block's parameter. A bias that is a parameter of its
    own keeps its name; one that is a row of the parameter ``w`` is ``w.bias``. None where no row
    is left for a weight.
    """
    blocks: list[RowBlock] = []
    bias = folded = None
    start = 0
    for param in layer.params:
        row = -1 if layer.bias_row is None else layer.bias_row - start
        start += param.rown
        if not 0 <= row < param.rown:
            blocks.append(RowBlock(param.name, 0, param.rown))
            continue
        folded = param if param.rown > 1 else None
        name = f"{param.name}.bias" if folded else param.name
        block = RowBlock(param.name, row, row + 1)
        bias = Tensor(name, "bias", (param.coln,), (block,), source=param.source)
        around = (RowBlock(param.name, 0, row), RowBlock(param.name, row + 1, param.rown))
        blocks += [block for block in around if block.rows]
    if not blocks:
        return None
    first = next(param for param in layer.params if param.name == blocks[0].draw)
    shape = (sum(block.rows for block in blocks), first.coln)
    weight = Tensor(first.name, "weight", shape, tuple(blocks), source=first.source)
    return LayerTensors(layer, weight, bias, folded)


def placed(
    layers: Iterable[LayerTensors], params: Iterable[str], problems: list[Problem]
) -> tuple[dict[str, Tensor], dict[str, list[str]]]:
    """Return the layers' tensors by name, in order of creation, and each parameter's layers.

    A parameter that two layers use becomes one tensor. Where they use it differently there is no
    such tensor, and that is added to `problems`.
    """
    names = set(params)
    tensors: dict[str, Tensor] = {}
    homes: dict[str, list[Tensor]] = {}
    readers: dict[str, list[str]] = {}
    for item in layers:
        entry = item.layer.entry
        own = (item.weight,) if item.bias is None else (item.weight, item.bias)
        held: dict[str, list[Tensor]] = {}
        for tensor in own:
            for name in dict.fromkeys(block.draw for block in tensor.blocks):
                held.setdefault(name, []).append(tensor)
        apart = [name for name, home in held.items() if homes.setdefault(name, home) != home]
        if apart:
            said = f"layer {readers[apart[0]][0]} uses {apart[0]} with other rows beside it"
            problems.append(entry.problem(f"{said}; Paddle shares whole parameters", "b_input"))
        for name in held:
            readers.setdefault(name, []).append(entry.name)
        if item.folded and item.bias and item.bias.name in names:
            said = f"the bias row of {item.folded.name} takes the name {item.bias.name}"
            problems.append(entry.problem(f"{said}; rename the parameter of that name", "b_input"))
        for tensor in own:
            tensors.setdefault(tensor.name, tensor)
    return tensors, readers

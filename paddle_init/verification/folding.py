"""Nets that fold a bias row into its weight's draw in another way than a spec does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from paddle_init.errors import SpecError
from paddle_init.schemes import Fixed
from paddle_init.specs import Draw, NetSpec, RowBlock, Tensor
from paddle_init.verification.sentences import mistakes as say

__all__ = ["folded_otherwise"]


def folded_otherwise(spec: NetSpec) -> Iterator[tuple[str, NetSpec]]:
    """Yield nets with what would have happened: the row at the other end, or two draws, or one."""
    for says, net in (
        (say.FIRST_ROW(), _rolled(spec)),
        (say.TWO_DRAWS(), _split(spec)),
        (say.ONE_DRAW(), _folded(spec)),
    ):
        if net is not None:
            yield says, net


def _biases(spec: NetSpec) -> dict[str, Tensor]:
    """Return the folded draws, by name, with the tensor that takes their last row."""
    found = {}
    for tensor in spec.tensors:
        block = tensor.blocks[0]
        rows = spec.draw_by_name[block.draw].shape[0]
        if tensor.role == "bias" and 1 < rows == block.stop and block.rows == 1:
            found[block.draw] = tensor
    return found


def _rolled(spec: NetSpec) -> NetSpec | None:
    folded = _biases(spec)
    if not folded:
        return None

    def moved(tensor: Tensor, block: RowBlock) -> RowBlock:
        if block.draw not in folded:
            return block
        if tensor == folded[block.draw]:
            return RowBlock(block.draw, 0, 1)
        return RowBlock(block.draw, block.start + 1, block.stop + 1)

    tensors = tuple(replace(t, blocks=tuple(moved(t, b) for b in t.blocks)) for t in spec.tensors)
    return replace(spec, tensors=tensors)


def _split(spec: NetSpec) -> NetSpec | None:
    folded = _biases(spec)
    if not folded:
        return None
    biases = {bias.name for bias in folded.values()}
    draws: list[Draw] = []
    for draw in spec.draws:
        if draw.name not in folded:
            draws.append(draw)
            continue
        scheme, (rows, *rest) = Fixed(spec.drawn(draw.name)), draw.shape
        draws.append(Draw(draw.name, (rows - 1, *rest), scheme))
        draws.append(Draw(folded[draw.name].name, (1, *rest), scheme))
    tensors = tuple(
        replace(t, blocks=(RowBlock(t.name, 0, 1),)) if t.name in biases else t
        for t in spec.tensors
    )
    return _made(spec, draws, tensors)


def _folded(spec: NetSpec) -> NetSpec | None:
    longer: dict[str, Draw] = {}
    rows: dict[str, RowBlock] = {}
    for weight, bias in spec.bias_by_weight.items():
        if bias is None or bias in rows or not spec.draw_by_name.keys() >= {weight, bias}:
            continue
        own, row = spec.draw_by_name[weight], spec.draw_by_name[bias]
        if len(own.shape) != 2 or row.shape != (1, own.shape[1]):
            continue
        count = own.shape[0]
        longer[weight] = replace(own, shape=(count + 1, own.shape[1]))
        rows[bias] = RowBlock(weight, count, count + 1)
    if not longer:
        return None
    draws = [longer.get(draw.name, draw) for draw in spec.draws if draw.name not in rows]
    tensors = tuple(
        replace(t, blocks=(rows[t.name],)) if t.name in rows else t for t in spec.tensors
    )
    return _made(spec, draws, tensors)


def _made(spec: NetSpec, draws: list[Draw], tensors: tuple[Tensor, ...]) -> NetSpec | None:
    try:
        return replace(spec, draws=tuple(draws), tensors=tensors)
    except SpecError:
        return None

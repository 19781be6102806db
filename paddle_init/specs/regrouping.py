"""A tensor taken apart into its rows, so that each part has one partner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from paddle_init.distributions import Distribution, Given
from paddle_init.errors import SpecError
from paddle_init.schemes import Arithmetic, Scheme, Shape
from paddle_init.specs import NetSpec, Overwrite, RowBlock, Tensor

__all__ = ["rows_of", "split", "transposed", "width_of"]


@dataclass(frozen=True)
class _Transposed:
    """A scheme for the shape as it is on its own side, [out, in], of a draw shown as [in, out]."""

    turned: Scheme
    kind: str = "transposed"

    def __call__(self, shape: Shape, arithmetic: Arithmetic = "float64") -> Distribution:
        drawn = self.turned(shape[::-1], arithmetic)
        if isinstance(drawn, Given):
            return Given(drawn.values.reshape(shape[::-1]).T)
        return drawn

    def formula(self, shape: Shape, arithmetic: Arithmetic = "float64") -> str:
        return self.turned.formula(shape[::-1], arithmetic)


def width_of(tensor: Tensor) -> int | None:
    """Return how many values a tensor's rows have in a stack; None where it fits in none."""
    return tensor.shape[-1] if len(tensor.shape) in (1, 2) else None


def rows_of(tensor: Tensor, width: int | None) -> int | None:
    """Return how many rows of `width` values a tensor makes in a stack; None where it cannot."""
    if width_of(tensor) != width or width is None:
        return None
    return 1 if len(tensor.shape) == 1 else tensor.shape[0]


def split(tensor: Tensor, parts: Sequence[Tensor]) -> list[Tensor]:
    """Deal a 2-D tensor's rows to tensors shaped like `parts`, from the first down.

    A 1-D part takes one row. The new tensors have the names and roles of the parts.

    Raises
    ------
    SpecError
        The rows do not come out even, or a part has another width.
    """
    width = tensor.shape[1] if len(tensor.shape) == 2 else None
    counts = [rows_of(part, width) for part in parts]
    if None in counts or sum(filter(None, counts)) != tensor.shape[0]:
        shapes = " and ".join(f"{part.name} {list(part.shape)}" for part in parts)
        raise SpecError(f"{tensor.name} {list(tensor.shape)} is not {shapes} under each other")
    made, start = [], 0
    for part, count in zip(parts, counts, strict=True):
        stop = start + (count or 0)
        blocks = tuple(_between(tensor.blocks, start, stop))
        size = width or 0
        made.append(
            Tensor(
                part.name,
                part.role,
                part.shape,
                blocks,
                tensor.dtype,
                tensor.source,
                overwritten=tensor.overwritten_within(start * size, stop * size),
            )
        )
        start = stop
    return made


def transposed(spec: NetSpec, tensor: Tensor) -> tuple[NetSpec, Tensor]:
    """Return `spec` with a 2-D tensor of one whole draw turned from [out, in] to [in, out].

    Raises
    ------
    SpecError
        The tensor is not 2-D, or not one whole draw alone.
    """
    (block, *more) = tensor.blocks
    draw = spec.draw_by_name[block.draw]
    if len(tensor.shape) != 2 or more or tensor.shape != draw.shape:
        raise SpecError(f"{tensor.name} {list(tensor.shape)} is not one whole 2-D draw")
    turned = replace(draw, shape=draw.shape[::-1], scheme=_Transposed(draw.scheme))
    rows = RowBlock(draw.name, 0, turned.shape[0])
    set_after = (new for each in tensor.overwritten for new in _turned(each, tensor.shape))
    view = replace(tensor, shape=turned.shape, blocks=(rows,), overwritten=tuple(set_after))
    draws = tuple(turned if each is draw else each for each in spec.draws)
    tensors = (view if each is tensor else _unpaired(each, tensor) for each in spec.tensors)
    return replace(spec, draws=draws, tensors=tuple(tensors)), view


def _turned(each: Overwrite, shape: Shape) -> Iterator[Overwrite]:
    """Yield what sets the same elements of a 2-D tensor of `shape` when it is transposed."""
    rows, columns = shape
    places = [i % columns * rows + i // columns for i in range(each.start, each.stop, each.step)]
    steps = {after - before for before, after in pairwise(places)}
    if len(steps) <= 1 and min(steps, default=1) > 0:
        yield Overwrite(places[0], len(places), steps.pop() if steps else 1, each.value)
    else:
        yield from (Overwrite(place, 1, 1, each.value) for place in places)


def _unpaired(bias: Tensor, turned: Tensor) -> Tensor:
    """Let a bias whose weight was found by its width be paired anew: the width is another now."""
    again = bias.role == "bias" and (not bias.bias_of or turned.name in bias.bias_of)
    return replace(bias, bias_of=None) if again else bias


def _between(blocks: Sequence[RowBlock], start: int, stop: int) -> Iterator[RowBlock]:
    """Yield what lies in rows [start, stop) of a stack of blocks."""
    top = 0
    for block in blocks:
        first, last = max(start, top), min(stop, top + block.rows)
        if first < last:
            offset = block.start - top
            yield RowBlock(block.draw, first + offset, last + offset)
        top += block.rows

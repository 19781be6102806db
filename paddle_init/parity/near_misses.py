"""What a tensor without partner might be on the other side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from paddle_init.languages import Message, listed
from paddle_init.parity.regrouping import rows_of
from paddle_init.parity.sentences import explanations as say
from paddle_init.schemes import Shape
from paddle_init.specs import Tensor

__all__ = ["Candidates", "near_misses"]

SHOWN_PAIRS = 3


@dataclass(frozen=True)
class Candidates:
    """One side's tensors without partner, found by shape.

    Many tensors of few shapes ask for the same: what a shape's rows add up to is kept.
    """

    tensors: tuple[Tensor, ...]
    _runs: dict[Shape, list[Tensor]] = field(default_factory=dict, compare=False)

    @cached_property
    def _by_shape(self) -> dict[Shape, list[Tensor]]:
        found: dict[Shape, list[Tensor]] = {}
        for tensor in self.tensors:
            found.setdefault(tensor.shape, []).append(tensor)
        return found

    def shaped(self, shape: Shape) -> list[Tensor]:
        return self._by_shape.get(shape, [])

    def run(self, shape: Shape) -> list[Tensor]:
        """Return neighbours whose rows add up to those of `shape`, or nothing."""
        if shape not in self._runs:
            self._runs[shape] = _run(shape, self.tensors)
        return self._runs[shape]


def near_misses(tensor: Tensor, others: Candidates) -> Iterator[Message]:
    """Yield, as sentences, which of the other side's tensors come close to `tensor`."""
    shape = tensor.shape
    same = [each for each in others.shaped(shape) if each.role == tensor.role]
    if same:
        yield say.SAME_SHAPE_THERE(names=_names(same))
    turned = others.shaped(shape[::-1])
    if turned and len(shape) == 2 and shape[0] != shape[1]:
        yield say.TRANSPOSED_THERE(names=_names(turned))
    if run := others.run(shape):
        sentence = say.WITH_BIAS_ROW if run[-1].role == "bias" else say.STACK_OF_ROWS
        parts = ", ".join(part.name for part in run)
        yield sentence(name=tensor.name, shape=list(shape), parts=parts)
        return
    if len(shape) != 2:
        return
    rows, width = shape
    pairs = [(tensor, each) for each in others.shaped((rows - 1, width))]
    pairs += [(each, tensor) for each in others.shaped((rows + 1, width))]
    for more, less in pairs[:SHOWN_PAIRS]:
        yield say.ONE_ROW_MORE(
            more=more.name,
            more_shape=list(more.shape),
            less=less.name,
            less_shape=list(less.shape),
        )


def _names(tensors: Iterable[Tensor]) -> str:
    return listed([tensor.name for tensor in tensors])


def _run(shape: Shape, others: tuple[Tensor, ...]) -> list[Tensor]:
    if len(shape) != 2:
        return []
    for start in range(len(others)):
        left = shape[0]
        for stop in range(start, len(others)):
            rows = rows_of(others[stop], shape[1])
            if rows is None or rows > left:
                break
            left -= rows
            if left == 0:
                run = others[start : stop + 1]
                return list(run) if len(run) > 1 else []
    return []

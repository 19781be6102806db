"""What a tensor without partner might be on the other side."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from paddle_init.parity.regrouping import rows_of
from paddle_init.parity.words import listed
from paddle_init.schemes import Shape
from paddle_init.specs import Tensor

__all__ = ["Candidates", "near_misses"]

SHOWN_PAIRS = 3


@dataclass(frozen=True)
class Candidates:
    """One side's tensors without partner, found by shape.

    Many tensors of few shapes ask for the same, so that answers are kept.
    """

    tensors: tuple[Tensor, ...]
    _names: dict[tuple[Shape, str], str] = field(default_factory=dict, compare=False)
    _runs: dict[Shape, list[Tensor]] = field(default_factory=dict, compare=False)

    @cached_property
    def _by_shape(self) -> dict[Shape, list[Tensor]]:
        found: dict[Shape, list[Tensor]] = {}
        for tensor in self.tensors:
            found.setdefault(tensor.shape, []).append(tensor)
        return found

    def shaped(self, shape: Shape) -> list[Tensor]:
        return self._by_shape.get(shape, [])

    def names(self, shape: Shape, role: str = "") -> str:
        """Return the first few names of a shape, and of a role where it is given."""
        if (shape, role) not in self._names:
            found = [each.name for each in self.shaped(shape) if role in ("", each.role)]
            self._names[shape, role] = listed(found)
        return self._names[shape, role]

    def run(self, shape: Shape) -> list[Tensor]:
        """Return neighbours whose rows add up to those of `shape`, or nothing."""
        if shape not in self._runs:
            self._runs[shape] = _run(shape, self.tensors)
        return self._runs[shape]


def near_misses(tensor: Tensor, others: Candidates) -> Iterator[str]:
    """Yield, as sentences, which of the other side's tensors come close to `tensor`."""
    shape = tensor.shape
    if same := others.names(shape, tensor.role):
        yield f"{same} there has its shape, but which is which the order cannot tell."
    turned = len(shape) == 2 and shape[0] != shape[1] and others.names(shape[::-1])
    if turned:
        yield (
            f"{turned} there has its shape transposed: Paddle's weights are [in, out], "
            "torch's [out, in]. A mapping with transposed: true compares them."
        )
    if run := others.run(shape):
        what = "weight with its bias row" if run[-1].role == "bias" else "stack of rows"
        names = ", ".join(part.name for part in run)
        yield f"{tensor.name} {list(shape)} looks like a {what}: {names}. A mapping says so."
        return
    if len(shape) != 2:
        return
    rows, width = shape
    fewer, further = (others.shaped((rows + d, width))[:SHOWN_PAIRS] for d in (-1, 1))
    for more, less in [*((tensor, each) for each in fewer), *((each, tensor) for each in further)]:
        yield (
            f"{more.name} {list(more.shape)} has one row more than {less.name} "
            f"{list(less.shape)}: its bias, perhaps, folded in."
        )


def _run(shape: Shape, others: tuple[Tensor, ...]) -> list[Tensor]:
    if len(shape) != 2:
        return []
    run: deque[tuple[Tensor, int]] = deque()
    total = 0
    for each in others:
        rows = rows_of(each, shape[1])
        if rows is None:
            run.clear()
            total = 0
            continue
        run.append((each, rows))
        total += rows
        while total > shape[0]:
            total -= run.popleft()[1]
        if total == shape[0] and len(run) > 1:
            return [part for part, _ in run]
    return []

"""What to write in Paddle so that a parameter starts like its partner."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby

from paddle_init.distributions import (
    Given,
)
from paddle_init.frameworks.sides import View
from paddle_init.languages import Message, listed
from paddle_init.parity import sentences as say
from paddle_init.parity.records import Level
from paddle_init.schemes import Shape, describe
from paddle_init.specs import NetSpec, Tensor
from paddle_init.specs.regrouping import rows_of, width_of
from paddle_init.statistics.moments import point


def advise(
    level: Level, left: View, left_tensor: Tensor, right: View, right_tensor: Tensor
) -> Message | None:
    """Return advice that brings the two together, or None where nothing needs to change.

    The Paddle side is changed to match the other; of two alike the right one.
    """
    if level < Level.SCALE:
        return None
    writes = left.framework.writes_initializers, right.framework.writes_initializers
    change_left = writes == (True, False)
    model, tensor, changed = (
        (right, right_tensor, left) if change_left else (left, left_tensor, right)
    )
    wanted = model.spec.distribution(tensor)
    if not model.knows(tensor):
        return None
    framework = changed.framework
    if not framework.writes_initializers:
        return say.DRAW(name=changed.name, distribution=describe(wanted))
    if isinstance(wanted, Given) and point(wanted) is None:
        return say.ASSIGN(place=changed.where, count=wanted.values.size)
    dtype = (left_tensor if change_left else right_tensor).dtype
    if (refusal := framework.refusal(wanted, dtype)) is not None:
        return say.CANNOT_DRAW(refusal=refusal, place=model.where)
    code = framework.initializer_call(wanted)
    return say.BLOCKWISE() if code is None else say.WRITE(place=changed.where, code=code)


SHOWN_PAIRS = 3
# A blockwise weight of more parts than this is not recognized, so that time stays linear.
LONGEST_STACK = 32


@dataclass(frozen=True)
class Candidates:
    """One side's tensors without partner, found by shape.

    Many tensors of few shapes ask for the same, so that answers are kept.
    """

    tensors: tuple[Tensor, ...]
    _names: dict[tuple[Shape, str], str] = field(default_factory=dict, compare=False)

    @cached_property
    def _stacks(self) -> dict[Shape, list[Tensor]]:
        """The first neighbours that make each shape when they are put under each other."""
        found: dict[Shape, list[Tensor]] = {}
        for width, group in groupby(self.tensors, width_of):
            if width is not None:
                parts = list(group)
                for end in range(2, len(parts) + 1):
                    total = 0
                    for start in range(end - 1, max(-1, end - 1 - LONGEST_STACK), -1):
                        total += rows_of(parts[start], width) or 0
                        if end - start > 1:
                            found.setdefault((total, width), parts[start:end])
        return found

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

    def stack(self, shape: Shape) -> list[Tensor]:
        """Return neighbours whose rows add up to those of `shape`, or nothing."""
        return self._stacks.get(shape, [])


def without_partner(left: NetSpec, right: NetSpec) -> tuple[Candidates, Candidates]:
    """Return the tensors of either side that the other has not, by name and shape."""

    def without(spec: NetSpec, other: NetSpec) -> Candidates:
        partners = other.tensor_by_name
        shapes = ((each, partners.get(each.name)) for each in spec.tensors)
        return Candidates(
            tuple(each for each, found in shapes if found is None or found.shape != each.shape)
        )

    return without(left, right), without(right, left)


def near_misses(tensor: Tensor, others: Candidates) -> Iterator[Message]:
    """Yield, as sentences, which of the other side's tensors come close to `tensor`."""
    shape = tensor.shape
    if same := others.names(shape, tensor.role):
        known = tensor.role == "bias" and tensor.bias_of
        yield (say.SAME_BIAS_THERE if known else say.SAME_SHAPE_THERE)(names=same)
    turned = len(shape) == 2 and shape[0] != shape[1] and others.names(shape[::-1])
    if turned:
        yield say.TRANSPOSED_THERE(names=turned)
    if run := others.stack(shape):
        sentence = say.WITH_BIAS_ROW if run[-1].role == "bias" else say.STACK_OF_ROWS
        parts = ", ".join(part.name for part in run)
        yield sentence(name=tensor.name, shape=list(shape), parts=parts)
        return
    if len(shape) != 2:
        return
    rows, width = shape
    fewer, further = (others.shaped((rows + d, width))[:SHOWN_PAIRS] for d in (-1, 1))
    for more, less in [*((tensor, each) for each in fewer), *((each, tensor) for each in further)]:
        yield say.ONE_ROW_MORE(
            more=more.name,
            more_shape=list(more.shape),
            less=less.name,
            less_shape=list(less.shape),
        )

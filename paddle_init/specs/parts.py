"""The parts of a net spec: draws, tensors made of their rows, and the layers that use them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from paddle_init.errors import Source, SpecError
from paddle_init.schemes import Scheme, Shape
from paddle_init.specs.seeding import check_op_seed, integer
from paddle_init.spelling import did_you_mean

__all__ = ["BIAS_INPUT", "DTYPES", "ROLES", "Draw", "Input", "Layer", "RowBlock", "Tensor"]

DTYPES = ("float32", "float64", "float16", "bfloat16")
ROLES = ("weight", "bias", "other")
BIAS_INPUT = "bias_input"


@dataclass(frozen=True)
class Draw:
    """One parameter as the framework draws it, in its native shape.

    `op_seed` is Paddle's: an int32 other than 0 that starts an engine for this draw alone. Without
    one it draws from the net's stream. `source` says where it was written; like every source it
    is no part of equality.
    """

    name: str
    shape: Shape
    scheme: Scheme
    source: Source | None = field(default=None, compare=False)
    op_seed: int | None = None

    def __post_init__(self) -> None:
        _named("draw", self.name)
        object.__setattr__(self, "shape", _shape(f"draw {self.name}", self.shape))
        if self.op_seed is not None:
            try:
                object.__setattr__(self, "op_seed", check_op_seed(self.op_seed))
            except SpecError as error:
                raise SpecError(f"draw {self.name}: {error.message}", self.source) from None


@dataclass(frozen=True)
class RowBlock:
    """Rows [start, stop) of a draw."""

    draw: str
    start: int
    stop: int

    @property
    def rows(self) -> int:
        return self.stop - self.start


@dataclass(frozen=True)
class Tensor:
    """A parameter as Paddle holds it: row blocks of draws, one under the other.

    `bias_of` names the weights whose layers add this bias. Without it, it is the bias of the
    weight right before it, if that has its width; `NetSpec.pairs` is what comes of it, and what
    equality looks at.
    """

    name: str
    role: str
    shape: Shape
    blocks: tuple[RowBlock, ...]
    dtype: str = "float32"
    source: Source | None = field(default=None, compare=False)
    bias_of: tuple[str, ...] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        _named("tensor", self.name)
        object.__setattr__(self, "shape", _shape(f"tensor {self.name}", self.shape))
        object.__setattr__(self, "blocks", tuple(self.blocks))
        for name, allowed in (("role", ROLES), ("dtype", DTYPES)):
            if getattr(self, name) not in allowed:
                raise SpecError(
                    f"tensor {self.name}: {name} must be one of {', '.join(allowed)}, "
                    f"got {getattr(self, name)!r}{did_you_mean(getattr(self, name), allowed)}"
                )
        if not self.blocks:
            raise SpecError(f"tensor {self.name}: blocks must name at least one draw")
        if self.bias_of is not None:
            object.__setattr__(self, "bias_of", tuple(self.bias_of))
            if self.role != "bias":
                raise SpecError(f"tensor {self.name}: bias_of is for a bias, this is a {self.role}")

    def check(self, draws: dict[str, Draw]) -> None:
        """Refuse blocks that name no draw, leave its rows or do not fill the tensor's shape."""
        size = 0
        for block in self.blocks:
            draw = draws.get(block.draw)
            if draw is None:
                raise SpecError(
                    f"tensor {self.name}: no draw is named {block.draw!r}; "
                    f"draws: {', '.join(draws) or 'none'}{did_you_mean(block.draw, draws)}",
                    self.source,
                )
            if not 0 <= block.start <= block.stop <= draw.shape[0]:
                raise SpecError(
                    f"tensor {self.name}: rows [{block.start}, {block.stop}] of {draw.name} must "
                    f"lie in [0, {draw.shape[0]}]",
                    self.source,
                )
            trailing = draw.shape[1:]
            is_row = len(self.shape) == 1 and len(draw.shape) == 2 and block.rows == 1
            if trailing != self.shape[1:] and not (is_row and len(self.blocks) == 1):
                raise SpecError(
                    f"tensor {self.name}: rows of {draw.name} have the shape {list(trailing)}, "
                    f"those of the tensor {list(self.shape[1:])}",
                    self.source,
                )
            size += block.rows * math.prod(trailing)
        if size != math.prod(self.shape):
            raise SpecError(
                f"tensor {self.name}: its blocks hold {size} values, its shape "
                f"{list(self.shape)} {math.prod(self.shape)}",
                self.source,
            )


@dataclass(frozen=True)
class Input:
    """What a layer reads: the output of an earlier layer, or one from outside."""

    name: str
    width: int


@dataclass(frozen=True)
class Layer:
    """A fully connected layer of the conf: activation(inputs @ weight + bias).

    `inputs` are in the order of the weight's rows, without the column of ones; `weight` and
    `bias` name tensors. `output` is the name by which later layers read the result.
    """

    name: str
    output: str
    inputs: tuple[Input, ...]
    weight: str
    bias: str | None
    activation: str
    source: Source | None = field(default=None, compare=False)


def _named(kind: str, name: str) -> None:
    if not isinstance(name, str) or not name:
        raise SpecError(f"a {kind}'s name must be a text that is not empty, got {name!r}")


def _shape(owner: str, shape: Shape) -> Shape:
    try:
        values = tuple(integer("shape", value) for value in shape)
    except SpecError:
        values = ()
    if not values or min(values) < 0:
        raise SpecError(
            f"{owner}: shape must be a list of one or more integers of 0 or more, got {shape!r}"
        )
    return values

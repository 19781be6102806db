"""One framework's net drawn by the other: a net spec in, a net spec out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from paddle_init.distributions import Blocks, Simple
from paddle_init.schemes import Fixed
from paddle_init.specs import Draw, NetSpec, RowBlock, Tensor

__all__ = ["as_abacus", "as_framework", "as_paddle"]


def as_framework(spec: NetSpec, framework: str) -> NetSpec:
    """Return `spec` as `framework`, "abacus" or "paddle", would draw it.

    The distributions stay to the double; order, engine and arithmetic become the framework's.
    A stream is lost where the framework changes: seeds of one mean nothing to the other.

    Raises
    ------
    SpecError
        The framework is unknown.
    """
    if framework == spec.framework:
        return spec
    return as_paddle(spec) if framework == "paddle" else as_abacus(spec, framework)


def as_paddle(spec: NetSpec) -> NetSpec:
    """Return the net as Paddle draws it: an op per tensor, in the order of their creation.

    A blockwise weight takes an op for each run of rows that share a distribution, as `param_attr`
    builds it.
    """
    draws: list[Draw] = []
    tensors = []
    taken = set(spec.tensor_by_name)
    for tensor in spec.tensors:
        blocks = []
        for name, rows, drawn in _ops(spec, tensor, taken):
            draws.append(Draw(name, (rows, *tensor.shape[1:]), Fixed(drawn), tensor.source))
            blocks.append(RowBlock(name, 0, rows))
        tensors.append(replace(tensor, blocks=tuple(blocks)))
    return replace(
        spec,
        framework="paddle",
        draws=tuple(draws),
        tensors=tuple(tensors),
        stream=None,
        arithmetic="float64",
        storage_order="F",
    )


def as_abacus(spec: NetSpec, framework: str = "abacus") -> NetSpec:
    """Return the net as abacus draws it: the same draws, each from one engine and as float.

    What no tensor takes, abacus does not draw.
    """
    taken = {block.draw for tensor in spec.tensors for block in tensor.blocks}
    draws = tuple(
        Draw(draw.name, draw.shape, Fixed(spec.drawn(draw.name)), draw.source)
        for draw in spec.draws
        if draw.name in taken
    )
    return replace(spec, framework=framework, draws=draws, stream=None)


def _ops(spec: NetSpec, tensor: Tensor, taken: set[str]) -> Iterator[tuple[str, int, Simple]]:
    """Yield (name, rows, distribution) of each op; names are new to `taken`, the tensor's aside."""
    drawn = spec.distribution(tensor)
    if not isinstance(drawn, Blocks):
        yield tensor.name, tensor.shape[0], drawn
        return
    for index, part in enumerate(drawn.parts):
        name = f"{tensor.name}.block{index}"
        while name in taken:
            name += "_"
        taken.add(name)
        yield name, part.rows, part.distribution

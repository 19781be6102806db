"""One framework's net drawn by the other: a net spec in, a net spec out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from paddle_init.distributions import Blocks, Simple
from paddle_init.schemes import Fixed
from paddle_init.specs import Draw, NetSpec, RowBlock, Tensor
from paddle_init.specs.frameworks import framework_facts


def as_framework(spec: NetSpec, framework: str) -> NetSpec:
    """Return `spec` as the framework of this name would draw it.

    The distributions stay to the double; order, engine and arithmetic become the framework's.
    A stream is lost where the framework changes: seeds of one mean nothing to the other.

    Raises
    ------
    SpecError
        The framework is unknown.
    """
    return spec if framework == spec.framework else _transferred(spec, framework)


def as_paddle(spec: NetSpec) -> NetSpec:
    """Return the net as Paddle draws it: an op per tensor, in the order of their creation.

    A blockwise weight takes an op for each run of rows that share a distribution, as `param_attr`
    builds it.
    """
    return _transferred(spec, "paddle")


def as_abacus(spec: NetSpec) -> NetSpec:
    """Return the net as abacus draws it: the same draws, each from one engine and as float.

    What no tensor takes, abacus does not draw.
    """
    return _transferred(spec, "abacus")


def _transferred(spec: NetSpec, framework: str) -> NetSpec:
    facts = framework_facts(framework)
    draws: list[Draw] = []
    tensors = spec.tensors
    if facts.op_per_tensor:
        taken = set(spec.tensor_by_name)
        tensors = tuple(_by_ops(spec, tensor, taken, draws) for tensor in spec.tensors)
    else:
        filling = {block.draw for tensor in spec.tensors for block in tensor.blocks}
        draws += (
            Draw(draw.name, draw.shape, Fixed(spec.drawn(draw.name)), draw.source)
            for draw in spec.draws
            if draw.name in filling
        )
    return replace(
        spec,
        framework=framework,
        draws=tuple(draws),
        tensors=tensors,
        stream=None,
        arithmetic=spec.arithmetic if facts.options else "float64",
        storage_order=spec.storage_order if facts.options else "F",
    )


def _by_ops(spec: NetSpec, tensor: Tensor, taken: set[str], draws: list[Draw]) -> Tensor:
    """Return a tensor that is filled by ops of its own, which are added to `draws`."""
    blocks = []
    for name, rows, drawn in _ops(spec, tensor, taken):
        draws.append(Draw(name, (rows, *tensor.shape[1:]), Fixed(drawn), tensor.source))
        blocks.append(RowBlock(name, 0, rows))
    return replace(tensor, blocks=tuple(blocks))


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

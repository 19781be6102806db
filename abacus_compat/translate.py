"""A section's records to a net spec: draws in the conf's order, tensors in that of the layers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from abacus_compat.conf import Section
from abacus_compat.errors import ConfError
from abacus_compat.layers import fully_connected
from abacus_compat.notices import notices_of
from abacus_compat.tensors import LayerTensors, layer_tensors, placed
from paddle_init.document import Problem
from paddle_init.errors import Notice, SchemeError
from paddle_init.schemes import Abacus, Arithmetic, constant
from paddle_init.specs import Draw, Layer, NetSpec, RowBlock, Tensor, plain_tensor

__all__ = ["translate"]


def translate(
    section: Section,
    problems: list[Problem],
    *,
    arithmetic: Arithmetic = "float64",
    storage_order: str = "F",
    widths: Mapping[str, int] | None = None,
    notices: tuple[Notice, ...] = (),
    origin: str | None = None,
    included: tuple[str, ...] = (),
) -> NetSpec:
    """Turn a section into a net spec.

    Parameters
    ----------
    section : Section
    problems : list of Problem
        What its reader found wrong; told together with what is found here.
    arithmetic, storage_order
        As in `NetSpec`.
    widths : mapping of str to int, optional
        Widths of inputs from outside that do not follow from the conf.
    notices, origin, included
        What the reader of the conf's files warned about, where they begin, and the others.

    Raises
    ------
    ConfError
        Anything wrong: every reason, in line order.
    """
    draws = _draws(section, arithmetic, problems)
    layers = fully_connected(section, widths or {}, problems)
    items = [item for layer in layers if (item := layer_tensors(layer)) is not None]
    tensors, readers = placed(items, section.params, problems)
    if problems:
        raise ConfError(problems)
    translated = {item.layer.entry.source for item in items}
    skipped = [entry for entry in section.layers if entry.source not in translated]
    rest = [plain_tensor(draw) for draw in draws if draw.name not in readers]
    if section.layered:
        rest = [replace(tensor, role="other") for tensor in rest]
    told = notices_of(
        section, draws, arithmetic, (*tensors.values(), *rest), items, skipped, readers, layers
    )
    if section.flat:
        bias = Draw("bias", (1, draws[0].shape[1]), constant(1.0), draws[0].source)
        draws, rest = [*draws, bias], [*rest, _row(bias)]
    return NetSpec(
        "abacus",
        tuple(draws),
        (*tensors.values(), *rest),
        arithmetic=arithmetic,
        storage_order=storage_order,
        layers=tuple(map(_layer, items)),
        skipped_layers=tuple(entry.name for entry in skipped),
        notices=notices + told,
        origin=origin,
        included=included,
    )


def _draws(section: Section, arithmetic: Arithmetic, problems: list[Problem]) -> list[Draw]:
    draws = []
    for param in section.params.values():
        if param is None or section.global_init_range is None:
            continue
        scheme = Abacus(param.init_range, section.global_init_range, param.scale_by_rown)
        try:
            scheme.scale(param.rown, arithmetic)
        except SchemeError as error:
            problems.append(Problem(f"parameter {param.name}: {error}", param.source))
        draws.append(Draw(param.name, (param.rown, param.coln), scheme, param.source))
    return draws


def _row(draw: Draw) -> Tensor:
    """The bias that holds a draw of one row."""
    block = RowBlock(draw.name, 0, 1)
    return Tensor(draw.name, "bias", draw.shape[1:], (block,), source=draw.source)


def _layer(item: LayerTensors) -> Layer:
    entry = item.layer.entry
    return Layer(
        entry.name,
        entry.outputs[-1],
        item.layer.inputs,
        item.weight.name,
        item.bias.name if item.bias else None,
        entry.activation,
        entry.source,
    )

"""A section's records to a net spec: draws in the conf's order, tensors in that of the layers."""

from __future__ import annotations

from collections.abc import Mapping

from abacus_compat import notices as say
from abacus_compat.conf import LayerEntry, Section
from abacus_compat.errors import ConfError
from abacus_compat.layers import fully_connected
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
    notices, origin
        What the reader of the conf's files warned about, and where they begin.

    Raises
    ------
    ConfError
        Anything wrong: every reason, in line order.
    """
    found = [say.skipped_keys(section)] if section.other_keys else []
    draws = _draws(section, arithmetic, found, problems)
    items = _layer_tensors(section, widths or {}, found, problems)
    tensors = _tensors(section, items, draws, found, problems)
    if problems:
        raise ConfError(problems)
    if section.flat:
        draws, tensors = _with_bias_of_ones(draws[0])
        found.append(say.bias_reading(section.source))
    return NetSpec(
        "abacus",
        tuple(draws),
        tuple(tensors),
        arithmetic=arithmetic,
        storage_order=storage_order,
        layers=tuple(map(_layer, items)),
        skipped_layers=tuple(entry.name for entry in _skipped(section, items)),
        notices=(*notices, *sorted(found, key=_line)),
        origin=origin,
    )


def _draws(
    section: Section, arithmetic: Arithmetic, notices: list[Notice], problems: list[Problem]
) -> list[Draw]:
    draws = []
    for param in section.params.values():
        if param is None or section.global_init_range is None:
            continue
        scheme = Abacus(param.init_range, section.global_init_range, param.scale_by_rown)
        try:
            scale = scheme.scale(param.rown, arithmetic)
        except SchemeError as error:
            problems.append(Problem(f"parameter {param.name}: {error}", param.source))
            continue
        if scale == 0:
            notices.append(say.zero_scale(param))
        draws.append(Draw(param.name, (param.rown, param.coln), scheme, param.source))
    return draws


def _layer_tensors(
    section: Section, widths: Mapping[str, int], notices: list[Notice], problems: list[Problem]
) -> list[LayerTensors]:
    layers = fully_connected(section, widths, problems)
    items = [item for layer in layers if (item := layer_tensors(layer)) is not None]
    for item in items:
        if item.bias is None:
            notices.append(say.no_bias(item))
        if item.folded is not None:
            notices.append(say.folded_bias(item.folded, item))
    if skipped := _skipped(section, items):
        notices.append(say.skipped_layers(skipped))
    return items


def _skipped(section: Section, items: list[LayerTensors]) -> list[LayerEntry]:
    translated = {item.layer.entry.source for item in items}
    return [entry for entry in section.layers if entry.source not in translated]


def _tensors(
    section: Section,
    items: list[LayerTensors],
    draws: list[Draw],
    notices: list[Notice],
    problems: list[Problem],
) -> list[Tensor]:
    tensors, readers = placed(items, section.params, problems)
    elsewhere = {
        name for entry in _skipped(section, items) for name in (*entry.mentions, *entry.b_inputs)
    }
    for param in section.params.values():
        if param is None:
            continue
        layers = readers.get(param.name, [])
        if len(layers) > 1:
            notices.append(say.shared_parameter(param, layers))
        if section.layers and not layers and param.name not in elsewhere:
            notices.append(say.unused_parameter(param))
    rest = [plain_tensor(draw) for draw in draws if draw.name not in readers]
    return [*tensors.values(), *rest]


def _with_bias_of_ones(weight: Draw) -> tuple[list[Draw], list[Tensor]]:
    coln = weight.shape[1]
    bias = Draw("bias", (1, coln), constant(1.0), weight.source)
    block = RowBlock(bias.name, 0, 1)
    tensor = Tensor(bias.name, "bias", (coln,), (block,), source=bias.source)
    return [weight, bias], [plain_tensor(weight), tensor]


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


def _line(notice: Notice) -> int:
    return notice.source.line if notice.source else 0

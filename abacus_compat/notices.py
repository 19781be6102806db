"""What a reader of a translated conf should know, in plain words and under stable codes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from abacus_compat.conf import LayerEntry, Section
from abacus_compat.errors import listed
from abacus_compat.tensors import LayerTensors
from paddle_init.errors import Notice
from paddle_init.schemes import Abacus, Arithmetic
from paddle_init.specs import BIAS_INPUT, Draw

__all__ = ["notices_of"]


def notices_of(
    section: Section,
    draws: Iterable[Draw],
    arithmetic: Arithmetic,
    items: Iterable[LayerTensors],
    skipped: Collection[LayerEntry],
    readers: Mapping[str, Collection[str]],
) -> tuple[Notice, ...]:
    """Everything worth telling of a section, in line order.

    Parameters
    ----------
    section : Section
    draws, arithmetic
        What the section draws, and how its scales are computed.
    items, skipped
        The layers that were translated, and the others.
    readers : mapping of str to collection of str
        The translated layers that use each parameter.
    """
    found = [
        *_of_keys(section),
        *_of_draws(draws, arithmetic),
        *_of_layers(items, skipped),
        *(_of_parameters(section, skipped, readers) if section.layers else ()),
    ]
    return tuple(sorted(found, key=lambda notice: notice.source.line if notice.source else 0))


def _of_keys(section: Section) -> Iterator[Notice]:
    if section.flat:
        yield Notice(
            "bias-reading",
            "this form says nothing of a bias: it is taken as the constant 1, as the document "
            f"about abacus has it. That document saw {BIAS_INPUT} filled with ones; in a conf "
            "with layers those are a column of the input, and the bias is the parameter that "
            "meets it, drawn with std init_range * global_init_range",
            "bias",
            section.source,
        )
    if section.other_keys:
        yield Notice(
            "skipped-keys",
            f"passed over, as they play no part in initialization: {listed(section.other_keys)}",
            source=section.source,
        )


def _of_draws(draws: Iterable[Draw], arithmetic: Arithmetic) -> Iterator[Notice]:
    for draw in draws:
        scheme = draw.scheme
        if isinstance(scheme, Abacus) and scheme.scale(draw.shape[0], arithmetic) == 0:
            yield Notice(
                "zero-scale",
                "init_range * global_init_range comes to a scale of 0: every weight starts at 0",
                draw.name,
                draw.source,
            )


def _of_layers(items: Iterable[LayerTensors], skipped: Collection[LayerEntry]) -> Iterator[Notice]:
    for item in items:
        entry = item.layer.entry
        if item.bias is None:
            yield Notice(
                "no-bias",
                f"layer {entry.name} has no {BIAS_INPUT}, so it has no bias: "
                "bias_attr=False in Paddle",
                item.weight.name,
                entry.source,
            )
        if item.folded is not None:
            yield Notice(
                "bias-row-in-rown",
                f"one of the {item.folded.rown} rows of {item.folded.name} is the bias of layer "
                f"{entry.name}; abacus's rown counts it, Paddle's fan_in does not",
                item.folded.name,
                item.folded.source,
            )
    if skipped:
        names = [f"{entry.name} ({entry.kind}, line {entry.source.line})" for entry in skipped]
        yield Notice(
            "skipped-layers",
            f"passed over, as they are no fully connected layers with a weight: {listed(names)}; "
            "what they draw is kept, parameter by parameter",
            source=next(iter(skipped)).source,
        )


def _of_parameters(
    section: Section, skipped: Iterable[LayerEntry], readers: Mapping[str, Collection[str]]
) -> Iterator[Notice]:
    elsewhere = {name for entry in skipped for name in (*entry.mentions, *entry.b_inputs)}
    for param in section.params.values():
        if param is None:
            continue
        layers = readers.get(param.name, ())
        if len(layers) > 1:
            yield Notice(
                "shared-parameter",
                f"{param.name} is used by the layers {listed(layers)}: "
                "give them one Paddle parameter",
                param.name,
                param.source,
            )
        if not layers and param.name not in elsewhere:
            yield Notice(
                "unused-parameter",
                f"no layer uses {param.name}; abacus draws it all the same",
                param.name,
                param.source,
            )

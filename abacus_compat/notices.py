"""What a reader of a translated conf should know, in plain words and under stable codes."""

from __future__ import annotations

from collections.abc import Collection

from abacus_compat.conf import LayerEntry, Param, Section
from abacus_compat.layers import listed
from abacus_compat.tensors import LayerTensors
from paddle_init.errors import Notice, Source
from paddle_init.specs import BIAS_INPUT

__all__ = [
    "bias_reading",
    "folded_bias",
    "no_bias",
    "shared_parameter",
    "skipped_keys",
    "skipped_layers",
    "unused_parameter",
    "zero_scale",
]


def bias_reading(source: Source) -> Notice:
    """A flat conf says nothing of the bias."""
    return Notice(
        "bias-reading",
        "this form says nothing of a bias: it is taken as the constant 1, as the document "
        f"about abacus has it. That document saw {BIAS_INPUT} filled with ones; in a conf with "
        "layers those are a column of the input, and the bias is the parameter that meets it, "
        "drawn with std init_range * global_init_range",
        "bias",
        source,
    )


def zero_scale(param: Param) -> Notice:
    return Notice(
        "zero-scale",
        "init_range * global_init_range comes to a scale of 0: every weight starts at 0",
        param.name,
        param.source,
    )


def no_bias(item: LayerTensors) -> Notice:
    entry = item.layer.entry
    return Notice(
        "no-bias",
        f"layer {entry.name} has no {BIAS_INPUT}, so it has no bias: bias_attr=False in Paddle",
        item.weight.name,
        entry.source,
    )


def folded_bias(param: Param, item: LayerTensors) -> Notice:
    return Notice(
        "bias-row-in-rown",
        f"one of the {param.rown} rows of {param.name} is the bias of layer "
        f"{item.layer.entry.name}; abacus's rown counts it, Paddle's fan_in does not",
        param.name,
        param.source,
    )


def shared_parameter(param: Param, layers: Collection[str]) -> Notice:
    return Notice(
        "shared-parameter",
        f"{param.name} is used by the layers {listed(layers)}: give them one Paddle parameter",
        param.name,
        param.source,
    )


def unused_parameter(param: Param) -> Notice:
    return Notice(
        "unused-parameter",
        f"no layer uses {param.name}; abacus draws it all the same",
        param.name,
        param.source,
    )


def skipped_layers(entries: Collection[LayerEntry]) -> Notice:
    names = [f"{entry.name} ({entry.kind}, line {entry.source.line})" for entry in entries]
    return Notice(
        "skipped-layers",
        f"passed over, as they are no fully connected layers with a weight: {listed(names)}; "
        "what they draw is kept, parameter by parameter",
        source=next(iter(entries)).source,
    )


def skipped_keys(section: Section) -> Notice:
    return Notice(
        "skipped-keys",
        f"passed over, as they play no part in initialization: {listed(section.other_keys)}",
        source=section.source,
    )

"""What a reader of a translated conf should know, in plain words and under stable codes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from abacus_compat import sentences as say
from abacus_compat.conf import LayerEntry, Section
from abacus_compat.errors import listed
from abacus_compat.tensors import LayerTensors
from paddle_init.errors import Notice
from paddle_init.schemes import Abacus, Arithmetic
from paddle_init.specs import Draw

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
        yield Notice("bias-reading", say.FLAT_BIAS(), "bias", section.source)
    if section.other_keys:
        message = say.SKIPPED_KEYS(keys=listed(section.other_keys))
        yield Notice("skipped-keys", message, source=section.source)


def _of_draws(draws: Iterable[Draw], arithmetic: Arithmetic) -> Iterator[Notice]:
    for draw in draws:
        scheme = draw.scheme
        if isinstance(scheme, Abacus) and scheme.scale(draw.shape[0], arithmetic) == 0:
            yield Notice("zero-scale", say.ZERO_SCALE(), draw.name, draw.source)


def _of_layers(items: Iterable[LayerTensors], skipped: Collection[LayerEntry]) -> Iterator[Notice]:
    for item in items:
        entry = item.layer.entry
        if item.bias is None:
            message = say.NO_BIAS(layer=entry.name)
            yield Notice("no-bias", message, item.weight.name, entry.source)
        if folded := item.folded:
            message = say.BIAS_ROW(rown=folded.rown, name=folded.name, layer=entry.name)
            yield Notice("bias-row-in-rown", message, folded.name, folded.source)
    if skipped:
        layers = [
            say.SKIPPED_LAYER(name=entry.name, kind=entry.kind, line=entry.source.line)
            for entry in skipped
        ]
        message = say.SKIPPED_LAYERS(layers=listed(layers))
        yield Notice("skipped-layers", message, source=next(iter(skipped)).source)


def _of_parameters(
    section: Section, skipped: Iterable[LayerEntry], readers: Mapping[str, Collection[str]]
) -> Iterator[Notice]:
    elsewhere = {name for entry in skipped for name in (*entry.mentions, *entry.b_inputs)}
    for param in section.params.values():
        if param is None:
            continue
        layers = readers.get(param.name, ())
        if len(layers) > 1:
            message = say.SHARED_PARAMETER(name=param.name, layers=listed(layers))
            yield Notice("shared-parameter", message, param.name, param.source)
        if not layers and param.name not in elsewhere:
            message = say.UNUSED_PARAMETER(name=param.name)
            yield Notice("unused-parameter", message, param.name, param.source)

"""What a reader of a translated conf should know, in plain words and under stable codes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from abacus_compat import sentences as say
from abacus_compat.conf import LayerEntry, Section
from abacus_compat.errors import listed
from abacus_compat.layers import FullyConnected
from abacus_compat.misspellings import misspellings
from abacus_compat.tensors import LayerTensors
from paddle_init.dtypes import RANGES
from paddle_init.errors import Notice
from paddle_init.extremes import share_of_infinities, vanishes
from paddle_init.schemes import Abacus, Arithmetic
from paddle_init.schemes.abacus_rule import DOCUMENT
from paddle_init.schemes.base import number
from paddle_init.specs import Draw, Tensor

__all__ = ["notices_of"]

SMALLEST, LARGEST = RANGES["float32"]


def notices_of(
    section: Section,
    draws: Iterable[Draw],
    arithmetic: Arithmetic,
    tensors: Iterable[Tensor],
    items: Iterable[LayerTensors],
    skipped: Collection[LayerEntry],
    readers: Mapping[str, Collection[str]],
    layers: Iterable[FullyConnected],
) -> tuple[Notice, ...]:
    """Everything worth telling of a section, in line order.

    Parameters
    ----------
    section : Section
    draws, arithmetic
        What the section draws, and how its scales are computed.
    tensors
        What holds the draws.
    items, skipped
        The layers that were translated, and the others.
    readers : mapping of str to collection of str
        The translated layers that use each parameter.
    layers : iterable of FullyConnected
    """
    found = [
        *_of_keys(section),
        *_of_draws(draws, arithmetic, _roles(tensors) if section.layered or section.flat else {}),
        *_of_layers(items, skipped),
        *misspellings(section, layers),
        *(_of_parameters(section, skipped, readers) if section.layered else _of_roles(section)),
    ]
    return tuple(sorted(found, key=lambda notice: notice.source.line if notice.source else 0))


def _of_keys(section: Section) -> Iterator[Notice]:
    if section.flat:
        yield Notice("bias-reading", say.FLAT_BIAS(document=DOCUMENT), "bias", section.source)
    if section.other_keys:
        message = say.SKIPPED_KEYS(keys=listed(section.other_keys))
        yield Notice("skipped-keys", message, source=section.source)


def _roles(tensors: Iterable[Tensor]) -> dict[str, set[str]]:
    """What each draw is for."""
    roles: dict[str, set[str]] = {}
    for tensor in tensors:
        for block in tensor.blocks:
            roles.setdefault(block.draw, set()).add(tensor.role)
    return roles


def _of_roles(section: Section) -> Iterator[Notice]:
    if section.flat:
        return
    params = [param for param in section.params.values() if param is not None]
    rows = listed([param.name for param in params if param.rown == 1])
    message = say.ROLES_UNKNOWN_OF(names=rows) if rows else say.ROLES_UNKNOWN()
    yield Notice("roles-unknown", message, source=section.source)


def _of_draws(
    draws: Iterable[Draw], arithmetic: Arithmetic, roles: Mapping[str, set[str]]
) -> Iterator[Notice]:
    for draw in draws:
        scheme = draw.scheme
        if not isinstance(scheme, Abacus):
            continue
        scale = scheme.scale(draw.shape[0], arithmetic)
        said = say.SCALE(scale=number(abs(scale)))
        if scale == 0:
            known = frozenset(roles.get(draw.name, ()))
            message = say.ZERO_SCALE(scale=said, what=say.STARTS.get(known, say.EVERY_ELEMENT)())
            yield Notice("zero-scale", message, draw.name, draw.source)
        if vanishes(scale, "float32"):
            message = say.UNDERFLOW(scale=said, smallest=f"{SMALLEST:.2g}")
            yield Notice("underflow", message, draw.name, draw.source)
        if share := share_of_infinities(scale, "float32"):
            sentence = say.OVERFLOW_BEYOND if scale > LARGEST else say.OVERFLOW
            message = sentence(scale=said, percent=f"{100 * share:.2g}")
            yield Notice("overflow", message, draw.name, draw.source)


def _of_layers(items: Iterable[LayerTensors], skipped: Collection[LayerEntry]) -> Iterator[Notice]:
    for item in items:
        entry = item.layer.entry
        if item.bias is None:
            message = say.NO_BIAS(layer=entry.name)
            yield Notice("no-bias", message, item.weight.name, entry.source)
    yield from _of_bias_rows([item for item in items if item.folded])
    if skipped:
        layers = [
            say.SKIPPED_LAYER(name=entry.name, kind=entry.kind, line=entry.source.line)
            for entry in skipped
        ]
        message = say.SKIPPED_LAYERS(layers=listed(layers))
        yield Notice("skipped-layers", message, source=next(iter(skipped)).source)


def _of_bias_rows(items: Sequence[LayerTensors]) -> Iterator[Notice]:
    told = [(item.folded, item.layer.entry.name) for item in items if item.folded is not None]
    if len(told) == 1:
        ((param, layer),) = told
        message = say.BIAS_ROW(rown=param.rown, name=param.name, layer=layer)
        yield Notice("bias-row-in-rown", message, param.name, param.source)
    elif told:
        rows = [
            say.BIAS_ROW_OF(name=param.name, rown=param.rown, layer=layer) for param, layer in told
        ]
        message = say.BIAS_ROWS(rows=listed(rows))
        yield Notice("bias-row-in-rown", message, source=told[0][0].source)


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

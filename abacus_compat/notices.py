"""What a reader of a translated conf should know, in plain words and under stable codes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from abacus_compat.conf import LayerEntry, Section
from abacus_compat.errors import listed
from abacus_compat.tensors import LayerTensors
from paddle_init.dtypes import RANGES
from paddle_init.errors import Notice
from paddle_init.extremes import share_of_infinities, vanishes
from paddle_init.schemes import Abacus, Arithmetic
from paddle_init.schemes.base import number
from paddle_init.specs import BIAS_INPUT, Draw, Tensor

__all__ = ["notices_of"]

SMALLEST, LARGEST = RANGES["float32"]

# what a scale of 0 is told of, by the roles that a draw has
STARTS = {
    frozenset(("weight",)): "every weight",
    frozenset(("bias",)): "the bias",
    frozenset(("weight", "bias")): "every weight, and the bias in it,",
}


def notices_of(
    section: Section,
    draws: Iterable[Draw],
    arithmetic: Arithmetic,
    tensors: Iterable[Tensor],
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
    tensors
        What holds the draws.
    items, skipped
        The layers that were translated, and the others.
    readers : mapping of str to collection of str
        The translated layers that use each parameter.
    """
    found = [
        *_of_keys(section),
        *_of_draws(draws, arithmetic, _roles(tensors) if section.layered or section.flat else {}),
        *_of_layers(items, skipped),
        *(_of_parameters(section, skipped, readers) if section.layered else _of_roles(section)),
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
    yield Notice(
        "roles-unknown",
        "the conf names no layers, so nothing says which parameter is a bias"
        + (f": {rows} with rown = 1 may be one" if rows else "")
        + "; the towers divide a bias by sqrt(fan_in) of its layer",
        source=section.source,
    )


def _of_draws(
    draws: Iterable[Draw], arithmetic: Arithmetic, roles: Mapping[str, set[str]]
) -> Iterator[Notice]:
    for draw in draws:
        scheme = draw.scheme
        if not isinstance(scheme, Abacus):
            continue
        scale = scheme.scale(draw.shape[0], arithmetic)
        said = f"init_range * global_init_range comes to a scale of {number(abs(scale))}"
        if scale == 0:
            known = frozenset(roles.get(draw.name, ()))
            message = f"{said}: {STARTS.get(known, 'every element')} starts at 0"
            yield Notice("zero-scale", message, draw.name, draw.source)
        if vanishes(scale, "float32"):
            message = (
                f"{said}, below the smallest float32, {SMALLEST:.2g}: every element rounds to 0 "
                "or to a few multiples of that"
            )
            yield Notice("underflow", message, draw.name, draw.source)
        if share := share_of_infinities(scale, "float32"):
            message = f"{said}: {100 * share:.2g} % of the elements overflow float32 to inf"
            if scale > LARGEST:
                message += "; Paddle has no such std"
            yield Notice("overflow", message, draw.name, draw.source)


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

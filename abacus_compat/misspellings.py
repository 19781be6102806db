"""What a net is probably not meant to be: inputs, layers and keys whose names look misspelled."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from abacus_compat import sentences as say
from abacus_compat.conf import FULLY_CONNECTED, LayerEntry, Section
from abacus_compat.layers import FullyConnected
from paddle_init.errors import Notice, Source
from paddle_init.specs import BIAS_INPUT
from paddle_init.spelling import nearest, slip
from paddle_init.theory.activations import ActivationError
from paddle_init.theory.notation import ACTIVATION_NAMES, activation

__all__ = ["misspellings"]

# Of more pairs of names than this it is not asked whether one is meant for the other.
MOST_PAIRS = 20_000


@dataclass(frozen=True, slots=True)
class _Output:
    """What a later layer can read, and whether any does.

    `position` is that of its layer among all, -1 for an input that the conf declares; `width` is
    None for layers of other classes; `end` says that the net may well end there.
    """

    names: tuple[str, ...]
    position: int
    width: int | None
    line: int | None
    used: bool
    end: bool


@dataclass(frozen=True, slots=True)
class _Read:
    """A name that a layer reads and nothing declares: `width` is None for other classes."""

    name: str
    layer: str
    position: int
    width: int | None
    source: Source


def misspellings(section: Section, layers: Iterable[FullyConnected]) -> Iterator[Notice]:
    """Yield a warning for every name in a section that is likely to be misspelled.

    Codes: ``misspelled-input``, ``unused-output``, ``misspelled-class``,
    ``misspelled-activation``, ``misspelled-key``.
    """
    layers = tuple(layers)
    for key, meant, source in section.misspelled_keys:
        yield Notice("misspelled-key", say.MISSPELLED_KEY(key=key, meant=meant), source=source)
    for entry in section.layers:
        yield from _of_words(entry)
    reads = list(_unknown_reads(section, layers))
    outputs = list(_outputs(section, layers))
    meant_for = outputs if len(reads) * len(outputs) <= MOST_PAIRS else []
    explained: set[str] = set()
    for read in reads:
        if read.width is None:
            continue
        if read.width == 1 and (
            slip(read.name, BIAS_INPUT) or nearest(read.name, (BIAS_INPUT,), 0.85)
        ):
            message = say.MISSPELLED_BIAS(layer=read.layer, name=read.name, meant=BIAS_INPUT)
            yield Notice("misspelled-input", message, source=read.source)
        elif (output := _meant(read, meant_for)) is not None:
            explained.update(output.names)
            meant = output.names[-1]
            where = say.ON_LINE(line=output.line) if output.line else say.DECLARED()
            sentence = say.MISSPELLED_INPUT if output.used else say.MISSPELLED_UNUSED
            message = sentence(layer=read.layer, name=read.name, meant=meant, where=where)
            yield Notice("misspelled-input", message, source=read.source)
    for output in outputs:
        if not (output.used or output.end or output.position < 0 or explained & {*output.names}):
            yield _unused(output, section.layers[output.position], reads if meant_for else ())


def _of_words(entry: LayerEntry) -> Iterator[Notice]:
    kinds = (FULLY_CONNECTED,)
    if entry.kind != FULLY_CONNECTED and (meant := nearest(entry.kind, kinds, 0.85)):
        message = say.MISSPELLED_CLASS(layer=entry.name, name=entry.kind, meant=meant)
        yield Notice("misspelled-class", message, source=entry.node.source("class"))
    name = entry.activation
    if name and not _is_known(name) and (near := nearest(name, ACTIVATION_NAMES, 0.75)):
        message = say.MISSPELLED_ACTIVATION(layer=entry.name, name=name, meant=near)
        yield Notice("misspelled-activation", message, source=entry.node.source("act_func"))


def _is_known(name: str) -> bool:
    if name in ACTIVATION_NAMES:
        return True
    try:
        activation(name)
    except ActivationError:
        return False
    return True


def _unknown_reads(section: Section, layers: Iterable[FullyConnected]) -> Iterator[_Read]:
    made = {name for entry in section.layers for name in entry.outputs}
    known = made | section.widths.keys() | section.params.keys() | {BIAS_INPUT}
    widths = {
        (layer.entry.source, name): width
        for layer in layers
        for name, width in zip(
            (name for name in layer.entry.a_inputs if name != BIAS_INPUT),
            (given.width for given in layer.inputs),
            strict=True,
        )
    }
    for position, entry in enumerate(section.layers):
        names: Collection[str] = entry.a_inputs or entry.mentions
        for name in dict.fromkeys(names):
            if name not in known:
                width = widths.get((entry.source, name))
                source = entry.node.source("a_input")
                yield _Read(name, entry.name, position, width, source)


def _outputs(section: Section, layers: Iterable[FullyConnected]) -> Iterator[_Output]:
    used = {name for entry in section.layers for name in (*entry.a_inputs, *entry.mentions)}
    used |= section.mentions
    for name, width in section.widths.items():
        yield _Output((name,), -1, width, None, name in used, False)
    for at, entry in enumerate(section.layers):
        if entry.kind != FULLY_CONNECTED and entry.outputs:
            yield _Output(entry.outputs, at, None, entry.source.line, True, True)
    position_by_source = {entry.source: at for at, entry in enumerate(section.layers)}
    layers = sorted(layers, key=lambda layer: position_by_source[layer.entry.source])
    inner = {layer.entry.activation for layer in layers if not used.isdisjoint(layer.entry.outputs)}
    for layer in layers:
        entry, width = layer.entry, layer.params[0].coln
        last = entry is layers[-1].entry
        end = last or width in (1, layers[-1].params[0].coln) or entry.activation not in inner
        at = position_by_source[entry.source]
        names = entry.outputs
        yield _Output(names, at, width, entry.source.line, not used.isdisjoint(names), end)


def _meant(read: _Read, outputs: Iterable[_Output]) -> _Output | None:
    """Return the earlier output that a read of an unknown name is likely meant for."""
    earlier = [output for output in outputs if output.position < read.position]
    for output in earlier:
        fits = output.width in (None, read.width)
        if fits and any(slip(read.name, name) for name in output.names):
            return output
    unused = [output for output in earlier if not output.used]
    inner = {
        name: output
        for output in unused
        if not output.end and output.position >= 0
        for name in output.names
    }
    as_wide = {
        name: output for output in unused if output.width == read.width for name in output.names
    }
    for names, cutoff in ((inner, 0.6), (as_wide, 0.75)):
        if near := nearest(read.name, names, cutoff):
            return names[near]
    return None


def _unused(output: _Output, entry: LayerEntry, reads: Iterable[_Read]) -> Notice:
    later = [read.name for read in reads if read.position > output.position]
    near = [name for own in output.names if (name := nearest(own, later, 0.75))]
    name = output.names[-1]
    if near:
        message = say.UNUSED_OUTPUT_NEAR(layer=entry.name, name=name, near=near[0])
    else:
        message = say.UNUSED_OUTPUT(layer=entry.name, name=name)
    return Notice("unused-output", message, source=entry.source)

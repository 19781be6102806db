"""What every form of a study shows: the answer, numbers, where it goes wrong, what helps."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from paddle_init.languages import LIST as COMMA
from paddle_init.languages import Message, joined, listed
from paddle_init.signal import sentences as say
from paddle_init.signal.dense import Moments
from paddle_init.signal.propagation import FLAT
from paddle_init.signal.study import LayerStudy, Study
from paddle_init.signal.verdict import EXPLODING, SATURATING, VANISHING, Fix, Verdict


def answer(study: Study) -> Message:
    """Say in a sentence or two what is wrong, and how fast signal and gradient grow."""
    verdict = study.verdict
    what = findings(verdict.findings) or (say.NOTHING() if verdict.judged else say.NOT_JUDGED())
    count = len(verdict.layers)
    if count == 1:
        return say.ONE_LAYER(what=what)
    forward, backward = _number(verdict.signal_growth), _number(verdict.gradient_growth)
    return say.LAYERS(what=what, layers=count, forward=forward, backward=backward)


def findings(codes: Sequence[str]) -> Message | None:
    """Say a verdict's findings; None where nothing is wrong."""
    if not codes:
        return None
    told = joined(COMMA, (say.FINDINGS[code]() for code in codes))
    assert isinstance(told, Message)
    return told


def found(study: Study, layer: LayerStudy) -> Message:
    """Say what was found of a layer."""
    if not study.verdict.judged:
        return say.UNJUDGED()
    return findings(layer.verdict.findings) or say.FINE()


def subjects(study: Study) -> Iterator[tuple[Message, str]]:
    """Yield what was studied, where that is known, and how it was measured."""
    if study.origin:
        yield say.NET(), study.origin
    measured = study.measured
    told = say.ON_PADDLE(batch=measured.batch) if measured else say.NOT_MEASURED()
    yield say.MEASURED(), told


def meaning() -> Message:
    """Say what the columns hold."""
    return say.MEANING(flat=f"{FLAT:g}")


def cells(layer: Any) -> tuple[str, ...]:
    """Return y mean, y rms, a mean, a rms and g norm, predicted or measured."""
    found: list[str] = []
    for item in (layer.pre_activation, layer.output):
        found += ("-", "-") if item is None else (_number(_mean(item)), _number(item.rms))
    norm = layer.gradient_norm
    return (*found, "-" if math.isnan(layer.gradient.second) else _number(norm))


def shape(layer: LayerStudy) -> str:
    """Write the shape of a layer's weight."""
    return " x ".join(map(str, layer.shape))


def flat(share: float | None) -> str:
    """Write which share of a layer's units is flat; of activations that are not S-shaped, -."""
    return "-" if share is None else f"{100 * share:.0f} %"


def told(study: Study) -> Iterator[tuple[str, str]]:
    """Yield labels and texts: each finding with its layers, what would be better, and notes."""
    yield from _found_where(study.verdict)
    if study.verdict.fix:
        for index, line in enumerate(_fix(study, study.verdict.fix)):
            yield "" if index else say.BETTER(), line
    elif study.verdict.findings and study.layers:
        yield say.NOTE(), say.NONE_BETTER()
    for note in study.notes:
        yield say.NOTE(), note


def _found_where(verdict: Verdict) -> Iterator[tuple[str, str]]:
    """Yield each finding with the layers that have it and the threshold it passed."""
    names = [layer.name for layer in verdict.layers]
    below, above = f"{VANISHING:g}", f"{EXPLODING:g}"
    limits = {
        "vanishing signal": say.RMS_BELOW(limit=below, name=names[0]),
        "exploding signal": say.RMS_ABOVE(limit=above, name=names[0]),
        "vanishing gradient": say.NORM_BELOW(limit=below, name=names[-1]),
        "exploding gradient": say.NORM_ABOVE(limit=above, name=names[-1]),
        "saturating": say.ARE_FLAT(percent=f"{100 * SATURATING:g}"),
    }
    for finding in verdict.findings:
        has = [finding in layer.findings for layer in verdict.layers]
        runs = groupby(range(len(names)), has.__getitem__)
        places = [_span([names[index] for index in run]) for found, run in runs if found]
        where = say.WHERE(places=listed(places, len(places)), limit=limits[finding])
        yield say.FINDINGS[finding](), where


def _span(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else say.SPAN(first=names[0], last=names[-1])


def _fix(study: Study, fix: Fix) -> Iterator[str]:
    """Yield which schemes would put it right, layers with one rule together."""
    yield say.LEAVES_NOTHING(fix=fix.name)
    chosen = zip(study.layers, fix.schemes, strict=True)
    for scheme, run in groupby(chosen, lambda pair: pair[1]):
        layers = [layer for layer, _ in run]
        yield say.RULE(names=_span([layer.name for layer in layers]), rule=scheme.rule)


def _mean(found: Moments) -> float:
    """The mean, 0 where it is only what rounding left of it."""
    return 0.0 if abs(found.mean) < 1e-12 * found.rms else found.mean


def _number(value: float) -> str:
    if value == 0:
        return "0"
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else say.OVERFLOW()
    return f"{value:.4f}" if 1e-2 <= abs(value) < 1e3 else f"{value:.2e}"

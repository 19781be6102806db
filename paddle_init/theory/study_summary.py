"""What every form of a study shows: the answer, numbers, where it goes wrong, what helps."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from paddle_init.languages import LIST as COMMA
from paddle_init.languages import Message, joined, listed
from paddle_init.theory import sentences as say
from paddle_init.theory.dense import Moments
from paddle_init.theory.saturation import FLAT
from paddle_init.theory.study import Study
from paddle_init.theory.verdict import EXPLODING, SATURATING, VANISHING, Verdict

__all__ = ["answer", "cells", "findings", "flat", "meaning", "subjects", "told"]


def answer(study: Study) -> Message:
    """Say in a sentence or two what is wrong, and how fast signal and gradient grow."""
    verdict = study.verdict
    what = findings(verdict.findings) or say.NOTHING()
    if len(study.layers) == 1:
        return say.ONE_LAYER(what=what)
    forward, backward = _number(verdict.signal_growth), _number(verdict.gradient_growth)
    return say.LAYERS(what=what, layers=len(study.layers), forward=forward, backward=backward)


def findings(codes: Sequence[str]) -> Message | None:
    """Say a verdict's findings; None where nothing is wrong."""
    if not codes:
        return None
    found = joined(COMMA, (say.FINDINGS[code]() for code in codes))
    assert isinstance(found, Message)
    return found


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
    """Return y mean, y rms, a mean, a rms and g rms, predicted or measured."""
    pre: Moments = layer.pre_activation
    out: Moments = layer.output
    return (
        *(_number(value) for item in (pre, out) for value in (_mean(item), item.rms)),
        _number(layer.gradient.rms),
    )


def flat(share: float | None) -> str:
    """Write which share of a layer's units is flat; of activations that are not S-shaped, -."""
    return "-" if share is None else f"{100 * share:.0f} %"


def told(study: Study) -> Iterator[tuple[str, str]]:
    """Yield labels and texts: each finding with its layers, what would be better, and notes."""
    yield from _found_where(study.verdict)
    for index, line in enumerate(_fix(study)):
        yield "" if index else say.BETTER(), line
    for note in study.predicted.notes:
        yield say.NOTE(), note


def _found_where(verdict: Verdict) -> Iterator[tuple[str, str]]:
    """Yield each finding with the layers that have it and the threshold it passed."""
    names = [layer.name for layer in verdict.layers]
    below, above = f"{VANISHING:g}", f"{EXPLODING:g}"
    limits = {
        "vanishing signal": say.RMS_BELOW(limit=below, name=names[0]),
        "exploding signal": say.RMS_ABOVE(limit=above, name=names[0]),
        "vanishing gradient": say.RMS_BELOW(limit=below, name=names[-1]),
        "exploding gradient": say.RMS_ABOVE(limit=above, name=names[-1]),
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


def _fix(study: Study) -> Iterator[str]:
    """Yield which schemes would put it right, layers with one rule together."""
    fix = study.verdict.fix
    if fix is None:
        if study.verdict.findings:
            yield say.NONE_BETTER()
        return
    left = findings(fix.remaining)
    yield say.LEAVES(fix=fix.name, left=left) if left else say.LEAVES_NOTHING(fix=fix.name)
    chosen = zip(study.layers, fix.schemes, strict=True)
    for scheme, run in groupby(chosen, lambda pair: pair[1]):
        layers = [layer for layer, _ in run]
        rule = scheme.formula((layers[0].fan_in, layers[0].fan_out))
        of, numbers = rule.split(" = ")[:2]
        yield say.RULE(names=_span([layer.name for layer in layers]), rule=f"{of} = {numbers}")


def _mean(found: Moments) -> float:
    """The mean, 0 where it is only what rounding left of it."""
    return 0.0 if abs(found.mean) < 1e-12 * found.rms else found.mean


def _number(value: float) -> str:
    if value == 0:
        return "0"
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else say.OVERFLOW()
    return f"{value:.4f}" if 1e-2 <= abs(value) < 1e3 else f"{value:.2e}"

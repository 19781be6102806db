"""A study as text: the verdict, a table of the layers, where it goes wrong and what would help."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from textwrap import fill
from typing import Any

from paddle_init.printable import printable
from paddle_init.theory.aligned import aligned
from paddle_init.theory.dense import Moments
from paddle_init.theory.saturation import FLAT
from paddle_init.theory.study import Study
from paddle_init.theory.verdict import EXPLODING, SATURATING, VANISHING, Verdict

__all__ = ["COLUMNS", "answer", "fix_lines", "found_where", "layer_cells", "study_text"]

COLUMNS = ("layer", "y mean", "y rms", "a mean", "a rms", "g rms", "flat")
MEANING = (
    "y is a layer's sum before its activation a, g the gradient with respect to y; rms is "
    "sqrt(E[x^2]) over samples and units; flat is the share of units where the slope is below "
    f"{FLAT:g} of the steepest, for S-shaped activations."
)


def study_text(study: Study, width: int = 80) -> str:
    """Write a study for reading, in `width` columns where the layers' names allow."""
    parts = [
        fill(answer(study), width) + "\n",
        aligned([COLUMNS, *layer_cells(study)]),
        fill(MEANING, width) + "\n",
    ]
    told = [(finding, where) for finding, where in found_where(study.verdict)]
    told += [("better" if not index else "", line) for index, line in enumerate(fix_lines(study))]
    told += [("note", note) for note in study.predicted.notes]
    if told:
        margin = max(len(label) for label, _ in told) + 2
        parts.append(
            "".join(
                fill(label.ljust(margin) + text, width, subsequent_indent=" " * margin) + "\n"
                for label, text in told
            )
        )
    return "".join(printable(line) + "\n" for line in "\n".join(parts).splitlines())


def answer(study: Study) -> str:
    """Say in a sentence or two what is wrong, and how fast signal and gradient grow."""
    verdict = study.verdict
    what = ", ".join(verdict.findings).capitalize() or "Nothing is wrong"
    layers = f"{len(study.layers)} layer{'s' if len(study.layers) > 1 else ''}"
    forward, backward = _number(verdict.signal_growth), _number(verdict.gradient_growth)
    growth = (
        f"From layer to layer the signal's rms changes by a factor of {forward}, on the way back "
        f"the gradient's by {backward}."
    )
    return f"{what}: {layers}." + (f" {growth}" if len(study.layers) > 1 else "")


def layer_cells(study: Study) -> Iterator[tuple[str, ...]]:
    """Yield the table's rows: what is predicted for a layer and, below it, what was measured."""
    measured: Sequence[Any] = study.measured.layers if study.measured else ()
    for index, signal in enumerate(study.predicted.signals):
        flat = "-" if signal.saturated is None else f"{100 * signal.saturated:.0f} %"
        label = f"{signal.name}  {signal.fan_in} x {signal.fan_out}  {signal.activation}"
        yield label, *_cells(signal), flat
        if measured:
            yield "  measured", *_cells(measured[index]), ""


def found_where(verdict: Verdict) -> Iterator[tuple[str, str]]:
    """Yield each finding with the layers that have it and the threshold it passed."""
    names = [layer.name for layer in verdict.layers]
    limits = {
        "vanishing signal": f"rms below {VANISHING:g} of {names[0]}'s",
        "exploding signal": f"rms above {EXPLODING:g} times {names[0]}'s",
        "vanishing gradient": f"rms below {VANISHING:g} of {names[-1]}'s",
        "exploding gradient": f"rms above {EXPLODING:g} times {names[-1]}'s",
        "saturating": f"more than {100 * SATURATING:g} % of the units are flat",
    }
    for finding in verdict.findings:
        has = [finding in layer.findings for layer in verdict.layers]
        runs = groupby(range(len(names)), has.__getitem__)
        places = [list(run) for found, run in runs if found]
        where = ", ".join(
            names[place[0]] if len(place) == 1 else f"{names[place[0]]} to {names[place[-1]]}"
            for place in places
        )
        yield finding, f"{where} ({limits[finding]})"


def fix_lines(study: Study) -> Iterator[str]:
    """Yield which schemes would put it right, layers with one rule together."""
    fix = study.verdict.fix
    if fix is None:
        if study.verdict.findings:
            yield "no scheme that was tried does better"
        return
    left = ", ".join(fix.remaining)
    yield f"{fix.name}, which leaves {left or 'nothing wrong'}:"
    chosen = zip(study.layers, fix.schemes, strict=True)
    for scheme, run in groupby(chosen, lambda pair: pair[1]):
        layers = [layer for layer, _ in run]
        names = layers[0].name if len(layers) == 1 else f"{layers[0].name} to {layers[-1].name}"
        rule = scheme.formula((layers[0].fan_in, layers[0].fan_out))
        yield f"{names}: {rule.split(' = ')[0]} = {rule.split(' = ')[1]}"


def _cells(layer: Any) -> tuple[str, ...]:
    pre: Moments = layer.pre_activation
    out: Moments = layer.output
    return (
        *(_number(value) for item in (pre, out) for value in (_mean(item), item.rms)),
        _number(layer.gradient.rms),
    )


def _mean(found: Moments) -> float:
    """The mean, 0 where it is only what rounding left of it."""
    return 0.0 if abs(found.mean) < 1e-12 * found.rms else found.mean


def _number(value: float) -> str:
    if value == 0:
        return "0"
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "overflow"
    return f"{value:.4f}" if 1e-2 <= abs(value) < 1e3 else f"{value:.2e}"

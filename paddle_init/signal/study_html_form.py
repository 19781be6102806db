"""A study as an HTML page: sizes drawn layer by layer, and every layer in a table."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from paddle_init.languages import Language, Message
from paddle_init.results.html import Choice, Column, Value, keys, rendered
from paddle_init.results.plots import Plot, densities, sizes
from paddle_init.results.provenance import Provenance, provenance
from paddle_init.signal import sentences as say
from paddle_init.signal.measurement import MeasuredLayer
from paddle_init.signal.propagation import Signal
from paddle_init.signal.study import LayerStudy, Study
from paddle_init.signal.study_summary import (
    answer,
    cells,
    flat,
    found,
    meaning,
    shape,
    subjects,
    told,
)
from paddle_init.statistics.histograms import Histogram

COLUMNS = (
    Column(say.LAYER(), ""),
    Column(say.SHAPE(), "shape wide"),
    Column(say.ACTIVATION(), "wide"),
    Column(say.FOUND(), "level-column"),
    Column(say.Y_RMS(), "number"),
    Column(say.A_RMS(), "number wide"),
    Column(say.G_NORM(), "number"),
    Column(say.FLAT(), "number wide"),
)


def study_html(
    study: Study, *, language: Language = "en", made_by: Provenance | None = None
) -> str:
    """Write a study as one HTML file that needs no network.

    Parameters
    ----------
    language : "en" or "zh"
        What is shown first; the page holds both and switches.
    made_by : Provenance, optional
        The command and versions to show; by default those of this process.
    """
    rows = [_Row(index, layer, found(study, layer)) for index, layer in enumerate(study.rows)]
    return rendered(
        "study.html",
        language=language,
        answer=answer(study),
        provenance=made_by or provenance(),
        subjects=subjects(study),
        sizes=[(say.FORWARD(), _forward(study)), (say.BACKWARD(), _backward(study))],
        measured=study.measured is not None,
        rows=rows,
        choices=_choices(rows),
        columns=COLUMNS,
        meaning=meaning(),
        told=list(told(study)),
        say=say,
    )


def _forward(study: Study) -> Plot | None:
    signals, real = _layers(study)
    return sizes(
        [signal.pre_activation.rms for signal in signals],
        [_factor(signal.spread) for signal in signals],
        [layer.pre_activation.rms for layer in real],
    )


def _backward(study: Study) -> Plot | None:
    signals, real = _layers(study)
    return sizes(
        [signal.gradient_norm for signal in signals],
        [_factor(signal.gradient_spread) for signal in signals],
        [layer.gradient_norm for layer in real],
    )


def _layers(study: Study) -> tuple[tuple[Signal, ...], tuple[MeasuredLayer, ...]]:
    return (
        study.predicted.signals if study.predicted else (),
        study.measured.layers if study.measured else (),
    )


def _factor(spread: float) -> float:
    """Return the factor of rms that two stds of log E[x^2] are."""
    return math.exp(min(spread, 50.0))


def _choices(rows: list[_Row]) -> Iterator[Choice]:
    texts: dict[str, Message] = {row.code: row.found for row in rows}
    counts = Counter(row.code for row in rows)
    yield Choice("level", say.FOUND(), [Value(c, texts[c], n) for c, n in counts.items()])
    activations = Counter(row.kind for row in rows)
    values = [Value(name, name, n) for name, n in activations.items()]
    yield Choice("activation", say.ACTIVATION(), values)


@dataclass(frozen=True)
class _Row:
    """A layer as the template shows it."""

    index: int
    layer: LayerStudy
    found: Message

    @property
    def name(self) -> str:
        return self.layer.name

    @property
    def shape(self) -> str:
        return shape(self.layer)

    @property
    def kind(self) -> str:
        return self.layer.kind

    @property
    def code(self) -> str:
        codes = self.layer.verdict.findings
        return "+".join(each.replace(" ", "-") for each in codes) or "fine"

    @property
    def flat(self) -> str:
        return flat(self.layer.verdict.saturated)

    @property
    def numbers(self) -> list[tuple[Message, tuple[str, ...]]]:
        """What is predicted, and what was measured."""
        both = ((say.PREDICTED(), self.layer.predicted), (say.MEASURED(), self.layer.measured))
        return [(label, cells(layer)) for label, layer in both if layer is not None]

    @property
    def plots(self) -> list[tuple[Message, Plot]]:
        """Histograms of what was measured."""
        if self.layer.measured is None:
            return []
        drawn = (
            (say.SIGNALS(), _density(self.layer.measured, "pre_activation"))
            if self.layer.measured.output is None
            else (say.ACTIVATIONS(), _density(self.layer.measured, "output")),
            (say.GRADIENTS(), _density(self.layer.measured, "gradient")),
        )
        return [(label, plot) for label, plot in drawn if plot is not None]

    @property
    def keys(self) -> Mapping[str, Any]:
        first = self.layer.predicted or self.layer.measured
        assert first is not None
        output = first.output.rms if first.output else math.nan
        rms = (first.pre_activation.rms, output, first.gradient_norm)
        y, a, g = (value if math.isfinite(value) else None for value in rms)
        sort: list[str | float | None] = [
            self.name,
            math.prod(self.layer.shape),
            self.kind,
            f"{len(self.layer.verdict.findings)} {self.code}",
            y,
            a,
            g,
            self.layer.verdict.saturated,
        ]
        choices = {"level": self.code, "activation": self.kind}
        return keys(sort, choices, [self.name, self.shape, self.kind])


def _density(layer: MeasuredLayer, what: str) -> Plot | None:
    if what not in layer.histograms:
        return None
    found = layer.histograms[what]
    kept = Histogram(tuple(found.edges.tolist()), tuple(found.counts.tolist()))
    return densities([("left", kept)])

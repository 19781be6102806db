"""A study drawn: sizes per layer, predicted beside measured, and histograms per layer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from paddle_init.plots.drawing import COLORS, drawn, new_figure
from paddle_init.plots.histograms import draw_histograms
from paddle_init.plots.layers import layer_axis, shown, size_axis
from paddle_init.theory.dense import PropagationError
from paddle_init.theory.measurement import MeasuredLayer
from paddle_init.theory.propagation import Signal
from paddle_init.theory.study import Study

__all__ = ["draw_sizes", "histograms_figure", "signal_figure", "study_figure"]


@drawn
def study_figure(study: Study) -> Any:
    """Draw all that is known of a study: sizes, and below them histograms where it was measured."""
    if study.measured is None:
        return signal_figure(study)
    figure, (above, below) = new_figure(2, 2, 9.0, 7.4)
    _draw_signal(figure, above, study)
    _draw_histograms(below, study)
    return figure


@drawn
def signal_figure(study: Study) -> Any:
    """Draw the rms of pre-activations and the norm of their gradients, a matplotlib Figure.

    The band is two standard deviations over draws of the weights, to first order in 1 / width.
    """
    figure, (row,) = new_figure(1, 2, 9.0, 3.6)
    _draw_signal(figure, row, study)
    return figure


@drawn
def histograms_figure(study: Study) -> Any:
    """Draw the histograms of each layer's activations and gradients, a matplotlib Figure.

    Raises
    ------
    PropagationError
        The study was not measured, or without histograms.
    """
    if study.measured is None or not all(layer.histograms for layer in study.measured.layers):
        raise PropagationError("only a measured net has histograms: propagate(.., measured=True)")
    figure, (row,) = new_figure(1, 2, 9.0, 3.6)
    _draw_histograms(row, study)
    return figure


def _draw_signal(figure: Any, row: Any, study: Study) -> None:
    forward, backward = row
    draw_sizes(forward, study, "pre_activation")
    draw_sizes(backward, study, "gradient")
    forward.set_title("Forward: pre-activations")
    backward.set_title("Backward: gradients of pre-activations")
    forward.set_ylabel("rms of pre-activations\n[unit of the input]")
    backward.set_ylabel("norm of gradients over units\n[unit of the output's gradient]")
    forward.legend(loc="best")


def _draw_histograms(row: Any, study: Study) -> None:
    forward, backward = row
    layers = study.measured.layers if study.measured else ()
    names = [layer.name for layer in layers]
    what = "output" if study.predicted else "pre_activation"
    draw_histograms(forward, [layer.histograms[what] for layer in layers], names, legend=False)
    reached = [layer for layer in layers if "gradient" in layer.histograms]
    draw_histograms(
        backward, [layer.histograms["gradient"] for layer in reached], [e.name for e in reached]
    )
    forward.set_title("Forward: activations" if study.predicted else "Forward: layers' outputs")
    backward.set_title("Backward: gradients of pre-activations")
    forward.set_xlabel("activation [unit of the input]")
    backward.set_xlabel("gradient [unit of the output's gradient]")


def draw_sizes(axes: Any, study: Study, what: str) -> None:
    """Draw what is predicted, with its band, and what was measured, layer by layer.

    `what` is "pre_activation", of which the rms is drawn, or "gradient", its norm.
    """
    names = [layer.name for layer in study.verdict.layers]
    numbers = np.arange(1, len(names) + 1)
    values: list[float] = []
    if study.predicted:
        values += _draw_predicted(axes, numbers, study.predicted.signals, what)
    if study.measured:
        real = shown(_size(layer, what) for layer in study.measured.layers)
        axes.plot(numbers, real, "o", color=COLORS[1], label="measured")
        values += real
    size_axis(axes, values)
    _name_gaps(axes, values)
    layer_axis(axes, names)


def _draw_predicted(axes: Any, numbers: Any, signals: Sequence[Signal], what: str) -> list[float]:
    spreads = [s.spread if what == "pre_activation" else s.gradient_spread for s in signals]
    predicted = shown(_size(signal, what) for signal in signals)
    # two stds of log E[x^2] are two half spreads of log rms
    factors = np.exp(np.minimum(spreads, 50.0))
    low, high = predicted / factors, predicted * factors
    (line,) = axes.plot(numbers, predicted, color=COLORS[0], label="predicted")
    axes.fill_between(
        numbers, low, high, color=COLORS[0], alpha=0.2, linewidth=0, label="± 2 std over draws"
    )
    if len(signals) == 1:
        line.set(marker="_", markersize=24)
        axes.vlines(numbers, low, high, color=COLORS[0], alpha=0.2, linewidth=24)
    return list(predicted)


def _size(layer: Signal | MeasuredLayer, what: str) -> float:
    return layer.gradient_norm if what == "gradient" else layer.pre_activation.rms


def _name_gaps(axes: Any, values: Sequence[float]) -> None:
    if any(map(math.isnan, values)):
        axes.annotate(
            "where nothing is drawn: 0 or overflow",
            (0.02, 0.03),
            xycoords="axes fraction",
            fontsize=8,
        )

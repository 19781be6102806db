"""Histograms of several layers on one pair of axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from paddle_init.results.pictures import (
    COLORS,
    drawn,
    label,
    layer_axis,
    new_figure,
    shown,
    size_axis,
)
from paddle_init.signal.dense import PropagationError
from paddle_init.signal.measurement import Histogram, MeasuredLayer
from paddle_init.signal.propagation import Signal
from paddle_init.signal.study import Study

FEW = 6  # layers that have a color and a line of the legend each
FAR = 20.0  # ratio of widths from which on the axis is linear near 0 and logarithmic beyond


def draw_histograms(
    axes: Any, histograms: Sequence[Histogram], names: Sequence[str], legend: bool = True
) -> None:
    """Draw each layer's density as an outline; many layers are coloured by depth."""
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from matplotlib.ticker import MaxNLocator

    count = len(histograms)
    few = count <= FEW
    palette = COLORS if few else [colormaps["viridis"](x) for x in np.linspace(0, 0.92, count)]
    widths = [_reach(histogram) for histogram in histograms]
    for number, (histogram, name) in enumerate(zip(histograms, names, strict=True), start=1):
        x, density = _outline(histogram)
        line = {"color": palette[number - 1], "linewidth": 1.4 if few else 0.9, "marker": "."}
        line["markevery"] = _alone(density)
        axes.plot(x, density, label=label(name, number), **line)
    widest, narrowest = max(widths), min(widths)
    if widest > FAR * narrowest:
        axes.set_xscale("symlog", linthresh=narrowest, linscale=0.5)
        axes.xaxis.set_ticks(_powers(narrowest, widest))
    else:
        axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.set_xlim(-widest, widest)
    axes.set_yscale("log")
    axes.set_ylabel("share per unit of the axis\n(probability density)")
    if not legend:
        return
    if few:
        box = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "handlelength": 1.2}
        axes.legend(**box, borderaxespad=0, borderpad=0)
    else:
        norm = Normalize(1, count / 0.92)
        bar = axes.figure.colorbar(ScalarMappable(norm, "viridis"), ax=axes, pad=0.02)
        bar.ax.set_ylim(1, count)
        bar.set_label("layer")


def _powers(narrowest: float, widest: float) -> list[float]:
    """Return 0 and up to three powers of ten on each side, clear of 0."""
    exponents = range(math.ceil(math.log10(narrowest) + 1), math.floor(math.log10(widest)) + 1)
    chosen = exponents[:: -max(1, math.ceil(len(exponents) / 3))]
    sizes = [10.0**exponent for exponent in chosen]
    return [*(-size for size in sizes), 0.0, *reversed(sizes)]


def _outline(histogram: Histogram) -> tuple[Any, Any]:
    centres = (histogram.edges[1:] + histogram.edges[:-1]) / 2
    total = max(int(histogram.counts.sum()), 1)
    density = histogram.counts / (total * np.diff(histogram.edges))
    return centres, np.where(density > 0, density, np.nan)


def _alone(density: Any) -> list[int]:
    """Return which bins have empty ones on both sides, so that no line shows them."""
    empty = np.pad(np.isnan(density), 1, constant_values=True)
    bins: list[int] = np.flatnonzero(~empty[1:-1] & empty[:-2] & empty[2:]).tolist()
    return bins


def _reach(histogram: Histogram) -> float:
    """The distance from 0 within which all but a thousandth of the values lie."""
    centres = np.abs((histogram.edges[1:] + histogram.edges[:-1]) / 2)
    order = np.argsort(centres)
    share = np.cumsum(histogram.counts[order]) / max(int(histogram.counts.sum()), 1)
    inside = centres[order][int(np.searchsorted(share, 0.999).clip(max=len(order) - 1))]
    return float(inside) or float(histogram.edges[-1])


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

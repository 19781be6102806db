"""Histograms of several layers on one pair of axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from paddle_init.plots.drawing import COLORS
from paddle_init.plots.layers import label
from paddle_init.theory.measurement import Histogram

__all__ = ["draw_histograms"]

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

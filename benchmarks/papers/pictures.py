"""The pictures of the page, drawn from results."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks.papers.experiments import ACTIVATIONS
from paddle_init.signal.measurement import Histogram
from paddle_init.signal.pictures import (
    COLORS,
    MARKS,
    averages_figure,
    draw_histograms,
    drawn,
    image,
    layer_axis,
    log_axis,
    new_figure,
    shown,
    size_axis,
)

__all__ = ["pictures"]

SCHEMES = {
    "xavier": ("Xavier", COLORS[0], "o"),
    "he": ("He", COLORS[4], "^"),
    "constant variance": ("Constant Variance", COLORS[1], "s"),
    "half": ("Constant Variance, std 1/2", COLORS[2], "D"),
}
S_SHAPED = ("tanh", "tanh8", "sigmoid", "softsign")
AXIS = {
    "std": "std of pre-activations\n[unit of the input]",
    "gradient": "rms of gradients\n[unit of the output's gradient]",
}


def pictures(entries: Mapping[str, Any]) -> dict[str, bytes]:
    """Return PNG files by name, from `entries` as `results.json` has them."""
    m, n = entries["stack geometric"]["settings"]["fans"]
    figures = {
        "five_layers.png": _five_layers(entries),
        "deep_forward.png": _deep(entries, "std"),
        "deep_backward.png": _deep(entries, "gradient"),
        "half_std.png": _half(entries),
        "averages.png": averages_figure(m, n),
        "stacks.png": _stacks(entries),
    }
    return {name: image(figure, "png") for name, figure in figures.items()}


@drawn
def _five_layers(entries: Mapping[str, Any]) -> Any:
    figure, axes = new_figure(2, 2, 9.0, 7.0, sharex="col")
    names = [f"layer {number}" for number in range(1, 6)]
    titles = {"old uniform": "U(-1/√m, 1/√m)", "xavier": "Xavier"}
    labels = {"output": "activation, tanh(y)", "gradient": "gradient of y [of the output's]"}
    for row, (scheme, title) in zip(axes, titles.items(), strict=True):
        kept = entries[f"five layers {scheme}"]["result"]["histograms"]
        for place, (what, label) in zip(row, labels.items(), strict=True):
            histograms = [
                Histogram(
                    np.linspace(-item["reach"], item["reach"], len(item["counts"]) + 1),
                    np.asarray(item["counts"]),
                )
                for item in kept[what]
            ]
            draw_histograms(place, histograms, names, legend=place is row[-1])
            place.set_title(f"{title}: {'forward' if what == 'output' else 'backward'}")
            place.set_xlabel(label)
    return figure


@drawn
def _deep(entries: Mapping[str, Any], what: str) -> Any:
    figure, axes = new_figure(3, 3, 9.5, 8.0, sharex=True)
    for place, activation in zip(axes.flat, ACTIVATIONS, strict=True):
        _draw_schemes(place, entries, activation, what, ("xavier", "he", "constant variance"))
        place.set_title(activation)
    _finish(figure, axes, AXIS[what])
    return figure


@drawn
def _half(entries: Mapping[str, Any]) -> Any:
    figure, axes = new_figure(2, 4, 11.0, 5.6, sharex=True)
    for row, what in zip(axes, AXIS, strict=True):
        for place, activation in zip(row, S_SHAPED, strict=True):
            _draw_schemes(place, entries, activation, what, ("xavier", "constant variance", "half"))
            place.set_title(activation)
        row[0].set_ylabel(AXIS[what])
    _finish(figure, axes, "")
    return figure


def _draw_schemes(
    axes: Any, entries: Mapping[str, Any], activation: str, what: str, schemes: tuple[str, ...]
) -> None:
    every: list[float] = []
    for scheme in schemes:
        label, color, marker = SCHEMES[scheme]
        result = entries[f"deep {scheme} {activation}"]["result"]
        measured = shown(math.nan if value is None else value for value in result[what])
        predicted = shown(result[f"predicted_{what}"])
        numbers = np.arange(1, len(measured) + 1)
        axes.plot(numbers, predicted, color=color)
        axes.plot(numbers, measured, marker, color=color, markersize=3, label=label)
        every += [*measured, *predicted]
    size_axis(axes, every)
    layer_axis(axes, [str(number) for number in numbers])


def _finish(figure: Any, axes: Any, label: str) -> None:
    for row in axes[:-1]:
        for place in row:
            place.set_xlabel("")
    for row in axes:
        if label:
            row[0].set_ylabel(label)
    handles = axes[0][0].get_legend_handles_labels()
    legend = figure.legend(
        *handles, loc="outside lower center", ncols=4, title="dots measured, lines predicted"
    )
    for handle in legend.legend_handles:
        handle.set_markersize(6)


@drawn
def _stacks(entries: Mapping[str, Any]) -> Any:
    figure, (row,) = new_figure(1, 2, 9.0, 3.9, sharey=True)
    m, n = entries["stack geometric"]["settings"]["fans"]
    for place, way in zip(row, ("forward", "backward"), strict=True):
        for average, (color, marker) in MARKS.items():
            entry = entries[f"stack {average}"]
            depths, result = entry["settings"]["depths"], entry["result"]
            place.plot(depths, result["exact"], color=color)
            place.errorbar(
                depths,
                result[way],
                [2 * error for error in result[f"{way}_error"]],
                color=color,
                fmt=marker,
                capsize=2,
                label=average,
            )
        place.set_xscale("log", base=2)
        every = [
            value for average in MARKS for value in entries[f"stack {average}"]["result"]["exact"]
        ]
        log_axis(place.yaxis, max(every) / min(every))
        place.set_xticks(depths, [str(depth) for depth in depths])
        place.set_xlabel(f"layers of {m} → {n} → {m} ..")
        place.set_title(way)
    row[0].set_ylabel("second moment [where it started]")
    figure.legend(
        *row[0].get_legend_handles_labels(),
        loc="outside lower center",
        ncols=3,
        title="dots measured, ± 2 standard errors over draws; lines exact",
    )
    return figure

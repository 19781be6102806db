"""Gains drawn: the definition's, the fixed tables' and the experiment's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paddle_init.plots.drawing import COLORS, drawn, new_figure
from paddle_init.plots.layers import label
from paddle_init.theory.experiment import Experiment
from paddle_init.theory.gains import Gain

__all__ = ["gains_figure"]


@drawn
def gains_figure(found: Sequence[Gain], measured: Sequence[Experiment] | None = None) -> Any:
    """Draw gains from the smallest up, a matplotlib Figure.

    Parameters
    ----------
    measured
        One experiment for each gain, drawn with two standard errors on either side.
    """
    figure, ((axes,),) = new_figure(1, 1, 7.0, 1.6 + 0.24 * max(len(found), 1))
    order = sorted(range(len(found)), key=lambda index: found[index].gain)
    places = list(range(len(order)))
    gains = [found[index] for index in order]
    axes.plot([gain.gain for gain in gains], places, "o", color=COLORS[0], label="definition")
    tables = [("Paddle's table", "paddle_table", "s"), ("torch's table", "torch_table", "^")]
    for number, (name, field, marker) in enumerate(tables, 1):
        points = [(getattr(gain, field), place) for gain, place in zip(gains, places, strict=True)]
        known = [(value, place) for value, place in points if value is not None]
        if known:
            x, y = zip(*known, strict=True)
            style = {"color": COLORS[number], "markerfacecolor": "none", "markersize": 8}
            axes.plot(x, y, marker, label=name, **style)
    if measured:
        axes.errorbar(
            [measured[index].gain for index in order],
            places,
            xerr=[2 * measured[index].standard_error for index in order],
            fmt="|",
            color=COLORS[6],
            label="experiment, 2 std errors",
        )
    axes.set_yticks(places, [label(gain.activation, place + 1) for place, gain in enumerate(gains)])
    axes.set_xlabel("gain")
    figure.legend(loc="outside lower center", ncols=4)
    return figure

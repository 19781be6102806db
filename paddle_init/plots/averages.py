"""The averages of two fans drawn: what each costs in a step, and in a stack of steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle_init.plots.drawing import COLORS, drawn, new_figure
from paddle_init.plots.layers import log_axis
from paddle_init.theory.averages import compare_averages, cost, stack

__all__ = ["MARKS", "averages_figure"]

MARKS = {
    "arithmetic": (COLORS[0], "o"),
    "geometric": (COLORS[1], "s"),
    "quadratic": (COLORS[2], "^"),
}


@drawn
def averages_figure(m: int, n: int, layers: int = 16) -> Any:
    """Draw the trade-off of fans m and n, a matplotlib Figure.

    On the left (m t - 1)^2 + (n t - 1)^2 over the variance t, least at the quadratic average; on
    the right the second moment in a stack m -> n -> m .. of `layers` layers, which the geometric
    average keeps end to end.
    """
    figure, ((step, end),) = new_figure(1, 2, 9.5, 4.0)
    found = compare_averages(m, n)
    _draw_step(step, m, n, [(item.name, item.fan, item.cost) for item in found])
    numbers = np.arange(layers + 1)
    stacks = stack(m, n, layers)
    alike = all(item.forward == item.backward for item in stacks)
    for item in stacks:
        color, marker = MARKS[item.name]
        end.plot(
            numbers,
            item.forward,
            color=color,
            marker=marker,
            label=item.name if alike else f"{item.name}, forward",
        )
        if not alike:
            end.plot(
                numbers,
                item.backward,
                color=color,
                marker=marker,
                markerfacecolor="white",
                linestyle="--",
                label=f"{item.name}, backward",
            )
    moments = [value for item in stacks for value in (*item.forward, *item.backward)]
    log_axis(end.yaxis, max(moments) / min(moments))
    end.set_xlabel(f"layers passed of {m} → {n} → {m} ..")
    end.set_ylabel("second moment [where it started]")
    end.set_title("In a stack, forward and backward alike" if alike else "In a stack")
    figure.legend(*end.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _draw_step(axes: Any, m: int, n: int, found: list[tuple[str, float, float]]) -> None:
    fans = np.geomspace(min(m, n) / 1.5, 1.5 * max(m, n), 400)
    axes.plot(fans, m / fans - 1, color="#888888", label="forward, m t - 1")
    axes.plot(fans, n / fans - 1, color="#888888", linestyle="--", label="backward, n t - 1")
    axes.plot(fans, [cost(m, n, 1 / fan) for fan in fans], color="#000000", label="sum of squares")
    for name, fan, value in found:
        color, marker = MARKS[name]
        axes.plot([fan], [value], marker, color=color, markersize=8, zorder=3)
    top = max(2.0, 1.6 * max(value for *_, value in found))
    axes.set_ylim(-1, top)
    if top > 20:
        axes.set_yscale("symlog", linthresh=1, linscale=1)
        axes.set_ylim(-1.2, 8 * top)
    if max(m, n) > 8 * min(m, n):
        axes.set_xscale("log")
    axes.set_xlabel("1 / t, t the variance of a weight [fan]")
    axes.set_ylabel("error of the second moment")
    axes.set_title(f"In one step of {m} → {n}")
    axes.legend(loc="upper right")

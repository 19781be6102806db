"""Axes with a layer for every tick, and sizes that may span many powers of ten."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["label", "layer_axis", "log_axis", "shown", "size_axis"]

FEW = 12
LONGEST = 16


def label(name: str, number: int) -> str:
    """Return a layer's name as a picture can show it, its number where the font has no letters."""
    if not (name.isascii() and name.isprintable() and name.strip()):
        return f"layer {number}"
    short = name if len(name) <= LONGEST else f"{name[: LONGEST - 2]}.."
    margin = " " if name[0] == "_" else ""  # a legend leaves out what begins with _
    return margin + short.replace("$", r"\$")


def layer_axis(axes: Any, names: Sequence[str]) -> None:
    """Number the layers from 1; write their names where there are few and these are short."""
    from matplotlib.ticker import MaxNLocator

    count = len(names)
    axes.set_xlim(0.5, count + 0.5)
    labels = [label(name, number) for number, name in enumerate(names, start=1)]
    if count <= FEW and sum(map(len, labels)) <= 30:
        axes.set_xticks(range(1, count + 1), labels)
        axes.set_xlabel("layer")
    else:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        axes.set_xlabel("layer, counted from the input")


def size_axis(axes: Any, values: Iterable[float]) -> None:
    """Take a log scale where positive `values` differ by more than a factor of 4, else from 0."""
    sizes = [value for value in values if 0 < value < math.inf]
    if not sizes:
        return
    low, high = min(sizes), max(sizes)
    if high > 4 * low:
        log_axis(axes.yaxis, high / low)
        axes.set_ylim(low / 1.5, high * 1.5)
    else:
        axes.set_ylim(0, 1.25 * high)


def log_axis(axis: Any, ratio: float) -> None:
    """Make an axis logarithmic; where it spans little, with plain numbers at 1, 2, 5."""
    from matplotlib.ticker import LogLocator, NullFormatter

    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    axis.set_minor_formatter(NullFormatter())
    if ratio < 200:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=12))
        axis.set_major_formatter("{x:g}")


def shown(values: Iterable[float]) -> list[float]:
    """Return what a size axis can show; NaN, which leaves a gap, for 0 and infinity."""
    return [value if 0 < value < math.inf else math.nan for value in values]

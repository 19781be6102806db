"""Sizes layer by layer on a logarithmic axis: a line with a band around it, and points."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from paddle_init.pages.plots import BASE, TOP, WIDTH, Curve, Mark, Plot, Tick

__all__ = ["sizes"]

LEFT, RIGHT = 52, 12  # room for the marks
FEW_TICKS, FEW_MARKS = 8, 6
WIDEST_FACTOR = 1e30


def sizes(
    predicted: Sequence[float], factors: Sequence[float], measured: Sequence[float] = ()
) -> Plot | None:
    """Draw predicted sizes, each up to a factor, as "left" and "band"; measured ones as "right".

    Where a size is 0 or no number, lines have a gap. None where there is nothing but gaps.

    Parameters
    ----------
    predicted, factors, measured
        One for each layer, the input's first; factors in [1, inf). Empty where nothing is
        predicted, or nothing was measured.
    """
    limits = [min(factor, WIDEST_FACTOR) for factor in factors]
    drawn = [size for size in (*predicted, *measured) if 0 < size < math.inf]
    if not drawn:
        return None
    axes = _Axes(
        max(len(predicted), len(measured)),
        math.log10(min(drawn) / 1.5),
        math.log10(max(drawn) * 1.5),
    )
    low = [size / factor for size, factor in zip(predicted, limits, strict=True)]
    high = [size * factor for size, factor in zip(predicted, limits, strict=True)]
    curves = []
    if predicted:
        curves.append(Curve("band", "".join(_band(axes, low, high))))
        curves.append(Curve("left", "".join(_line(axes, predicted))))
    if measured:
        curves.append(Curve("points", "".join(_points(axes, measured))))
    return Plot(tuple(curves), tuple(_ticks(axes)), tuple(_marks(axes)), start=LEFT)


@dataclass(frozen=True)
class _Axes:
    """Layers from 1 to `count`, and powers of ten from `low` to `high`."""

    count: int
    low: float
    high: float

    def x(self, index: int) -> float:
        share = (index + 0.5) / self.count
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)

    def y(self, size: float) -> float:
        share = (math.log10(size) - self.low) / (self.high - self.low)
        return round(BASE - min(max(share, 0.0), 1.0) * (BASE - TOP), 1)


def _runs(values: Sequence[float]) -> Iterator[list[int]]:
    """Yield the indices of neighbours that can be drawn."""
    run: list[int] = []
    for index, value in enumerate(values):
        if 0 < value < math.inf:
            run.append(index)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _line(axes: _Axes, values: Sequence[float]) -> Iterator[str]:
    for run in _runs(values):
        points = [f"{axes.x(index):g} {axes.y(values[index]):g}" for index in run]
        yield f"M{'L'.join(points)}" + ("h0.1" if len(run) == 1 else "")


def _band(axes: _Axes, low: Sequence[float], high: Sequence[float]) -> Iterator[str]:
    for run in _runs(low):
        upper = [f"{axes.x(index):g} {axes.y(high[index]):g}" for index in run]
        lower = [f"{axes.x(index):g} {axes.y(low[index]):g}" for index in reversed(run)]
        yield f"M{'L'.join([*upper, *lower])}Z"


def _points(axes: _Axes, values: Sequence[float]) -> Iterator[str]:
    for run in _runs(values):
        for index in run:
            yield f"M{axes.x(index):g} {axes.y(values[index]):g}h0.1"


def _ticks(axes: _Axes) -> Iterator[Tick]:
    step = next(
        times * 10**power
        for power in range(20)
        for times in (1, 2, 5)
        if axes.count <= FEW_TICKS * times * 10**power
    )
    numbers = range(step, axes.count + 1, step)
    for number in numbers if step <= 2 else [1, *numbers]:
        yield Tick(axes.x(number - 1), str(number))


def _marks(axes: _Axes) -> Iterator[Mark]:
    powers = range(math.ceil(axes.low), math.floor(axes.high) + 1)
    if len(powers) >= 3:
        step = math.ceil(len(powers) / FEW_MARKS)
        chosen = [10.0**power for power in powers[::step]]
    else:
        decades = range(math.floor(axes.low), math.ceil(axes.high) + 1)
        chosen = [times * 10.0**power for power in decades for times in (1, 2, 5)]
    for size in chosen:
        if axes.low <= math.log10(size) <= axes.high:
            yield Mark(axes.y(size), f"{size:g}")

"""Densities and histograms drawn to one scale, as paths for an SVG."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from paddle_init.distributions import Constant, Normal, Simple, TruncatedNormal, Uniform, Unknown
from paddle_init.statistics.histograms import Histogram

Drawable: TypeAlias = "Simple | Histogram"

WIDTH, HEIGHT = 360, 130
TOP, BASE, MARGIN = 8, 106, 18
INSIDE = WIDTH - 2 * MARGIN
PIECES = 8
REACH = 4.0  # stds of a normal that are shown
THIN = 1 / WIDTH  # part of the width below which a curve is a line


@dataclass(frozen=True)
class Curve:
    """A path; `side` is its style: "left" or "right", and in a plot of sizes "band"."""

    side: str
    path: str


class Tick(NamedTuple):
    x: float
    label: str


@dataclass(frozen=True)
class Mark:
    """A number beside the left end of a plot, at height y."""

    y: float
    label: str


@dataclass(frozen=True)
class Plot:
    """Curves over an axis at `base` from `start` on, in a view of width x height."""

    curves: tuple[Curve, ...]
    ticks: tuple[Tick, ...]
    marks: tuple[Mark, ...] = ()
    width: int = WIDTH
    height: int = HEIGHT
    base: int = BASE
    start: int = 0

    @property
    def axis(self) -> str:
        """The path of the axis and its ticks."""
        return f"M{self.start} {BASE}H{WIDTH}" + "".join(
            f"M{tick.x:g} {BASE}v4" for tick in self.ticks
        )


def densities(drawn: Iterable[tuple[str, Drawable]]) -> Plot | None:
    """Draw the densities of both sides; a constant, or what is as narrow, is an upright line.

    A histogram is drawn as the density that is even within each bin.

    None where nothing is known, or numbers are too large for a scale.
    """
    known = [(side, each) for side, each in drawn if not isinstance(each, Unknown)]
    if not known:
        return None
    ranges = [_range(each) for _, each in known]
    low, high = min(start for start, _ in ranges), max(stop for _, stop in ranges)
    if low == high:
        low, high = low - (abs(low) or 1) / 2, high + (abs(high) or 1) / 2
    if not 0 < high - low < math.inf:
        return None
    axis = _Axis(low, high)
    shapes = [(side, _shape(each, axis)) for side, each in known]
    knots = [knot for _, shape in shapes for knot in shape.knots]
    if not all(math.isfinite(knot.y) and math.isfinite(knot.slope) for knot in knots):
        return None
    top = max(knot.y for knot in knots)
    curves = tuple(Curve(side, _path(shape, axis, top)) for side, shape in shapes)
    return Plot(curves, tuple(_ticks(axis)))


@dataclass(frozen=True)
class _Axis:
    """Values from low to high; a place is in [0, 1], and a density is in units of the width."""

    low: float
    high: float

    def place(self, value: float) -> float:
        return (value - self.low) / (self.high - self.low)

    def x(self, place: float) -> float:
        return round(MARGIN + place * INSIDE, 1)


class _Knot(NamedTuple):
    """A point of a density, at `place` on an axis, and the slope there."""

    place: float
    y: float = 0.0
    slope: float = 0.0


@dataclass(frozen=True)
class _Shape:
    """Knots from left to right, joined by cubics, or by steps of which each has its height."""

    knots: list[_Knot]
    steps: bool = False


def _range(drawn: Drawable) -> tuple[float, float]:
    match drawn:
        case Histogram(edges):
            return edges[0], edges[-1]
        case TruncatedNormal(mean, std, low, high):
            nearest = min(max(mean, low), high)
            return max(low, nearest - REACH * std), min(high, nearest + REACH * std)
        case Normal(mean, std):
            return mean - REACH * std, mean + REACH * std
        case Uniform(low, high):
            return low, high
        case Constant(value):
            return value, value
    raise TypeError("an unknown distribution has no range")


def _shape(drawn: Drawable, axis: _Axis) -> _Shape:
    """Return the bins of a histogram, or else the knots of a curve or the one place of a line."""
    low, high = map(axis.place, _range(drawn))
    wide = high - low
    if wide < THIN:
        return _Shape([_Knot((low + high) / 2)])
    if isinstance(drawn, Histogram):
        places, total = list(map(axis.place, drawn.edges)), sum(drawn.counts)
        heights = [
            count / total / (stop - start)
            for count, (start, stop) in zip(drawn.counts, pairwise(places), strict=True)
        ]
        return _Shape([_Knot(*each) for each in zip(places, [*heights, 0.0], strict=True)], True)
    if isinstance(drawn, Uniform):
        return _Shape([_Knot(low, 1 / wide), _Knot(high, 1 / wide)])
    assert isinstance(drawn, (Normal, TruncatedNormal))
    mean, std = axis.place(drawn.mean), drawn.std / (axis.high - axis.low)
    places = [low + wide * piece / PIECES for piece in range(PIECES + 1)]
    stds = [(place - mean) / std for place in places]
    nearest = min(map(abs, stds))  # of a tail far out all heights alone would be 0
    heights = [math.exp((nearest - abs(z)) * (nearest + abs(z)) / 2) for z in stds]
    area = (sum(heights) - (heights[0] + heights[-1]) / 2) * wide / PIECES
    knots = [
        _Knot(place, height / area, -z / std * height / area)
        for place, z, height in zip(places, stds, heights, strict=True)
    ]
    return _Shape(knots)


def _path(shape: _Shape, axis: _Axis, top: float) -> str:
    """Join knots from the axis back to the axis, by steps or by cubics that have their slopes."""
    first, *rest = shape.knots
    if not rest:
        return f"M{axis.x(first.place):g} {BASE}V{TOP}"
    if shape.steps:
        corners = (
            f"H{axis.x(knot.place):g}V{round(BASE - knot.y * (BASE - TOP) / top, 1):g}"
            for knot in shape.knots
        )
        return f"M{axis.x(first.place):g} {BASE}{''.join(corners)}"
    third = (rest[0].place - first.place) / 3
    x = axis.x

    def point(place: float, y: float) -> str:
        return f"{x(place):g} {round(BASE - y * (BASE - TOP) / top, 1):g}"

    start = point(first.place + third, first.y + third * first.slope)
    ends = [
        f"{point(place - third, y - third * slope)} {point(place, y)}" for place, y, slope in rest
    ]
    low, high = axis.x(first.place), axis.x(rest[-1].place)
    return f"M{low:g} {BASE}L{point(first.place, first.y)}C{start} {'S'.join(ends)}L{high:g} {BASE}"


def _ticks(axis: _Axis) -> Iterator[Tick]:
    step = _step((axis.high - axis.low) / 5)
    if not step:
        return
    digits = max(0, math.ceil(math.log10(max(abs(axis.low), abs(axis.high)) / step))) + 2
    for count in range(math.ceil(axis.low / step), math.floor(axis.high / step) + 1):
        value = count * step
        yield Tick(axis.x(axis.place(value)), f"{value:.{digits}g}")


def _step(least: float) -> float:
    """Return the next of 1, 2, 5 times a power of ten; 0 below the normal doubles."""
    if least < 1e-300:
        return 0.0
    power = 10.0 ** math.floor(math.log10(least))
    return next((times * power for times in (1, 2, 5) if times * power >= least), 10 * power)


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
    return Plot(tuple(curves), tuple(_size_ticks(axes)), tuple(_marks(axes)), start=LEFT)


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


def _size_ticks(axes: _Axes) -> Iterator[Tick]:
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

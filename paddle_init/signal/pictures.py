"""How every picture is drawn: one style, whatever the user's settings, and the same bytes again."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any, Literal, ParamSpec, TypeAlias, TypeVar

import numpy as np

from paddle_init.activations.gains import Gain
from paddle_init.errors import PaddleInitError, PropagationError
from paddle_init.frameworks.paddle.nets.operators import Experiment
from paddle_init.signal.averages import compare_averages, cost, stack
from paddle_init.signal.measurement import Histogram, MeasuredLayer
from paddle_init.signal.propagation import Signal
from paddle_init.signal.study import Study

ImageFormat: TypeAlias = Literal["png", "svg"]
P = ParamSpec("P")
T = TypeVar("T")

# Okabe and Ito, "Color Universal Design" (2008): told apart with any color vision
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")

STYLE: dict[str, Any] = {
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.labelsize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
    "figure.dpi": 110,
    "savefig.dpi": 110,
    "savefig.facecolor": "white",
    "svg.hashsalt": "paddle-init",
    "svg.fonttype": "path",
}


class MissingMatplotlibError(PaddleInitError, ImportError):
    """A picture is wanted and matplotlib is not installed."""


def drawn(draw: Callable[P, T]) -> Callable[P, T]:
    """Make `draw` work in our style, over matplotlib's defaults and not the user's settings."""

    @wraps(draw)
    def styled(*args: P.args, **settings: P.kwargs) -> T:
        with _style():
            return draw(*args, **settings)

    return styled


def new_figure(
    rows: int, columns: int, width: float, height: float, **grid: Any
) -> tuple[Any, Any]:
    """Return a figure of `width` x `height` inches and its axes, of shape (rows, columns)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, **grid)


def image(figure: Any, form: ImageFormat = "png") -> bytes:
    """Return a figure as a PNG or an SVG file; the same figure gives the same bytes.

    Raises
    ------
    MissingMatplotlibError
    """
    unsaid: dict[str, Any] = {"svg": {"Date": None}, "png": {"Software": None}}
    out = io.BytesIO()
    with _style():
        figure.savefig(out, format=form, metadata=unsaid[form])
    return out.getvalue()


@contextmanager
def _style() -> Iterator[None]:
    try:
        import matplotlib
    except ImportError as error:
        raise MissingMatplotlibError(
            'a picture needs matplotlib, which is not installed: pip install "paddle-init[plot]"'
        ) from error
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        settings: Any = matplotlib.rcParams
        settings.update(STYLE)
        yield


FEW_NAMES = 12
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
    if count <= FEW_NAMES and sum(map(len, labels)) <= 30:
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


FEW_OUTLINES = 6  # layers that have a color and a line of the legend each
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
    few = count <= FEW_OUTLINES
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

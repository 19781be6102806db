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
from paddle_init.errors import PaddleInitError
from paddle_init.signal.averages import compare_averages, cost, stack
from paddle_init.signal.experiment import Experiment

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

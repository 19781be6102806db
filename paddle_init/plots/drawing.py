"""How every picture is drawn: one style, whatever the user's settings, and the same bytes again."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, Literal, ParamSpec, TypeAlias, TypeVar

from paddle_init.errors import PaddleInitError

__all__ = ["COLORS", "ImageFormat", "MissingMatplotlibError", "drawn", "image", "new_figure"]

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

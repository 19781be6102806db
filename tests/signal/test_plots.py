"""Pictures: each is rendered and looked into; the same study gives the same bytes."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from support.command_line import environment

from paddle_init.errors import PropagationError
from paddle_init.frameworks.paddle.nets.user_code import paddle_imported
from paddle_init.schemes import Scheme, constant, he_normal, normal, xavier_uniform
from paddle_init.signal.dense import mlp
from paddle_init.signal.page import as_html as study_html
from paddle_init.signal.pictures import (
    averages_figure,
    histograms_figure,
    image,
    signal_figure,
    study_figure,
)
from paddle_init.signal.study import Study, propagate


@pytest.fixture(scope="module", autouse=True)
def _paddle() -> None:
    paddle_imported()


def _pixels(figure: Any) -> Any:
    from matplotlib.image import imread

    return imread(io.BytesIO(image(figure, "png")))[..., :3]


def _study(
    activation: str = "tanh", widths: tuple[int, ...] = (40, 30, 20), scheme: Scheme | None = None,
    measured: bool = True,
) -> Study:  # fmt: skip
    return propagate(widths, activation, scheme or xavier_uniform(), measured=measured, batch=32)


FIGURES = {
    "signal, predicted only": lambda: study_figure(_study(measured=False)),
    "signal, one layer": lambda: signal_figure(propagate([8, 4], [], he_normal(), measured=True)),
    "signal, 30 layers": lambda: signal_figure(_study("relu", (16,) * 31, he_normal())),
    "signal, explodes": lambda: signal_figure(_study("relu", (16,) * 31, normal(0, 50))),
    "signal, dies": lambda: signal_figure(_study("relu", (16,) * 4, constant(0))),
    "histograms, 20 layers": lambda: histograms_figure(_study("gelu", (16,) * 21)),
    "histograms, far apart": lambda: histograms_figure(
        _study("linear", (16,) * 6, normal(0, 1e-3))
    ),
    "histograms, all 0": lambda: histograms_figure(_study("relu", (16,) * 4, constant(0))),
    "study": lambda: study_figure(_study()),
    "averages": lambda: averages_figure(300, 128),
    "averages, odd": lambda: averages_figure(3000, 1, 7),
}


@cache
def _drawn(name: str) -> tuple[Any, Any]:
    """The figure and its pixels; every warning on the way is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = FIGURES[name]()
        return figure, _pixels(figure)


@pytest.mark.parametrize("name", FIGURES)
def test_no_picture_is_empty(name: str) -> None:
    figure, pixels = _drawn(name)
    height, width, _ = pixels.shape
    assert (width, height) == tuple((110 * figure.get_size_inches()).astype(int))
    for axes in figure.axes:
        box = axes.get_window_extent()
        left, right = int(box.x0) + 3, int(box.x1) - 3
        top, bottom = height - int(box.y1) + 3, height - int(box.y0) - 3
        inside = pixels[top:bottom, left:right]
        ink = np.ptp(inside, axis=2) > 0.15  # neither white, nor grid, nor text: a drawn color
        assert ink.sum() > 15 or "dies" in name, axes.get_title()
        if not axes.get_label().startswith("<colorbar"):
            assert axes.get_xlabel()
            assert axes.get_ylabel()
            assert axes.get_title()


@pytest.mark.parametrize("name", FIGURES)
def test_no_text_lies_on_another_or_outside(name: str) -> None:
    figure, _ = _drawn(name)
    boxes = [(text.get_text(), text.get_window_extent()) for text in _texts(figure)]
    assert len(boxes) > 10
    for index, (text, box) in enumerate(boxes):
        assert box.x0 >= 0, text
        assert box.y0 >= 0, text
        assert box.x1 <= figure.bbox.x1, text
        assert box.y1 <= figure.bbox.y1, text
        for other, more in boxes[:index]:
            assert not box.overlaps(more), (text, other)


def _texts(figure: Any) -> Iterator[Any]:
    """Titles, names of axes, the numbers that stand at a tick in view, and legends."""
    for axes in figure.axes:
        yield from filter(
            lambda text: text.get_text(), (axes.title, axes.xaxis.label, axes.yaxis.label)
        )
        for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            for tick in axis.get_major_ticks():
                for text in (tick.label1, tick.label2):
                    if low <= tick.get_loc() <= high and text.get_text() and text.get_visible():
                        yield text
        if axes.get_legend():
            yield from axes.get_legend().get_texts()


@pytest.mark.parametrize("form", ["png", "svg"])
def test_the_same_study_gives_the_same_bytes_whatever_the_users_settings(form: str) -> None:
    import matplotlib

    study = _study(measured=False)
    before = image(signal_figure(study), form)
    with matplotlib.rc_context({"font.size": 20, "axes.facecolor": "red", "savefig.dpi": 30}):
        assert image(signal_figure(study), form) == before
        assert matplotlib.rcParams["font.size"] == 20


def test_an_svg_holds_no_text_of_its_own_font_and_no_link() -> None:
    svg = image(signal_figure(_study(measured=False)), "svg").decode()
    assert "<text" not in svg
    assert re.findall(r'xlink:href="(?!#)', svg) == []
    assert "<dc:date>" not in svg


def test_names_that_would_be_markup_or_have_no_glyph() -> None:
    layers = mlp([8, 8, 8, 8], "tanh", xavier_uniform())
    names = ("$x_1$", "_hidden", "输出")
    named = [replace(layer, name=name) for layer, name in zip(layers, names, strict=True)]
    study = propagate(named, measured=True)
    figure = signal_figure(study)
    labels = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert labels == [r"\$x_1\$", " _hidden", "layer 3"]
    assert "输出" in study_html(study)


def test_only_a_measured_net_has_histograms() -> None:
    with pytest.raises(PropagationError, match="only a measured net has histograms"):
        histograms_figure(_study(measured=False))


def test_without_matplotlib_the_error_says_what_to_install() -> None:
    code = (
        "import sys\n"
        "sys.modules['matplotlib'] = None\n"
        "from paddle_init.cli.main import main\n"
        "sys.exit(main(['averages', '3', '4', '-o', 'no-such-file.png']))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=False
    )
    assert ran.returncode == 2
    assert 'pip install "paddle-init[plot]"' in ran.stderr

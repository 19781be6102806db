"""Pictures of what theory finds. They need matplotlib: ``pip install "paddle-init[plot]"``."""

from paddle_init.plots.averages import averages_figure
from paddle_init.plots.drawing import MissingMatplotlibError, image
from paddle_init.plots.gains import gains_figure
from paddle_init.plots.study import histograms_figure, signal_figure, study_figure

__all__ = [
    "MissingMatplotlibError",
    "averages_figure",
    "gains_figure",
    "histograms_figure",
    "image",
    "signal_figure",
    "study_figure",
]

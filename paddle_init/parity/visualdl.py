"""A report in VisualDL: both sides' histograms over each other, and the summary."""

from __future__ import annotations

import os
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from paddle_init.errors import PaddleInitError
from paddle_init.files import OutputError, reason
from paddle_init.frameworks.sides import RowsSide, Side
from paddle_init.parity.page import as_text
from paddle_init.parity.records import Report
from paddle_init.texts import printable

if TYPE_CHECKING:
    import numpy.typing as npt

VALUES = 2000
BUCKETS = 50
LEVELS = "level by parameter, 0 identical to 5 structure"
UNKNOWN = "not known by parameter"
RATIOS = "std ratio by parameter"


class VisualDLError(PaddleInitError, ImportError):
    """visualdl cannot be imported."""


def write_visualdl(report: Report, folder: str | os.PathLike[str]) -> None:
    """Write a report to VisualDL logs in `folder`: the runs ``left``, ``right`` and ``parity``.

    The sides' runs hold a histogram for each parameter, of the values that its distribution is
    expected to give, so that equal distributions look equal. The run ``parity`` holds the text of
    the report, and levels and ratios by the parameters' numbers from 0. What is not known has no
    level there; it stands under a name of its own.

    Raises
    ------
    VisualDLError
        visualdl is not installed.
    OutputError
        `folder` cannot be written to.
    """
    try:
        from visualdl import LogWriter
    except ImportError as error:
        raise VisualDLError(
            f'visualdl cannot be imported: {error}; pip install "paddle-init[visualdl]"'
        ) from None
    base = os.fspath(folder)
    try:
        for name in ("left", "right"):
            with LogWriter(os.path.join(base, name)) as log:
                for parameter in report.parameters:
                    side: Side | None = getattr(parameter, name)
                    values = side and expected_values(side)
                    if values is not None:
                        # VisualDL takes no percent sign in a name.
                        tag = printable(parameter.name).replace("%", "_")
                        log.add_histogram(tag, values, 0, buckets=BUCKETS)
        with LogWriter(os.path.join(base, "parity")) as log:
            log.add_text("report", as_text(report), 0)
            for step, parameter in enumerate(report.parameters):
                if parameter.known:
                    log.add_scalar(LEVELS, parameter.level.rank, step)
                else:
                    log.add_scalar(UNKNOWN, 1, step)
                if parameter.std_ratio is not None:
                    log.add_scalar(RATIOS, parameter.std_ratio, step)
    except OSError as error:
        raise OutputError(f"{base}: {reason(error, base)}") from error


def expected_values(side: Side) -> npt.NDArray[np.float64] | None:
    """Return evenly spaced quantiles of what a side draws, float64; None where it is unknown.

    A blockwise parameter has every block's, in proportion to its rows.
    """
    parts: list[tuple[int, Side | RowsSide]] = [(1, side)]
    if side.blocks is not None:
        parts = [(block.rows[1] - block.rows[0], block) for block in side.blocks]
    total = sum(rows for rows, _ in parts)
    found = []
    for rows, part in parts:
        values = _quantiles(part, max(1, round(VALUES * rows / total)))
        if values is None:
            return None
        found.append(values)
    return np.concatenate(found)


def _quantiles(side: Side | RowsSide, count: int) -> npt.NDArray[np.float64] | None:
    at = (np.arange(count) + 0.5) / count
    match (side.distribution, side.mean, side.std, side.low, side.high):
        case "constant", float(value), *_:
            return np.full(count, value)
        case "uniform", _, _, float(low), float(high):
            return low + at * (high - low)
        case "normal", float(mean), float(std), _, _:
            return mean + std * _standard(at)
        case "truncated_normal", float(mean), float(std), float(low), float(high) if std > 0:
            normal = NormalDist(mean, std)
            first, last = normal.cdf(low), normal.cdf(high)
            inside = first + at * (last - first)
            return mean + std * _standard(inside) if 0 < inside[0] < inside[-1] < 1 else None
    return None


def _standard(at: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return quantiles of N(0, 1)."""
    quantile = NormalDist().inv_cdf
    return np.array([quantile(float(each)) for each in at])

"""A report in VisualDL: both sides' histograms over each other, and the summary."""

from __future__ import annotations

import os
from collections.abc import Iterator
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from paddle_init.errors import PaddleInitError
from paddle_init.parity.records import Report, RowsSide, Side
from paddle_init.parity.text_form import as_text

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["VisualDLError", "expected_values", "write_visualdl"]

VALUES = 2000
BUCKETS = 50


class VisualDLError(PaddleInitError, ImportError):
    """visualdl cannot be imported."""


def write_visualdl(report: Report, folder: str | os.PathLike[str]) -> None:
    """Write a report to VisualDL logs in `folder`, one run for each side.

    The runs ``left`` and ``right`` hold a histogram for each parameter, of the values that its
    distribution is expected to give, so that equal distributions show equal histograms; and its
    mean and std over the parameters' numbers. The run ``parity`` holds the report as a text, and
    the ratio of the stds. View them with ``visualdl --logdir FOLDER``.

    Raises
    ------
    VisualDLError
        visualdl is not installed.
    """
    try:
        from visualdl import LogWriter
    except ImportError as error:
        raise VisualDLError(
            f'visualdl cannot be imported: {error}; pip install "paddle-init[visualdl]"'
        ) from None
    base = os.fspath(folder)
    for name in ("left", "right"):
        with LogWriter(os.path.join(base, name)) as log:
            for step, parameter in enumerate(report.parameters):
                side: Side | None = getattr(parameter, name)
                values = None if side is None else expected_values(side)
                if values is not None:
                    log.add_histogram(parameter.name, values, 0, buckets=BUCKETS)
                    log.add_scalar("mean by parameter", float(values.mean()), step)
                    log.add_scalar("std by parameter", float(values.std()), step)
    with LogWriter(os.path.join(base, "parity")) as log:
        log.add_text("report", as_text(report), 0)
        for step, parameter in enumerate(report.parameters):
            log.add_scalar("level by parameter (0 identical, 5 structure)", parameter.level.rank, step)
            if parameter.std_ratio is not None:
                log.add_scalar("std ratio by parameter", parameter.std_ratio, step)


def expected_values(side: Side) -> npt.NDArray[np.float64] | None:
    """Return evenly spaced quantiles of what a side draws, float64; None where it is unknown.

    A blockwise parameter has every block's, in proportion to its rows.
    """
    parts: list[tuple[int, Side | RowsSide]] = [(1, side)]
    if side.blocks is not None:
        parts = [(block.rows[1] - block.rows[0], block) for block in side.blocks]
    total = sum(rows for rows, _ in parts)
    found = [_quantiles(part, max(1, round(VALUES * rows / total))) for rows, part in parts]
    return np.concatenate(found) if all(values is not None for values in found) else None


def _quantiles(side: Side | RowsSide, count: int) -> npt.NDArray[np.float64] | None:
    at = (np.arange(count) + 0.5) / count
    match side.distribution:
        case "constant":
            return np.full(count, side.mean)
        case "uniform":
            return side.low + at * (side.high - side.low)
        case "normal":
            return np.array(list(_normal(side, at)))
        case "truncated_normal":
            normal = NormalDist(side.mean, side.std)
            first, last = normal.cdf(side.low), normal.cdf(side.high)
            return np.array(list(_normal(side, first + at * (last - first))))
    return None


def _normal(side: Side | RowsSide, at: npt.NDArray[np.float64]) -> Iterator[float]:
    normal = NormalDist()
    return (side.mean + side.std * normal.inv_cdf(float(each)) for each in at)

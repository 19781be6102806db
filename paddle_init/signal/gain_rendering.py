"""Gains as JSON objects and as plain tables that name their conventions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paddle_init.activations.gains import Gain
from paddle_init.signal.aligned import aligned
from paddle_init.signal.experiment import Experiment

__all__ = ["gain_rows", "gain_text"]

_FIELDS = (
    "activation",
    "gain",
    "error",
    "error_kind",
    "uniform_bound",
    "std_gain",
    "paddle_table",
    "torch_table",
    "paddle_difference",
    "torch_difference",
    "std",
)
_HEAD = ("activation", "gain", "error", "uniform", "std_gain", "table", "off by")
_MEASURED_HEAD = ("activation", "gain", "experiment", "std error", "off by")


def gain_rows(
    found: Sequence[Gain], measured: Sequence[Experiment] | None = None
) -> list[dict[str, Any]]:
    """Return gains as JSON objects: numbers read back to the same double, null where none is.

    Parameters
    ----------
    measured
        One experiment for each gain; without, the key `experiment` is left out.
    """
    rows = [{name: getattr(item, name) for name in _FIELDS} for item in found]
    for row, experiment in zip(rows, measured or (), strict=False):
        row["experiment"] = {
            name: getattr(experiment, name)
            for name in ("gain", "standard_error", "nodes", "repetitions", "seed")
        }
    return rows


def gain_text(found: Sequence[Gain], measured: Sequence[Experiment] | None = None) -> str:
    """Return a table of the definition beside the fixed tables, and one beside the experiment.

    `~` marks an error that is an estimate, `-` what there is not.
    """
    if not found:
        return ""
    parts = [aligned([_HEAD, *map(_cells, found)]), _legend(found)]
    if measured:
        rows = [
            _measured_cells(item, experiment)
            for item, experiment in zip(found, measured, strict=True)
        ]
        parts += [aligned([_MEASURED_HEAD, *rows]), _experiment_legend(measured[0])]
    return "\n".join(parts)


def _cells(item: Gain) -> tuple[str, ...]:
    mark = "" if item.error_kind == "bound" else "~"
    return (
        item.activation,
        f"{item.gain:.11f}",
        f"{mark}{item.error:.0e}",
        f"{item.uniform_bound:.5f}",
        _either("{:.5f}", item.std_gain),
        _either("{:.4f}", item.paddle_table, item.torch_table),
        _either("{:+.4f}", item.paddle_difference, item.torch_difference),
    )


def _either(form: str, *values: float | None) -> str:
    """Write the numbers there are, one that both tables have once."""
    written = dict.fromkeys(form.format(round(v, 6) + 0.0) for v in values if v is not None)
    return " / ".join(written) or "-"


def _legend(found: Sequence[Gain]) -> str:
    std = found[0].std
    argument, top = ("z", "1") if std == 1 else (f"{std:g} z", f"{std:g}")
    return (
        f"gain      {top} / sqrt(E[a({argument})^2]), z ~ N(0, 1): the second moment's "
        "convention,\n"
        "          times 1 / sqrt(fan_in) a weight's std; error bounds it (~ estimates)\n"
        "uniform   gain * sqrt(3), times 1 / sqrt(fan_in) the bound b of U(-b, b)\n"
        f"std_gain  {top} / std(a({argument})): the variance's convention; differs where a has a "
        "mean\n"
        "table     calculate_gain of Paddle and of torch, one list, made for std 1\n"
        "off by    table - gain\n"
    )


def _measured_cells(item: Gain, experiment: Experiment) -> tuple[str, ...]:
    error = experiment.standard_error
    off = (experiment.gain - item.gain) / error if error else 0.0
    return (
        item.activation,
        f"{item.gain:.6f}",
        f"{experiment.gain:.6f}",
        f"{error:.6f}",
        f"{off:+.1f} std errors",
    )


def _experiment_legend(first: Experiment) -> str:
    return (
        f"experiment  two layers of {first.nodes} nodes on Paddle, {first.repetitions} times, seed "
        f"{first.seed}: the mean of o^2\n"
        "            in place of E[a^2]; all activations see the same inputs and weights\n"
    )

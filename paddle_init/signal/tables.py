"""Gains and averages as JSON objects and as plain tables that name their conventions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from paddle_init.activations.gains import Gain
from paddle_init.frameworks.paddle.nets.operators import Experiment
from paddle_init.signal.averages import FanAverage, Stack


def aligned(rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """Return rows of cells as lines, the first `left` columns to the left, the others right."""
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join(
        "  ".join(
            cell.ljust(width) if index < left else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        + "\n"
        for row in rows
    )


def averages_form(
    m: int, n: int, found: Sequence[FanAverage], stacks: Sequence[Stack]
) -> dict[str, Any]:
    """Return what `compare_averages` and `stack` found as dicts, lists and plain values."""
    return {
        "m": m,
        "n": n,
        "averages": [
            asdict(item) | {"stack": {"forward": each.forward, "backward": each.backward}}
            for item, each in zip(found, stacks, strict=True)
        ],
    }


def averages_text(m: int, n: int, found: Sequence[FanAverage], stacks: Sequence[Stack]) -> str:
    """Return a table, an average in each row, and what its columns mean."""
    layers = len(stacks[0].forward) - 1
    head = ("average", "fan", "m t - 1", "n t - 1", "squares", f"after {layers}", f"back {layers}")
    rows = [
        (
            item.name,
            f"{item.fan:.6g}",
            f"{item.forward:+.4f}",
            f"{item.backward:+.4f}",
            f"{item.cost:.4f}",
            f"{each.forward[-1]:.4g}",
            f"{each.backward[-1]:.4g}",
        )
        for item, each in zip(found, stacks, strict=True)
    ]
    return (
        f"m = {m}, n = {n}, weights of variance t = 1 / fan\n\n"
        + aligned([head, *rows])
        + "\nm t - 1, n t - 1: what a layer m -> n adds to the second moment, forward, backward\n"
        "squares: the sum of their squares; the quadratic average makes it least\n"
        f"after, back {layers}: what a stack m -> n -> m .. of {layers} layers leaves of a second "
        "moment\nof 1, forward and backward; the geometric average leaves 1 after an even number\n"
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
    rows = [item.to_dict() for item in found]
    for row, experiment in zip(rows, measured or (), strict=False):
        row["experiment"] = asdict(experiment)
        del row["experiment"]["activation"]
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

"""Pages of gains and of averages: tables that name their conventions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from paddle_init.activations.gains import Gain
from paddle_init.frameworks.paddle.nets.operators import Experiment
from paddle_init.results.page import (
    Column,
    Entry,
    Line,
    Page,
    Paragraph,
    Part,
    Row,
    Section,
    Table,
)
from paddle_init.results.text import as_text
from paddle_init.signal.averages import Averages


def averages_page(result: Averages) -> Page:
    """Return a table, an average in each row, and what its columns mean."""
    layers = len(result.stacks[0].forward) - 1
    columns = ("fan", "m t - 1", "n t - 1", "squares", f"after {layers}", f"back {layers}")
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
        for item, each in zip(result.averages, result.stacks, strict=True)
    ]
    meaning = (
        "m t - 1, n t - 1: what a layer m -> n adds to the second moment, forward, backward\n"
        "squares: the sum of their squares; the quadratic average makes it least\n"
        f"after, back {layers}: what a stack m -> n -> m .. of {layers} layers leaves of a second "
        "moment\nof 1, forward and backward; the geometric average leaves 1 after an even number"
    )
    headline = f"m = {result.m}, n = {result.n}, weights of variance t = 1 / fan"
    parts = (_table("average", columns, rows), Paragraph(meaning))
    return Page("paddle-init averages", headline, (), parts)


_COLUMNS = ("gain", "error", "uniform", "std_gain", "table", "off by")
_MEASURED_COLUMNS = ("gain", "experiment", "std error", "off by")


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
    """Write gains for reading, without wrapping lines."""
    return as_text(gain_page(found, measured), width=None)


def gain_page(found: Sequence[Gain], measured: Sequence[Experiment] | None = None) -> Page:
    """Return a table of the definition beside the fixed tables, and one beside the experiment.

    `~` marks an error that is an estimate, `-` what there is not.
    """
    parts: list[Part] = []
    if found:
        parts += [_table("activation", _COLUMNS, map(_cells, found)), _legend(found[0].std)]
    if found and measured:
        rows = [_measured_cells(*each) for each in zip(found, measured, strict=True)]
        parts += [_table("activation", _MEASURED_COLUMNS, rows), _experiment_legend(measured[0])]
    return Page("paddle-init gain", "", (), parts)


def _table(name: str, numbers: Iterable[str], rows: Iterable[Sequence[str]]) -> Table:
    columns = [Column(name), *(Column(label, number=True) for label in numbers)]
    return Table("", columns, list(map(Row, rows)))


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


def _legend(std: float) -> Section:
    argument, top = ("z", "1") if std == 1 else (f"{std:g} z", f"{std:g}")
    gain = [
        Line(f"{top} / sqrt(E[a({argument})^2]), z ~ N(0, 1): the second moment's convention,"),
        Line("times 1 / sqrt(fan_in) a weight's std; error bounds it (~ estimates)"),
    ]
    std_gain = f"{top} / std(a({argument})): the variance's convention; differs where a has a mean"
    entries = (
        Entry("gain", gain),
        Entry("uniform", "gain * sqrt(3), times 1 / sqrt(fan_in) the bound b of U(-b, b)"),
        Entry("std_gain", std_gain),
        Entry("table", "calculate_gain of Paddle and of torch, one list, made for std 1"),
        Entry("off by", "table - gain"),
    )
    return Section(entries)


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


def _experiment_legend(first: Experiment) -> Section:
    nets = f"two layers of {first.nodes} nodes on Paddle, {first.repetitions} times"
    lines = [
        Line(f"{nets}, seed {first.seed}: the mean of o^2"),
        Line("in place of E[a^2]; all activations see the same inputs and weights"),
    ]
    return Section((Entry("experiment", lines),))

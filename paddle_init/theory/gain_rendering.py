"""Gains as JSON objects and as a plain table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paddle_init.theory.gains import Gain

__all__ = ["gain_rows", "gain_text"]

_FIELDS = (
    "activation",
    "gain",
    "error",
    "uniform_bound",
    "std_gain",
    "paddle_table",
    "torch_table",
)
_HEAD = (*_FIELDS, "paddle - gain")


def gain_rows(found: Sequence[Gain]) -> list[dict[str, Any]]:
    """Return gains as JSON objects: numbers read back to the same double, null where none is."""
    return [{name: getattr(item, name) for name in _FIELDS} for item in found]


def gain_text(found: Sequence[Gain]) -> str:
    """Return an aligned table; `~` marks an error that is an estimate, `-` what there is not."""
    lines = [_HEAD, *map(_cells, found)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if index else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def _cells(item: Gain) -> tuple[str, ...]:
    mark = "" if item.error_kind == "bound" else "~"
    return (
        item.activation,
        f"{item.gain:.12f}",
        f"{mark}{item.error:.0e}",
        *(
            "-" if value is None else f"{round(value, 6) + 0.0:{form}}"
            for value, form in (
                (item.uniform_bound, ".6f"),
                (item.std_gain, ".6f"),
                (item.paddle_table, ".6f"),
                (item.torch_table, ".6f"),
                (item.paddle_difference, "+.6f"),
            )
        ),
    )

"""Histograms of what two nets draw, to be shown beside their densities."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from paddle_init.frameworks import known_part
from paddle_init.parity.records import Comparison
from paddle_init.sampling import draw_arrays
from paddle_init.specs import NetSpec
from paddle_init.statistics import histogram

__all__ = ["with_samples"]


def with_samples(
    comparisons: Iterable[Comparison], left: NetSpec, right: NetSpec
) -> tuple[Comparison, ...]:
    """Return comparisons that hold histograms of both sides' values, drawn by their streams.

    Only one side's values are in memory at a time.
    """
    sides = [
        {name: histogram(values) for name, values in draw_arrays(known_part(side)).items()}
        for side in (left, right)
    ]
    return tuple(
        replace(each, histograms=(sides[0][each.name], sides[1][each.name]))
        if each.name in sides[0] and each.name in sides[1]
        else each
        for each in comparisons
    )

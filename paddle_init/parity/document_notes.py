"""Warnings about the document on abacus's initialization, which most readers have never seen."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType

from paddle_init.distributions import Constant
from paddle_init.parity.levels import Level
from paddle_init.parity.records import Comparison, Report, Side

__all__ = ["without_notes"]


def without_notes(report: Report) -> Report:
    """Leave out the warnings about the document that explain no difference in this report."""
    kept = tuple(
        notice
        for notice in report.warnings
        if notice.code not in EXPLAINED or any(map(EXPLAINED[notice.code], report.parameters))
    )
    return replace(report, warnings=kept)


def _by_formula(comparison: Comparison) -> bool:
    """The formula that the document prints gives rown times the std."""
    ratio, rows = comparison.std_ratio, comparison.shape[0] if comparison.shape else 1
    if not ratio or rows == 1:
        return False
    times = max(ratio, 1 / ratio)
    return any(math.isclose(times, rown, rel_tol=1e-6) for rown in (rows, rows + 1))


def _by_mean(comparison: Comparison) -> bool:
    """The document's summary says that the mean is 1."""
    left, right = comparison.left, comparison.right
    return bool(left and right) and {_mean(left), _mean(right)} == {0.0, 1.0}


def _by_bias(comparison: Comparison) -> bool:
    """The document takes a bias to be the constant 1."""
    differs = comparison.level >= Level.SCALE and comparison.role == "bias"
    return differs and _is_one(comparison.left) != _is_one(comparison.right)


def _mean(side: Side | None) -> float | None:
    return side.mean if side and side.distribution != Constant.family else None


def _is_one(side: Side | None) -> bool:
    return side is not None and side.distribution == Constant.family and side.mean == 1


EXPLAINED: MappingProxyType[str, Callable[[Comparison], bool]] = MappingProxyType(
    {
        "formula-in-document": _by_formula,
        "mean-in-document": _by_mean,
        "bias-reading": _by_bias,
    }
)

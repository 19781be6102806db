"""Do both sides start from the same place? A report's first line."""

from __future__ import annotations

from paddle_init.parity.levels import Level
from paddle_init.parity.records import Report

__all__ = ["answer"]

SAME = {
    Level.IDENTICAL: "Yes, bit for bit: {0} identical.",
    Level.ROUNDING: "Yes, up to rounding: {0} equal but for the last bits.",
    Level.STREAM: "Yes, in distribution: {0} drawn alike; single values differ or are not known.",
}


def answer(report: Report) -> str:
    """Return one sentence of counts and levels, without names from either side."""
    total = len(report.parameters)
    if not total and report.not_compared:
        return "Nothing to compare: no parameter belongs to a fully connected layer."
    if not total:
        return "Nothing to compare: neither side has a parameter."
    if report.worst in SAME and any(each.code == "roles-unknown" for each in report.warnings):
        what = f"all {total} parameters are" if total > 1 else "its one parameter is"
        return f"Not known: as weights {what} drawn alike, but nothing says which is a bias."
    if report.worst in SAME:
        return SAME[report.worst].format(
            f"all {total} parameters are" if total > 1 else "its one parameter is"
        )
    apart = [(level, n) for level, n in report.counts.items() if n and level >= Level.SCALE]
    kinds = ", ".join(f"{level} {n}" for level, n in reversed(apart))
    return f"No: {sum(n for _, n in apart)} of {total} parameters start elsewhere ({kinds})."

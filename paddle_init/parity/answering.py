"""Do both sides start from the same place? A report's first line."""

from __future__ import annotations

from paddle_init.languages import Message
from paddle_init.parity.levels import Level
from paddle_init.parity.records import Report
from paddle_init.parity.sentences import forms as say

__all__ = ["answer"]


def answer(report: Report) -> Message:
    """Return one sentence of counts and levels, without names from either side."""
    total = len(report.parameters)
    if not total:
        return say.NOTHING_COMPARED() if report.not_compared else say.NOTHING()
    if report.worst < Level.SCALE:
        if any(each.code == "roles-unknown" for each in report.warnings):
            return (say.ALL_NOT_KNOWN if total > 1 else say.ONE_NOT_KNOWN)(total=total)
        return (say.ALL_SAME if total > 1 else say.ONE_SAME)[report.worst](total=total)
    apart = [(level, n) for level, n in report.counts.items() if n and level >= Level.SCALE]
    levels = ", ".join(f"{level} {n}" for level, n in reversed(apart))
    return say.APART(apart=sum(n for _, n in apart), total=total, levels=levels)

"""Do both sides start from the same place? A report's first line."""

from __future__ import annotations

from collections import Counter

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
    known = [each for each in report.parameters if each.known]
    counts = Counter(each.level for each in known if each.level >= Level.SCALE)
    unknown = total - len(known)
    if not counts and unknown:
        told = say.DISTRIBUTION_NOT_KNOWN
        if known:
            roles = any(each.code == "roles-unknown" for each in report.warnings)
            told = say.OTHERS_ALIKE_AS_WEIGHTS if roles else say.OTHERS_ALIKE
        return told(unknown=unknown, total=total)
    if not counts:
        if any(each.code == "roles-unknown" for each in report.warnings):
            return (say.ALL_NOT_KNOWN if total > 1 else say.ONE_NOT_KNOWN)(total=total)
        return (say.ALL_SAME if total > 1 else say.ONE_SAME)[report.worst](total=total)
    levels = ", ".join(f"{level} {counts[level]}" for level in sorted(counts, reverse=True))
    apart = {"apart": sum(counts.values()), "total": total, "levels": levels}
    return say.APART_AND_NOT_KNOWN(**apart, unknown=unknown) if unknown else say.APART(**apart)

"""A report as checks, one for every parameter, for the formats of CI systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from paddle_init.errors import Source
from paddle_init.parity import form_sentences as forms
from paddle_init.parity import sentences as advice
from paddle_init.parity.gating import gated
from paddle_init.parity.records import Comparison, Level, Report, place
from paddle_init.parity.summary import answer
from paddle_init.results.checks import Check, Suite, Verdict, nothing

__all__ = ["as_checks"]

NOT_KNOWN = "not known"
NOWHERE: MappingProxyType[str, Source] = MappingProxyType({})


def as_checks(
    report: Report, fail_on: Level | None = None, known: Mapping[str, Source] = NOWHERE
) -> Suite:
    """Return one check for every parameter, the worst first; without any, one that fails.

    Parameters
    ----------
    fail_on : Level, optional
        A parameter fails at this level or a worse one, and only warns where it is better than
        that and starts elsewhere all the same. By default all that start elsewhere fail. What is
        not known counts as ``distribution``.
    known : dict of str to Source
        Where parameters are written that the report has no place for; see `places`.
    """
    limit = Level.SCALE if fail_on is None else fail_on
    worst_first = sorted(gated(report).parameters, key=lambda each: -each.level.rank)
    checks = tuple(
        Check(
            each.name,
            _verdict(each.level, limit),
            str(each.level) if each.known else NOT_KNOWN,
            "\n".join(_details(each)),
            place(each, known),
        )
        for each in worst_first
    )
    if not checks:
        checks = (nothing(f"{answer(report)}\n{advice.COMPARE_SOMETHING()}"),)
    sides = (("left", report.left), ("right", report.right))
    return Suite("paddle-init report", answer(report), sides, checks, report.warnings)


def _verdict(level: Level, limit: Level) -> Verdict:
    if level >= limit:
        return Verdict.FAILED
    return Verdict.WARNED if level >= Level.SCALE else Verdict.PASSED


def _details(comparison: Comparison) -> Iterator[str]:
    if not comparison.known:
        yield forms.COUNTS_AS(level=comparison.level)
    yield comparison.explanation
    if comparison.advice:
        yield comparison.advice
    for name, side in (("left", comparison.left), ("right", comparison.right)):
        if side:
            yield f"{name}: {side.formula}"

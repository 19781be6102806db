"""A report as a gate sees it: what is not known does not pass, nor does nothing at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from paddle_init.parity import sentences as advice
from paddle_init.parity import sentences as say
from paddle_init.parity.records import Comparison, Level, Report


def fails(report: Report, limit: Level) -> bool:
    """Whether a gate stops a report: at `limit`, at a worse level, or where it compares nothing."""
    return not report.parameters or gated(report).worst >= limit


def gated(report: Report) -> Report:
    """Return the report in which a parameter that may be a bias counts as ``distribution``.

    Where nothing says which parameters are biases, those of a single row may be, or, without
    such, any: a bias can be a row within a weight. Where a distribution itself is not known the
    level is ``distribution`` already.
    """
    if report.roles_known:
        return report
    may_be = [each for each in report.parameters if each.shape[0] == 1] or report.parameters
    names = {each.name for each in may_be}
    parameters = tuple(held(each) if each.name in names else each for each in report.parameters)
    return replace(report, parameters=parameters)


def held(comparison: Comparison) -> Comparison:
    """Return a comparison of what may be a bias, of which the towers' rule is not known then."""
    if comparison.level >= Level.DISTRIBUTION:
        return comparison
    return replace(
        comparison,
        level=Level.DISTRIBUTION,
        known=False,
        explanation=say.ROLE_NOT_KNOWN(explanation=comparison.explanation),
        advice=advice.SAY_ROLES(),
    )


@dataclass(frozen=True)
class Group:
    """Parameters of one role and shape for which everything but the name is equal."""

    names: tuple[str, ...]
    first: Comparison


def grouped(parameters: Sequence[Comparison]) -> list[Group]:
    """Gather parameters that differ in names and source alone, in the order of their first."""
    groups: dict[Comparison, list[Comparison]] = {}
    for parameter in parameters:
        groups.setdefault(replace(parameter, name="", partner=None), []).append(parameter)
    return [Group(tuple(map(both_names, members)), members[0]) for members in groups.values()]


def both_names(comparison: Comparison) -> str:
    """Return a parameter's name, and the right's own where that is another."""
    return f"{comparison.name} = {comparison.partner}" if comparison.partner else comparison.name


def worst_first(groups: Sequence[Group], limit: int) -> list[Group]:
    """Return at most `limit` groups, the worst of them, in their old order."""
    kept = sorted(range(len(groups)), key=lambda i: (-groups[i].first.level.rank, i))[:limit]
    return [groups[i] for i in sorted(kept)]

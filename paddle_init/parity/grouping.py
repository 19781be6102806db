"""Parameters that compare alike, told once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from paddle_init.parity.records import Comparison
from paddle_init.parity.sentences import forms as say

__all__ = ["Group", "both_names", "grouped", "level_shown", "worst_first"]


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


def level_shown(comparison: Comparison) -> str:
    """Return a level for readers: of what is not known, that."""
    return str(comparison.level) if comparison.known else say.NOT_KNOWN()


def worst_first(groups: Sequence[Group], limit: int) -> list[Group]:
    """Return at most `limit` groups, the worst of them, in their old order."""
    kept = sorted(range(len(groups)), key=lambda i: (-groups[i].first.level.rank, i))[:limit]
    return [groups[i] for i in sorted(kept)]

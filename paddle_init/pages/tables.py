"""What ``table.html`` wants to be told of a table that sorts, searches and filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = ["FIRST", "Choice", "Column", "Row", "Value", "keys"]

FIRST = 100
"""Rows that are shown from the start; without scripts, all that are."""


@dataclass(frozen=True)
class Column:
    """A column's heading and CSS classes; "wide" is left out on a phone."""

    label: str
    style: str = ""


@dataclass(frozen=True)
class Value:
    """One value to filter by, and how many rows have it."""

    code: str
    label: str
    count: int


@dataclass(frozen=True)
class Choice:
    """What one group of check boxes filters by; `name` as in a row's `choices`."""

    name: str
    label: str
    values: Sequence[Value]


class Row(Protocol):
    """What every row has; the macros that show it know what else."""

    @property
    def name(self) -> str: ...

    @property
    def keys(self) -> Mapping[str, Any]:
        """Return what `keys` makes."""
        ...


def keys(
    sort: Sequence[str | float | None], choices: Mapping[str, str], search: Sequence[str]
) -> dict[str, Any]:
    """Return what a script sorts, filters and searches a row by.

    Parameters
    ----------
    sort
        A key per column, all of a column texts or all numbers; None comes last.
    choices
        The row's value of every `Choice`.
    search
        The texts in which to search.
    """
    return {"sort": sort, "choices": choices, "search": "\n".join(search).lower()}

"""A report as an HTML page: every parameter, in a table that sorts, filters and searches."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from paddle_init.errors import Source
from paddle_init.languages import Language
from paddle_init.parity import form_sentences as say
from paddle_init.parity.gating import both_names, level_shown
from paddle_init.parity.notices import without_notes
from paddle_init.parity.records import Comparison, Level, Report
from paddle_init.parity.sentences import ROLES
from paddle_init.parity.summary import (
    answer,
    distributions,
    drawn,
    formulas,
    ratio,
    shape,
    spread,
    uncompared,
)
from paddle_init.results.html import Choice, Column, Value, keys, rendered
from paddle_init.results.plots import Drawable, Plot, densities
from paddle_init.results.provenance import Provenance, provenance

__all__ = ["as_html"]

# How scripts and styles call the level of what is not known.
NOT_KNOWN = "not-known"
COLUMNS = (
    Column(say.PARAMETER(), ""),
    Column(say.ROLE(), "role wide"),
    Column(say.SHAPE(), "shape wide"),
    Column(say.LEVEL(), "level-column"),
    Column(say.LEFT(), "wide"),
    Column(say.RIGHT(), "wide"),
    Column(say.RATIO(), "number"),
)


def as_html(
    report: Report,
    *,
    language: Language = "en",
    made_by: Provenance | None = None,
    notes: bool = False,
) -> str:
    """Write a report as one HTML file that needs no network.

    Parameters
    ----------
    language : "en" or "zh"
        What is shown first; the page holds both and switches.
    made_by : Provenance, optional
        The command and versions to show; by default those of this process.
    notes : bool
        Also show the warnings about the document that explain no difference here.
    """
    report = report if notes else without_notes(report)
    return rendered(
        "report.html",
        language=language,
        answer=answer(report),
        provenance=made_by or provenance(),
        report=report,
        rows=[_row(parameter) for parameter in report.parameters],
        choices=_choices(report),
        columns=COLUMNS,
        uncompared=list(map(uncompared, report.not_compared)),
        say=say,
    )


def _choices(report: Report) -> Iterator[Choice]:
    found = Counter(each.level for each in report.parameters if each.known)
    levels = [Value(str(level), str(level), found[level]) for level in Level if found[level]]
    if report.not_known:
        levels.append(Value(NOT_KNOWN, say.NOT_KNOWN(), report.not_known))
    yield Choice("level", say.LEVEL(), levels)
    roles = Counter(parameter.role for parameter in report.parameters)
    yield Choice("role", say.ROLE(), [Value(role, ROLES[role](), n) for role, n in roles.items()])


@dataclass(frozen=True)
class _Row:
    """A comparison as the template shows it."""

    parameter: Comparison
    role: str
    shape: str
    left: str
    right: str
    ratio: str
    formulas: dict[str, list[tuple[str, Source | None]]]
    plot: Plot | None
    samples: Plot | None
    values: str | None

    @property
    def name(self) -> str:
        return both_names(self.parameter)

    @property
    def level(self) -> str:
        """The level as scripts and styles know it."""
        return str(self.parameter.level) if self.parameter.known else NOT_KNOWN

    @property
    def level_shown(self) -> str:
        return level_shown(self.parameter)

    @property
    def keys(self) -> Mapping[str, Any]:
        shown = self.parameter
        size, rank = math.prod(shown.shape), shown.level.rank
        sort: list[str | float | None] = [
            self.name,
            shown.role,
            size,
            rank,
            spread(shown.left),
            spread(shown.right),
            shown.std_ratio,
        ]
        places = (source.place for found in self.formulas.values() for _, source in found if source)
        choices = {"level": self.level, "role": shown.role}
        return keys(sort, choices, [self.name, self.shape, *places])


def _row(parameter: Comparison) -> _Row:
    sides = {"left": parameter.left, "right": parameter.right}
    values = None
    if parameter.max_ulp is not None:
        values = say.VALUES(differing=parameter.differing, max_ulp=parameter.max_ulp)
    return _Row(
        parameter,
        ROLES[parameter.role](),
        shape(parameter),
        drawn(parameter.left),
        drawn(parameter.right),
        ratio(parameter),
        {name: list(formulas(side)) for name, side in sides.items() if side},
        densities((name, each) for name, side in sides.items() for each in distributions(side)),
        densities(_samples(parameter)),
        values,
    )


def _samples(parameter: Comparison) -> Iterator[tuple[str, Drawable]]:
    for side, found in zip(("left", "right"), parameter.histograms or (), strict=False):
        if found:
            yield side, found

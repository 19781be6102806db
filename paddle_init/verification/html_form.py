"""A verification as an HTML page: every parameter, its values drawn over the spec's density."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from paddle_init.errors import Notice, Source
from paddle_init.languages import Language
from paddle_init.parity.sentences import ROLES
from paddle_init.parity.sides import distributions, drawn, formulas, spread
from paddle_init.results.old_html import Choice, Column, Value, keys, rendered
from paddle_init.results.page import WORDS
from paddle_init.results.plots import Drawable, Plot, densities
from paddle_init.results.provenance import Provenance, provenance
from paddle_init.verification import form_sentences as say
from paddle_init.verification.records import Check, ParameterVerification, Verdict, Verification
from paddle_init.verification.summary import answer, check, found, general, kind, shape, subjects

__all__ = ["as_html"]

COLUMNS = (
    Column(WORDS.PARAMETER(), ""),
    Column(WORDS.ROLE(), "role wide"),
    Column(WORDS.SHAPE(), "shape wide"),
    Column(say.VERDICT(), "level-column"),
    Column(say.SPEC(), "wide"),
    Column(say.FOUND(), "found wide"),
)


def as_html(
    made: Verification, *, language: Language = "en", made_by: Provenance | None = None
) -> str:
    """Write a verification as one HTML file that needs no network.

    The weights' own values are drawn where `verify` kept histograms.

    Parameters
    ----------
    language : "en" or "zh"
        What is shown first; the page holds both and switches.
    made_by : Provenance, optional
        The command and versions to show; by default those of this process.
    """
    findings: dict[str | None, list[Notice]] = {}
    for notice in made.findings:
        findings.setdefault(notice.parameter, []).append(notice)
    return rendered(
        "old_verification.html",
        language=language,
        answer=answer(made),
        provenance=made_by or provenance(),
        subjects=subjects(made),
        rows=[_Row(each, tuple(findings.get(each.name, ()))) for each in made.parameters],
        choices=_choices(made),
        columns=COLUMNS,
        general=general(made),
        check=check,
        say=say,
        words=WORDS,
    )


def _choices(made: Verification) -> Iterator[Choice]:
    verdicts = [Value(str(verdict), str(verdict), n) for verdict, n in made.counts.items() if n]
    yield Choice("level", say.VERDICT(), verdicts)
    roles = Counter(each.role for each in made.parameters if each.role)
    values = [Value(role, ROLES[role](), n) for role, n in roles.items()]
    yield Choice("role", WORDS.ROLE(), values)


@dataclass(frozen=True)
class _Row:
    """A parameter as the template shows it."""

    parameter: ParameterVerification
    findings: tuple[Notice, ...]

    @property
    def name(self) -> str:
        return self.parameter.name

    @property
    def verdict(self) -> Verdict:
        return self.parameter.verdict

    @property
    def checks(self) -> tuple[Check, ...]:
        return self.parameter.checks

    @property
    def role(self) -> str:
        return kind(self.parameter)

    @property
    def shape(self) -> str:
        return shape(self.parameter)

    @property
    def spec(self) -> str:
        return drawn(self.parameter.spec)

    @property
    def found(self) -> str:
        return found(self.parameter)

    @property
    def formulas(self) -> list[tuple[str, Source | None]]:
        return list(formulas(self.parameter.spec)) if self.parameter.spec else []

    @property
    def plot(self) -> Plot | None:
        shown: list[tuple[str, Drawable]] = []
        if self.parameter.histogram:
            shown.append(("left", self.parameter.histogram))
        return densities(
            [*shown, *(("right", each) for each in distributions(self.parameter.spec))]
        )

    @property
    def keys(self) -> Mapping[str, Any]:
        shown = self.parameter
        sort: list[str | float | None] = [
            shown.name,
            shown.role or "",
            math.prod(shown.shape),
            shown.verdict.rank,
            spread(shown.spec),
            _distance(shown),
        ]
        places = (source.place for _, source in self.formulas if source)
        codes = (notice.code for notice in self.findings)
        choices = {"level": str(shown.verdict), "role": shown.role or ""}
        return keys(sort, choices, [shown.name, self.shape, *codes, *places])


def _distance(parameter: ParameterVerification) -> float | None:
    """Return what `found` sorts by, the nearest first: values that differ, or how small p is."""
    if parameter.bits is not None:
        return float(parameter.bits.differing)
    return max((1 - each.p_value for each in parameter.checks), default=None)

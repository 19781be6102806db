"""A report as Markdown, as GitHub renders it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from paddle_init.languages import Language
from paddle_init.parity import form_sentences as say
from paddle_init.parity.gating import Group, grouped, level_shown, worst_first
from paddle_init.parity.notices import without_notes
from paddle_init.parity.records import Comparison, Report
from paddle_init.parity.sentences import ROLES
from paddle_init.parity.summary import answer, drawn, formulas, ratio, shape, uncompared
from paddle_init.results.page import Document, code
from paddle_init.results.provenance import Provenance, provenance

__all__ = ["as_markdown"]

SHOWN_GROUPS = 30


def as_markdown(
    report: Report,
    *,
    language: Language = "en",
    made_by: Provenance | None = None,
    notes: bool = False,
) -> str:
    """Write a report as GitHub-flavoured Markdown.

    As in the text form, parameters that compare alike are told once, and of many the worst are
    shown. Names, formulas and places are code; nothing in them is markup.

    Parameters
    ----------
    language : "en" or "zh"
    made_by : Provenance, optional
        The command and versions to show; by default those of this process.
    notes : bool
        Also show the warnings about the document that explain no difference here.
    """
    report = report if notes else without_notes(report)
    document = _Writing(language)
    sides = ((say.LEFT(), report.left), (say.RIGHT(), report.right))
    return document.written(answer(report), sides, document.main(report), made_by or provenance())


class _Writing(Document):
    """What stands in a report's document."""

    def main(self, report: Report) -> Iterator[str]:
        groups = grouped(report.parameters)
        shown = worst_first(groups, SHOWN_GROUPS)
        if shown:
            yield from self.section(say.PARAMETERS())
            yield from self.overview(shown)
        if left_out := len(groups) - len(shown):
            yield ""
            yield self.prose(say.MORE_GROUPS(more=left_out))
        for group in shown:
            yield ""
            yield f"### {self.heading(group)}"
            yield ""
            yield from self.detail(group.first)
        if report.not_compared:
            yield from self.section(say.NOT_COMPARED())
            for side, told, at in map(uncompared, report.not_compared):
                yield self.item(side, told) + self.place(at)
        yield from self.notices(say.WARNINGS(), report.warnings)

    def overview(self, groups: Iterable[Group]) -> Iterator[str]:
        heads = (
            say.PARAMETER,
            say.ROLE,
            say.SHAPE,
            say.LEVEL,
            say.LEFT,
            say.RIGHT,
            say.RATIO,
        )
        rows = [
            [
                self.names(group.names, 1),
                self.prose(ROLES[group.first.role]()),
                shape(group.first),
                self.level(group.first),
                self.prose(drawn(group.first.left)),
                self.prose(drawn(group.first.right)),
                ratio(group.first),
            ]
            for group in groups
        ]
        return self.table([head() for head in heads], rows, numbers=1)

    def level(self, comparison: Comparison) -> str:
        if comparison.known:
            return code(str(comparison.level))
        return self.prose(level_shown(comparison))

    def heading(self, group: Group) -> str:
        first = group.first
        kind = say.KIND(role=ROLES[first.role](), shape=shape(first))
        return f"{self.names(group.names, 3)}{self.prose(kind)}{self.level(first)}"

    def detail(self, comparison: Comparison) -> Iterator[str]:
        for label, side in ((say.LEFT(), comparison.left), (say.RIGHT(), comparison.right)):
            for formula, source in formulas(side) if side else ():
                yield self.marked(label, self.code(formula) + self.place(source))
        if comparison.max_ulp is not None:
            values = say.VALUES(differing=comparison.differing, max_ulp=comparison.max_ulp)
            yield self.item(say.DRAWN_VALUES(), values)
        yield self.item(say.WHY(), comparison.explanation)
        if comparison.advice:
            yield self.item(say.DO(), comparison.advice)

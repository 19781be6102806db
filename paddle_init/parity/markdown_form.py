"""A report as Markdown, as GitHub renders it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from paddle_init.errors import Source
from paddle_init.languages import Language, listed, translated
from paddle_init.markdown import code, fenced, prose, table
from paddle_init.pages.sentences import REPEAT, VERSIONS
from paddle_init.parity.answering import answer
from paddle_init.parity.grouping import Group, grouped, worst_first
from paddle_init.parity.records import Comparison, Report
from paddle_init.parity.sentences import forms as say
from paddle_init.parity.sentences.explanations import ROLES
from paddle_init.parity.summary import drawn, formulas, place, ratio, shape, uncompared
from paddle_init.provenance import Provenance, provenance

__all__ = ["as_markdown"]

SHOWN_GROUPS = 30


def as_markdown(
    report: Report, *, language: Language = "en", made_by: Provenance | None = None
) -> str:
    """Write a report as GitHub-flavoured Markdown.

    As in the text form, parameters that compare alike are told once, and of many the worst are
    shown. Names, formulas and places are code; nothing in them is markup.

    Parameters
    ----------
    language : "en" or "zh"
    made_by : Provenance, optional
        The command and versions to show; by default those of this process.
    """
    return "\n".join(_Writing(language).lines(report, made_by or provenance())) + "\n"


class _Writing:
    """The lines of a document in one language."""

    def __init__(self, language: Language) -> None:
        self._language: Language = language

    def lines(self, report: Report, made_by: Provenance) -> Iterator[str]:
        groups = grouped(report.parameters)
        shown = worst_first(groups, SHOWN_GROUPS)
        yield f"# {self._prose(answer(report))}"
        yield ""
        for label, side in ((say.LEFT(), report.left), (say.RIGHT(), report.right)):
            yield self._item(label, self._prose(side))
        if shown:
            yield from self._section(say.PARAMETERS())
            yield from self._overview(shown)
        if left_out := len(groups) - len(shown):
            yield ""
            yield self._prose(say.MORE_GROUPS(more=left_out))
        for group in shown:
            yield ""
            yield f"### {self._heading(group)}"
            yield ""
            yield from self._detail(group.first)
        if report.not_compared:
            yield from self._section(say.NOT_COMPARED())
            for side, told, at in map(uncompared, report.not_compared):
                yield self._item(side, self._prose(told) + self._place(at))
        if report.warnings:
            yield from self._section(say.WARNINGS())
            for notice in report.warnings:
                text = self._prose(notice.message)
                yield f"- {code(notice.code)} {text}{self._place(notice.source)}"
        if made_by.command:
            yield from self._section(REPEAT())
            yield fenced(made_by.command)
        yield from self._section(VERSIONS())
        versions = (f"{name} {code(version)}" for name, version in made_by.versions.items())
        yield ", ".join(versions)

    def _section(self, heading: str) -> Iterable[str]:
        return "", f"## {self._prose(heading)}", ""

    def _overview(self, groups: Iterable[Group]) -> Iterator[str]:
        heads = (
            say.PARAMETER(),
            say.ROLE(),
            say.SHAPE(),
            say.LEVEL(),
            say.LEFT(),
            say.RIGHT(),
            say.RATIO(),
        )
        yield from table(
            list(map(self._prose, heads)),
            [
                [
                    self._names(group, 1),
                    self._prose(ROLES[group.first.role]()),
                    shape(group.first),
                    code(str(group.first.level)),
                    self._prose(drawn(group.first.left)),
                    self._prose(drawn(group.first.right)),
                    ratio(group.first),
                ]
                for group in groups
            ],
        )

    def _heading(self, group: Group) -> str:
        first = group.first
        kind = say.KIND(role=ROLES[first.role](), shape=shape(first))
        return f"{self._names(group, 3)}{self._prose(kind)}{code(str(first.level))}"

    def _names(self, group: Group, limit: int) -> str:
        return translated(listed(list(map(code, group.names)), limit), self._language)

    def _detail(self, comparison: Comparison) -> Iterator[str]:
        for label, side in ((say.LEFT(), comparison.left), (say.RIGHT(), comparison.right)):
            for formula, source in formulas(side) if side else ():
                text = code(translated(formula, self._language))
                yield self._item(label, text + self._place(source))
        if comparison.max_ulp is not None:
            values = say.VALUES(differing=comparison.differing, max_ulp=comparison.max_ulp)
            yield self._item(say.DRAWN_VALUES(), self._prose(values))
        yield self._item(say.WHY(), self._prose(comparison.explanation))
        if comparison.advice:
            yield self._item(say.DO(), self._prose(comparison.advice))

    def _item(self, label: str, text: str) -> str:
        return f"- **{self._prose(label)}** {text}"

    def _place(self, source: Source | None) -> str:
        return f" ({code(place(source))})" if source else ""

    def _prose(self, text: str) -> str:
        return prose(translated(text, self._language))

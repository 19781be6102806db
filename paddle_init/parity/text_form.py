"""A report as text, for a terminal, a file or a mail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from paddle_init.errors import Notice, Source
from paddle_init.languages import Language, listed
from paddle_init.parity import form_sentences as say
from paddle_init.parity.gating import Group, grouped, level_shown, worst_first
from paddle_init.parity.notices import without_notes
from paddle_init.parity.records import Comparison, Level, Report
from paddle_init.parity.sentences import ROLES
from paddle_init.parity.summary import answer, drawn, formulas, ratio, shape, uncompared
from paddle_init.results.terminal import Terminal

__all__ = ["as_text"]

SHOWN_GROUPS = 30
SHOWN_PER_CODE = 3
STYLES = {
    Level.IDENTICAL: "green",
    Level.ROUNDING: "green",
    Level.STREAM: "green",
    Level.SCALE: "yellow",
    Level.DISTRIBUTION: "red",
    Level.STRUCTURE: "red",
}


def as_text(
    report: Report,
    *,
    width: int = 80,
    color: bool = False,
    language: Language = "en",
    notes: bool = False,
) -> str:
    """Write a report for reading.

    The first line answers whether both sides start from the same place. Parameters that compare
    alike are told once, and of many the worst are shown; the JSON form has them all. All but the
    names is ASCII, in English.

    Parameters
    ----------
    width : int
        Columns to fill; a Chinese character takes two.
    color : bool
        Use ANSI colors, for a terminal.
    language : "en" or "zh"
    notes : bool
        Also show the warnings about the document that explain no difference here.
    """
    terminal = _Writing(width, language, color)
    return terminal.written(terminal.parts(report if notes else without_notes(report)))


class _Writing(Terminal):
    """A report's parts on a terminal."""

    def parts(self, report: Report) -> Iterator[RenderableType]:
        yield self.text(answer(report), "bold")
        yield self.labelled([(say.LEFT(), report.left), (say.RIGHT(), report.right)])
        groups = grouped(report.parameters)
        shown = worst_first(groups, SHOWN_GROUPS)
        yield Text()
        yield self.overview(shown)
        if left_out := len(groups) - len(shown):
            yield self.text(say.MORE_GROUPS(more=left_out), "italic")
        for group in shown:
            yield Text()
            yield self.heading(group)
            yield self.labelled(_detail(group.first), indent=2)
        if report.not_compared:
            yield Text()
            yield self.text(say.NOT_COMPARED(), "bold")
            rows = map(uncompared, report.not_compared)
            yield self.labelled([(side, _placed(told, at)) for side, told, at in rows], indent=2)
        if report.warnings:
            yield Text()
            yield self.text(say.WARNINGS(), "bold")
            yield self.labelled(_warnings(report.warnings), indent=2)

    def overview(self, groups: Sequence[Group]) -> Table:
        heads = (say.PARAMETER, say.SHAPE, say.LEVEL, say.LEFT, say.RIGHT, say.RATIO)
        rows = [
            (
                listed(group.names, 1),
                shape(group.first),
                self.text(level_shown(group.first), _style(group.first)),
                drawn(group.first.left),
                drawn(group.first.right),
                ratio(group.first),
            )
            for group in groups
        ]
        return self.table([head() for head in heads], rows, left=5)

    def heading(self, group: Group) -> Text:
        first = group.first
        kind = say.KIND(role=ROLES[first.role](), shape=shape(first))
        level = self.text(level_shown(first), _style(first))
        return Text.assemble(self.text(listed(group.names), "bold"), self.text(kind), level)


def _style(comparison: Comparison) -> str:
    return STYLES[comparison.level] if comparison.known else "yellow"


def _detail(comparison: Comparison) -> Iterator[tuple[str, str]]:
    for name, side in ((say.LEFT(), comparison.left), (say.RIGHT(), comparison.right)):
        label: str = name
        for formula, source in formulas(side) if side else ():
            yield label, _placed(formula, source)
            label = ""
    if comparison.max_ulp is not None:
        values = say.VALUES(differing=comparison.differing, max_ulp=comparison.max_ulp)
        yield say.DRAWN_VALUES(), values
    yield say.WHY(), comparison.explanation
    if comparison.advice:
        yield say.DO(), comparison.advice


def _warnings(notices: Sequence[Notice]) -> Iterator[tuple[str, str]]:
    by_code: dict[str, list[Notice]] = {}
    for notice in notices:
        by_code.setdefault(notice.code, []).append(notice)
    for code, found in by_code.items():
        for notice in found[:SHOWN_PER_CODE]:
            yield code, _placed(notice.message, notice.source)
        if len(found) > SHOWN_PER_CODE:
            yield "", say.MORE_WARNINGS(more=len(found) - SHOWN_PER_CODE)


def _placed(text: str, source: Source | None) -> str:
    return say.PLACED(text=text, place=source.place) if source else text

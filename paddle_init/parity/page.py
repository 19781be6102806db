"""A report's page and checks: what it shows its readers, and what a CI system marks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from paddle_init.errors import Source
from paddle_init.json_values import json_text
from paddle_init.languages import Language, Message, Sentence
from paddle_init.parity import sentences as advice
from paddle_init.parity.gating import Group, both_names, gated, grouped, worst_first
from paddle_init.parity.notices import without_notes
from paddle_init.parity.records import Comparison, Level, Report, Uncompared, place
from paddle_init.parity.sentences import ROLES
from paddle_init.parity.sides import NOT_KNOWN, distributions, drawn, formulas, spread
from paddle_init.results.checks import Check, Suite, Verdict, nothing
from paddle_init.results.page import (
    HTML,
    MARKDOWN,
    TEXT,
    WORDS,
    Choice,
    Code,
    Column,
    Content,
    Entry,
    Figure,
    Line,
    Mark,
    Meanings,
    Names,
    Notices,
    Page,
    Part,
    Row,
    Section,
    Table,
    Value,
)
from paddle_init.texts import short

if TYPE_CHECKING:
    from paddle_init.results.plots import Drawable
    from paddle_init.results.provenance import Provenance

SHOWN_GROUPS = 30
SHOWN_NOTICES = 3
NOWHERE: MappingProxyType[str, Source] = MappingProxyType({})
COLORS = {
    Level.IDENTICAL: "green",
    Level.ROUNDING: "green",
    Level.STREAM: "green",
    Level.SCALE: "yellow",
    Level.DISTRIBUTION: "red",
    Level.STRUCTURE: "red",
}
# How scripts and styles call the level of what is not known.
NOT_KNOWN_CLASS = "not-known"

NOTHING = Sentence(
    "Nothing to compare: neither side has a parameter.", "没有可比较的：两侧都没有参数。"
)
NOTHING_COMPARED = Sentence(
    "Nothing to compare: no parameter belongs to a fully connected layer.",
    "没有可比较的：没有参数属于全连接层。",
)
ONE_NOT_KNOWN = Sentence(
    "Not known: as weights its one parameter is drawn alike, but nothing says which is a bias.",
    "无法判定：唯一的参数若是权重则抽取方式相同，但无法判定它是不是偏置。",
)
ALL_NOT_KNOWN = Sentence(
    "Not known: as weights all {total} parameters are drawn alike, "
    "but nothing says which is a bias.",
    "无法判定：全部 {total} 个参数若是权重则抽取方式相同，但无法判定哪个是偏置。",
)
ONE_SAME = {
    Level.IDENTICAL: Sentence(
        "Yes, bit for bit: its one parameter is identical.", "是，逐位相同：唯一的参数完全一致。"
    ),
    Level.ROUNDING: Sentence(
        "Yes, up to rounding: its one parameter is equal but for the last bits.",
        "是，只差舍入：唯一的参数除最后几位外相等。",
    ),
    Level.STREAM: Sentence(
        "Yes, in distribution: its one parameter is drawn alike; "
        "single values differ or are not known.",
        "是，就分布而言：唯一的参数抽取方式相同；单个值不同，或无法判定。",
    ),
}
ALL_SAME = {
    Level.IDENTICAL: Sentence(
        "Yes, bit for bit: all {total} parameters are identical.",
        "是，逐位相同：全部 {total} 个参数完全一致。",
    ),
    Level.ROUNDING: Sentence(
        "Yes, up to rounding: all {total} parameters are equal but for the last bits.",
        "是，只差舍入：全部 {total} 个参数除最后几位外相等。",
    ),
    Level.STREAM: Sentence(
        "Yes, in distribution: all {total} parameters are drawn alike; "
        "single values differ or are not known.",
        "是，就分布而言：全部 {total} 个参数抽取方式相同；单个值不同，或无法判定。",
    ),
}
DISTRIBUTION_NOT_KNOWN = Sentence(
    "Not known: {unknown} of {total} parameters cannot be compared, because the distribution of "
    "at least one side is not known.",
    "无法判定：{total} 个参数中有 {unknown} 个无法比较，因为至少有一侧的分布无法判定。",
)
OTHERS_ALIKE = Sentence(
    "Not known: {unknown} of {total} parameters cannot be compared, because the distribution of "
    "at least one side is not known; no difference was found in the others.",
    "无法判定：{total} 个参数中有 {unknown} 个无法比较，因为至少有一侧的分布无法判定；"
    "其余的没有发现不同。",
)
OTHERS_ALIKE_AS_WEIGHTS = Sentence(
    "Not known: {unknown} of {total} parameters cannot be compared, because the distribution of "
    "at least one side is not known; the others are alike as weights, but nothing says which is "
    "a bias.",
    "无法判定：{total} 个参数中有 {unknown} 个无法比较，因为至少有一侧的分布无法判定；"
    "其余的若是权重则相同，但无法判定哪个是偏置。",
)
APART_AND_NOT_KNOWN = Sentence(
    "No: {apart} of {total} parameters start elsewhere ({levels}); {unknown} not known.",
    "否：{total} 个参数中有 {apart} 个起点不同（{levels}）；{unknown} 个无法判定。",
)
COUNTS_AS = Sentence("Not known, which counts as {level} here.", "无法判定，这里按 {level} 计。")
APART = Sentence(
    "No: {apart} of {total} parameters start elsewhere ({levels}).",
    "否：{total} 个参数中有 {apart} 个起点不同（{levels}）。",
)
LEVELS = {
    Level.IDENTICAL: Sentence("every bit is equal", "每一位都相同"),
    Level.ROUNDING: Sentence(
        "the same draws; only the arithmetic differs, by an ULP or so",
        "抽到的是同一批数，只是算术不同，相差一个 ULP 左右",
    ),
    Level.STREAM: Sentence(
        "the same distribution from another random stream", "分布相同，随机流不同"
    ),
    Level.SCALE: Sentence("the same family, another mean or std", "同一族分布，均值或标准差不同"),
    Level.DISTRIBUTION: Sentence(
        "another family: a constant against a normal", "不同族：例如常数对正态"
    ),
    Level.STRUCTURE: Sentence("no partner, or another shape", "找不到对应参数，或形状不同"),
}
VALUES = Sentence(
    "{differing} differ, by at most {max_ulp} ULP", "{differing} 个不同，最多相差 {max_ulp} ULP"
)
LEVEL = Sentence("level", "级别")
LEFT = Sentence("left", "左侧")
RIGHT = Sentence("right", "右侧")
RATIO = Sentence("ratio", "比值")
DRAWN_VALUES = Sentence("values", "数值")
LEFT_VALUES = Sentence("left, drawn values", "左侧，抽到的值")
RIGHT_VALUES = Sentence("right, drawn values", "右侧，抽到的值")
DO = Sentence("do", "建议")
NOT_COMPARED = Sentence(
    "Not compared: parameters of no fully connected layer", "没有比较的：不属于全连接层的参数"
)
UNCOMPARED = Sentence("{name} ({shape}): {formula}", "{name}（{shape}）：{formula}")
WARNINGS = Sentence("Warnings", "警告")
LEVELS_HEADING = Sentence("What the levels mean", "级别的含义")
KIND = Sentence(" ({role} {shape}): ", "（{role} {shape}）：")
MORE_GROUPS = Sentence(
    "{more} more rows compare no worse; --format json has every parameter.",
    "另有 {more} 行不比这些差；--format json 有全部参数。",
)

COLUMNS = (
    Column(WORDS.PARAMETER()),
    Column(WORDS.ROLE(), "role", wide=True, formats=MARKDOWN | HTML),
    Column(WORDS.SHAPE(), "shape", wide=True),
    Column(LEVEL(), "level-column"),
    Column(LEFT(), wide=True),
    Column(RIGHT(), wide=True),
    Column(RATIO(), number=True),
)


def page(report: Report, *, every: bool = False, notes: bool = False) -> Page:
    """Return what a report shows its readers.

    Parameters
    ----------
    every : bool
        Whether every parameter has a row of its own, with figures, as in HTML; else those that
        compare alike share one, and of many the worst are shown.
    notes : bool
        Whether to show the warnings about the document that explain no difference here.
    """
    report = report if notes else without_notes(report)
    facts = (Entry(LEFT(), report.left), Entry(RIGHT(), report.right))
    table = _whole_table(report) if every else _short_table(report)
    parts: list[Part] = [table] if report.parameters else [replace(table, formats=TEXT)]
    if report.not_compared:
        parts.append(Section(list(map(_uncompared, report.not_compared)), NOT_COMPARED()))
    parts.append(Notices(WARNINGS(), report.warnings, SHOWN_NOTICES))
    meanings = {str(level): meaning() for level, meaning in LEVELS.items()}
    parts.append(Meanings(LEVELS_HEADING(), meanings))
    return Page("paddle-init report", answer(report), facts, parts)


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
    from paddle_init.results import text

    return text.as_text(page(report, notes=notes), language, width=width, color=color)


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
    from paddle_init.results import markdown

    return markdown.as_markdown(page(report, notes=notes), language, made_by)


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
    from paddle_init.results import html

    return html.as_html(page(report, every=True, notes=notes), language, made_by)


def as_json(report: Report) -> str:
    """Write a report as a JSON text in ASCII.

    Floats are written so that they read back to the same double; inf and nan never appear.
    """
    return json_text(report.to_dict())


def answer(report: Report) -> Message:
    """Tell in one sentence of counts and levels whether both sides start from the same place."""
    total = len(report.parameters)
    if not total:
        return NOTHING_COMPARED() if report.not_compared else NOTHING()
    known = [each for each in report.parameters if each.known]
    counts = Counter(each.level for each in known if each.level >= Level.SCALE)
    unknown = total - len(known)
    if not counts and unknown:
        told = DISTRIBUTION_NOT_KNOWN
        if known:
            told = OTHERS_ALIKE if report.roles_known else OTHERS_ALIKE_AS_WEIGHTS
        return told(unknown=unknown, total=total)
    if not counts:
        if not report.roles_known:
            return (ALL_NOT_KNOWN if total > 1 else ONE_NOT_KNOWN)(total=total)
        return (ALL_SAME if total > 1 else ONE_SAME)[report.worst](total=total)
    levels = ", ".join(f"{level} {counts[level]}" for level in sorted(counts, reverse=True))
    apart = {"apart": sum(counts.values()), "total": total, "levels": levels}
    return APART_AND_NOT_KNOWN(**apart, unknown=unknown) if unknown else APART(**apart)


def _short_table(report: Report) -> Table:
    groups = grouped(report.parameters)
    shown = worst_first(groups, SHOWN_GROUPS)
    left_out = len(groups) - len(shown)
    return Table(
        WORDS.PARAMETERS(),
        COLUMNS,
        list(map(_group, shown)),
        more=MORE_GROUPS(more=left_out) if left_out else "",
    )


def _group(group: Group) -> Row:
    first = group.first
    kind = KIND(role=ROLES[first.role](), shape=shape(first))
    return Row(
        _cells(first, Names(group.names, 1)),
        heading=(Names(group.names), kind, _level(first)),
        entries=list(_entries(first)),
    )


def _whole_table(report: Report) -> Table:
    return Table(
        WORDS.PARAMETERS(),
        COLUMNS,
        list(map(_row, report.parameters)),
        choices=list(_choices(report)),
        figures="plots",
    )


def _choices(report: Report) -> Iterator[Choice]:
    found = Counter(each.level for each in report.parameters if each.known)
    levels = [Value(str(level), str(level), found[level]) for level in Level if found[level]]
    if report.not_known:
        levels.append(Value(NOT_KNOWN_CLASS, NOT_KNOWN(), report.not_known))
    yield Choice("level", LEVEL(), levels)
    roles = Counter(parameter.role for parameter in report.parameters)
    values = [Value(role, ROLES[role](), n) for role, n in roles.items()]
    yield Choice("role", WORDS.ROLE(), values)


def _row(parameter: Comparison) -> Row:
    name, size, level = both_names(parameter), shape(parameter), _level(parameter)
    cells = _cells(parameter, Names((name,)))
    narrow = Entry(WORDS.SHAPE(), (ROLES[parameter.role](), " ", size), "narrow")
    entries = [narrow, *_entries(parameter)]
    lines = (line for entry in entries if entry.several for line in entry.lines)
    places = [line.source.place for line in lines if line.source]
    return Row(
        cells,
        entries=entries,
        figures=list(_figures(parameter, *cells[4:6])),
        sort=[
            name,
            parameter.role,
            math.prod(parameter.shape),
            parameter.level.rank,
            spread(parameter.left),
            spread(parameter.right),
            parameter.std_ratio,
        ],
        choices={"level": level.code, "role": parameter.role},
        search=[name, size, *places],
    )


def _figures(parameter: Comparison, left: Content, right: Content) -> Iterator[Figure]:
    from paddle_init.results.plots import densities

    sides = {"left": parameter.left, "right": parameter.right}
    rules = densities((name, each) for name, side in sides.items() for each in distributions(side))
    if rules:
        told = WORDS.LABELLED(label=LEFT(), text=left), WORDS.LABELLED(label=RIGHT(), text=right)
        yield Figure(rules, *told)
    kept = zip(sides, parameter.histograms or (), strict=False)
    samples: list[tuple[str, Drawable]] = [(side, found) for side, found in kept if found]
    if values := densities(samples):
        yield Figure(values, LEFT_VALUES(), RIGHT_VALUES())


def _cells(parameter: Comparison, names: Names) -> Sequence[Content]:
    return (
        names,
        ROLES[parameter.role](),
        shape(parameter),
        _level(parameter),
        drawn(parameter.left),
        drawn(parameter.right),
        "" if parameter.std_ratio is None else short(parameter.std_ratio),
    )


def _level(parameter: Comparison) -> Mark:
    if not parameter.known:
        return Mark(NOT_KNOWN(), NOT_KNOWN_CLASS, "yellow")
    level = parameter.level
    return Mark(str(level), str(level), COLORS[level])


def _entries(parameter: Comparison) -> Iterator[Entry]:
    for label, side in ((LEFT(), parameter.left), (RIGHT(), parameter.right)):
        if side:
            yield Entry(label, [Line(Code(formula), source) for formula, source in formulas(side)])
    if parameter.max_ulp is not None:
        values = VALUES(differing=parameter.differing, max_ulp=parameter.max_ulp)
        yield Entry(DRAWN_VALUES(), values)
    yield Entry(WORDS.WHY(), parameter.explanation, "lines")
    if parameter.advice:
        yield Entry(DO(), parameter.advice, "advice")


def _uncompared(parameter: Uncompared) -> Entry:
    side = {"left": LEFT, "right": RIGHT}[parameter.side]()
    formula = parameter.drawn.formula
    text = UNCOMPARED(name=parameter.name, shape=shape(parameter), formula=formula)
    return Entry(side, Line(text, parameter.drawn.source))


def shape(parameter: Comparison | Uncompared) -> str:
    return " x ".join(map(str, parameter.shape))


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
            str(each.level) if each.known else NOT_KNOWN(),
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
        yield COUNTS_AS(level=comparison.level)
    yield comparison.explanation
    if comparison.advice:
        yield comparison.advice
    for name, side in (("left", comparison.left), ("right", comparison.right)):
        if side:
            yield f"{name}: {side.formula}"

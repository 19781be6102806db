"""A verification as a page for readers, and as checks for CI."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING

from paddle_init.errors import Notice, Source
from paddle_init.languages import Message, joined, listed
from paddle_init.parity.sentences import ROLES
from paddle_init.parity.sides import distributions, drawn, formulas, spread
from paddle_init.results import checks
from paddle_init.results.formats import Formats
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
    Notices,
    Page,
    Part,
    Row,
    Section,
    Table,
    Value,
)
from paddle_init.texts import short
from paddle_init.verification import sentences as messages
from paddle_init.verification.records import (
    BitComparison,
    Check,
    ParameterVerification,
    Verdict,
    Verification,
)

if TYPE_CHECKING:
    from paddle_init.results.plots import Drawable

SHOWN, SHOWN_SPANS, SHOWN_CHECKS, SHOWN_NAMES = 30, 6, 2, 3
# Values so far apart are no roundings of each other.
UNRELATED = 1 << 20

COLUMNS = (
    Column(WORDS.PARAMETER()),
    Column(WORDS.ROLE(), "role", wide=True),
    Column(WORDS.SHAPE(), "shape", wide=True),
    Column(messages.VERDICT(), "level-column"),
    Column(messages.SPEC(), wide=True, formats=HTML),
    Column(messages.FOUND(), "found", wide=True),
    Column(messages.SPEC(), formats=MARKDOWN),
)


def page(result: Verification, *, every: bool = False) -> Page:
    """Return what is shown of a verification.

    Parameters
    ----------
    every : bool
        Whether every parameter has a row that opens, as in HTML; else the worst are shown.
    """
    table = _whole_table(result) if every else _short_table(result)
    findings = _grouped(result.findings)
    entries = [Entry(each.code, each.message) for each in findings]
    meanings = {str(verdict): meaning() for verdict, meaning in messages.VERDICTS.items()}
    parts: list[Part] = [
        *([table] if result.parameters else ()),
        Section(entries, messages.FINDINGS(), formats=TEXT),
        Notices(messages.FINDINGS(), findings, formats=MARKDOWN),
        Notices(messages.FINDINGS(), _general(result), formats=HTML),
        Meanings(messages.VERDICTS_HEADING(), meanings),
    ]
    return Page("paddle-init verify", answer(result), list(_facts(result)), parts)


_FORMATS = Formats[Verification](page)
as_text = _FORMATS.as_text
as_markdown = _FORMATS.as_markdown
as_html = _FORMATS.as_html


def answer(result: Verification) -> Message:
    """Return one sentence of counts, without names from either side."""
    known = result.known
    if not known:
        return messages.NOTHING()
    unexpected = result.number_of(Verdict.UNEXPECTED)
    if result.number_of(Verdict.MISSING) == known and unexpected:
        return messages.NO_NAMES_MATCH(known=known, found=unexpected)
    if failed := result.number_of(Verdict.DIFFERS, Verdict.MISSING):
        return messages.NO(failed=failed, known=known)
    if (untested := result.number_of(Verdict.UNTESTED)) == known:
        return messages.NONE_KNOWN(known=known)
    if untested:
        return messages.NOT_KNOWN(untested=untested, known=known)
    tested = result.number_of(Verdict.FOLLOWS)
    if tested == known:
        return messages.YES_BY_TESTS(known=known)
    furthest = max((p.bits.max_ulp or 0 for p in result.parameters if p.bits), default=0)
    if tested:
        both = {"exact": known - tested, "known": known, "tested": tested}
        if furthest:
            return messages.YES_IN_BOTH_IN_ULP(**both, max_ulp=furthest)
        return messages.YES_IN_BOTH(**both)
    if furthest:
        return messages.YES_IN_ULP(max_ulp=furthest, known=known)
    return messages.YES_IN_BITS(known=known)


def _facts(result: Verification) -> Iterator[Entry]:
    yield Entry(messages.WEIGHTS(), result.weights)
    yield Entry(messages.SPEC(), result.spec)
    yield Entry(messages.STREAM(), result.stream or messages.UNSEEDED())
    if result.tests:
        alpha = messages.ALPHA(tests=result.tests, alpha=short(result.alpha))
        yield Entry(messages.TESTS(), alpha)


def _worst_first(result: Verification) -> list[ParameterVerification]:
    return sorted(result.parameters, key=lambda parameter: -parameter.verdict.rank)


def _short_table(result: Verification) -> Table:
    worst = _worst_first(result)[:SHOWN]
    left_out = len(result.parameters) - len(worst)
    more = messages.MORE(more=left_out) if left_out else ""
    return Table(WORDS.PARAMETERS(), COLUMNS, list(map(_short_row, worst)), more=more)


def _short_row(parameter: ParameterVerification) -> Row:
    heading = (Code(parameter.name), ": ", Code(str(parameter.verdict)))
    entries = [Entry(messages.SPEC(), _formulas(parameter), formats=MARKDOWN)]
    shown = parameter.verdict.failed and parameter.spec
    return Row(_cells(parameter), heading=heading if shown else (), entries=entries)


def _whole_table(result: Verification) -> Table:
    notices: dict[str | None, list[Notice]] = {}
    for notice in result.findings:
        notices.setdefault(notice.parameter, []).append(notice)
    rows = [_whole_row(each, notices.get(each.name, [])) for each in result.parameters]
    verdicts = [Value(str(verdict), str(verdict), n) for verdict, n in result.counts.items() if n]
    count_by_role = Counter(each.role for each in result.parameters if each.role)
    roles = [Value(role, ROLES[role](), n) for role, n in count_by_role.items()]
    choices = [Choice("level", messages.VERDICT(), verdicts), Choice("role", WORDS.ROLE(), roles)]
    return Table(WORDS.PARAMETERS(), COLUMNS, rows, choices, style="verification")


def _whole_row(parameter: ParameterVerification, notices: Sequence[Notice]) -> Row:
    name, role, size = parameter.name, parameter.role or "", _shape(parameter)
    rules = _formulas(parameter)
    entries = [
        Entry(WORDS.SHAPE(), (_role(parameter), " ", size), "narrow"),
        Entry(messages.SPEC(), rules),
    ]
    if parameter.bits:
        entries.append(Entry(messages.FOUND(), found(parameter)))
    if parameter.checks:
        entries.append(Entry(messages.TESTS(), _tests(parameter.checks), "tests"))
    for label, notice in zip(chain((WORDS.WHY(),), repeat("")), notices, strict=False):
        entries.append(Entry(label, (Code(notice.code), " ", notice.message)))
    places = (line.source.place for line in rules if line.source)
    return Row(
        _cells(parameter),
        entries=entries,
        figures=list(_figures(parameter)),
        sort=[
            name,
            role,
            math.prod(parameter.shape),
            parameter.verdict.rank,
            spread(parameter.spec),
            _distance(parameter),
        ],
        choices={"level": str(parameter.verdict), "role": role},
        search=[name, size, *(notice.code for notice in notices), *places],
    )


def _cells(parameter: ParameterVerification) -> Sequence[Content]:
    verdict, spec = parameter.verdict, drawn(parameter.spec)
    color = "yellow" if verdict is Verdict.UNEXPECTED else "red" if verdict.failed else "green"
    return (
        Code(parameter.name),
        _role(parameter),
        _shape(parameter),
        Mark(str(verdict), str(verdict), color),
        spec,
        found(parameter),
        spec,
    )


def _role(parameter: ParameterVerification) -> str:
    """Return a parameter's role; of what the spec does not have, none."""
    return ROLES[parameter.role]() if parameter.role else ""


def _shape(parameter: ParameterVerification) -> str:
    return " x ".join(map(str, parameter.shape))


def _formulas(parameter: ParameterVerification) -> list[Line]:
    rules = formulas(parameter.spec) if parameter.spec else ()
    return [Line(Code(formula), source) for formula, source in rules]


def _tests(made: Sequence[Check]) -> list[Line]:
    """Return a line for each test, with its rows where there are several runs of them."""
    several = made[-1].rows[0] > 0
    return [
        Line(
            (f"[{start}, {stop}) " if several or start else "", _test(each)),
            style="" if each.passed else "level differs",
        )
        for each in made
        for start, stop in (each.rows,)
    ]


def _figures(parameter: ParameterVerification) -> Iterator[Figure]:
    from paddle_init.results.plots import densities

    kept, spec = parameter.histogram, distributions(parameter.spec)
    values: list[tuple[str, Drawable]] = [("left", kept)] if kept else []
    if plot := densities([*values, *(("right", each) for each in spec)]):
        label = WORDS.LABELLED(label=messages.SPEC(), text=drawn(parameter.spec))
        left, right = messages.WEIGHTS() if kept else "", label if parameter.spec else ""
        yield Figure(plot, left, right)


def _distance(parameter: ParameterVerification) -> float | None:
    """Return what `found` sorts by, the nearest first: values that differ, or how small p is."""
    if parameter.bits is not None:
        return float(parameter.bits.differing)
    return max((1 - each.p_value for each in parameter.checks), default=None)


def found(parameter: ParameterVerification) -> str:
    """Tell what comparing or testing showed: the failed tests, or how near the others came."""
    parts = [] if parameter.bits is None else [_bits(parameter.bits)]
    failed = [each for each in parameter.checks if not each.passed]
    parts += map(_test, failed[:SHOWN_CHECKS])
    if parameter.checks and not failed:
        least = min(each.p_value for each in parameter.checks)
        parts.append(messages.LEAST_P(p=short(least, 2)))
    return joined(messages.AND, parts) if parts else ""


def _test(check: Check) -> Message:
    test, p = messages.TEST_NAMES[check.name](), short(check.p_value, 2)
    if check.observed is None:
        return messages.CHECK(test=test, p=p)
    observed = short(check.observed)
    if check.expected is None:
        return messages.CHECK_OBSERVED(test=test, observed=observed, p=p)
    expected = short(check.expected)
    return messages.CHECK_EXPECTED(test=test, observed=observed, expected=expected, p=p)


def _bits(bits: BitComparison) -> Message:
    if not bits.differing:
        return messages.EVERY_BIT()
    what = messages.DIFFERING(differing=bits.differing, size=bits.size)
    if bits.max_ulp is not None and bits.max_ulp < UNRELATED:
        what = messages.BY_AT_MOST(what=what, max_ulp=bits.max_ulp)
        if bits.max_ulp > 1:
            spans = [
                messages.BY_SPAN(count=count, span=str(low) if low == high else f"{low}-{high}")
                for low, high, count in bits.histogram
                if low
            ]
            what = messages.SPANS(what=what, spans=listed(spans, SHOWN_SPANS))
    if bits.first is None:
        return what
    what = messages.FIRST(what=what, index=list(bits.first))
    if bits.expected is None or bits.found is None:
        return what
    values = {"expected": repr(bits.expected), "found": repr(bits.found)}
    return messages.FIRST_VALUES(what=what, **values)


def _grouped(findings: Iterable[Notice]) -> list[Notice]:
    """Return each finding once, with the parameters it is about in its message."""
    names_by_finding: dict[tuple[str, str], list[str]] = {}
    for notice in findings:
        names = names_by_finding.setdefault((notice.code, notice.message), [])
        names += [notice.parameter] if notice.parameter else []
    return [
        Notice(code, messages.ABOUT(names=listed(names, SHOWN_NAMES), what=what) if names else what)
        for (code, what), names in names_by_finding.items()
    ]


def _general(result: Verification) -> tuple[Notice, ...]:
    """Return the findings that are about no parameter of the list, with what they are about."""
    names = {each.name for each in result.parameters}
    return tuple(_grouped(each for each in result.findings if each.parameter not in names))


def as_checks(
    result: Verification,
    fail_on: Verdict | None = None,
    known: Mapping[str, Source] | None = None,
) -> checks.Suite:
    """Return one check for every parameter, the worst first, and one that fails without any.

    Parameters
    ----------
    fail_on : Verdict, optional
        A parameter fails at this verdict or a worse one, and only warns where it is better than
        that and not in order all the same. By default what is not known fails too.
    known : dict of str to Source, optional
        Where parameters are written that the spec has no place for.
    """
    limit = fail_on or Verdict.UNTESTED
    suite = tuple(
        checks.Check(
            each.name,
            _outcome(each.verdict, limit),
            str(each.verdict),
            "\n".join(_details(result, each)),
            (each.spec.source if each.spec else None) or (known or {}).get(each.name),
        )
        for each in _worst_first(result)
    )
    if not result.known:
        suite = (checks.nothing(answer(result)), *suite)
    sides = (("weights", result.weights), ("spec", result.spec))
    return checks.Suite("paddle-init verify", answer(result), sides, suite, _general(result))


def _outcome(verdict: Verdict, limit: Verdict) -> checks.Verdict:
    if verdict.rank >= limit.rank:
        return checks.Verdict.FAILED
    passes = verdict in (Verdict.IDENTICAL, Verdict.FOLLOWS)
    return checks.Verdict.PASSED if passes else checks.Verdict.WARNED


def _details(result: Verification, parameter: ParameterVerification) -> Iterator[str]:
    why = [each.message for each in result.findings if each.parameter == parameter.name]
    yield from why or [messages.VERDICTS[parameter.verdict]()]
    if shown := found(parameter):
        yield shown
    if parameter.spec:
        yield f"spec: {parameter.spec.formula}"

"""What every form of a verification shows in few words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from paddle_init.errors import Notice
from paddle_init.languages import Message, joined, listed
from paddle_init.parity.sentences import ROLES
from paddle_init.texts import short
from paddle_init.verification import form_sentences as say
from paddle_init.verification.records import (
    BitComparison,
    Check,
    ParameterVerification,
    Verdict,
    Verification,
)

__all__ = [
    "about",
    "answer",
    "check",
    "found",
    "general",
    "kind",
    "shape",
    "subjects",
    "worst_first",
]

SHOWN_SPANS, SHOWN_CHECKS, SHOWN_NAMES = 6, 2, 3
# Values so far apart are no roundings of each other.
UNRELATED = 1 << 20


def answer(made: Verification) -> Message:
    """Return one sentence of counts, without names from either side."""
    known = made.known
    if not known:
        return say.NOTHING()
    unexpected = made.number_of(Verdict.UNEXPECTED)
    if made.number_of(Verdict.MISSING) == known and unexpected:
        return say.NO_NAMES_MATCH(known=known, found=unexpected)
    if failed := made.number_of(Verdict.DIFFERS, Verdict.MISSING):
        return say.NO(failed=failed, known=known)
    if (untested := made.number_of(Verdict.UNTESTED)) == known:
        return say.NONE_KNOWN(known=known)
    if untested:
        return say.NOT_KNOWN(untested=untested, known=known)
    tested = made.number_of(Verdict.FOLLOWS)
    if tested == known:
        return say.YES_BY_TESTS(known=known)
    furthest = max((p.bits.max_ulp or 0 for p in made.parameters if p.bits), default=0)
    if tested:
        both = {"exact": known - tested, "known": known, "tested": tested}
        if furthest:
            return say.YES_IN_BOTH_IN_ULP(**both, max_ulp=furthest)
        return say.YES_IN_BOTH(**both)
    if furthest:
        return say.YES_IN_ULP(max_ulp=furthest, known=known)
    return say.YES_IN_BITS(known=known)


def subjects(made: Verification) -> Iterator[tuple[Message, str]]:
    """Yield what was held against what, and how."""
    yield say.WEIGHTS(), made.weights
    yield say.SPEC(), made.spec
    yield say.STREAM(), made.stream or say.UNSEEDED()
    if made.tests:
        yield say.TESTS(), say.ALPHA(tests=made.tests, alpha=short(made.alpha))


def worst_first(made: Verification) -> list[ParameterVerification]:
    return sorted(made.parameters, key=lambda parameter: -parameter.verdict.rank)


def shape(parameter: ParameterVerification) -> str:
    return " x ".join(map(str, parameter.shape))


def kind(parameter: ParameterVerification) -> str:
    """Return a parameter's role; of what the spec does not have, none."""
    return ROLES[parameter.role]() if parameter.role else ""


def found(parameter: ParameterVerification) -> str:
    """Tell what comparing or testing showed: the failed tests, or how near the others came."""
    told: list[str] = []
    if parameter.bits is not None:
        told.append(_bits(parameter.bits))
    failed = [each for each in parameter.checks if not each.passed]
    told += map(check, failed[:SHOWN_CHECKS])
    if parameter.checks and not failed:
        least = min(each.p_value for each in parameter.checks)
        told.append(say.LEAST_P(p=short(least, 2)))
    return joined(say.AND, told) if told else ""


def check(made: Check) -> Message:
    """Tell one test's outcome."""
    test, p = say.TEST_NAMES[made.name](), short(made.p_value, 2)
    if made.observed is None:
        return say.CHECK(test=test, p=p)
    observed = short(made.observed)
    if made.expected is None:
        return say.CHECK_OBSERVED(test=test, observed=observed, p=p)
    return say.CHECK_EXPECTED(test=test, observed=observed, expected=short(made.expected), p=p)


def about(findings: Iterable[Notice]) -> Iterator[tuple[str, str]]:
    """Yield each finding once, its code and what it says, with the parameters it is about."""
    told: dict[tuple[str, str], list[str]] = {}
    for notice in findings:
        names = told.setdefault((notice.code, notice.message), [])
        names += [notice.parameter] if notice.parameter else []
    for (code, message), names in told.items():
        said = message
        if names:
            said = say.ABOUT(names=listed(names, SHOWN_NAMES), what=message)
        yield code, said


def general(made: Verification) -> tuple[Notice, ...]:
    """Return the findings that are about no parameter of the list, with what they are about."""
    listed_names = {each.name for each in made.parameters}
    others = [each for each in made.findings if each.parameter not in listed_names]
    return tuple(Notice(code, told) for code, told in about(others))


def _bits(bits: BitComparison) -> Message:
    if not bits.differing:
        return say.EVERY_BIT()
    told = say.DIFFERING(differing=bits.differing, size=bits.size)
    if bits.max_ulp is not None and bits.max_ulp < UNRELATED:
        told = say.BY_AT_MOST(what=told, max_ulp=bits.max_ulp)
        if bits.max_ulp > 1:
            spans = [
                say.BY_SPAN(count=count, span=str(low) if low == high else f"{low}-{high}")
                for low, high, count in bits.histogram
                if low
            ]
            told = say.SPANS(what=told, spans=listed(spans, SHOWN_SPANS))
    if bits.first is not None:
        told = say.FIRST(what=told, index=list(bits.first))
        if bits.expected is not None and bits.found is not None:
            told = say.FIRST_VALUES(what=told, expected=repr(bits.expected), found=repr(bits.found))
    return told

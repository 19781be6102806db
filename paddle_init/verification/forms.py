"""A verification as text, for reading, and as JSON, for programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from paddle_init.errors import Notice
from paddle_init.json_values import json_text, json_value
from paddle_init.parity.words import listed, short
from paddle_init.printable import printable
from paddle_init.verification.records import (
    BitComparison,
    ParameterVerification,
    Verdict,
    Verification,
)

__all__ = ["as_json", "as_text"]

SHOWN, SHOWN_SPANS = 30, 6
SHOWN_PER_FINDING, SHOWN_CHECKS = 3, 2
# Values so far apart are no roundings of each other.
UNRELATED = 1 << 20


def as_json(made: Verification) -> str:
    """Write a verification as a JSON text."""
    form: dict[str, Any] = json_value(made)
    counts = {str(verdict): count for verdict, count in made.counts.items()}
    return json_text(form | {"passed": made.passed, "counts": counts})


def as_text(made: Verification) -> str:
    """Write a verification for reading; the first line answers, the worst parameters come first."""
    return "".join(f"{printable(line)}\n" for line in _lines(made))


def _lines(made: Verification) -> Iterator[str]:
    yield _answer(made)
    yield f"weights  {made.weights}"
    yield f"spec     {made.spec}"
    yield f"stream   {made.stream or 'not known: the distributions were tested'}"
    if made.tests:
        yield (
            f"tests    {made.tests}, which together fail right weights with a probability of at "
            f"most {short(made.alpha)}"
        )
    order = list(Verdict)
    ranked = sorted(made.parameters, key=lambda p: -order.index(p.verdict))
    shown = ranked[:SHOWN]
    wide = max((len(p.name) for p in shown), default=0)
    yield ""
    for parameter in shown:
        yield f"{parameter.verdict.value:10} {parameter.name:{wide}}  {_detail(parameter)}"
    if len(ranked) > SHOWN:
        yield f"{len(ranked) - SHOWN} more are no worse; --format json has every parameter"
    if made.findings:
        yield ""
        yield from _findings(made.findings)


def _answer(made: Verification) -> str:
    counts = made.counts
    known = len(made.parameters) - counts[Verdict.UNEXPECTED]
    failed = counts[Verdict.DIFFERS] + counts[Verdict.MISSING]
    left = counts[Verdict.UNTESTED]
    note = f"; {left} could not be tested" if left else ""
    if failed:
        return f"No: {failed} of {known} parameters do not start where the spec says."
    if made.stream:
        every = "" if left else "all "
        return f"Yes, bit for bit: {every}{known - left} parameters{note}."
    return f"Yes, as far as tests tell: {known - left} parameters follow the spec{note}."


def _detail(parameter: ParameterVerification) -> str:
    shape = " x ".join(map(str, parameter.shape)) or "a single number"
    told = [f"{parameter.role or ''} {shape}".strip()]
    if parameter.bits is not None and parameter.bits.differing:
        told.append(_bits(parameter.bits))
    failed = [check for check in parameter.checks if not check.passed]
    told += [_check(c.name, c.observed, c.expected, c.p_value) for c in failed[:SHOWN_CHECKS]]
    if parameter.checks and not failed:
        least = min(check.p_value for check in parameter.checks)
        told.append(f"least p-value {short(least, 2)}")
    return ", ".join(told)


def _bits(bits: BitComparison) -> str:
    told = f"{bits.differing} of {bits.size} values differ"
    if bits.max_ulp is not None and bits.max_ulp < UNRELATED:
        told += f", by at most {bits.max_ulp} ULP"
        spans = [f"{count} by {_span(low, high)}" for low, high, count in bits.histogram if low]
        if bits.max_ulp > 1:
            told += f" ({listed(spans, SHOWN_SPANS)})"
    if bits.first is not None:
        told += f", first {list(bits.first)}"
        if bits.expected is not None and bits.found is not None:
            told += f": expected {bits.expected!r}, found {bits.found!r}"
    return told


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"


def _check(name: str, observed: float | None, expected: float | None, p: float) -> str:
    told = name
    if observed is not None:
        told += f" {short(observed)}"
    if observed is not None and expected is not None:
        told += f", expected {short(expected)}"
    return f"{told} (p {short(p, 2)})"


def _findings(findings: tuple[Notice, ...]) -> Iterator[str]:
    """Tell each finding once, with the parameters that it is about."""
    told: dict[tuple[str, str], list[str]] = {}
    for notice in findings:
        told.setdefault((notice.code, notice.message), []).append(notice.parameter or "")
    for (code, message), names in told.items():
        about = listed([name for name in names if name], SHOWN_PER_FINDING)
        yield f"[{code}] {about + ': ' if about else ''}{message}"

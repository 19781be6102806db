"""The library's schemes with their usual numbers, and which of them a parameter fits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, fields, replace

import numpy as np

from paddle_init.distributions import Normal, Simple, TruncatedNormal, Uniform
from paddle_init.errors import SchemeError
from paddle_init.identification.matching import Match
from paddle_init.identification.parameters import Subject
from paddle_init.identification.truncated_fitting import cuts_nothing
from paddle_init.schemes import (
    MODES,
    Abacus,
    PaddleFC,
    VarianceScaling,
    constant,
    describe,
    normal,
    truncated_normal,
    uniform,
)
from paddle_init.schemes.base import Scheme, Shape
from paddle_init.statistics.goodness import goodness
from paddle_init.texts import number

PLAUSIBLE = 1e-3
RANGES = (0.2, 1.0, 0.1, 0.5, 0.3, 0.05, 0.02, 0.01, 2.0, 0.4, 0.6, 0.8, 0.15, 0.25, 0.001, 10.0)
GAINS = (
    (1.0, "gain 1"),
    (math.sqrt(2), "gain sqrt(2), He's"),
    (math.sqrt(1 / 3), "gain 1 / sqrt(3), bound 1 / sqrt(fan)"),
    (5 / 3, "gain 5/3, tanh's"),
)
NAMES = {
    ("fan_in", "normal", 1.0): "lecun_normal",
    ("fan_in", "uniform", 1.0): "lecun_uniform",
    ("fan_avg", "normal", 1.0): "xavier_normal",
    ("fan_avg", "uniform", 1.0): "xavier_uniform, Paddle's default for a weight",
    ("fan_in", "normal", math.sqrt(2)): "he_normal",
    ("fan_in", "uniform", math.sqrt(2)): "he_uniform",
}
OR = "; or "
FIXED = (0.02, 0.01, 0.1, 0.05, 1.0, 0.001)


@dataclass(frozen=True)
class Fit:
    """A scheme that a parameter's values do not contradict.

    Parameters
    ----------
    label
        The scheme with its numbers, as prose shows it.
    formula
        With those of the shape put in.
    p_value
        The smallest of its tests.
    exact
        Its std, or bound, is one that gives the found bits from the stream that was found.
    """

    label: str
    formula: str
    drawn: Simple
    p_value: float
    exact: bool


@dataclass(frozen=True)
class Candidate:
    """A scheme to try; the smaller `rank`, the more usual."""

    rank: int
    label: str
    scheme: Scheme
    shape: Shape


def fits(
    subject: Subject, fan_in: int | None, fan_out: int | None, found: Match | None
) -> list[Fit]:
    """Return the schemes that fit, the likeliest first.

    Where a stream was found, only those whose numbers give its bits count. Otherwise they are
    ranked by how usual they are and by how near their scale is.
    """
    ranked: dict[Simple, tuple[float, Fit]] = {}
    for candidate in _candidates(subject, fan_in, fan_out):
        with suppress(SchemeError, ZeroDivisionError):
            drawn = candidate.scheme(candidate.shape)
            formula = candidate.scheme.formula(candidate.shape)
            assert isinstance(drawn, Simple)
            exact = found is not None and _gives(drawn, found)
            if found is not None and not exact:
                continue
            if drawn in ranked:
                penalty, known = ranked[drawn]
                if candidate.label not in known.label.split(OR):
                    label = f"{known.label}{OR}{candidate.label}"
                    ranked[drawn] = penalty, replace(known, label=label)
                continue
            p = 1.0 if exact else _p_value(subject, drawn)
            if p >= PLAUSIBLE:
                fit = Fit(candidate.label, formula, drawn, p, exact)
                ranked[drawn] = _penalty(subject, drawn, candidate.rank), fit
    if found is not None and found.drawn is not None and not ranked:
        return [Fit(describe(found.drawn), "its numbers fit to the bit", found.drawn, 1.0, True)]
    return [fit for _, fit in sorted(ranked.values(), key=lambda pair: pair[0])]


def _candidates(subject: Subject, fan_in: int | None, fan_out: int | None) -> Iterator[Candidate]:
    shape = subject.shape
    if subject.family.name == "constant":
        value = subject.family.mean or 0.0
        usual = {0.0: ", Paddle's default for a bias", 1.0: ", the document's bias in abacus"}
        yield Candidate(
            0, f"constant {number(value)}{usual.get(value, '')}", constant(value), shape
        )
        return
    if len(shape) == 2:
        for rank, scale in enumerate(RANGES):
            label = f"abacus, init_range * global_init_range = {number(scale)}, scale_by_rown"
            yield Candidate(rank, label, Abacus(scale, 1.0, True), shape)
        for rank, scale in enumerate(RANGES):
            yield Candidate(rank, f"paddle_fc({number(scale)})", PaddleFC(scale), shape)
    if fan_in is not None:
        folded = (fan_in + 1, fan_out or 1)
        for rank, scale in enumerate(RANGES):
            if len(shape) == 1:
                label = f"paddle_fc({number(scale)}), a bias"
                yield Candidate(rank, label, PaddleFC(scale, fan_in), shape)
            label = f"abacus, init_range * global_init_range = {number(scale)}, bias row folded in"
            yield Candidate(rank + 4, label, Abacus(scale, 1.0, True), folded)
        yield from _variances(shape, fan_in, fan_out or 1)
    for rank, std in enumerate(dict.fromkeys((*RANGES, *FIXED))):
        label = f"normal, std {number(std)}"
        if len(shape) == 1 or shape[0] == 1:
            label += " (abacus's bias: rown = 1)"
        yield Candidate(rank + 2, label, normal(0, std), shape)
        yield Candidate(rank + 8, f"uniform, bound {number(std)}", uniform(-std, std), shape)
        label = f"truncated_normal, std {number(std)}, cut at -2 and 2, Paddle's default"
        yield Candidate(rank + 8, label, truncated_normal(0, std), shape)


def _variances(shape: Shape, fan_in: int, fan_out: int) -> Iterator[Candidate]:
    for rank, (gain, says) in enumerate(GAINS):
        for step, mode in enumerate(MODES):
            for form in ("normal", "uniform", "truncated_normal"):
                scheme = VarianceScaling(gain, mode, form, fan_in, fan_out)  # type: ignore[arg-type]
                general = f"variance_scaling({mode}, {form}, {says})"
                label = NAMES.get((mode, form, gain), general)
                usual = 1 if (mode, form, gain) in NAMES else 4 + rank + step
                yield Candidate(usual, label, scheme, shape)


def _gives(drawn: Simple, found: Match) -> bool:
    scale, by = found.scale, found.drawn
    if by is None:
        return False
    match drawn, by:
        case Normal(0.0, std), Normal(0.0):
            narrow = scale.single is not None and float(_single(std)) == scale.single
            return narrow or scale.low <= std <= scale.high
        case (Normal(), Normal()) | (Uniform(), Uniform()):
            return _singles(drawn) == _singles(by)
        case TruncatedNormal(), TruncatedNormal():
            if cuts_nothing(drawn) and cuts_nothing(by):
                return _singles(drawn)[:2] == _singles(by)[:2]
            return _singles(drawn) == _singles(by)
    return False


def _singles(drawn: Simple) -> tuple[float, ...]:
    return tuple(_single(getattr(drawn, field.name)) for field in fields(drawn))


def _single(value: float) -> float:
    return float(np.float32(value))


def _p_value(subject: Subject, drawn: Simple) -> float:
    quick = _scale_of(drawn)
    family = subject.family
    if drawn.family != "constant" and drawn.family not in family.plausible:
        return 0.0
    if quick is not None and family.name == drawn.family and family.low and family.high:
        wide = (family.high - family.low) * 1.5
        if not family.low - wide <= quick <= family.high + wide:
            return 0.0
    tests = goodness(subject.array, drawn, subject.dtype)
    return min((test.p_value for test in tests), default=0.0)


def _scale_of(drawn: Simple) -> float | None:
    match drawn:
        case Normal(_, std) | TruncatedNormal(_, std):
            return std
        case Uniform(low, high):
            return (high - low) / 2
    return None


def _penalty(subject: Subject, drawn: Simple, rank: int) -> float:
    own, other = subject.family.scale, _scale_of(drawn)
    if not own or not other or subject.family.name != drawn.family:
        return rank / 4 + (10 if own else 0)
    return rank / 4 + subject.array.size * math.log(other / own) ** 2

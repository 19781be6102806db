"""What every form of a report shows in few words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from paddle_init.distributions import (
    Constant,
    Normal,
    Simple,
    TruncatedNormal,
    Uniform,
    Unknown,
)
from paddle_init.errors import Source
from paddle_init.frameworks.sides import RowsSide, Side
from paddle_init.languages import Message
from paddle_init.parity import form_sentences as say
from paddle_init.parity.records import Comparison, Level, Report, Uncompared
from paddle_init.texts import short

__all__ = [
    "answer",
    "distributions",
    "drawn",
    "formulas",
    "ratio",
    "shape",
    "spread",
    "uncompared",
]

SHOWN_BLOCKS = 8


def answer(report: Report) -> Message:
    """Tell in one sentence of counts and levels whether both sides start from the same place."""
    total = len(report.parameters)
    if not total:
        return say.NOTHING_COMPARED() if report.not_compared else say.NOTHING()
    known = [each for each in report.parameters if each.known]
    counts = Counter(each.level for each in known if each.level >= Level.SCALE)
    unknown = total - len(known)
    if not counts and unknown:
        told = say.DISTRIBUTION_NOT_KNOWN
        if known:
            told = say.OTHERS_ALIKE if report.roles_known else say.OTHERS_ALIKE_AS_WEIGHTS
        return told(unknown=unknown, total=total)
    if not counts:
        if not report.roles_known:
            return (say.ALL_NOT_KNOWN if total > 1 else say.ONE_NOT_KNOWN)(total=total)
        return (say.ALL_SAME if total > 1 else say.ONE_SAME)[report.worst](total=total)
    levels = ", ".join(f"{level} {counts[level]}" for level in sorted(counts, reverse=True))
    apart = {"apart": sum(counts.values()), "total": total, "levels": levels}
    return say.APART_AND_NOT_KNOWN(**apart, unknown=unknown) if unknown else say.APART(**apart)


def distributions(side: Side | None) -> Iterator[Simple]:
    """Yield what a side draws; of many rows what the first kinds draw."""
    if side is None:
        return
    yield from list(dict.fromkeys(map(_distribution, side.blocks or (side,))))[:SHOWN_BLOCKS]


def _distribution(side: Side | RowsSide) -> Simple:
    match side.distribution, side.mean, side.std, side.low, side.high:
        case "normal", float(mean), float(std), _, _:
            return Normal(mean, std)
        case "uniform", _, _, float(low), float(high):
            return Uniform(low, high)
        case "truncated_normal", float(mean), float(std), float(low), float(high):
            return TruncatedNormal(mean, std, low, high)
        case "constant", float(value), _, _, _:
            return Constant(value)
    return Unknown(side.distribution)


def drawn(side: Side | None) -> str:
    """Tell what a side draws: its family where that is not normal, its mean where not 0."""
    if side is None:
        return "-"
    if side.distribution == "constant":
        return say.CONSTANT(value=short(side.mean or 0.0, 4))
    if side.distribution == "blocks":
        return say.BLOCKS()
    if side.distribution == "given":
        return say.FAMILIES["given"]()
    if side.moments is None:
        return say.NOT_KNOWN()
    mean, std = side.moments
    numbers = say.STD(std=short(std, 4))
    if mean:
        numbers = say.MEAN_STD(mean=short(mean, 4), std=short(std, 4))
    if side.distribution == "normal":
        return numbers
    return say.OTHER_FAMILY(family=say.FAMILIES[side.distribution](), numbers=numbers)


def spread(side: Side | None) -> float | None:
    """Return the std of a side's values, 0 of a constant; None where there is no one such."""
    if side is None or side.distribution == "constant":
        return None if side is None else 0.0
    return side.moments and side.moments[1]


def formulas(side: Side) -> Iterator[tuple[str, Source | None]]:
    """Yield a side's formula, or one per run of rows, and where each was written."""
    if side.blocks is None:
        yield side.formula, side.source
    for block in side.blocks or ():
        start, stop = block.rows
        yield say.FORMULA_OF_ROWS(rows=f"[{start}, {stop})", formula=block.formula), block.source


def ratio(comparison: Comparison) -> str:
    return "" if comparison.std_ratio is None else short(comparison.std_ratio)


def shape(parameter: Comparison | Uncompared) -> str:
    return " x ".join(map(str, parameter.shape))


def uncompared(parameter: Uncompared) -> tuple[Message, Message, Source | None]:
    """Return the side that has a parameter, what it draws, and where that was written."""
    side = {"left": say.LEFT, "right": say.RIGHT}[parameter.side]()
    formula = parameter.drawn.formula
    told = say.UNCOMPARED(name=parameter.name, shape=shape(parameter), formula=formula)
    return side, told, parameter.drawn.source

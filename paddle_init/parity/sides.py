"""What one side draws for a parameter, in few words."""

from __future__ import annotations

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
from paddle_init.languages import Sentence
from paddle_init.texts import short

SHOWN_BLOCKS = 8

CONSTANT = Sentence("constant {value}", "常数 {value}")
BLOCKS = Sentence("blocks", "分块")
NOT_KNOWN = Sentence("not known", "无法判定")
STD = Sentence("std {std}", "标准差 {std}")
MEAN_STD = Sentence("mean {mean}, std {std}", "均值 {mean}，标准差 {std}")
OTHER_FAMILY = Sentence("{family}, {numbers}", "{family}，{numbers}")
FAMILIES = {
    "given": Sentence("given values", "给定的值"),
    "uniform": Sentence("uniform", "均匀"),
    "truncated_normal": Sentence("truncated normal", "截断正态"),
}
FORMULA_OF_ROWS = Sentence("rows {rows}: {formula}", "第 {rows} 行：{formula}")


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
        return CONSTANT(value=short(side.mean or 0.0, 4))
    if side.distribution == "blocks":
        return BLOCKS()
    if side.distribution == "given":
        return FAMILIES["given"]()
    if side.moments is None:
        return NOT_KNOWN()
    mean, std = side.moments
    numbers = STD(std=short(std, 4))
    if mean:
        numbers = MEAN_STD(mean=short(mean, 4), std=short(std, 4))
    if side.distribution == "normal":
        return numbers
    return OTHER_FAMILY(family=FAMILIES[side.distribution](), numbers=numbers)


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
        yield FORMULA_OF_ROWS(rows=f"[{start}, {stop})", formula=block.formula), block.source

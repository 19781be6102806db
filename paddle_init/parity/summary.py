"""What every form of a report shows in few words."""

from __future__ import annotations

from collections.abc import Iterator

from paddle_init.errors import Source
from paddle_init.languages import Message
from paddle_init.parity.records import Comparison, Side, Uncompared
from paddle_init.parity.sentences import forms as say
from paddle_init.parity.words import short

__all__ = ["drawn", "formulas", "ratio", "shape", "uncompared"]


def drawn(side: Side | None) -> str:
    """Tell what a side draws: its family where that is not normal, its mean where not 0."""
    if side is None:
        return "-"
    if side.distribution == "constant":
        return say.CONSTANT(value=short(side.mean or 0.0, 4))
    if side.distribution == "blocks":
        return say.BLOCKS()
    if side.moments is None:
        return say.UNKNOWN()
    mean, std = side.moments
    numbers = say.STD(std=short(std, 4))
    if mean:
        numbers = say.MEAN_STD(mean=short(mean, 4), std=short(std, 4))
    if side.distribution == "normal":
        return numbers
    return say.OTHER_FAMILY(family=say.FAMILIES[side.distribution](), numbers=numbers)


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

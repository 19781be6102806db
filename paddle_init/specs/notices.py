"""What is worth a warning in a net spec: one rule for each code, whoever words it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from paddle_init.distributions import (
    Constant,
    Given,
    Normal,
    Simple,
    TruncatedNormal,
    Uniform,
    Unknown,
    narrowed,
)
from paddle_init.dtypes import RANGES, share_of_infinities, vanishes
from paddle_init.errors import Notice
from paddle_init.specs.wording import percent
from paddle_init.texts import short

Finding: TypeAlias = tuple[
    Literal["zero-scale", "underflow", "overflow"],
    Literal["zero", "underflow", "overflow", "overflow-in-float32", "out-of-range"],
    dict[str, str],
]
"""The code of a warning, which case of it this is, and the values that its text has."""


def number_findings(
    drawn: Simple, dtypes: Iterable[str], *, scales_beyond: bool
) -> Iterator[Finding]:
    """Yield where numbers leave nothing to chance, or where a dtype cannot hold what they draw.

    Parameters
    ----------
    scales_beyond
        See `Framework`: a scale that the dtype cannot hold is drawn with all the same.
    """
    if isinstance(drawn, (Constant, Given, Unknown)):
        return
    if drawn.std == 0:
        yield "zero-scale", "zero", {}
    for dtype in dtypes:
        smallest, largest = RANGES[dtype]
        if vanishes(_spread(drawn), dtype):
            yield "underflow", "underflow", {"dtype": dtype, "smallest": short(smallest, 2)}
        if not isinstance(drawn, Normal):
            continue
        if not scales_beyond and isinstance(narrowed(drawn, dtype), Unknown):
            yield "overflow", "out-of-range", {"dtype": dtype, "largest": short(largest)}
        elif share := share_of_infinities(drawn.std, dtype):
            beyond = drawn.std > RANGES["float32"][1]
            values = {"dtype": dtype, "share": percent(share)}
            yield "overflow", "overflow-in-float32" if beyond else "overflow", values


def _spread(drawn: Simple) -> float:
    """Return how far from 0 the values reach, in stds where they have no bound."""
    match drawn:
        case Normal(0.0, std) | TruncatedNormal(0.0, std):
            return std
        case Uniform(low, high):
            return max(-low, high)
    return 0.0


@dataclass(frozen=True)
class BiasRow:
    """A parameter of which a row is its bias: in short, and, were it the only one, as a notice."""

    short: str
    notice: Notice


BIAS_ROW = "bias-row-in-rown"


def summarized(rows: Sequence[BiasRow], together: str) -> Notice:
    """Return the notice of the only one, or one of them all, which says `together`."""
    first = rows[0].notice
    return first if len(rows) == 1 else Notice(BIAS_ROW, together, source=first.source)

"""What a parity report holds; the fields, but for histograms, are its JSON form's keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from functools import total_ordering
from typing import Any, ClassVar, NoReturn

from paddle_init.errors import Notice, Source
from paddle_init.frameworks.sides import Side
from paddle_init.json_values import json_value
from paddle_init.schemes import Shape
from paddle_init.specs import NetSpec
from paddle_init.statistics.histograms import Histogram
from paddle_init.texts import did_you_mean


@total_ordering
class Level(Enum):
    """Ordered from none to worst; ``max`` of two levels is the worse one."""

    IDENTICAL = "identical"
    ROUNDING = "rounding"
    STREAM = "stream"
    SCALE = "scale"
    DISTRIBUTION = "distribution"
    STRUCTURE = "structure"

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        levels = [level.value for level in cls]
        meant = did_you_mean(value, levels)
        raise ValueError(f"{value!r} is no level of parity; allowed: {', '.join(levels)}{meant}")

    @property
    def rank(self) -> int:
        return tuple(Level).index(self)

    def __lt__(self, other: Level) -> bool:
        return self.rank < other.rank if isinstance(other, Level) else NotImplemented

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Drawn:
    """What drawing a parameter on both sides showed.

    `max_ulp` is the largest distance of two elements in ULP, `differing` how many differ.
    """

    level: Level
    max_ulp: int
    differing: int


@dataclass(frozen=True)
class Factor:
    """One cause of a ratio of stds, by its stable code, and what it multiplies the ratio by."""

    code: str
    factor: float


@dataclass(frozen=True)
class Cause:
    """Why rows [start, stop) differ in scale; `rows` is None where all rows differ alike.

    `ratio` is the right's std over the left's; it is the product of the factors.
    """

    rows: tuple[int, int] | None
    ratio: float
    factors: tuple[Factor, ...]


@dataclass(frozen=True)
class Comparison:
    """One parameter, held against its partner.

    Parameters
    ----------
    name
        The left's, or the right's where the left is missing.
    shape
        The left's, or the right's where the left is missing.
    left, right
        Both None at level ``structure``: there is nothing to hold against each other.
    partner
        The right's own name, where it is another.
    known
        False where the distribution of a side, or of some of its rows, is not known. Such a
        parameter is never counted as different; `level` is what a gate takes it for.
    causes
        Why it differs in scale, for each run of rows that differ alike.
    std_ratio
        right's std over left's, of the values themselves: of a truncated normal after the cut.
        None where left's is 0 or one of them has none.
    max_ulp, differing
        From drawn values: the largest distance in ULP, and how many elements differ. None where
        nothing was drawn.
    histograms
        Of the left's and the right's drawn values, where `report` was asked for them and both
        sides have a stream; one is None where no value is finite.
    """

    name: str
    shape: Shape
    role: str
    level: Level
    left: Side | None
    right: Side | None
    std_ratio: float | None
    max_ulp: int | None
    differing: int | None
    explanation: str
    advice: str | None
    partner: str | None = None
    known: bool = True
    causes: tuple[Cause, ...] = ()
    histograms: tuple[Histogram | None, Histogram | None] | None = field(
        default=None, compare=False, repr=False
    )


@dataclass(frozen=True)
class Uncompared:
    """A parameter of no FC layer that only one side has: shown, and held against nothing.

    `side` is "left" or "right".
    """

    name: str
    side: str
    shape: Shape
    drawn: Side


@dataclass(frozen=True)
class Report:
    """Do two sides start from the same place? One comparison per parameter, and warnings.

    `left` and `right` say what each side is; `not_compared` are parameters of other layers than
    fully connected ones, such as a LayerNorm's, that only one side has. Where not `roles_known`,
    nothing says which parameters are biases, which the two sides' rules treat differently.
    """

    left: str
    right: str
    parameters: tuple[Comparison, ...]
    warnings: tuple[Notice, ...] = ()
    not_compared: tuple[Uncompared, ...] = ()
    roles_known: bool = True
    schema: ClassVar[int] = 1

    @property
    def counts(self) -> dict[Level, int]:
        """Number of parameters at every level, from none to worst."""
        found = Counter(parameter.level for parameter in self.parameters)
        return {level: found[level] for level in Level}

    @property
    def not_known(self) -> int:
        """Number of parameters of which a side's distribution is not known."""
        return sum(not parameter.known for parameter in self.parameters)

    @property
    def worst(self) -> Level:
        """The worst level of all parameters; ``identical`` where there are none."""
        return max((parameter.level for parameter in self.parameters), default=Level.IDENTICAL)

    def to_dict(self) -> dict[str, Any]:
        """Return the dicts, lists and plain values of the JSON form; its `schema` is kept stable.

        Floats are the same doubles; inf and nan are None.
        """
        return {
            "schema": self.schema,
            "left": self.left,
            "right": self.right,
            "parameters": list(map(_form, self.parameters)),
            "not_compared": list(map(_form, self.not_compared)),
            "warnings": [
                {name: getattr(notice, name) for name in ("code", "message", "parameter")}
                for notice in self.warnings
            ],
            "summary": {
                "counts": {str(level): count for level, count in self.counts.items()},
                "worst": str(self.worst),
                "not_known": self.not_known,
            },
        }


def _form(record: Any) -> Any:
    """Return the JSON form of a record; histograms are for pages alone."""
    if isinstance(record, Source):
        return {"file": record.file, "line": record.line}
    if is_dataclass(record):
        names = (each.name for each in fields(record) if each.name != "histograms")
        return {name: _form(getattr(record, name)) for name in names}
    return list(map(_form, record)) if isinstance(record, tuple) else json_value(record)


def places(*specs: NetSpec) -> dict[str, Source]:
    """Return where every tensor is written, by name; of two specs that have it the first counts."""
    found: dict[str, Source] = {}
    for spec in specs:
        for tensor in spec.tensors:
            source = tensor.source or spec.draw_by_name[tensor.blocks[0].draw].source
            if source:
                found.setdefault(tensor.name, source)
    return found


def place(comparison: Comparison, known: Mapping[str, Source]) -> Source | None:
    """Return where a parameter is written: by its own sides, else as `known`.

    A parameter without a partner has no sides in a report; its spec still knows its line.
    """
    sides = (side for side in (comparison.left, comparison.right) if side and side.source)
    return next((side.source for side in sides), known.get(comparison.name))

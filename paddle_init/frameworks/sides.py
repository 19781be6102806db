"""One side of a report: what its spec holds for a tensor, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from paddle_init.distributions import (
    Blocks,
    Distribution,
    Simple,
    TruncatedNormal,
    Unknown,
    by_chance,
)
from paddle_init.errors import Source
from paddle_init.frameworks.base import Framework
from paddle_init.frameworks.registry import framework_of
from paddle_init.languages import Sentence, joined, listed
from paddle_init.specs import Draw, NetSpec, Tensor
from paddle_init.specs.frameworks import framework_facts
from paddle_init.statistics.moments import truncated_moments
from paddle_init.texts import number

SEVERAL = Sentence("{a}; {b}", "{a}；{b}")
THEN_SET = Sentence("then {count} elements are set to {value}", "然后把 {count} 个元素设为 {value}")
NO_PARAMETERS = Sentence("no parameters", "无")


@dataclass(frozen=True)
class RowsSide:
    """What rows [start, stop) of a blockwise tensor hold on one side; see `Side`."""

    rows: tuple[int, int]
    distribution: str
    mean: float | None
    std: float | None
    low: float | None
    high: float | None
    formula: str
    source: Source | None = field(compare=False)


@dataclass(frozen=True)
class Side:
    """What one side draws for a parameter.

    Parameters
    ----------
    distribution
        "normal", "uniform", "truncated_normal", "constant", "blocks" or "unknown".
    mean, std, low, high
        The distribution's own parameters as the scheme's doubles, not rounded to any dtype; None
        where the number has no meaning. Those of a truncated normal are the mean and the std of
        the normal before it is cut; `moments` has what the cut leaves.
    blocks
        The row blocks from the first row down, where the rows differ; else None.
    formula
        The rule with the numbers put in.
    source
        Where the parameter was written, or None.
    engine
        The random engine that draws it, or None where nothing is drawn or no engine is known.
    """

    distribution: str
    mean: float | None
    std: float | None
    low: float | None
    high: float | None
    blocks: tuple[RowsSide, ...] | None
    formula: str
    source: Source | None = field(compare=False)
    engine: str | None

    @property
    def moments(self) -> tuple[float, float] | None:
        """The mean and the std of the values themselves; None where there is no one such."""
        if self.mean is None or self.std is None:
            return None
        if self.distribution != TruncatedNormal.family:
            return self.mean, self.std
        assert self.low is not None
        assert self.high is not None
        return truncated_moments(TruncatedNormal(self.mean, self.std, self.low, self.high))


@dataclass(frozen=True)
class Rows:
    """Rows [start, stop) of a tensor, all from one draw.

    Parameters
    ----------
    drawn
        The scheme's distribution, not rounded to any dtype.
    folded
        The draw holds a weight and its bias row in one.
    alone
        No other draw fills rows of the tensor.
    """

    start: int
    stop: int
    draw: Draw
    drawn: Simple
    folded: bool
    alone: bool


@dataclass(frozen=True)
class View:
    """A spec as one side of a report, which prose calls `name` and places `where`."""

    spec: NetSpec
    name: str
    where: str

    @cached_property
    def folded(self) -> frozenset[str]:
        """The draws that fill rows of a weight and of a bias."""
        return frozenset(draw for draw, found in self._spans.items() if len(found) > 1)

    @cached_property
    def _spans(self) -> dict[str, dict[str, set[tuple[int, int]]]]:
        """The rows of every draw that tensors of each role take."""
        found: dict[str, dict[str, set[tuple[int, int]]]] = {}
        for tensor in self.spec.tensors:
            for block in tensor.blocks:
                spans = found.setdefault(block.draw, {}).setdefault(tensor.role, set())
                spans.add((block.start, block.stop))
        return found

    def bias_rows(self, draw: Draw) -> int:
        """Return how many rows of a draw that fills a weight too are a bias's."""
        found = self._spans[draw.name]
        if not {"weight", "bias"} <= found.keys():
            return 0
        rows = sum(stop - start for start, stop in found["bias"])
        return rows if rows < draw.shape[0] else 0

    def in_blocks(self, draw: Draw) -> bool:
        """Tell whether a draw fills a part of a weight that other draws fill with it."""
        return draw.name in self._stacked

    @cached_property
    def _stacked(self) -> frozenset[str]:
        stacks = (tensor.blocks for tensor in self.spec.tensors if len(tensor.blocks) > 1)
        return frozenset(block.draw for blocks in stacks for block in blocks)

    @cached_property
    def framework(self) -> Framework:
        return framework_of(self.spec)

    @property
    def engine(self) -> str | None:
        """The engine that draws; None for the system that draws with a library of its own."""
        stream = self.spec.stream
        return self.framework.engine if stream is None else stream.engine

    @cached_property
    def names(self) -> str:
        """The first few of its tensors' names, for prose."""
        return listed(list(self.spec.tensor_by_name)) or NO_PARAMETERS()

    def rows(self, tensor: Tensor) -> tuple[Rows, ...]:
        """Return the rows of `tensor` from the first down, block by block."""
        return self._rows[tensor.name]

    @cached_property
    def _rows(self) -> dict[str, tuple[Rows, ...]]:
        return {tensor.name: tuple(self._blocks(tensor)) for tensor in self.spec.tensors}

    def _blocks(self, tensor: Tensor) -> Iterator[Rows]:
        start = 0
        alone = len(tensor.blocks) == 1
        for block in tensor.blocks:
            draw = self.spec.draw_by_name[block.draw]
            # A 1-D bias takes one row of a 2-D draw and has as many rows as that has values.
            is_row = len(draw.shape) != len(tensor.shape)
            stop = start + (tensor.shape[0] if is_row else block.rows)
            if stop > start:
                drawn = self.spec.drawn_rows(block)
                yield Rows(start, stop, draw, drawn, block.draw in self.folded, alone)
            start = stop

    def knows(self, tensor: Tensor) -> bool:
        """Tell whether the distribution of every row is known."""
        return not any(isinstance(rows.drawn, Unknown) for rows in self.rows(tensor))

    def formula(self, rows: Rows) -> str:
        return rows.draw.scheme.formula(rows.draw.shape, self.spec.arithmetic)

    def side(self, tensor: Tensor) -> Side:
        """Return the record of what this side draws for `tensor`."""
        distribution = self.spec.distribution(tensor)
        rows = self.rows(tensor)
        formulas = dict.fromkeys(map(self.formula, rows))
        if isinstance(distribution, Blocks):
            blocks = tuple(self._rows_side(part) for part in rows)
            formula = "; ".join(f"rows {_span(part)}: {self.formula(part)}" for part in rows)
        else:
            blocks, formula = None, joined(SEVERAL, formulas) if formulas else ""
        for each in tensor.overwritten:
            message = THEN_SET(count=each.count, value=number(each.value))
            formula = joined(SEVERAL, [formula, message])
        source = tensor.source or next((part.draw.source for part in rows), None)
        chance = any(by_chance(part.drawn) for part in rows)
        engine = self.engine if chance else None
        return Side(distribution.family, *_numbers(distribution), blocks, formula, source, engine)

    def _rows_side(self, rows: Rows) -> RowsSide:
        span = (rows.start, rows.stop)
        distribution, source = rows.drawn, rows.draw.source
        return RowsSide(
            span, distribution.family, *_numbers(distribution), self.formula(rows), source
        )


def view_by_framework(spec: NetSpec) -> View:
    """Return a view that prose names by the spec's framework."""
    facts = framework_facts(spec.framework)
    return View(spec, facts.label(), facts.place())


def aligned(left: tuple[Rows, ...], right: tuple[Rows, ...]) -> Iterator[tuple[Rows, Rows]]:
    """Pair the draws that meet in each run of rows; both sides have the same number of rows."""
    ahead, behind = iter(left), iter(right)
    a, b = next(ahead, None), next(behind, None)
    while a and b:
        yield a, b
        end = min(a.stop, b.stop)
        a, b = (
            next(ahead, None) if a.stop == end else a,
            next(behind, None) if b.stop == end else b,
        )


def _span(rows: Rows) -> str:
    return f"[{rows.start}, {rows.stop})"


def _numbers(
    distribution: Distribution,
) -> tuple[float | None, float | None, float | None, float | None]:
    mean, std, low, high = (
        getattr(distribution, name, None) for name in ("mean", "std", "low", "high")
    )
    return mean, std, low, high

"""One side of a report: what its spec holds for a tensor, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from paddle_init.distributions import Blocks, Distribution, Simple, Unknown, by_chance
from paddle_init.languages import joined, listed
from paddle_init.parity import sentences as partners
from paddle_init.parity import sentences as say
from paddle_init.parity.records import RowsSide, Side
from paddle_init.specs import Draw, NetSpec, Tensor, default_engine
from paddle_init.texts import number

__all__ = ["Rows", "View", "aligned", "view_by_framework"]


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

    @property
    def engine(self) -> str | None:
        """The engine that draws; None for the system that draws with a library of its own."""
        stream, spec = self.spec.stream, self.spec
        if stream is not None:
            return stream.engine
        own_library = spec.framework == "abacus" and spec.arithmetic == "float32"
        return None if own_library else default_engine(spec.framework)

    @cached_property
    def names(self) -> str:
        """The first few of its tensors' names, for prose."""
        return listed(list(self.spec.tensor_by_name)) or partners.NO_PARAMETERS()

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
        held = self.spec.distribution(tensor)
        rows = self.rows(tensor)
        formulas = dict.fromkeys(map(self.formula, rows))
        if isinstance(held, Blocks):
            blocks = tuple(self._rows_side(part) for part in rows)
            formula = "; ".join(f"rows {_span(part)}: {self.formula(part)}" for part in rows)
        else:
            blocks, formula = None, joined(say.SEVERAL, formulas) if formulas else ""
        for each in tensor.overwritten:
            told = say.THEN_SET(count=each.count, value=number(each.value))
            formula = joined(say.SEVERAL, [formula, told])
        source = tensor.source or next((part.draw.source for part in rows), None)
        chance = any(by_chance(part.drawn) for part in rows)
        engine = self.engine if chance else None
        return Side(held.family, *_numbers(held), blocks, formula, source, engine)

    def _rows_side(self, rows: Rows) -> RowsSide:
        span = (rows.start, rows.stop)
        held, source = rows.drawn, rows.draw.source
        return RowsSide(span, held.family, *_numbers(held), self.formula(rows), source)


def view_by_framework(spec: NetSpec) -> View:
    """Return a view that prose names by the spec's framework."""
    if spec.framework == "abacus":
        return View(spec, say.ABACUS(), say.IN_ABACUS())
    return View(spec, say.PADDLE(), say.IN_PADDLE())


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
    held: Distribution,
) -> tuple[float | None, float | None, float | None, float | None]:
    mean, std, low, high = (getattr(held, name, None) for name in ("mean", "std", "low", "high"))
    return mean, std, low, high

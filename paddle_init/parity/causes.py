"""Why two stds differ, where both rules are a factor over the square root of a count."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from paddle_init.parity.pairs import Pair
from paddle_init.parity.sides import Rows, View
from paddle_init.parity.words import times
from paddle_init.schemes import Abacus, PaddleFC, fans
from paddle_init.schemes.base import number

__all__ = ["causes"]


@dataclass(frozen=True)
class _Rule:
    """std = range / sqrt(count), or the range alone where `count` is None."""

    view: View
    range: float
    range_text: str
    count: int | None
    count_name: str

    @property
    def name(self) -> str:
        return self.view.name

    @property
    def root(self) -> str:
        return f"sqrt({self.count_name}) = sqrt({self.count})"


def causes(pair: Pair, ratio: float) -> list[str]:
    """Return the reasons as clauses that can follow "because"; none where a rule is not ours.

    A reason is given where `ratio`, the right's std over the left's in [0, inf], would read
    otherwise without it.
    """
    left = _rule(pair.left, pair.left_rows)
    right = _rule(pair.right, pair.right_rows)
    if left is None or right is None:
        return []
    if ratio in (0, math.inf):
        return [_ranges(left, right)] if left.range != right.range else []
    told = []
    if times(ratio) != times(ratio * (left.range / right.range)):
        told.append(_ranges(left, right))
    if times(ratio) != times(ratio * math.sqrt((right.count or 1) / (left.count or 1))):
        told.append(_counts(pair, left, right))
    return told


def _rule(view: View, rows: Rows) -> _Rule | None:
    scheme, shape = rows.draw.scheme, rows.draw.shape
    if isinstance(scheme, Abacus):
        product = replace(scheme, scale_by_rown=False).scale(1, view.spec.arithmetic)
        numbers = f"{number(scheme.init_range)} * {number(scheme.global_init_range)}"
        text = f"init_range * global_init_range = {numbers} = {number(product)}"
        return _Rule(view, product, text, shape[0] if scheme.scale_by_rown else None, "rown")
    if isinstance(scheme, PaddleFC):
        fan_in, _ = fans(scheme.kind, shape, scheme.fan_in, 1)
        text = f"init_range = {number(scheme.init_range)}"
        return _Rule(view, scheme.init_range, text, fan_in, "fan_in")
    return None


def _ranges(left: _Rule, right: _Rule) -> str:
    return f"{left.name} has {left.range_text}, {right.name} {right.range_text}"


def _counts(pair: Pair, left: _Rule, right: _Rule) -> str:
    if left.count is None or right.count is None:
        plain, divided = (left, right) if left.count is None else (right, left)
        reason = f"{plain.name} does not divide by sqrt(rown) (scale_by_rown is false)"
        return f"{reason}, while {divided.name} divides by {divided.root}"
    if {left.count_name, right.count_name} != {"rown", "fan_in"}:
        return f"{left.name} divides by {left.root}, {right.name} by {right.root}"
    rown, fan_in = (left, right) if left.count_name == "rown" else (right, left)
    rows = pair.left_rows if rown is left else pair.right_rows
    tower = f"{fan_in.name} divides init_range by {fan_in.root}"
    if rows.folded:
        return (
            f"rown = {rown.count} {rown.view.where} counts the bias row that is folded into the "
            f"weight, fan_in = {fan_in.count} {fan_in.view.where} does not"
        )
    if pair.role == "bias" and rown.count == 1:
        return f"{rown.name} treats the bias as a parameter with rown = 1, while {tower}"
    own = "" if rows.alone else "these rows' own "
    return f"{rown.name} divides by {own}{rown.root}, while {tower}"

"""Why two stds differ, where both rules are a factor over the square root of a count."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from paddle_init.languages import Message
from paddle_init.parity.pairs import Pair
from paddle_init.parity.sentences import explanations as say
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


def causes(pair: Pair, ratio: float) -> list[Message]:
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


def _ranges(left: _Rule, right: _Rule) -> Message:
    return say.OTHER_RANGES(
        left=left.name, left_text=left.range_text, right=right.name, right_text=right.range_text
    )


def _counts(pair: Pair, left: _Rule, right: _Rule) -> Message:
    if left.count is None or right.count is None:
        plain, divided = (left, right) if left.count is None else (right, left)
        return say.UNDIVIDED(plain=plain.name, divided=divided.name, root=divided.root)
    if {left.count_name, right.count_name} != {"rown", "fan_in"}:
        return say.OTHER_ROOTS(
            left=left.name, left_root=left.root, right=right.name, right_root=right.root
        )
    rown, fan_in = (left, right) if left.count_name == "rown" else (right, left)
    rows = pair.left_rows if rown is left else pair.right_rows
    if rows.folded:
        return say.FOLDED_ROW(
            rown=rown.count,
            rown_place=rown.view.where,
            fan_in=fan_in.count,
            fan_in_place=fan_in.view.where,
        )
    sentence = say.OTHER_COUNTS if rows.alone else say.OWN_ROWS
    if pair.role == "bias" and rown.count == 1:
        sentence = say.BIAS_ALONE
    return sentence(rown=rown.name, rown_root=rown.root, fan_in=fan_in.name, root=fan_in.root)

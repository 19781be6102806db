"""Why two stds differ: their ratio as a product of factors, each a fact about the two rules."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from paddle_init.distributions import Simple
from paddle_init.errors import SchemeError
from paddle_init.frameworks.sides import Rows, View
from paddle_init.parity.judging import Pair
from paddle_init.parity.records import Cause, Factor, Level
from paddle_init.schemes import Abacus, ConstantVariance, PaddleFC, Scheme, Shape, fans
from paddle_init.schemes.variance import VarianceScaling
from paddle_init.specs import Tensor
from paddle_init.statistics.moments import moments

RANGE = "range"
UNDIVIDED = "undivided"
BIAS_ROWN = "bias-rown"
BIAS_ROW = "bias-row"
OWN_ROWS = "own-rows"
FAN = "fan"
COUNT = "count"
ARITHMETIC = "float32-arithmetic"
MEAN = "mean"
CUTOFFS = "cutoffs"
ROUNDED = "rounded-numbers"
UNEXPLAINED = "unexplained"

# Numbers computed in another order differ by a few roundings of a double.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Rule:
    """A side's std as a product of terms by code, over sqrt(fan_in) of the layer.

    The first term is the range; each further one is a way in which the rule departs from
    range / sqrt(fan_in). `count` is what the rule divides by the root of, None where it divides
    by nothing; `mode` names that count.
    """

    scheme: Scheme
    terms: Mapping[str, float]
    count: float | None
    mode: str
    bias_rows: int = 0


Rules: TypeAlias = tuple[Rule | None, Rule | None]
"""Of the left and of the right; None where a side's is not known."""


def causes(pairs: Iterable[Pair]) -> tuple[Cause, ...]:
    """Return why the rows that differ in scale do, one cause for each run that differs alike.

    Rows whose left std is 0 have no ratio, and no cause.
    """
    found: list[Cause] = []
    rows = 0
    for pair in pairs:
        rows = max(rows, pair.stop)
        here = cause(pair) if pair.level is Level.SCALE else None
        if here is None or here.rows is None:
            continue
        last = found[-1] if found else None
        if last and last.rows and last.rows[1] == pair.start and _alike(last, here):
            found[-1] = replace(last, rows=(last.rows[0], pair.stop))
        else:
            found.append(here)
    if len(found) == 1 and found[0].rows == (0, rows):
        return (replace(found[0], rows=None),)
    return tuple(found)


def cause(pair: Pair, known: Rules | None = None) -> Cause | None:
    """Return why the stds of two runs of rows differ; None where there is no finite ratio.

    `known` are their `rules`, where these were asked for already.
    """
    stds = [_std(rows.drawn) for rows in (pair.left_rows, pair.right_rows)]
    left, right = stds
    if left is None or right is None or left == 0 or not math.isfinite(right / left):
        return None
    ratio = right / left
    found = list(_factors(*(known or rules(pair)), ratio))
    found += [Factor(code, 1.0) for code in _beside(pair, bool(found))]
    return Cause((pair.start, pair.stop), ratio, tuple(found))


def rules(pair: Pair) -> Rules:
    """Return both sides' rules; None where a side's is not known, as of a number in a net."""
    sides = ((pair.left, pair.left_rows), (pair.right, pair.right_rows))
    known = (_fan_in(view, view.spec.tensor_by_name[pair.tensor.name]) for view, _ in sides)
    fan_in = next((each for each in known if each is not None), None)
    left, right = (_rule(view, rows, pair.role, fan_in) for view, rows in sides)
    return left, right


def _alike(one: Cause, other: Cause) -> bool:
    return (one.ratio, one.factors) == (other.ratio, other.factors)


def _std(drawn: Simple) -> float | None:
    found = moments(drawn)
    return None if found is None else found[1]


def _factors(left: Rule | None, right: Rule | None, ratio: float) -> Iterator[Factor]:
    found: dict[str, float] = {}
    if left is not None and right is not None:
        # Of two rules that divide by one number, neither count is a cause.
        counted = (left.count or 1) != (right.count or 1)
        for code in dict.fromkeys((*left.terms, *right.terms)):
            here, there = left.terms.get(code, 1.0), right.terms.get(code, 1.0)
            if counted or code in (RANGE, ARITHMETIC):
                found[code] = there / here if here else math.inf
    found = {code: each for code, each in found.items() if not _one(each)}
    product = math.prod(found.values())
    if not math.isfinite(product) or (product == 0) != (ratio == 0):
        found, product = {}, 1.0
    yield from (Factor(code, each) for code, each in found.items())
    rest = ratio / product if product else 1.0
    if not _one(rest):
        yield Factor(UNEXPLAINED, rest)


def _one(factor: float) -> bool:
    return abs(factor - 1) <= ROUNDING


def _beside(pair: Pair, explained: bool) -> Iterator[str]:
    """Yield what else differs, and leaves the ratio of the stds as it is."""
    left, right = pair.left_rows.drawn, pair.right_rows.drawn
    here, there = moments(left), moments(right)
    if here and there and here[0] != there[0]:
        yield MEAN
    elif not explained:
        yield ROUNDED if left == right else CUTOFFS


def _fan_in(view: View, tensor: Tensor) -> int | None:
    """Return the fan_in of the layer that a tensor is of; None where nothing says it."""
    if tensor.role == "bias":
        owner = view.spec.weight_by_bias.get(tensor.name)
        if owner is None:
            return None
        tensor = view.spec.tensor_by_name[owner]
    try:
        found, _ = fans("fan_in", tensor.shape)
    except SchemeError:
        return None
    return found or None


def _rule(view: View, rows: Rows, role: str, fan_in: int | None) -> Rule | None:
    scheme, shape = rows.draw.scheme, rows.draw.shape
    if (inner := getattr(scheme, "turned", None)) is not None:
        scheme, shape = inner, shape[::-1]
    match scheme:
        case Abacus():
            terms = {RANGE: scheme.init_range * scheme.global_init_range}
            terms |= _rown(view, rows, role, fan_in)
            count = shape[0] if scheme.scale_by_rown else None
            rule = Rule(scheme, terms, count, "rown", view.bias_rows(rows.draw))
        case PaddleFC() | ConstantVariance() | VarianceScaling():
            value = scheme.init_range if isinstance(scheme, PaddleFC) else scheme.gain
            mode = scheme.mode if isinstance(scheme, VarianceScaling) else "fan_in"
            fan = _fan(scheme, shape)
            terms = {RANGE: value, FAN: math.sqrt((fan_in or 1) / fan)}
            rule = Rule(scheme, terms, fan, mode)
        case _:
            return None
    by_rule = math.prod(terms.values()) / math.sqrt(fan_in or 1)
    std = _std(rows.drawn)
    in_float32 = isinstance(scheme, Abacus) and view.spec.arithmetic == "float32"
    if in_float32 and std is not None and by_rule:
        return replace(rule, terms={**terms, ARITHMETIC: std / by_rule})
    return rule


def _rown(view: View, rows: Rows, role: str, fan_in: int | None) -> dict[str, float]:
    """Return how the count that abacus divides by departs from fan_in, as terms of the std."""
    draw, base = rows.draw, fan_in or 1
    assert isinstance(draw.scheme, Abacus)
    if not draw.scheme.scale_by_rown:
        return {UNDIVIDED: math.sqrt(base)}
    rown = draw.shape[0]
    if role == "bias" and rown == 1:
        return {BIAS_ROWN: math.sqrt(base)}
    own = rown - view.bias_rows(draw)
    code = OWN_ROWS if view.in_blocks(draw) else COUNT
    return {BIAS_ROW: math.sqrt(own / rown), code: math.sqrt(base / own)}


def _fan(scheme: PaddleFC | ConstantVariance | VarianceScaling, shape: Shape) -> float:
    if isinstance(scheme, VarianceScaling):
        return scheme.count(shape)
    found, _ = fans(scheme.kind, shape, scheme.fan_in, 1)
    return found

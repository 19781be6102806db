"""The causes of a ratio of stds, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from paddle_init.languages import Message
from paddle_init.parity import causes as codes
from paddle_init.parity.causes import Rule, cause, rules
from paddle_init.parity.pairs import Pair
from paddle_init.parity.records import Cause, Factor
from paddle_init.parity.sentences import explanations as say
from paddle_init.parity.sides import View
from paddle_init.parity.words import apart, times
from paddle_init.schemes import Abacus, ConstantVariance, PaddleFC
from paddle_init.schemes.base import number
from paddle_init.schemes.variance import VarianceScaling

__all__ = ["reasons"]

ROOTS = (codes.UNDIVIDED, codes.BIAS_ROWN, codes.OWN_ROWS, codes.COUNT, codes.FAN)


def reasons(pair: Pair) -> tuple[list[Message], list[Message], list[Message]]:
    """Return the causes in words.

    Clauses that can follow "because", those that work against them, and a sentence on the factor
    that no rule explains, if there is one that shows. A clause is given where the ratio would read
    otherwise without it.
    """
    left, right = known = rules(pair)
    made = cause(pair, known)
    rest = [*_unexplained(made, stated=None in known)]
    if left is None or right is None:
        return [], [], rest
    if made is None or made.ratio == 0:
        differ = left.terms[codes.RANGE] != right.terms[codes.RANGE]
        return ([_ranges(pair, left, right)] if differ else []), [], rest
    with_it: list[Message] = []
    against: list[Message] = []
    for factor, said in _said(made.factors, pair, left, right):
        if times(made.ratio) != times(made.ratio / factor):
            same_way = (factor > 1) == (made.ratio > 1)
            (with_it if same_way else against).append(said)
    return with_it, against, rest


def _said(
    factors: Sequence[Factor], pair: Pair, left: Rule, right: Rule
) -> Iterator[tuple[float, Message]]:
    """Yield what causes come to, with their clauses.

    A clause on the roots states what both sides divide by: the whole of it, and so it is one.
    """
    roots = [each for each in factors if each.code in ROOTS]
    whole = math.prod(each.factor for each in factors if each.code in (*ROOTS, codes.BIAS_ROW))
    clauses = (_in_words(each.code, pair, left, right) for each in sorted(roots, key=_is_fan))
    of_roots = next((clause for clause in clauses if clause is not None), None)
    for each in factors:
        if each.code not in ROOTS:
            if (clause := _in_words(each.code, pair, left, right)) is not None:
                yield each.factor, clause
        elif each is roots[0] and of_roots is not None:
            yield whole, of_roots


def _is_fan(factor: Factor) -> bool:
    return factor.code == codes.FAN


def _unexplained(made: Cause | None, *, stated: bool) -> Iterator[Message]:
    for each in made.factors if made else ():
        if each.code == codes.UNEXPLAINED and _shows(each):
            sentence = say.NO_RULE if stated else say.UNEXPLAINED
            yield sentence(factor=apart(1.0, each.factor)[1])


def _shows(factor: Factor) -> bool:
    return factor.factor == 0 or times(factor.factor) != times(1.0)


def _in_words(code: str, pair: Pair, left: Rule, right: Rule) -> Message | None:
    sides = ((pair.left, left, right, pair.right), (pair.right, right, left, pair.left))
    match code:
        case codes.RANGE:
            return _ranges(pair, left, right)
        case codes.UNDIVIDED:
            for view, own, other, there in sides:
                if own.count is None:
                    return say.UNDIVIDED(plain=view.name, divided=there.name, root=_root(other))
        case codes.BIAS_ROW:
            for view, own, other, there in sides:
                if own.bias_rows and not other.bias_rows:
                    return _bias_row(view, own, there, other)
        case codes.BIAS_ROWN | codes.OWN_ROWS | codes.COUNT:
            sentence = {codes.BIAS_ROWN: say.BIAS_ALONE, codes.OWN_ROWS: say.OWN_ROWS}.get(code)
            for view, own, other, there in sides:
                if code in own.terms and isinstance(other.scheme, PaddleFC):
                    return (sentence or say.OTHER_COUNTS)(
                        rown=view.name, rown_root=_root(own), fan_in=there.name, root=_root(other)
                    )
        case codes.ARITHMETIC:
            names = [v.name for v, own, *_ in sides if codes.ARITHMETIC in own.terms]
            return say.FLOAT32_SCALE(side=names[0])
        case codes.FAN:
            pass
        case _:
            return None
    if left.count is None or right.count is None:
        return None
    return say.OTHER_ROOTS(
        left=pair.left.name,
        left_root=_root(left),
        right=pair.right.name,
        right_root=_root(right),
    )


def _bias_row(view: View, own: Rule, there: View, other: Rule) -> Message:
    counted = {"rown": number(own.count or 1), "rown_place": view.where}
    if other.mode != "fan_in" or other.count is None:
        return say.COUNTED_ROW(**counted)
    return say.FOLDED_ROW(**counted, fan_in=number(other.count), fan_in_place=there.where)


def _root(rule: Rule) -> str:
    return f"sqrt({rule.mode}) = sqrt({number(rule.count or math.nan)})"


def _ranges(pair: Pair, left: Rule, right: Rule) -> Message:
    return say.OTHER_RANGES(
        left=pair.left.name,
        left_text=_range(pair.left, left),
        right=pair.right.name,
        right_text=_range(pair.right, right),
    )


def _range(view: View, rule: Rule) -> str:
    match rule.scheme:
        case Abacus(init_range, global_init_range):
            product = Abacus(init_range, global_init_range, False).scale(1, view.spec.arithmetic)
            numbers = f"{number(init_range)} * {number(global_init_range)}"
            return f"init_range * global_init_range = {numbers} = {number(product)}"
        case PaddleFC(init_range):
            return f"init_range = {number(init_range)}"
        case ConstantVariance() as scheme:
            return f"gain({scheme.activation}) = {number(scheme.gain)}"
        case VarianceScaling(gain):
            return f"gain = {number(gain)}"
    raise TypeError(f"{rule.scheme!r} is no rule")

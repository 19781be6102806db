"""What a comparison means, in plain words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from paddle_init.distributions import Constant, Given, Normal, Simple, TruncatedNormal, Unknown
from paddle_init.extremes import share_of_infinities
from paddle_init.languages import Message, joined
from paddle_init.parity.hints import hints
from paddle_init.parity.judging import near, point
from paddle_init.parity.levels import Level
from paddle_init.parity.moments import moments
from paddle_init.parity.pairs import Pair
from paddle_init.parity.precision import EPS
from paddle_init.parity.reasons import reasons
from paddle_init.parity.records import Drawn
from paddle_init.parity.sentences import explanations as say
from paddle_init.parity.sides import Rows, View
from paddle_init.parity.words import apart, brief, percent, short, times
from paddle_init.schemes import describe
from paddle_init.specs import NetSpec

__all__ = ["explain"]

SHOWN_BLOCKS = 4


def explain(pairs: Sequence[Pair], seen: Drawn | None = None) -> str:
    """Explain a tensor's level; rows that differ from others have a line of their own.

    Where both sides were drawn, what was `seen` is told instead.
    """
    if seen is not None:
        return _seen(pairs, seen)
    spans: dict[str, tuple[Level, list[str]]] = {}
    for pair in pairs:
        _, rows = spans.setdefault(_explain(pair), (pair.level, []))
        rows.append(f"[{pair.start}, {pair.stop})")
    if len(spans) == 1:
        return next(iter(spans))
    worst = sorted(spans.items(), key=lambda item: item[1][0], reverse=True)[:SHOWN_BLOCKS]
    told: list[str] = [
        say.ROWS(rows=", ".join(rows), sentence=sentence) for sentence, (_, rows) in worst
    ]
    if len(spans) > SHOWN_BLOCKS:
        told.append(say.MORE_ROWS(more=len(spans) - SHOWN_BLOCKS))
    return joined(say.NEXT_LINE, told) if told else say.NO_ELEMENTS()


def _seen(pairs: Sequence[Pair], seen: Drawn) -> str:
    first = pairs[0]
    if seen.level is Level.IDENTICAL:
        return say.SAME_BITS()
    if seen.level is Level.ROUNDING:
        if not seen.differing:
            return say.SAME_DRAWS_IN(dtype=first.dtype)
        return say.SAME_DRAWS(
            differing=seen.differing, max_ulp=seen.max_ulp, why=_arithmetics(first)
        )
    reason = say.OTHER_SEEDING()
    if first.left.engine != first.right.engine:
        reason = _engines(first.left, first.right)
    drawn = dict.fromkeys(brief(pair.left_drawn) for pair in pairs)
    return say.OTHER_VALUES(drawn=joined(say.AND, drawn), reason=reason)


def _arithmetics(pair: Pair) -> Message:
    left, right = _arithmetic(pair.left.spec), _arithmetic(pair.right.spec)
    if left == right:
        return say.BY_ROUNDING()
    return say.WHILE(left=pair.left.name, left_does=left, right=pair.right.name, right_does=right)


def _arithmetic(spec: NetSpec) -> Message:
    if spec.framework == "paddle":
        return say.IN_FLOAT32()
    return say.IN_DOUBLE() if spec.arithmetic == "float64" else say.SCALE_IN_FLOAT32()


def _engines(left: View, right: View) -> Message:
    return say.TWO_ENGINES(
        left=left.name, left_engine=left.engine, right=right.name, right_engine=right.engine
    )


def _explain(pair: Pair) -> str:
    sentence = {
        Level.IDENTICAL: _identical,
        Level.ROUNDING: _rounding,
        Level.STREAM: _stream,
        Level.SCALE: _scale,
        Level.DISTRIBUTION: _distribution,
    }[pair.level](pair)
    return joined(say.NEXT, [sentence, *_float32_numbers(pair), *_infinities(pair)])


def _identical(pair: Pair) -> str:
    if point(pair.left_drawn) is None:
        return say.GIVEN_ON_BOTH()
    return say.EQUAL_CONSTANTS(value=short(point(pair.left_drawn) or 0.0))


def _rounding(pair: Pair) -> str:
    if point(pair.left_drawn) is None:
        return say.GIVEN_ROUNDED()
    here, there = point(pair.left_drawn) or 0.0, point(pair.right_drawn) or 0.0
    if here != there:
        return say.ROUNDED_CONSTANTS(**_apart(pair, here, there))
    return say.TWO_DTYPES(value=short(here)) if here else say.SIGNED_ZEROS()


def _stream(pair: Pair) -> str:
    drawn, dtype = brief(pair.left_drawn), pair.dtype
    if pair.left_drawn == pair.right_drawn:
        start = say.SAME_DRAWN(drawn=drawn, dtype=dtype)
    else:
        start = say.NEARLY_SAME_DRAWN(drawn=drawn, dtype=dtype, eps=short(EPS[dtype], 2))
    return say.NEXT(a=start, b=_streams(pair.left, pair.right))


def _streams(left: View, right: View) -> Message:
    if unseeded := [view.name for view in (left, right) if view.engine is None]:
        return say.OWN_LIBRARY(sides=joined(say.AND, unseeded))
    if left.engine != right.engine:
        return say.OTHER_ENGINES(engines=_engines(left, right))
    unknown = [view.name for view in (left, right) if view.spec.stream is None]
    return say.NO_SEED(sides=joined(say.AND, unknown)) if unknown else say.NOT_COMPARED()


def _scale(pair: Pair) -> str:
    left, right = pair.left_drawn, pair.right_drawn
    if isinstance(left, Constant) and isinstance(right, Constant):
        return say.CONSTANTS(**_apart(pair, left.value, right.value))
    here, there = moments(left), moments(right)
    if here is None or there is None:
        raise TypeError("an unknown distribution has no scale")
    told: list[str] = []
    if not near(here[1], there[1], pair.dtype):
        told.append(_stds(pair, here[1], there[1]))
    if not near(here[0], there[0], pair.dtype):
        told.append(say.OTHER_MEANS(**_apart(pair, here[0], there[0])))
    if isinstance(left, TruncatedNormal) or not told:
        told.append(say.OTHER_NUMBERS(**_placed(pair, brief(left), brief(right))))
    return joined(say.NEXT, told)


def _stds(pair: Pair, left: float, right: float) -> str:
    """Tell how the stds differ: by the rules' own numbers, unless only rounding sets them apart."""
    rules = moments(pair.left_rows.drawn), moments(pair.right_rows.drawn)
    if left and right and rules[0] and rules[1] and not near(rules[0][1], rules[1][1], pair.dtype):
        left, right = rules[0][1], rules[1][1]
    ratio = right / left if left else math.inf
    fact = _spread(pair, left, right)
    why, against, rest = reasons(pair)
    if why:
        told = [say.BECAUSE(fact=fact, reasons=joined(say.AND_THEN, why))]
        if against:
            told.append(say.OFFSET(reasons=joined(say.AND_THEN, against)))
        return joined(say.NEXT, [*told, *rest])
    if likely := hints(pair, ratio):
        as_if = say.AS_IF(fact=fact, likely=joined(say.OR, likely))
        return joined(say.NEXT, [as_if, *rest])
    return joined(say.NEXT, [say.STATED(fact=fact), *rest])


def _spread(pair: Pair, left: float, right: float) -> Message:
    what = say.PARAMETER() if pair.role == "other" else say.ROLES[pair.role]()
    numbers = _apart(pair, left, right)
    if left == 0 or right == 0:
        return say.ONE_STD_ZERO(role=what, **numbers)
    return say.SCALED(role=what, ratio=times(right / left), **numbers)


def _apart(pair: Pair, left: float, right: float) -> dict[str, str]:
    return _placed(pair, *apart(left, right))


def _placed(pair: Pair, left: str, right: str) -> dict[str, str]:
    places = {"left_place": pair.left.where, "right_place": pair.right.where}
    return {"left": left, "right": right, **places}


def _distribution(pair: Pair) -> str:
    here, there = pair.left_drawn, pair.right_drawn
    if isinstance(here, Given) and isinstance(there, Given):
        return say.GIVEN_APART(
            differing=int((here.values != there.values).sum()), count=here.values.size
        )
    left = _does(pair.left, pair.left_rows, pair.left_drawn, pair.role)
    right = _does(pair.right, pair.right_rows, pair.right_drawn, pair.role)
    if any(isinstance(rows.drawn, Unknown) for rows in (pair.left_rows, pair.right_rows)):
        return say.EITHER_NOT_KNOWN(left=left, right=right)
    return say.OTHER_FAMILIES(left=left, right=right)


def _does(view: View, rows: Rows, drawn: Simple, role: str) -> Message:
    if isinstance(drawn, Unknown):
        if isinstance(rows.drawn, Unknown):
            return say.NOT_KNOWN(name=view.name, description=drawn.description)
        return say.OUT_OF_RANGE(
            drawn=brief(rows.drawn), name=view.name, description=drawn.description
        )
    if isinstance(drawn, Constant):
        ones = role == "bias" and drawn.value == 1 and view.spec.framework == "abacus"
        sentence = say.ALL_ONES if ones else say.ALL_EQUAL
        return sentence(value=short(drawn.value), place=view.where)
    sentence = say.GIVES if isinstance(drawn, Given) else say.DRAWN
    return sentence(drawn=brief(drawn), place=view.where)


def _float32_numbers(pair: Pair) -> Iterator[Message]:
    for view, rows, drawn in (
        (pair.left, pair.left_rows, pair.left_drawn),
        (pair.right, pair.right_rows, pair.right_drawn),
    ):
        if pair.dtype == "float64" and view.spec.framework == "paddle" and rows.drawn != drawn:
            yield say.FLOAT32_NUMBERS(drawn=describe(drawn))


def _infinities(pair: Pair) -> Iterator[Message]:
    told: dict[str, list[str]] = {}
    for view, drawn in ((pair.left, pair.left_drawn), (pair.right, pair.right_drawn)):
        if isinstance(drawn, Normal) and (share := share_of_infinities(drawn.std, pair.dtype)):
            told.setdefault(percent(share), []).append(view.where)
    for share_told, places in told.items():
        yield say.INFINITIES(share=share_told, dtype=pair.dtype, places=joined(say.AND, places))

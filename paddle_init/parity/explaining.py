"""What a comparison means, in plain words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from paddle_init.distributions import Constant, Simple, Unknown
from paddle_init.languages import Message, joined
from paddle_init.parity.causes import causes
from paddle_init.parity.judging import point
from paddle_init.parity.levels import Level
from paddle_init.parity.pairs import Pair
from paddle_init.parity.precision import EPS
from paddle_init.parity.sentences import explanations as say
from paddle_init.parity.sides import View
from paddle_init.parity.words import apart, brief, short, times
from paddle_init.schemes import describe

__all__ = ["explain"]

SHOWN_BLOCKS = 4


def explain(pairs: Iterable[Pair]) -> str:
    """Explain a tensor's level; rows that differ from others have a line of their own."""
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


def _explain(pair: Pair) -> str:
    sentence = {
        Level.IDENTICAL: _identical,
        Level.ROUNDING: _rounding,
        Level.STREAM: _stream,
        Level.SCALE: _scale,
        Level.DISTRIBUTION: _distribution,
    }[pair.level](pair)
    return joined(say.NEXT, [sentence, *_float32_numbers(pair)])


def _identical(pair: Pair) -> str:
    return say.EQUAL_CONSTANTS(value=short(point(pair.left_drawn) or 0.0))


def _rounding(pair: Pair) -> str:
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
    if left.engine != right.engine:
        return say.OTHER_ENGINES(
            left=left.name, left_engine=left.engine, right=right.name, right_engine=right.engine
        )
    unknown = [view.name for view in (left, right) if view.spec.stream is None]
    return say.NO_SEED(sides=joined(say.AND, unknown)) if unknown else say.NOT_COMPARED()


def _scale(pair: Pair) -> str:
    left, right = pair.left_drawn, pair.right_drawn
    if isinstance(left, Constant) and isinstance(right, Constant):
        return say.CONSTANTS(**_apart(pair, left.value, right.value))
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        raise TypeError("an unknown distribution has no scale")
    told = []
    if left.std != right.std:
        fact = _spread(pair, left.std, right.std)
        reasons = causes(pair)
        told.append(
            say.BECAUSE(fact=fact, reasons=joined(say.AND_THEN, reasons))
            if reasons
            else say.STATED(fact=fact)
        )
    if left.mean != right.mean:
        told.append(say.OTHER_MEANS(**_apart(pair, left.mean, right.mean)))
    return joined(say.NEXT, told or [say.OTHER_NUMBERS(**_placed(pair, brief(left), brief(right)))])


def _spread(pair: Pair, left: float, right: float) -> Message:
    role, numbers = say.ROLES[pair.role](), _apart(pair, left, right)
    if left == 0 or right == 0:
        return say.ONE_STD_ZERO(role=role, **numbers)
    return say.SCALED(role=role, ratio=times(right / left), **numbers)


def _apart(pair: Pair, left: float, right: float) -> dict[str, str]:
    return _placed(pair, *apart(left, right))


def _placed(pair: Pair, left: str, right: str) -> dict[str, str]:
    places = {"left_place": pair.left.where, "right_place": pair.right.where}
    return {"left": left, "right": right, **places}


def _distribution(pair: Pair) -> str:
    return say.OTHER_FAMILIES(
        left=_does(pair, pair.left, pair.left_drawn),
        right=_does(pair, pair.right, pair.right_drawn),
    )


def _does(pair: Pair, view: View, drawn: Simple) -> Message:
    if isinstance(drawn, Unknown):
        return say.NOT_KNOWN(name=view.name, description=drawn.description)
    if isinstance(drawn, Constant):
        ones = pair.role == "bias" and drawn.value == 1 and view.spec.framework == "abacus"
        sentence = say.ALL_ONES if ones else say.ALL_EQUAL
        return sentence(value=short(drawn.value), place=view.where)
    return say.DRAWN(drawn=brief(drawn), place=view.where)


def _float32_numbers(pair: Pair) -> Iterator[Message]:
    for view, rows, drawn in (
        (pair.left, pair.left_rows, pair.left_drawn),
        (pair.right, pair.right_rows, pair.right_drawn),
    ):
        if pair.dtype == "float64" and view.spec.framework == "paddle" and rows.drawn != drawn:
            yield say.FLOAT32_NUMBERS(drawn=describe(drawn))

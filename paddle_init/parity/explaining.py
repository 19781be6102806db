"""What a comparison means, in plain words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from paddle_init.distributions import Constant, Given, Normal, Simple, TruncatedNormal, Unknown
from paddle_init.dtypes import EPS, share_of_infinities
from paddle_init.frameworks.sides import Rows, View
from paddle_init.languages import Message, Sentence, joined
from paddle_init.parity import causes as codes
from paddle_init.parity import sentences as say
from paddle_init.parity.causes import Rule, cause, rules
from paddle_init.parity.judging import Pair, near
from paddle_init.parity.records import Cause, Drawn, Factor, Level
from paddle_init.schemes import TRUNCATED_STD, Abacus, ConstantVariance, PaddleFC, describe
from paddle_init.schemes.variance import VarianceScaling
from paddle_init.specs.wording import apart, brief, percent, times
from paddle_init.statistics.moments import moments, point
from paddle_init.texts import number, short

ROOTS = (codes.UNDIVIDED, codes.BIAS_ROWN, codes.OWN_ROWS, codes.COUNT, codes.FAN)


class _Ruled(NamedTuple):
    """A side and its rule."""

    view: View
    rule: Rule

    @property
    def root(self) -> str:
        return f"sqrt({self.rule.mode}) = sqrt({number(self.rule.count or math.nan)})"


def reasons(pair: Pair) -> tuple[list[Message], list[Message], list[Message]]:
    """Return the causes in words.

    Clauses that can follow "because", those that work against them, and a sentence on the factor
    that no rule explains, if there is one that shows. A clause is given where the ratio would read
    otherwise without it.
    """
    left, right = known = rules(pair)
    found = cause(pair, known)
    rest = [*_unexplained(found, stated=None in known)]
    if left is None or right is None:
        return [], [], rest
    sides = _Ruled(pair.left, left), _Ruled(pair.right, right)
    if found is None or found.ratio == 0:
        differ = left.terms[codes.RANGE] != right.terms[codes.RANGE]
        return ([_ranges(*sides)] if differ else []), [], rest
    with_it: list[Message] = []
    against: list[Message] = []
    for factor, clause in _clauses(found.factors, sides):
        if times(found.ratio) != times(found.ratio / factor):
            same_way = (factor > 1) == (found.ratio > 1)
            (with_it if same_way else against).append(clause)
    return with_it, against, rest


def _clauses(
    factors: Sequence[Factor], sides: tuple[_Ruled, _Ruled]
) -> Iterator[tuple[float, Message]]:
    """Yield what causes come to, with their clauses.

    A clause on the roots states what both sides divide by: the whole of it, and so it is one.
    """
    roots = [each for each in factors if each.code in ROOTS]
    whole = math.prod(each.factor for each in factors if each.code in (*ROOTS, codes.BIAS_ROW))
    by_fan_last = sorted(roots, key=lambda each: each.code == codes.FAN)
    of_roots = next(filter(None, (_clause(each.code, sides) for each in by_fan_last)), None)
    for each in factors:
        if each.code not in ROOTS:
            if (clause := _clause(each.code, sides)) is not None:
                yield each.factor, clause
        elif each is roots[0] and of_roots is not None:
            yield whole, of_roots


def _unexplained(found: Cause | None, *, stated: bool) -> Iterator[Message]:
    for code, factor in ((each.code, each.factor) for each in (found.factors if found else ())):
        if code == codes.UNEXPLAINED and (factor == 0 or times(factor) != times(1.0)):
            sentence = say.NO_RULE if stated else say.UNEXPLAINED
            yield sentence(factor=apart(1.0, factor)[1])


def _clause(code: str, sides: tuple[_Ruled, _Ruled]) -> Message | None:
    """Return a cause in words; None where it needs none, or none fits the two rules."""
    left, right = sides
    if code == codes.RANGE:
        return _ranges(left, right)
    of_one_side = CLAUSES.get(code)
    if of_one_side is None:
        return None
    if clause := of_one_side(left, right) or of_one_side(right, left):
        return clause
    if left.rule.count is None or right.rule.count is None:
        return None
    return say.OTHER_ROOTS(
        left=left.view.name, left_root=left.root, right=right.view.name, right_root=right.root
    )


def _undivided(own: _Ruled, other: _Ruled) -> Message | None:
    if own.rule.count is not None:
        return None
    return say.UNDIVIDED(plain=own.view.name, divided=other.view.name, root=other.root)


def _in_float32(own: _Ruled, other: _Ruled) -> Message | None:
    of_own = codes.ARITHMETIC in own.rule.terms
    return say.FLOAT32_SCALE(side=own.view.name) if of_own else None


def _counted(code: str, sentence: Sentence) -> Clause:
    """Return the clause of a count that abacus divides by, against the towers' rule."""

    def clause(own: _Ruled, other: _Ruled) -> Message | None:
        if code not in own.rule.terms or not isinstance(other.rule.scheme, PaddleFC):
            return None
        names = {"rown": own.view.name, "fan_in": other.view.name}
        return sentence(**names, rown_root=own.root, root=other.root)

    return clause


def _bias_row(own: _Ruled, other: _Ruled) -> Message | None:
    if not own.rule.bias_rows or other.rule.bias_rows:
        return None
    counted = {"rown": number(own.rule.count or 1), "rown_place": own.view.where}
    if other.rule.mode != "fan_in" or other.rule.count is None:
        return say.COUNTED_ROW(**counted)
    fan_in = number(other.rule.count)
    return say.FOLDED_ROW(**counted, fan_in=fan_in, fan_in_place=other.view.where)


Clause: TypeAlias = Callable[[_Ruled, _Ruled], "Message | None"]
# What is said of a cause, from the side that it is on.
CLAUSES: Mapping[str, Clause] = {
    codes.UNDIVIDED: _undivided,
    codes.BIAS_ROW: _bias_row,
    codes.BIAS_ROWN: _counted(codes.BIAS_ROWN, say.BIAS_ALONE),
    codes.OWN_ROWS: _counted(codes.OWN_ROWS, say.OWN_ROWS),
    codes.COUNT: _counted(codes.COUNT, say.OTHER_COUNTS),
    codes.ARITHMETIC: _in_float32,
    codes.FAN: lambda own, other: None,  # only that the roots are others
}


def _ranges(left: _Ruled, right: _Ruled) -> Message:
    return say.OTHER_RANGES(
        left=left.view.name, left_text=_range(left), right=right.view.name, right_text=_range(right)
    )


def _range(side: _Ruled) -> str:
    match side.rule.scheme:
        case Abacus(init_range, global_init_range):
            product = Abacus(init_range, global_init_range, False).scale(
                1, side.view.spec.arithmetic
            )
            numbers = f"{number(init_range)} * {number(global_init_range)}"
            return f"init_range * global_init_range = {numbers} = {number(product)}"
        case PaddleFC(init_range):
            return f"init_range = {number(init_range)}"
        case ConstantVariance() as scheme:
            return f"gain({scheme.activation}) = {number(scheme.gain)}"
        case VarianceScaling(gain):
            return f"gain = {number(gain)}"
    raise TypeError(f"{side.rule.scheme!r} is no rule")


NEAR = 1e-6  # of a ratio of two float32


def hints(pair: Pair, ratio: float) -> list[Message]:
    """Return what the right's std over the left's might come from, as clauses after "as if"."""
    return [
        message for factor, message in _candidates(pair) if abs(ratio - factor) <= NEAR * factor
    ]


def _candidates(pair: Pair) -> Iterator[tuple[float, Message]]:
    here, there = pair.left, pair.right
    shape = _weight_shape(pair)
    yield TRUNCATED_STD, say.UNWIDENED(name=there.name)
    yield 1 / TRUNCATED_STD, say.UNWIDENED(name=here.name)
    if shape is None:
        return
    m, n = shape
    if m != n:
        yield math.sqrt(m / n), say.SWAPPED(name=there.name, fan_in=m, fan_out=n)
        yield math.sqrt(n / m), say.SWAPPED(name=here.name, fan_in=m, fan_out=n)
    for view, other, factor in ((here, there, 1.0), (there, here, -1.0)):
        folded = say.BIAS_ROW_COUNTED(name=view.name, more=m + 1, other=other.name, fan_in=m)
        yield math.sqrt((m + 1) / m) ** factor, folded
        if pair.role == "bias":
            alone = say.BIAS_UNDIVIDED(name=view.name, other=other.name, fan_in=m)
            yield (1 / math.sqrt(m)) ** factor, alone


def _weight_shape(pair: Pair) -> tuple[int, int] | None:
    """Return the shape of the weight that is compared, or of the weight that a bias belongs to."""
    shape: tuple[int, ...] | None = pair.tensor.shape
    if pair.role == "bias":
        owners = (
            (view.spec, view.spec.weight_by_bias.get(pair.tensor.name))
            for view in (pair.left, pair.right)
        )
        shape = next((s.tensor_by_name[owner].shape for s, owner in owners if owner), None)
    elif pair.role != "weight":
        return None
    return (shape[0], shape[1]) if shape is not None and len(shape) == 2 and all(shape) else None


SHOWN_BLOCKS = 4


def explain(pairs: Sequence[Pair], seen: Drawn | None = None) -> str:
    """Explain a tensor's level; rows that differ from others have a line of their own.

    Where both sides were drawn, `seen` is explained instead.
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
    messages: list[str] = [
        say.ROWS(rows=", ".join(rows), sentence=sentence) for sentence, (_, rows) in worst
    ]
    if len(spans) > SHOWN_BLOCKS:
        messages.append(say.MORE_ROWS(more=len(spans) - SHOWN_BLOCKS))
    return joined(say.NEXT_LINE, messages) if messages else say.NO_ELEMENTS()


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
    left, right = pair.left.framework.arithmetic_words(), pair.right.framework.arithmetic_words()
    if left == right:
        return say.BY_ROUNDING()
    return say.WHILE(left=pair.left.name, left_does=left, right=pair.right.name, right_does=right)


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
    messages: list[str] = []
    if not near(here[1], there[1], pair.dtype):
        messages.append(_stds(pair, here[1], there[1]))
    if not near(here[0], there[0], pair.dtype):
        messages.append(say.OTHER_MEANS(**_apart(pair, here[0], there[0])))
    if isinstance(left, TruncatedNormal) or not messages:
        messages.append(say.OTHER_NUMBERS(**_placed(pair, brief(left), brief(right))))
    return joined(say.NEXT, messages)


def _stds(pair: Pair, left: float, right: float) -> str:
    """Tell how the stds differ: by the rules' own numbers, unless only rounding sets them apart."""
    rules = moments(pair.left_rows.drawn), moments(pair.right_rows.drawn)
    if left and right and rules[0] and rules[1] and not near(rules[0][1], rules[1][1], pair.dtype):
        left, right = rules[0][1], rules[1][1]
    ratio = right / left if left else math.inf
    fact = _spread(pair, left, right)
    why, against, rest = reasons(pair)
    if why:
        messages = [say.BECAUSE(fact=fact, reasons=joined(say.AND_THEN, why))]
        if against:
            messages.append(say.OFFSET(reasons=joined(say.AND_THEN, against)))
        return joined(say.NEXT, [*messages, *rest])
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
        ones = role == "bias" and drawn.value == 1 and view.framework.folds_biases
        sentence = say.ALL_ONES if ones else say.ALL_EQUAL
        return sentence(value=short(drawn.value), place=view.where)
    sentence = say.GIVES if isinstance(drawn, Given) else say.DRAWN
    return sentence(drawn=brief(drawn), place=view.where)


def _float32_numbers(pair: Pair) -> Iterator[Message]:
    for view, rows, drawn in (
        (pair.left, pair.left_rows, pair.left_drawn),
        (pair.right, pair.right_rows, pair.right_drawn),
    ):
        narrowed = pair.dtype == "float64" and view.framework.float32_numbers
        if narrowed and rows.drawn != drawn:
            yield say.FLOAT32_NUMBERS(drawn=describe(drawn))


def _infinities(pair: Pair) -> Iterator[Message]:
    places_by_share: dict[str, list[str]] = {}
    for view, drawn in ((pair.left, pair.left_drawn), (pair.right, pair.right_drawn)):
        if isinstance(drawn, Normal) and (share := share_of_infinities(drawn.std, pair.dtype)):
            places_by_share.setdefault(percent(share), []).append(view.where)
    for shown, places in places_by_share.items():
        yield say.INFINITIES(share=shown, dtype=pair.dtype, places=joined(say.AND, places))

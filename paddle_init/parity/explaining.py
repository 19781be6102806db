"""What a comparison means, in plain words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from paddle_init.distributions import Constant, Normal, Simple, TruncatedNormal, Unknown
from paddle_init.extremes import share_of_infinities
from paddle_init.parity.causes import causes
from paddle_init.parity.hints import hints
from paddle_init.parity.judging import near, point
from paddle_init.parity.levels import Level
from paddle_init.parity.moments import moments
from paddle_init.parity.pairs import Pair
from paddle_init.parity.precision import EPS
from paddle_init.parity.records import Drawn
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
    told = [f"Rows {', '.join(rows)}: {sentence}" for sentence, (_, rows) in worst]
    if len(spans) > SHOWN_BLOCKS:
        told.append(f"{len(spans) - SHOWN_BLOCKS} more groups of rows differ no more than these.")
    return "\n".join(told) or "The tensor has no elements."


def _seen(pairs: Sequence[Pair], seen: Drawn) -> str:
    first, values = pairs[0], f"{seen.differing} values differ, by at most {seen.max_ulp} ULP"
    if seen.level is Level.IDENTICAL:
        return "Drawn on both sides, every value is the same in every bit."
    if seen.level is Level.ROUNDING:
        if not seen.differing:
            return f"Both make the same draws; kept in two dtypes, they agree in {first.dtype}."
        why = ", while ".join(_arithmetics(first)) or "the numbers of the two differ by rounding"
        return f"Both make the same draws; {values}: {why}."
    reason = "the streams are seeded or used in different ways"
    if first.left.engine != first.right.engine:
        reason = (
            f"{first.left.name} draws with {first.left.engine}, "
            f"{first.right.name} with {first.right.engine}"
        )
    drawn = dict.fromkeys(brief(pair.left_drawn) for pair in pairs)
    return f"Both draw {' and '.join(drawn)}, but not the same values: {reason}."


def _arithmetics(pair: Pair) -> list[str]:
    does = [_arithmetic(view.spec) for view in (pair.left, pair.right)]
    if does[0] == does[1]:
        return []
    return [f"{pair.left.name} {does[0]}", f"{pair.right.name} {does[1]}"]


def _arithmetic(spec: NetSpec) -> str:
    if spec.framework == "paddle":
        return "rounds the std to float32 and multiplies in float32"
    if spec.arithmetic == "float64":
        return "multiplies the draw by a double scale and rounds once"
    return "computes its scale in float32"


def _explain(pair: Pair) -> str:
    sentence = {
        Level.IDENTICAL: _identical,
        Level.ROUNDING: _rounding,
        Level.STREAM: _stream,
        Level.SCALE: _scale,
        Level.DISTRIBUTION: _distribution,
    }[pair.level](pair)
    return f"{sentence}{_float32_numbers(pair)}{_infinities(pair)}"


def _identical(pair: Pair) -> str:
    value = short(point(pair.left_drawn) or 0.0)
    return f"Every element is {value} on both sides; nothing is drawn."


def _rounding(pair: Pair) -> str:
    here, there = point(pair.left_drawn) or 0.0, point(pair.right_drawn) or 0.0
    if here != there:
        a, b = apart(here, there)
        return f"Every element is {a} {pair.left.where} and {b} {pair.right.where}: rounding."
    if here == 0:
        return "Every element is a zero on both sides; the sign of the zeros may differ."
    return f"Every element is {short(here)} on both sides, kept in two dtypes."


def _stream(pair: Pair) -> str:
    if pair.left_drawn == pair.right_drawn:
        start = f"Both draw {brief(pair.left_drawn)}, the same to the last bit of {pair.dtype}."
    else:
        start = (
            f"Both draw {brief(pair.left_drawn)}; the numbers differ by less than "
            f"{pair.dtype}'s eps ({short(EPS[pair.dtype], 2)}), that is by rounding."
        )
    return f"{start} {_streams(pair.left, pair.right)}"


def _streams(left: View, right: View) -> str:
    if unseeded := [view.name for view in (left, right) if view.engine is None]:
        return (
            f"Single values were not compared: the float32 system that {' and '.join(unseeded)} "
            "stands for draws with a library of its own, which no seed reproduces."
        )
    if left.engine != right.engine:
        return (
            f"Single values differ: {left.name} draws with {left.engine}, "
            f"{right.name} with {right.engine}."
        )
    unknown = [view.name for view in (left, right) if view.spec.stream is None]
    why = f": no seed is given for {' and '.join(unknown)}" if unknown else ""
    return f"Single values were not compared{why}."


def _scale(pair: Pair) -> str:
    left, right, places = pair.left_drawn, pair.right_drawn, (pair.left.where, pair.right.where)
    if isinstance(left, Constant) and isinstance(right, Constant):
        a, b = apart(left.value, right.value)
        return f"Every element is {a} {places[0]} and {b} {places[1]}."
    here, there = moments(left), moments(right)
    if here is None or there is None:
        raise TypeError("an unknown distribution has no scale")
    told = []
    if not near(here[1], there[1], pair.dtype):
        ratio = there[1] / here[1] if here[1] else math.inf
        why = ""
        if reasons := causes(pair, ratio):
            why = f", because {'; and '.join(reasons)}"
        elif likely := hints(pair, ratio):
            why = f", as if {'; or '.join(likely)}"
        what = "parameter" if pair.role == "other" else pair.role
        told.append(f"The {what} is drawn {_spread(here[1], there[1], *places)}{why}.")
    if not near(here[0], there[0], pair.dtype):
        a, b = apart(here[0], there[0])
        told.append(f"The means differ: {a} {places[0]}, {b} {places[1]}.")
    if isinstance(left, TruncatedNormal) or not told:
        told.append(f"{brief(left)} {places[0]}; {brief(right)} {places[1]}.")
    return " ".join(told)


def _spread(left: float, right: float, left_place: str, right_place: str) -> str:
    a, b = apart(left, right)
    if left == 0 or right == 0:
        return f"with std {b} {right_place} and {a} {left_place}"
    return f"{times(right / left, 'wider', 'narrower')} {right_place} (std {b} against {a})"


def _distribution(pair: Pair) -> str:
    here = _does(pair.left, pair.left_rows, pair.left_drawn, pair.role)
    there = _does(pair.right, pair.right_rows, pair.right_drawn, pair.role)
    return f"{here[0].upper() + here[1:]}; {there}."


def _does(view: View, rows: Rows, drawn: Simple, role: str) -> str:
    if isinstance(drawn, Unknown):
        if isinstance(rows.drawn, Unknown):
            return f"what {view.name} draws is not known ({drawn.description})"
        return f"{brief(rows.drawn)} is out of {view.name}'s range ({drawn.description})"
    if isinstance(drawn, Constant):
        ones = role == "bias" and drawn.value == 1 and view.spec.framework == "abacus"
        reading = ", as the document reads its bias" if ones else ""
        return f"every element is {short(drawn.value)} {view.where}{reading}"
    return f"{brief(drawn)} is drawn {view.where}"


def _float32_numbers(pair: Pair) -> str:
    if pair.dtype != "float64":
        return ""
    return "".join(
        f" Paddle's kernel takes its numbers as float32 for float64 tensors too: {describe(drawn)}."
        for view, rows, drawn in (
            (pair.left, pair.left_rows, pair.left_drawn),
            (pair.right, pair.right_rows, pair.right_drawn),
        )
        if view.spec.framework == "paddle" and rows.drawn != drawn
    )


def _infinities(pair: Pair) -> str:
    told: dict[str, list[str]] = {}
    for view, drawn in ((pair.left, pair.left_drawn), (pair.right, pair.right_drawn)):
        if isinstance(drawn, Normal) and (share := share_of_infinities(drawn.std, pair.dtype)):
            told.setdefault(f"{percent(share)} of the elements", []).append(view.where)
    return "".join(
        f" With such a std {share} overflow {pair.dtype} to inf {' and '.join(places)}."
        for share, places in told.items()
    )

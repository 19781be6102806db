"""Two net specs to a parity report."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

from paddle_init.errors import Notice, PaddleInitError
from paddle_init.parity.advising import advise
from paddle_init.parity.counterpart import counterpart
from paddle_init.parity.drawing import Drawing
from paddle_init.parity.explaining import explain
from paddle_init.parity.levels import Level
from paddle_init.parity.notices import notices
from paddle_init.parity.pairs import pairs
from paddle_init.parity.records import Comparison, Drawn, Report
from paddle_init.parity.resolving import SpecLike, resolve
from paddle_init.parity.sides import View
from paddle_init.parity.words import listed
from paddle_init.specs import NetSpec, Tensor

__all__ = ["DrawComparison", "report"]

DrawComparison: TypeAlias = Callable[[NetSpec, NetSpec, str], Drawn | None]


def report(
    left: SpecLike,
    right: SpecLike | None = None,
    *,
    init_range: float = 0.2,
    drawn: DrawComparison | None = None,
) -> Report:
    """Say, parameter by parameter, whether two sides start from the same place.

    Parameters
    ----------
    left, right : NetSpec or path
        A path names an abacus conf or a net spec. Without `right` the towers' FC rule stands
        there; see `counterpart`.
    init_range : float
        The towers' init_range, in [0, inf). Of no effect where `right` is given.
    drawn : callable, optional
        Compares the drawn values of one parameter, by name, where both sides draw the same
        distribution; None from it means that the values cannot be known. By default both sides
        are drawn and compared where both specs have a stream.

    Returns
    -------
    Report
        The left's tensors in their order, then those that only the right has.

    Raises
    ------
    DocumentError, SpecError
        A file cannot be read, or a scheme does not fit its shape.
    """
    if right is None:
        (here,) = resolve(left)
        there = counterpart(here, init_range)
    else:
        here, there = resolve(left, right)
    one, other = _views(here, there)
    undrawn: tuple[Notice, ...] = ()
    if drawn is None and here.stream and there.stream:
        try:
            drawn = Drawing(here, there)
        except PaddleInitError as error:
            undrawn = (Notice("not-drawn", f"no values were compared: {error}"),)
    names = dict.fromkeys([*here.tensor_by_name, *there.tensor_by_name])
    comparisons = tuple(_compare(one, other, name, drawn) for name in names)
    return Report(_describe(here), _describe(there), comparisons, undrawn + notices(one, other))


def _views(left: NetSpec, right: NetSpec) -> tuple[View, View]:
    if left.framework == right.framework:
        return View(left, "the left", "on the left"), View(right, "the right", "on the right")
    prose = {"abacus": ("abacus", "in abacus"), "paddle": ("Paddle", "in Paddle")}
    return View(left, *prose[left.framework]), View(right, *prose[right.framework])


def _compare(left: View, right: View, name: str, drawn: DrawComparison | None) -> Comparison:
    here, there = left.spec.tensor_by_name.get(name), right.spec.tensor_by_name.get(name)
    if here is None or there is None or here.shape != there.shape:
        return _apart(left, here, right, there)
    found = list(pairs(left, here, right, there))
    level = max((pair.level for pair in found), default=Level.IDENTICAL)
    seen = drawn(left.spec, right.spec, name) if drawn and level is Level.STREAM else None
    a, b = left.side(here), right.side(there)
    return Comparison(
        name,
        here.shape,
        here.role,
        seen.level if seen else level,
        a,
        b,
        _ratio(a.std, b.std),
        seen.max_ulp if seen else None,
        seen.differing if seen else None,
        explain(found, seen),
        advise(level, left, here, right, there),
    )


def _apart(left: View, here: Tensor | None, right: View, there: Tensor | None) -> Comparison:
    known = here or there
    assert known is not None
    if here is not None and there is not None:
        why = f"The shape is {list(here.shape)} {left.where} and {list(there.shape)} {right.where}."
        if here.shape == there.shape[::-1]:
            why += " One looks like the other transposed: Paddle's weights are [in, out]."
        advice = "Give both the same shape; then their distributions can be compared."
    else:
        missing, has = (left, right) if here is None else (right, left)
        others = listed(list(missing.spec.tensor_by_name)) or "no parameters"
        why = f"Only {has.name} has it; {missing.name} has {others}."
        advice = "Parameters are matched by name: rename one side's, or add the missing one."
    gone = (None, None, None, None, None)
    return Comparison(known.name, known.shape, known.role, Level.STRUCTURE, *gone, why, advice)


def _ratio(left: float | None, right: float | None) -> float | None:
    if not left or right is None:
        return None
    ratio = right / left
    return ratio if math.isfinite(ratio) else None


def _describe(spec: NetSpec) -> str:
    told = f"{spec.framework}: {spec.origin or 'a net spec'}"
    if spec.framework == "abacus" and spec.arithmetic != "float64":
        told += f", arithmetic {spec.arithmetic}"
    return told

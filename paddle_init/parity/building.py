"""Two net specs to a parity report."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from paddle_init.languages import Message, listed
from paddle_init.parity.advising import advise
from paddle_init.parity.counterpart import counterpart
from paddle_init.parity.explaining import explain
from paddle_init.parity.levels import Level
from paddle_init.parity.notices import notices
from paddle_init.parity.pairs import pairs
from paddle_init.parity.records import Comparison, Report
from paddle_init.parity.resolving import SpecLike, resolve
from paddle_init.parity.sentences import advice, forms
from paddle_init.parity.sentences import explanations as say
from paddle_init.parity.sides import View
from paddle_init.specs import NetSpec, Tensor

__all__ = ["DrawComparison", "Drawn", "report"]


@dataclass(frozen=True)
class Drawn:
    """What drawing a parameter on both sides showed.

    `max_ulp` is the largest distance of two elements in ULP, `differing` how many differ.
    """

    level: Level
    max_ulp: int
    differing: int


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
        distribution; None from it means that the values cannot be known.

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
    names = dict.fromkeys([*here.tensor_by_name, *there.tensor_by_name])
    comparisons = tuple(_compare(one, other, name, drawn) for name in names)
    return Report(_describe(here), _describe(there), comparisons, notices(one, other))


def _views(left: NetSpec, right: NetSpec) -> tuple[View, View]:
    if left.framework == right.framework:
        ours, theirs = (say.LEFT(), say.ON_THE_LEFT()), (say.RIGHT(), say.ON_THE_RIGHT())
        return View(left, *ours), View(right, *theirs)
    prose = {"abacus": (say.ABACUS(), say.IN_ABACUS()), "paddle": (say.PADDLE(), say.IN_PADDLE())}
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
        explain(found),
        advise(level, left, here, right, there),
    )


def _apart(left: View, here: Tensor | None, right: View, there: Tensor | None) -> Comparison:
    known = here or there
    assert known is not None
    if here is not None and there is not None:
        why = say.OTHER_SHAPE(
            left=list(here.shape),
            left_place=left.where,
            right=list(there.shape),
            right_place=right.where,
        )
        if here.shape == there.shape[::-1]:
            why = say.NEXT(a=why, b=say.TRANSPOSED())
        todo = advice.SAME_SHAPE()
    else:
        missing, has = (left, right) if here is None else (right, left)
        others = listed(list(missing.spec.tensor_by_name)) or say.NO_PARAMETERS()
        why = say.NO_PARTNER(has=has.name, missing=missing.name, others=others)
        todo = advice.SAME_NAME()
    gone = (None, None, None, None, None)
    return Comparison(known.name, known.shape, known.role, Level.STRUCTURE, *gone, why, todo)


def _ratio(left: float | None, right: float | None) -> float | None:
    if not left or right is None:
        return None
    ratio = right / left
    return ratio if math.isfinite(ratio) else None


def _describe(spec: NetSpec) -> Message:
    told = {"framework": spec.framework, "origin": spec.origin or forms.A_NET_SPEC()}
    if spec.framework == "abacus" and spec.arithmetic != "float64":
        return forms.SIDE_IN_FLOAT32(**told, arithmetic=spec.arithmetic)
    return forms.SIDE(**told)

"""Two net specs to a parity report."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

from paddle_init.distributions import Given, Unknown
from paddle_init.errors import Notice, PaddleInitError, SchemeError
from paddle_init.frameworks import notices as warnings
from paddle_init.frameworks.knowledge import known_part, reasons_told
from paddle_init.frameworks.registry import HOME
from paddle_init.frameworks.resolving import SpecLike, resolve
from paddle_init.frameworks.sides import Side, View, view_by_framework
from paddle_init.languages import Message, joined, translatable
from paddle_init.parity import sentences as say
from paddle_init.parity.advising import Candidates, advise, near_misses, without_partner
from paddle_init.parity.causes import causes
from paddle_init.parity.explaining import explain
from paddle_init.parity.gating import held
from paddle_init.parity.judging import overwritten, pairs
from paddle_init.parity.notices import notices
from paddle_init.parity.records import Comparison, Drawn, Level, Report, Uncompared
from paddle_init.schemes import Fixed, PaddleFC, Scheme, fans
from paddle_init.schemes.base import check_range
from paddle_init.specs import Draw, NetSpec, RowBlock, Tensor
from paddle_init.specs.mapping import MappingLike, load_mapping
from paddle_init.specs.matching import Matching, matched
from paddle_init.texts import number


def counterpart(spec: NetSpec, init_range: float = 0.2) -> NetSpec:
    """Return `spec`'s tensors as the towers initialize them: init_range / fan_in ** 0.5.

    A bias takes the fan_in of its weight, which never counts a bias row. Where no weight is known
    for a bias, or a shape has no fan_in, what the rule would draw is unknown. Parameters of other
    layers are left out: the rule is none for them.

    Parameters
    ----------
    init_range
        In [0, inf).

    Source: "abacus与paddle的参数初始化方式".
    """
    check_range("paddle_fc", "init_range", init_range)
    ruled = [tensor for tensor in spec.tensors if tensor.role != "other"]
    draws = [Draw(tensor.name, tensor.shape, _rule(spec, tensor, init_range)) for tensor in ruled]
    tensors = [
        Tensor(
            tensor.name,
            tensor.role,
            tensor.shape,
            (RowBlock(tensor.name, 0, tensor.shape[0]),),
            tensor.dtype,
        )
        for tensor in ruled
    ]
    origin = say.TOWERS_RULE(init_range=number(init_range))
    return NetSpec(HOME, tuple(draws), tuple(tensors), layers=spec.layers, origin=origin)


def _rule(spec: NetSpec, tensor: Tensor, init_range: float) -> Scheme:
    fan_in = None
    try:
        if tensor.role == "bias":
            owner = spec.weight_by_bias.get(tensor.name)
            if owner is None:
                return Fixed(Unknown(say.NO_WEIGHT()))
            fan_in, _ = fans("paddle_fc", spec.tensor_by_name[owner].shape, None, 1)
        scheme = PaddleFC(init_range, fan_in)
        scheme(tensor.shape)
    except SchemeError:
        return Fixed(Unknown(say.NO_FAN_IN(shape=list(tensor.shape))))
    return scheme


DrawComparison: TypeAlias = Callable[[NetSpec, NetSpec, str], Drawn | None]


def report(
    left: SpecLike,
    right: SpecLike | None = None,
    *,
    init_range: float = 0.2,
    mapping: MappingLike = (),
    drawn: DrawComparison | None = None,
    histograms: bool = False,
) -> Report:
    """Say, parameter by parameter, whether two sides start from the same place.

    Parameters
    ----------
    left, right : NetSpec or str or path
        A path names an abacus conf or a net spec, ``module:object`` a net of Paddle. Without
        `right` the towers' FC rule stands there; see `counterpart`.
    init_range : float
        The towers' init_range, in [0, inf). Of no effect where `right` is given.
    mapping : path, dict or list of Pairing, optional
        Which parameters belong together, the left's name first; see `load_mapping`. Others are
        matched by name, and then by role, shape and layer in their order, which a warning tells.
    drawn : callable, optional
        Compares the drawn values of one parameter, by name, where both sides draw the same
        distribution; None from it means that the values cannot be known. By default both sides
        are drawn and compared where both specs have a stream.
    histograms : bool
        Keep histograms of both sides' values where both are drawn, for plots.

    Returns
    -------
    Report
        The left's tensors in their order, then those that only the right has.

    Raises
    ------
    DocumentError, SpecError
        A file cannot be read, a scheme does not fit its shape, or `mapping` a side.
    """
    pairs = load_mapping(mapping)
    if right is None:
        (here,) = resolve(left)
        there = counterpart(here, init_range)
    else:
        here, there = resolve(left, right)
    made_of_it = right is None and not pairs
    match = Matching(here, there, {}) if made_of_it else matched(here, there, pairs)
    one, other = _views(match.left, match.right)
    seeded = one.spec.seeded and other.spec.seeded
    undrawn: tuple[Notice, ...] = ()
    if drawn is None and seeded:
        from paddle_init.parity.drawing import Drawing

        try:
            drawn = Drawing(one.spec, other.spec)
            if drawn.unknown:
                tensors = reasons_told(drawn.unknown)
                undrawn = (Notice("not-drawn", warnings.NOT_ALL_DRAWN(tensors=tensors)),)
        except PaddleInitError as error:
            histograms = False
            undrawn = (Notice("not-drawn", warnings.NOT_DRAWN(error=translatable(error))),)
    comparing = _Comparing(one, other, match, (_aliases(here), _aliases(there)), drawn)
    names = dict.fromkeys([*match.left.tensor_by_name, *match.right.tensor_by_name])
    shown = tuple(_uncompared(one, other, names))
    left_out = {each.name for each in shown}
    comparisons = tuple(comparing(name) for name in names if name not in left_out)
    if histograms and seeded:
        comparisons = _with_histograms(comparisons, one.spec, other.spec)
    found = (*undrawn, *notices(one, other), *match.notices)
    roles_known = all(notice.about != "roles" for notice in found)
    if right is None and not roles_known:
        # For a bias the rule takes another fan_in, so that a difference is not known to be one.
        comparisons = tuple(
            held(each) if each.level is Level.SCALE and each.shape[0] == 1 else each
            for each in comparisons
        )
    return Report(_describe(here), _describe(there), comparisons, found, shown, roles_known)


def _aliases(spec: NetSpec) -> dict[str, str]:
    return {alias: tensor.name for tensor in spec.tensors for alias in tensor.aliases}


def _uncompared(left: View, right: View, names: Iterable[str]) -> Iterator[Uncompared]:
    for name in names:
        here, there = left.spec.tensor_by_name.get(name), right.spec.tensor_by_name.get(name)
        if here is None or there is None:
            view, side = (left, "left") if there is None else (right, "right")
            tensor = view.spec.tensor_by_name[name]
            if tensor.role == "other":
                yield Uncompared(name, side, tensor.shape, view.side(tensor))


def _views(left: NetSpec, right: NetSpec) -> tuple[View, View]:
    if left.framework == right.framework:
        ours, theirs = (say.LEFT(), say.ON_THE_LEFT()), (say.RIGHT(), say.ON_THE_RIGHT())
        return View(left, *ours), View(right, *theirs)
    return view_by_framework(left), view_by_framework(right)


@dataclass(frozen=True)
class _Comparing:
    """Two sides whose tensors belong together where they have one name, compared by name.

    `aliases` are the further names of either side's own tensors.
    """

    left: View
    right: View
    match: Matching
    aliases: tuple[Mapping[str, str], Mapping[str, str]]
    drawn: DrawComparison | None

    def __call__(self, name: str) -> Comparison:
        left, right = self.left, self.right
        here, there = left.spec.tensor_by_name.get(name), right.spec.tensor_by_name.get(name)
        if here is None or there is None or here.shape != there.shape:
            return self._apart(here, there)
        found = list(pairs(left, here, right, there))
        level = max((pair.level for pair in found), default=Level.IDENTICAL)
        set_apart = overwritten(left, here, right, there)
        if set_apart is not None:
            level = max(level, Level.DISTRIBUTION)
        drawn = self.drawn if name not in self.match.turned else None
        seen = drawn(left.spec, right.spec, name) if drawn and level is Level.STREAM else None
        explanation: str = explain(found, seen)
        advice: str | None = advise(level, left, here, right, there)
        if set_apart is not None:
            apart = any(pair.level >= Level.SCALE for pair in found)
            kept, before = ([explanation], [advice] if advice else []) if apart else ([], [])
            explanation = joined(say.NEXT, [*kept, set_apart])
            advice = joined(say.NEXT, [*before, say.SET_ALIKE()])
        a, b = left.side(here), right.side(there)
        return Comparison(
            name,
            here.shape,
            here.role,
            seen.level if seen else level,
            a,
            b,
            _ratio(a, b),
            seen.max_ulp if seen else None,
            seen.differing if seen else None,
            explanation,
            advice,
            self.match.own_names.get(name),
            known=left.knows(here) and right.knows(there),
            causes=causes(found),
        )

    @cached_property
    def _unmatched(self) -> tuple[Candidates, Candidates]:
        return without_partner(self.match.left, self.match.right)

    def _apart(self, here: Tensor | None, there: Tensor | None) -> Comparison:
        """Return the comparison of what has no partner, or one of another shape."""
        left, right = self.left, self.right
        known = here or there
        assert known is not None
        missing, has, side = (left, right, 0) if here is None else (right, left, 1)
        if here is not None and there is not None:
            shapes = {"left": list(here.shape), "right": list(there.shape)}
            why = say.OTHER_SHAPE(**shapes, left_place=left.where, right_place=right.where)
            advice = say.SAME_SHAPE()
        elif owner := self.aliases[side].get(known.name):
            why = say.TIED_THERE(has=has.name, place=missing.where, owner=owner)
            advice = say.SHARE_ALIKE()
        else:
            why = say.NO_PARTNER(has=has.name, missing=missing.name, others=missing.names)
            advice = say.NAME_PARTNER()
        explanation = joined(say.NEXT, [why, *near_misses(known, self._unmatched[side])])
        gone = (None, None, None, None, None)
        kind = known.name, known.shape, known.role
        return Comparison(*kind, Level.STRUCTURE, *gone, explanation, advice)


def _ratio(left: Side, right: Side) -> float | None:
    here, there = left.moments, right.moments
    if here is None or there is None or here[1] == 0:
        return None
    if Given.family in (left.distribution, right.distribution):
        return None
    ratio = there[1] / here[1]
    return ratio if math.isfinite(ratio) else None


def _describe(spec: NetSpec) -> Message:
    told = {"framework": spec.framework, "origin": spec.origin or say.A_NET_SPEC()}
    if spec.arithmetic != "float64":
        return say.SIDE_IN_FLOAT32(**told, arithmetic=spec.arithmetic)
    return say.SIDE(**told)


def _with_histograms(
    comparisons: Iterable[Comparison], left: NetSpec, right: NetSpec
) -> tuple[Comparison, ...]:
    """Return comparisons that hold histograms of both sides' values, drawn by their streams.

    Only one side's values are in memory at a time.
    """
    from paddle_init.frameworks.sampling import draw_arrays
    from paddle_init.statistics.histograms import histogram

    sides = [
        {name: histogram(values) for name, values in draw_arrays(known_part(side)).items()}
        for side in (left, right)
    ]
    return tuple(
        replace(each, histograms=(sides[0][each.name], sides[1][each.name]))
        if each.name in sides[0] and each.name in sides[1]
        else each
        for each in comparisons
    )

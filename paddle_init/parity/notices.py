"""Where a reader of the confs and of the seed document would trip: warnings with stable codes."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from paddle_init.distributions import Constant
from paddle_init.errors import Notice
from paddle_init.frameworks import notices as say
from paddle_init.frameworks.knowledge import identical_layers, seed_notices
from paddle_init.frameworks.notices import number_notices, row_notices
from paddle_init.frameworks.sides import Rows, Side, View
from paddle_init.languages import LIST, joined, listed
from paddle_init.parity.records import Comparison, Level, Report
from paddle_init.schemes import Abacus, PaddleFC
from paddle_init.schemes.towers import DOCUMENT
from paddle_init.specs import Draw, Tensor
from paddle_init.texts import short

BIAS_ROW = "bias-row-in-rown"
OF_LAYERS = frozenset(("skipped-layers", "no-bias", "roles-unknown"))


def notices(left: View, right: View) -> tuple[Notice, ...]:
    """Return what both specs' readers warned about, and what the comparison adds.

    That roles are not known is of no effect between two confs, which draw weights and biases by
    one rule.

    The comparison knows both sides' numbers, so of two notices with one code about one parameter
    its own is kept; what the reader said of layers stands, as it knows their lines.
    """
    told: dict[Notice, None] = {}
    bare: set[str] = set()
    for view, other in ((left, right), (right, left)):
        own = [*_own(view, other), *_layers(view, bare)]
        of_layers = {notice.code for notice in view.spec.notices} & OF_LAYERS
        own = [notice for notice in own if notice.code not in of_layers]
        better = {(notice.code, notice.parameter) for notice in own}
        kept = [n for n in view.spec.notices if (n.code, n.parameter) not in better]
        told |= dict.fromkeys((*own, *kept))
        bare |= _bare(view).keys()
    if rows := [*_bias_rows(left, right), *_bias_rows(right, left)]:
        told = {notice: None for notice in told if notice.code != BIAS_ROW}
        told[rows[0].notice if len(rows) == 1 else _many_bias_rows(rows)] = None
    if left.spec.framework == right.spec.framework == "abacus":
        told = {notice: None for notice in told if notice.code != "roles-unknown"}
    return tuple(told)


def _own(view: View, other: View) -> Iterator[Notice]:
    rules = [draw for draw in view.spec.draws if isinstance(draw.scheme, Abacus)]
    if rules:
        yield from _document(rules)
    if view.spec.framework == "abacus":
        yield from _bias_reading(view)
        yield from _roles(view)
    yield from number_notices(view)
    yield from row_notices(view)
    yield from identical_layers(view.spec)
    yield from seed_notices(view.spec)


def _document(draws: list[Draw]) -> Iterator[Notice]:
    scaled = [
        say.TIMES(name=draw.name, times=draw.shape[0])
        for draw in draws
        if isinstance(draw.scheme, Abacus) and draw.scheme.scale_by_rown and draw.shape[0] > 1
    ]
    if scaled:
        yield Notice(
            "formula-in-document",
            say.FORMULA_IN_DOCUMENT(document=DOCUMENT, names=listed(scaled)),
        )
    yield Notice("mean-in-document", say.MEAN_IN_DOCUMENT(document=DOCUMENT))


def _bias_reading(view: View) -> Iterator[Notice]:
    """The document says that a bias starts at 1; a conf's layers say that it is drawn."""
    drawn = []
    for tensor in view.spec.tensors:
        if tensor.role != "bias":
            continue
        rows = view.rows(tensor)
        if any(part.drawn == Constant(1.0) for part in rows):
            yield _ones(view, tensor)
        elif any(isinstance(part.draw.scheme, Abacus) for part in rows):
            drawn.append(tensor.name)
    if drawn:
        yield Notice("bias-reading", say.BIAS_IS_DRAWN(document=DOCUMENT, names=listed(drawn)))


def _ones(view: View, bias: Tensor) -> Notice:
    weight = view.spec.weight_by_bias.get(bias.name)
    scheme = None
    if weight is not None:
        scheme = view.rows(view.spec.tensor_by_name[weight])[0].draw.scheme
    rule = say.RULE_OF_WEIGHT()
    if isinstance(scheme, Abacus):
        rule = say.RULE_OF_WEIGHT_STD(std=short(scheme.scale(1, view.spec.arithmetic)))
    message = say.BIAS_IS_ONE(document=DOCUMENT, name=bias.name, rule=rule)
    return Notice("bias-reading", message, bias.name, bias.source)


@dataclass(frozen=True)
class _BiasRow:
    """A parameter that holds its bias, in short and, were it the only one, as a notice."""

    name: str
    side: str
    short: str
    notice: Notice


def _many_bias_rows(rows: Sequence[_BiasRow]) -> Notice:
    sides = joined(LIST, dict.fromkeys(row.side for row in rows))
    names = listed(list(dict.fromkeys(row.short for row in rows)), 10)
    count = len({row.name for row in rows})
    message = say.BIAS_ROWS(count=count, side=sides, names=names)
    return Notice(BIAS_ROW, message, source=rows[0].notice.source)


def _bias_rows(view: View, other: View) -> Iterator[_BiasRow]:
    for tensor in view.spec.tensors:
        for part in view.rows(tensor) if tensor.role == "weight" else ():
            scheme = part.draw.scheme
            if not (part.folded and isinstance(scheme, Abacus) and scheme.scale_by_rown):
                continue
            rown, fan_in = part.draw.shape[0], tensor.shape[0]
            counted = say.FAN_IN(fan_in=fan_in)
            if any(isinstance(rows.draw.scheme, PaddleFC) for rows in _partner(other, tensor)):
                root = short(math.sqrt(fan_in))
                counted = say.FAN_IN_DIVIDES(fan_in=fan_in, side=other.name, root=root)
            message = say.BIAS_ROW(
                name=part.draw.name,
                rown=rown,
                side=view.name,
                root=short(math.sqrt(rown)),
                fan_in=counted,
            )
            told = say.BIAS_ROW_OF(name=part.draw.name, rown=rown, fan_in=fan_in)
            notice = Notice(BIAS_ROW, message, tensor.name, part.draw.source)
            yield _BiasRow(part.draw.name, view.name, told, notice)


def _partner(other: View, tensor: Tensor) -> Iterable[Rows]:
    partner = other.spec.tensor_by_name.get(tensor.name)
    return other.rows(partner) if partner else ()


def _roles(view: View) -> Iterator[Notice]:
    """A spec of draws alone says of none that it is a bias."""
    spec = view.spec
    if spec.layers or any(tensor.role == "bias" for tensor in spec.tensors):
        return
    rows = [t.name for t in spec.tensors if t.role == "weight" and t.shape[0] == 1]
    if rows:
        yield Notice("roles-unknown", say.ROLES_UNKNOWN(names=listed(rows)))


def _layers(view: View, told: Collection[str]) -> Iterator[Notice]:
    """What the net's layers leave out; `told` are weights of which that is said already."""
    if view.spec.skipped_layers:
        names = list(view.spec.skipped_layers)
        message = say.SKIPPED_LAYERS(count=len(names), names=listed(names, 10))
        yield Notice("skipped-layers", message)
    if bare := [name for name in _bare(view) if name not in told]:
        yield Notice("no-bias", say.NO_BIAS(names=listed(bare)))


def _bare(view: View) -> dict[str, None]:
    """The weights of layers without a bias, in their order; without layers nothing says it."""
    return dict.fromkeys(layer.weight for layer in view.spec.layers if layer.bias is None)


def without_notes(report: Report) -> Report:
    """Leave out the warnings about the document that explain no difference in this report."""
    kept = tuple(
        notice
        for notice in report.warnings
        if notice.code not in EXPLAINED or any(map(EXPLAINED[notice.code], report.parameters))
    )
    return replace(report, warnings=kept)


def _by_formula(comparison: Comparison) -> bool:
    """The formula that the document prints gives rown times the std."""
    ratio, rows = comparison.std_ratio, comparison.shape[0] if comparison.shape else 1
    if not ratio or rows == 1:
        return False
    times = max(ratio, 1 / ratio)
    return any(math.isclose(times, rown, rel_tol=1e-6) for rown in (rows, rows + 1))


def _by_mean(comparison: Comparison) -> bool:
    """The document's summary says that the mean is 1."""
    left, right = comparison.left, comparison.right
    return bool(left and right) and {_mean(left), _mean(right)} == {0.0, 1.0}


def _by_bias(comparison: Comparison) -> bool:
    """The document takes a bias to be the constant 1."""
    differs = comparison.level >= Level.SCALE and comparison.role == "bias"
    return differs and _is_one(comparison.left) != _is_one(comparison.right)


def _mean(side: Side | None) -> float | None:
    return side.mean if side and side.distribution != Constant.family else None


def _is_one(side: Side | None) -> bool:
    return side is not None and side.distribution == Constant.family and side.mean == 1


EXPLAINED: MappingProxyType[str, Callable[[Comparison], bool]] = MappingProxyType(
    {
        "formula-in-document": _by_formula,
        "mean-in-document": _by_mean,
        "bias-reading": _by_bias,
    }
)

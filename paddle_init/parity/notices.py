"""Where a reader of the confs and of the seed document would trip: warnings with stable codes."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from types import MappingProxyType

from paddle_init.distributions import Constant
from paddle_init.errors import Notice
from paddle_init.frameworks import notices as say
from paddle_init.frameworks.knowledge import identical_layers
from paddle_init.frameworks.notices import number_notices, row_notices
from paddle_init.frameworks.sides import Rows, Side, View
from paddle_init.languages import LIST, joined, listed
from paddle_init.parity.records import Comparison, Level, Report
from paddle_init.schemes import Abacus, PaddleFC
from paddle_init.schemes.towers import DOCUMENT
from paddle_init.specs import Draw, Tensor
from paddle_init.specs.notices import BIAS_ROW, BiasRow, summarized
from paddle_init.texts import short

OF_LAYERS = frozenset(("skipped-layers", "no-bias", "roles-unknown"))


def notices(left: View, right: View) -> tuple[Notice, ...]:
    """Return what both specs' readers warned about, and what the comparison adds.

    That roles are not known is of no effect between two sides of one framework, which draws
    weights and biases by one rule.

    The comparison knows both sides' numbers, so of two notices with one code about one parameter
    its own is kept; what the reader said of layers stands, as it knows their lines.
    """
    rows = [*_bias_rows(left, right), *_bias_rows(right, left)]
    of_both = [_bias_row_notice(rows)] if rows else []
    codes = {notice.code for notice in of_both}
    found: dict[Notice, None] = {}
    bare: set[str] = set()
    for view in (left, right):
        of_layers = {notice.code for notice in view.spec.notices} & OF_LAYERS
        own = [each for each in (*_own(view), *_layers(view, bare)) if each.code not in of_layers]
        better = {(notice.code, notice.parameter) for notice in own}
        readers = (n for n in view.spec.notices if (n.code, n.parameter) not in better)
        found |= dict.fromkeys((*own, *(notice for notice in readers if notice.code not in codes)))
        bare |= _bare(view).keys()
    found |= dict.fromkeys(of_both)
    same = left.spec.framework == right.spec.framework
    return tuple(notice for notice in found if not (same and notice.about == "roles"))


def _own(view: View) -> Iterator[Notice]:
    rules = [draw for draw in view.spec.draws if isinstance(draw.scheme, Abacus)]
    if rules:
        yield from _document(rules)
    yield from view.framework.report_notices(view)
    yield from number_notices(view)
    yield from row_notices(view)
    yield from identical_layers(view.spec)
    yield from view.framework.seed_notices(view.spec)


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


def _bias_row_notice(rows: Sequence[tuple[View, Draw, BiasRow]]) -> Notice:
    sides = joined(LIST, dict.fromkeys(view.name for view, _, _ in rows))
    names = listed(list(dict.fromkeys(row.short for *_, row in rows)), 10)
    count = len({draw.name for _, draw, _ in rows})
    together = say.BIAS_ROWS(count=count, side=sides, names=names)
    return summarized([row for *_, row in rows], together)


def _bias_rows(view: View, other: View) -> Iterator[tuple[View, Draw, BiasRow]]:
    for tensor in view.spec.tensors:
        for part in view.rows(tensor) if tensor.role == "weight" else ():
            scheme = part.draw.scheme
            if not (part.folded and isinstance(scheme, Abacus) and scheme.scale_by_rown):
                continue
            told = {"name": part.draw.name, "rown": part.draw.shape[0]}
            fan_in = tensor.shape[0]
            counted = say.FAN_IN(fan_in=fan_in)
            if any(isinstance(rows.draw.scheme, PaddleFC) for rows in _partner(other, tensor)):
                root = short(math.sqrt(fan_in))
                counted = say.FAN_IN_DIVIDES(fan_in=fan_in, side=other.name, root=root)
            root = short(math.sqrt(part.draw.shape[0]))
            message = say.BIAS_ROW(**told, side=view.name, root=root, fan_in=counted)
            notice = Notice(BIAS_ROW, message, tensor.name, part.draw.source)
            yield view, part.draw, BiasRow(say.BIAS_ROW_OF(**told, fan_in=fan_in), notice)


def _partner(other: View, tensor: Tensor) -> Iterable[Rows]:
    partner = other.spec.tensor_by_name.get(tensor.name)
    return other.rows(partner) if partner else ()


def _layers(view: View, told: Collection[str]) -> Iterator[Notice]:
    """What the net's layers leave out; `told` are weights of which that is said already."""
    if view.spec.skipped_layers:
        names = list(view.spec.skipped_layers)
        message = say.SKIPPED_LAYERS(count=len(names), names=listed(names, 10))
        yield Notice("skipped-layers", message, about="net")
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

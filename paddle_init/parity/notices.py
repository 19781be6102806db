"""Where a reader of the confs and of the seed document would trip: warnings with stable codes."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator

from paddle_init.distributions import Constant
from paddle_init.errors import Notice
from paddle_init.frameworks import identical_layers
from paddle_init.parity.number_notices import number_notices
from paddle_init.parity.row_notices import row_notices
from paddle_init.parity.sides import Rows, View
from paddle_init.parity.words import listed, short
from paddle_init.schemes import Abacus, PaddleFC
from paddle_init.specs import Draw, Tensor

__all__ = ["notices"]

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
    yield from _bias_rows(view, other)
    yield from number_notices(view)
    yield from row_notices(view)
    yield from identical_layers(view.spec)


def _document(draws: list[Draw]) -> Iterator[Notice]:
    scaled = [
        f"{draw.name} ({draw.shape[0]} times)"
        for draw in draws
        if isinstance(draw.scheme, Abacus) and draw.scheme.scale_by_rown and draw.shape[0] > 1
    ]
    if scaled:
        yield Notice(
            "formula-in-document",
            "the document's printed formula multiplies by sqrt(rown), the code it quotes divides. "
            "This report follows the code; the formula's std would be rown times as large: "
            f"{listed(scaled)}.",
        )
    yield Notice(
        "mean-in-document",
        "the document's summary says that both sides draw with mean 1; the code it quotes draws "
        "with mean 0, and so does this report.",
    )


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
        yield Notice(
            "bias-reading",
            "the document says that a bias starts at 1, but the matrix that its code fills with "
            "ones is bias_input, an input of the layer. The parameter that meets bias_input is "
            f"the bias, and it is drawn like a weight: {listed(drawn)}.",
        )


def _ones(view: View, bias: Tensor) -> Notice:
    weight = view.spec.weight_by_bias.get(bias.name)
    scheme = None
    if weight is not None:
        scheme = view.rows(view.spec.tensor_by_name[weight])[0].draw.scheme
    other = "drawn by the weight's rule with rown = 1"
    if isinstance(scheme, Abacus):
        other += f", std {short(scheme.scale(1, view.spec.arithmetic))}"
    return Notice(
        "bias-reading",
        f"{bias.name} is the constant 1, as the document reads it. The other reading: the ones "
        "are bias_input, an input of the layer, and the bias is the parameter that meets it, "
        f"{other}. A conf with layers says which parameter that is.",
        bias.name,
        bias.source,
    )


def _bias_rows(view: View, other: View) -> Iterator[Notice]:
    for tensor in view.spec.tensors:
        for part in view.rows(tensor) if tensor.role == "weight" else ():
            scheme = part.draw.scheme
            if not (part.folded and isinstance(scheme, Abacus) and scheme.scale_by_rown):
                continue
            rown, fan_in = part.draw.shape[0], tensor.shape[0]
            divides = ""
            if any(isinstance(rows.draw.scheme, PaddleFC) for rows in _partner(other, tensor)):
                divides = (
                    f" and {other.name} divides by sqrt({fan_in}) = {short(math.sqrt(fan_in))}"
                )
            yield Notice(
                "bias-row-in-rown",
                f"{part.draw.name} holds its bias as one of its rows, and rown = {rown} counts it: "
                f"{view.name} divides by sqrt({rown}) = {short(math.sqrt(rown))}. Paddle's fan_in "
                f"is {fan_in}{divides}.",
                tensor.name,
                part.draw.source,
            )


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
        yield Notice(
            "roles-unknown",
            "the spec names no bias and no layers, so nothing says which parameter is a bias: "
            f"{listed(rows)} with rown = 1 may be one. The towers divide a bias by sqrt(fan_in) "
            "of its layer.",
        )


def _layers(view: View, told: Collection[str]) -> Iterator[Notice]:
    """What the net's layers leave out; `told` are weights of which that is said already."""
    if view.spec.skipped_layers:
        names = list(view.spec.skipped_layers)
        yield Notice(
            "skipped-layers",
            f"{len(names)} layers are not fully connected and were passed over: "
            f"{listed(names, 10)}. If they have parameters, this report does not cover them.",
        )
    if bare := [name for name in _bare(view) if name not in told]:
        yield Notice(
            "no-bias",
            f"no bias belongs to {listed(bare)}; in Paddle that is bias_attr=False, for its "
            "layers add a bias unless told otherwise.",
        )


def _bare(view: View) -> dict[str, None]:
    """The weights of layers without a bias, in their order; without layers nothing says it."""
    return dict.fromkeys(layer.weight for layer in view.spec.layers if layer.bias is None)

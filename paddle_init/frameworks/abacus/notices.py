"""Where a reader of abacus's confs and of the seed document would trip."""

from __future__ import annotations

from collections.abc import Iterator

from paddle_init.distributions import Constant
from paddle_init.errors import Notice
from paddle_init.frameworks import notices as say
from paddle_init.frameworks.sides import View
from paddle_init.languages import listed
from paddle_init.schemes import Abacus
from paddle_init.schemes.towers import DOCUMENT
from paddle_init.specs import Tensor
from paddle_init.texts import short


def bias_reading(view: View) -> Iterator[Notice]:
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


def roles(view: View) -> Iterator[Notice]:
    """A spec of draws alone says of none that it is a bias."""
    spec = view.spec
    if spec.layers or any(tensor.role == "bias" for tensor in spec.tensors):
        return
    rows = [t.name for t in spec.tensors if t.role == "weight" and t.shape[0] == 1]
    if rows:
        yield Notice("roles-unknown", say.ROLES_UNKNOWN(names=listed(rows)), about="roles")

"""Where a reader of abacus's confs and of the seed document would trip."""

from __future__ import annotations

from collections.abc import Iterator

from paddle_init.distributions import Constant
from paddle_init.errors import Notice
from paddle_init.frameworks.sides import View
from paddle_init.languages import Sentence, listed
from paddle_init.schemes import Abacus
from paddle_init.schemes.towers import DOCUMENT
from paddle_init.specs import Tensor
from paddle_init.texts import short

BIAS_IS_DRAWN = Sentence(
    "the document {document} says that a bias starts at 1, but the matrix that its code fills with "
    "ones is bias_input, an input of the layer. The parameter that meets bias_input is "
    "the bias, and it is drawn like a weight: {names}.",
    "文档《{document}》说偏置从 1 开始，但它的代码填 1 的矩阵是 bias_input，即层的一个输入。"
    "与 bias_input 相乘的参数才是偏置，它像权重一样抽取：{names}。",
)
BIAS_IS_ONE = Sentence(
    "{name} is the constant 1, as the document {document} reads it. The other reading: the ones "
    "are bias_input, an input of the layer, and the bias is the parameter that meets it, "
    "{rule}. A conf with layers says which parameter that is.",
    "{name} 是常数 1，这是文档《{document}》的理解。"
    "另一种理解：那些 1 是 bias_input，即层的一个输入，"
    "与它相乘的参数才是偏置，{rule}。带 layer 的配置会写明是哪个参数。",
)
RULE_OF_WEIGHT = Sentence(
    "drawn by the weight's rule with rown = 1", "按权重的规则以 rown = 1 抽取"
)
RULE_OF_WEIGHT_STD = Sentence(
    "drawn by the weight's rule with rown = 1, std {std}",
    "按权重的规则以 rown = 1 抽取，标准差 {std}",
)
ROLES_UNKNOWN = Sentence(
    "the spec names no bias and no layers, so nothing says which parameter is a bias: "
    "{names} with rown = 1 may be one. The towers divide a bias by sqrt(fan_in) of its layer.",
    "规格没有写明偏置，也没有写层，所以无法判定哪个参数是偏置：rown = 1 的 {names} 可能是。"
    "组网时偏置要除以它所在层的 sqrt(fan_in)。",
)


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
        yield Notice("bias-reading", BIAS_IS_DRAWN(document=DOCUMENT, names=listed(drawn)))


def _ones(view: View, bias: Tensor) -> Notice:
    weight = view.spec.weight_by_bias.get(bias.name)
    scheme = None
    if weight is not None:
        scheme = view.rows(view.spec.tensor_by_name[weight])[0].draw.scheme
    rule = RULE_OF_WEIGHT()
    if isinstance(scheme, Abacus):
        rule = RULE_OF_WEIGHT_STD(std=short(scheme.scale(1, view.spec.arithmetic)))
    message = BIAS_IS_ONE(document=DOCUMENT, name=bias.name, rule=rule)
    return Notice("bias-reading", message, bias.name, bias.source)


def roles(view: View) -> Iterator[Notice]:
    """A spec of draws alone says of none that it is a bias."""
    spec = view.spec
    if spec.layers or any(tensor.role == "bias" for tensor in spec.tensors):
        return
    rows = [t.name for t in spec.tensors if t.role == "weight" and t.shape[0] == 1]
    if rows:
        yield Notice("roles-unknown", ROLES_UNKNOWN(names=listed(rows)), about="roles")

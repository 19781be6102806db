"""Numbers that leave nothing to chance, or that the dtype cannot hold."""

from __future__ import annotations

from collections.abc import Iterator

from paddle_init.errors import Notice
from paddle_init.frameworks.sides import View
from paddle_init.languages import Sentence
from paddle_init.specs.notices import number_findings
from paddle_init.texts import short

TIMES = Sentence("{name} ({times} times)", "{name}（{times} 倍）")
FORMULA_IN_DOCUMENT = Sentence(
    "the formula printed in the document {document} multiplies by sqrt(rown), the code it quotes "
    "divides. This report follows the code; the formula's std would be rown times as large: "
    "{names}.",
    "文档《{document}》印出的公式是乘 sqrt(rown)，而它引用的代码是除。本报告以代码为准；"
    "按公式，标准差会大到 rown 倍：{names}。",
)
MEAN_IN_DOCUMENT = Sentence(
    "the summary of the document {document} says that both sides draw with mean 1; the code it "
    "quotes draws with mean 0, and so does this report.",
    "文档《{document}》的总结说两边的均值都是 1；它引用的代码以均值 0 抽取，本报告也是。",
)
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
BIAS_ROW = Sentence(
    "{name} holds its bias as one of its rows, and rown = {rown} counts it: "
    "{side} divides by sqrt({rown}) = {root}. {fan_in}.",
    "{name} 有一行是偏置，rown = {rown} 把它算在内：{side}除以 sqrt({rown}) = {root}。{fan_in}。",
)
BIAS_ROW_OF = Sentence(
    "{name} (rown {rown}, fan_in {fan_in})", "{name}（rown 为 {rown}，fan_in 为 {fan_in}）"
)
BIAS_ROWS = Sentence(
    "In {count} parameters one row is the bias: {side} divides by sqrt(rown), which counts that "
    "row, and Paddle's fan_in does not count it: {names}.",
    "有 {count} 个参数的其中一行是偏置：{side}除以 sqrt(rown)，rown 算上了这一行，"
    "而 Paddle 的 fan_in 不算：{names}。",
)
FAN_IN = Sentence("Paddle's fan_in is {fan_in}", "Paddle 的 fan_in 是 {fan_in}")
FAN_IN_DIVIDES = Sentence(
    "Paddle's fan_in is {fan_in} and {side} divides by sqrt({fan_in}) = {root}",
    "Paddle 的 fan_in 是 {fan_in}，{side}除以 sqrt({fan_in}) = {root}",
)
ROLES_UNKNOWN = Sentence(
    "the spec names no bias and no layers, so nothing says which parameter is a bias: "
    "{names} with rown = 1 may be one. The towers divide a bias by sqrt(fan_in) of its layer.",
    "规格没有写明偏置，也没有写层，所以无法判定哪个参数是偏置：rown = 1 的 {names} 可能是。"
    "组网时偏置要除以它所在层的 sqrt(fan_in)。",
)
STD_DRAWN = Sentence(
    "{name} is drawn with std {std} {place}", "{name} 以标准差 {std} 抽取（{place}）"
)
ZERO_BIAS = Sentence("{drawn}: its elements start equal.", "{drawn}：它的元素起点相同。")
ZERO_WEIGHT = Sentence(
    "{drawn}: its elements start equal, "
    "and outputs whose weights are equal stay equal in training.",
    "{drawn}：它的元素起点相同，而权重相同的输出在训练中会一直相同。",
)
UNDERFLOW = Sentence(
    "{drawn}, below the smallest {dtype}, {smallest}: its elements round "
    "to 0 or to a few multiples of that.",
    "{drawn}，小于最小的 {dtype} 数 {smallest}：它的元素舍入为 0 或该数的几倍。",
)
BEYOND = Sentence(
    "{drawn}, beyond the largest {dtype}, {largest}.", "{drawn}，超出最大的 {dtype} 数 {largest}。"
)
OVERFLOW = Sentence(
    "{drawn}: {share} of its elements overflow {dtype} to inf.",
    "{drawn}：{share} 的元素溢出 {dtype}，成为 inf。",
)
OVERFLOW_BEYOND = Sentence(
    "{drawn}: {share} of its elements overflow {dtype} to inf. Paddle has no such std.",
    "{drawn}：{share} 的元素溢出 {dtype}，成为 inf。Paddle 没有这样的标准差。",
)
UNUSED_ROWS = Sentence(
    "no tensor holds rows {rows} of {name}: they are drawn {place}, "
    "and no parameter starts with them.",
    "没有张量持有 {name} 的第 {rows} 行：它们照样抽取（{place}），但没有参数由它们开始。",
)
BOTH = Sentence("{first} and {second}", "{first} 和 {second}")
TWICE = Sentence("{name} twice", "{name} 中两次")
TIED_ROWS = Sentence(
    "rows {rows} of {name} stand in {tensors}: their values are equal "
    "{place}, but ParamAttrs draw every row of Paddle's parameters anew.",
    "{name} 的第 {rows} 行出现在 {tensors}：它们的值相等（{place}），"
    "但 ParamAttr 会为 Paddle 的参数重新抽取每一行。",
)
NOT_DRAWN = Sentence("no values were compared: {error}", "没有比较数值：{error}")
NOT_ALL_DRAWN = Sentence(
    "the values of these were not compared, because they are not known: {tensors}",
    "以下张量的值无法判定，所以没有比较：{tensors}",
)
SKIPPED_LAYERS = Sentence(
    "{count} layers are not fully connected and were passed over: {names}. "
    "If they have parameters, this report does not cover them.",
    "有 {count} 层不是全连接层，已略过：{names}。它们若有参数，本报告没有涵盖。",
)
NO_BIAS = Sentence(
    "no bias belongs to {names}; in Paddle that is bias_attr=False, for its "
    "layers add a bias unless told otherwise.",
    "{names} 没有偏置；在 Paddle 里要写 bias_attr=False，因为它的层默认会加偏置。",
)


NUMBERS = {
    "underflow": UNDERFLOW,
    "overflow": OVERFLOW,
    "overflow-in-float32": OVERFLOW_BEYOND,
    "out-of-range": BEYOND,
}


def number_notices(view: View) -> Iterator[Notice]:
    """Yield ``zero-scale``, ``underflow`` and ``overflow``, each once for a tensor."""
    framework = view.framework
    for tensor in view.spec.tensors:
        dtypes = dict.fromkeys((framework.numbers_dtype(tensor.dtype), tensor.dtype))
        found: dict[str, Notice] = {}
        for part in view.rows(tensor):
            for code, case, values in number_findings(
                part.drawn, dtypes, scales_beyond=framework.scales_beyond
            ):
                zero = ZERO_WEIGHT if tensor.role == "weight" else ZERO_BIAS
                std = getattr(part.drawn, "std", 0.0)
                drawn = STD_DRAWN(name=tensor.name, std=short(std), place=view.where)
                message = NUMBERS.get(case, zero)(drawn=drawn, **values)
                found.setdefault(code, Notice(code, message, tensor.name, part.draw.source))
        yield from found.values()


# rows [start, stop) of a draw, and the tensor that holds them
Held = tuple[int, int, str]


def row_notices(view: View) -> Iterator[Notice]:
    """Yield ``unused-rows`` and ``tied-rows``, draw by draw.

    A Paddle net may draw for parameters that it does not have; what no tensor holds at all is
    told for abacus alone.
    """
    held: dict[str, list[Held]] = {draw.name: [] for draw in view.spec.draws}
    for tensor in view.spec.tensors:
        for block in tensor.blocks:
            if block.rows:
                held[block.draw].append((block.start, block.stop, tensor.name))
    for draw in view.spec.draws:
        found = sorted(held[draw.name])
        unused = _gaps(found, draw.shape[0])
        if unused and (found or not view.framework.draws_unused):
            message = UNUSED_ROWS(rows=_spans(unused), name=draw.name, place=view.where)
            yield Notice("unused-rows", message, draw.name, draw.source)
        if tied := _overlaps(found):
            first, second = tied[0][2:]
            both = BOTH(first=first, second=second)
            message = TIED_ROWS(
                rows=_spans(tied),
                name=draw.name,
                tensors=both if first != second else TWICE(name=first),
                place=view.where,
            )
            yield Notice("tied-rows", message, draw.name, draw.source)


def _gaps(held: list[Held], rows: int) -> list[tuple[int, int]]:
    gaps, end = [], 0
    for start, stop, _ in [*held, (rows, rows, "")]:
        if start > end:
            gaps.append((end, start))
        end = max(end, stop)
    return gaps


def _overlaps(held: list[Held]) -> list[tuple[int, int, str, str]]:
    """Return the rows that a second holder shares with the one that reaches furthest before it."""
    found, last = [], (0, 0, "")
    for each in held:
        if each[0] < last[1]:
            found.append((each[0], min(each[1], last[1]), last[2], each[2]))
        last = max(last, each, key=lambda one: one[1])
    return found


def _spans(spans: list[tuple[int, int]] | list[tuple[int, int, str, str]]) -> str:
    return ", ".join(f"[{start}, {stop})" for start, stop, *_ in spans)

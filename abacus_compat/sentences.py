"""What a reader of a translated conf is told, in every language."""

from __future__ import annotations

from paddle_init.languages import Sentence

FLAT_BIAS = Sentence(
    "this form says nothing of a bias: it is taken as the constant 1, as the document "
    "{document} has it. That document saw bias_input filled with ones; in a conf "
    "with layers those are a column of the input, and the bias is the parameter that "
    "meets it, drawn with std init_range * global_init_range",
    "这种形式没有写偏置：按文档《{document}》，取为常数 1。"
    "那份文档看到的是填满 1 的 bias_input；"
    "在带 layer 的配置里，那些 1 是输入的一列，与它相乘的参数才是偏置，"
    "以标准差 init_range * global_init_range 抽取",
)
SKIPPED_KEYS = Sentence(
    "passed over, as they play no part in initialization: {keys}", "与初始化无关，已略过：{keys}"
)
ROLES_UNKNOWN = Sentence(
    "the conf names no layers, so nothing says which parameter is a bias; "
    "the towers divide a bias by sqrt(fan_in) of its layer",
    "配置没有写层，所以无法判定哪个参数是偏置；组网时偏置要除以它所在层的 sqrt(fan_in)",
)
ROLES_UNKNOWN_OF = Sentence(
    "the conf names no layers, so nothing says which parameter is a bias: "
    "{names} with rown = 1 may be one; the towers divide a bias by sqrt(fan_in) of its layer",
    "配置没有写层，所以无法判定哪个参数是偏置：rown = 1 的 {names} 可能是；"
    "组网时偏置要除以它所在层的 sqrt(fan_in)",
)
SCALE = Sentence(
    "init_range * global_init_range comes to a scale of {scale}",
    "init_range * global_init_range 得到的 scale 是 {scale}",
)
ZERO_SCALE = Sentence("{scale}: {what} starts at 0", "{scale}：{what}从 0 开始")
EVERY_ELEMENT = Sentence("every element", "每个元素都")
STARTS = {
    frozenset(("weight",)): Sentence("every weight", "每个权重都"),
    frozenset(("bias",)): Sentence("the bias", "偏置"),
    frozenset(("weight", "bias")): Sentence(
        "every weight, and the bias in it,", "每个权重和其中的偏置都"
    ),
}
"""What a scale of 0 is told of, by the roles that a draw has."""
UNDERFLOW = Sentence(
    "{scale}, below the smallest float32, {smallest}: every element rounds to 0 "
    "or to a few multiples of that",
    "{scale}，小于最小的 float32 数 {smallest}：每个元素舍入为 0 或该数的几倍",
)
OVERFLOW = Sentence(
    "{scale}: {percent} % of the elements overflow float32 to inf",
    "{scale}：{percent} % 的元素溢出 float32，成为 inf",
)
OVERFLOW_BEYOND = Sentence(
    "{scale}: {percent} % of the elements overflow float32 to inf; Paddle has no such std",
    "{scale}：{percent} % 的元素溢出 float32，成为 inf；Paddle 没有这样的标准差",
)
NO_BIAS = Sentence(
    "layer {layer} has no bias_input, so it has no bias: bias_attr=False in Paddle",
    "层 {layer} 没有 bias_input，所以没有偏置：在 Paddle 里写 bias_attr=False",
)
BIAS_ROW = Sentence(
    "one of the {rown} rows of {name} is the bias of layer {layer}; "
    "abacus's rown counts it, Paddle's fan_in does not",
    "{name} 的 {rown} 行中有一行是层 {layer} 的偏置；"
    "abacus 的 rown 把它算在内，Paddle 的 fan_in 不算",
)
BIAS_ROW_OF = Sentence("{name} (rown {rown}, layer {layer})", "{name}（rown {rown}，层 {layer}）")
BIAS_ROWS = Sentence(
    "one row of each of these is a bias; abacus's rown counts it, Paddle's fan_in does not: {rows}",
    "以下参数各有一行是偏置，abacus 的 rown 把它算在内，Paddle 的 fan_in 不算：{rows}",
)
SKIPPED_LAYER = Sentence("{name} ({kind}, line {line})", "{name}（{kind}，第 {line} 行）")
SKIPPED_LAYERS = Sentence(
    "passed over, as they are no fully connected layers with a weight: {layers}; "
    "what they draw is kept, parameter by parameter",
    "不是带权重的全连接层，已略过：{layers}；它们抽取的参数逐个保留",
)
SHARED_PARAMETER = Sentence(
    "{name} is used by the layers {layers}: give them one Paddle parameter",
    "{name} 被这些层共用：{layers}；请给它们同一个 Paddle 参数",
)
UNUSED_PARAMETER = Sentence(
    "no layer uses {name}; abacus draws it all the same", "没有层使用 {name}；abacus 照样会抽取它"
)
MISSPELLED_KEY = Sentence(
    "{key} is not known and is passed over; did you mean {meant}?",
    "{key} 不是已知的键，已略过；是否应为 {meant}？",
)
MISSPELLED_CLASS = Sentence(
    "layer {layer}: the class {name} is not known and the layer is passed over; "
    "did you mean {meant}?",
    "层 {layer}：类 {name} 未知，该层已略过；是否应为 {meant}？",
)
MISSPELLED_ACTIVATION = Sentence(
    "layer {layer}: the activation {name} is not known; did you mean {meant}?",
    "层 {layer}：激活函数 {name} 未知；是否应为 {meant}？",
)
MISSPELLED_BIAS = Sentence(
    "layer {layer} reads {name}, which is taken as an input of width 1 from outside, and so the "
    "layer has no bias there; did you mean {meant}?",
    "层 {layer} 读取的 {name} 被当作宽度为 1 的外部输入，因此这里没有偏置；是否应为 {meant}？",
)
MISSPELLED_UNUSED = Sentence(
    "layer {layer} reads {name}, which is taken as an input from outside, while no layer reads "
    "{meant}{where}; did you mean {meant}?",
    "层 {layer} 读取的 {name} 被当作外部输入，而{where} {meant} 没有任何层读取；是否应为 {meant}？",
)
MISSPELLED_INPUT = Sentence(
    "layer {layer} reads {name}, which is taken as an input from outside; "
    "did you mean {meant}{where}?",
    "层 {layer} 读取的 {name} 被当作外部输入；是否应为{where} {meant}？",
)
ON_LINE = Sentence(" (line {line})", "第 {line} 行的")
DECLARED = Sentence(" of vec_input", " vec_input 里的")
UNUSED_OUTPUT = Sentence(
    "no layer reads {name}, the output of layer {layer}, and it is not the last layer: "
    "either an input's name is misspelled or this is a further output of the net",
    "没有层读取 {layer} 层的输出 {name}，而它不是最后一层：可能是某个输入的名字写错，"
    "也可能这是网络的另一个输出",
)
UNUSED_OUTPUT_NEAR = Sentence(
    "no layer reads {name}, the output of layer {layer}, and it is not the last layer; "
    "a later layer reads {near}: did you mean {name} there?",
    "没有层读取 {layer} 层的输出 {name}，而它不是最后一层；后面有层读取 {near}："
    "那里是否应为 {name}？",
)

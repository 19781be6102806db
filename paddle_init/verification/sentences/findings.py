"""What explains that weights do not start where a spec says."""

from __future__ import annotations

from paddle_init.languages import Sentence

OF_ROWS = Sentence("rows {rows}: {what}", "第 {rows} 行：{what}")
OR = Sentence("{a}; or {b}", "{a}；或者{b}")

NO_NAME_IN_COMMON = Sentence(
    "no name is common to both: the weights have {has}, the spec {wants}; give a mapping that says "
    "which belong together: `paddle-init translate SPEC --to mapping --against WEIGHTS` writes one "
    "by shapes and order",
    "两边没有相同的名字：权重里有 {has}，规格里有 {wants}；请用映射说明哪些互相对应："
    "`paddle-init translate SPEC --to mapping --against WEIGHTS` 会按形状和次序写出一份",
)
NONE = Sentence("none", "（没有）")
PREFIX = Sentence(
    "the weights' names begin with {prefix!r}, the spec's do not",
    "权重里的名字都以 {prefix!r} 开头，规格里的没有",
)
SPECS_PREFIX = Sentence(
    "the spec's names begin with {prefix!r}, the weights' do not",
    "规格里的名字都以 {prefix!r} 开头，权重里的没有",
)
SEVERAL_PREFIXES = Sentence(
    "the spec's names stand in the weights behind several prefixes ({prefixes}), and it is not "
    "known which of them is meant; say in a mapping which belong together",
    "规格里的名字在权重里出现在多个前缀之后（{prefixes}），无法判定指的是哪一个；请用映射说明哪些互相对应",
)
ONLY_UNDER_ALIAS = Sentence(
    "the weights have it only as {alias}, its other name in the net",
    "权重里只有它在网络中的另一个名字 {alias}",
)
FOUND_VALUES = Sentence("the values of a file", "文件里的值")
UNREADABLE = Sentence(
    "the weights have it, but it cannot be read: {why}", "权重里有它，但无法读取：{why}"
)
BUFFERS = Sentence(
    "not compared, since they are buffers of the net and no parameters: {names}",
    "以下是网络的缓冲区，不是参数，不作比较：{names}",
)
UNTIED = Sentence(
    "it is the same parameter as {name} in the net, and the weights have other values for it",
    "在网络中它与 {name} 是同一个参数，而权重里两者的值不同",
)
UNTIED_LAST = Sentence(
    "{what}; set_state_dict sets one parameter from each in turn, so the values of {last}, the "
    "last in the net's order, are those that stay",
    "{what}；set_state_dict 依次用它们给同一个参数赋值，最后留下的是网络顺序中最后一个 {last} 的值",
)
SHAPE = Sentence("the shape is {found}, the spec's {wanted}", "形状是 {found}，规格里是 {wanted}")
LOOKS_TRANSPOSED = Sentence(
    "{shape}; it looks transposed: Paddle's weights are [in, out], others' [out, in]",
    "{shape}；看来是转置了：Paddle 的权重是 [in, out]，其他框架是 [out, in]",
)
DTYPE = Sentence("the dtype is {found}, the spec's {wanted}", "dtype 是 {found}，规格里是 {wanted}")
OTHER_DISTRIBUTION = Sentence("the distribution is another too ({tests})", "分布也不同（{tests}）")
OTHER_STREAM = Sentence(
    "the distribution fits and the values are others: another seed, or another place in the "
    "stream; `{command}` searches for it",
    "分布相符，值不同：种子不同，或在随机流中的位置不同；`{command}` 可以查找",
)

TESTED_ALONE = Sentence(
    "its distribution alone is tested, because its values are not known: {why}",
    "它的值无法判定，因此只检验分布：{why}",
)
NOT_TESTED = Sentence(
    "not tested, because it is not known how it is drawn: {why}",
    "没有检验，因为怎样采样无法判定：{why}",
)
NOT_OVERWRITTEN = Sentence(
    "elements that are set after the draw, such as a padding row, have other values than the spec "
    "says",
    "抽取后改写的元素（例如 padding 行）与规格所说的值不同",
)
SEED_TRAP = Sentence(
    "A startup program's random_seed, or one initializer object with a seed, used twice, does this",
    "启动程序的 random_seed，或同一个带种子的初始化器对象用了两次，都会这样",
)
EQUALS = Sentence(
    "every bit equals that of {earlier}; the layers start identical. {trap}",
    "每一位都与 {earlier} 相同；两层起点完全一样。{trap}",
)
BEGINS_WITH = Sentence(
    "the {kind} begins with the draws of {earlier}. {trap}",
    "这个{kind}以 {earlier} 抽到的数开头。{trap}",
)
MOST_EQUAL = Sentence(
    "{equal} of the first {compared} values equal those of {earlier}. {trap}",
    "前 {compared} 个值中有 {equal} 个与 {earlier} 相同。{trap}",
)
KIND_BIAS = Sentence("bias", "偏置")
KIND_PARAMETER = Sentence("parameter", "参数")

EXCHANGED = Sentence(
    "it holds the values that the spec draws for {other}", "里面是规格为 {other} 抽取的值"
)
ALL_EQUAL = Sentence("every value is {value}", "每个值都是 {value}")
SHIFTED = Sentence(
    "its place in the stream is another, because of what became of {names}",
    "它在随机流中的位置变了，因为 {names} 有变化",
)
DEFAULT_BIAS = Sentence(
    "it was left at Paddle's default for a bias, 0", "仍是 Paddle 给偏置的默认值 0"
)
DEFAULT_WEIGHT = Sentence(
    "it was left at Paddle's default, XavierUniform (bound {bound})",
    "仍是 Paddle 的默认初始化 XavierUniform（界 {bound}）",
)

NOT_FINITE = Sentence("{count} values are NaN or infinite", "有 {count} 个值是 NaN 或无穷")
NOT_THE_CONSTANT = Sentence(
    "the values are not the constant that the spec says", "这些值不是规格所说的常数"
)
SPREAD = Sentence(
    "the values spread {ratio} times as far as the spec says, around {mean}; no known mistake "
    "would do that",
    "这些值围绕 {mean} 散布，散布程度是规格所说的 {ratio} 倍；没有哪种已知错误会造成这样",
)

RESCALED = Sentence(
    "the draws are right, their scale is {factor} times the spec's",
    "抽到的数是对的，scale 是规格的 {factor} 倍",
)
BECAUSE = Sentence("{what}, because {why}", "{what}，因为{why}")
STD_NARROWED = Sentence(
    "{what}: a std of {std} in double on one side and narrowed to float32 ({narrow}) on the other "
    "differ so",
    "{what}：一侧的标准差是 double 的 {std}，另一侧收窄为 float32（{narrow}），相差正是这么多",
)

TRANSPOSED = Sentence(
    "the values are transposed; Paddle's weights are [in, out]",
    "这些值转置了；Paddle 的权重是 [in, out]",
)
OTHER_SHAPE = Sentence("the values are right, but for the shape", "这些值是对的，只是形状不同")
COLUMNS_AS_ROWS = Sentence(
    "the values are column-major, read as row-major", "这些值按列存放，却按行读了"
)
ROWS_AS_COLUMNS = Sentence(
    "the values are row-major, read as column-major", "这些值按行存放，却按列读了"
)
ROUNDED = Sentence("the values were rounded to {dtype}", "这些值舍入成了 {dtype}")
OTHER_DTYPE = Sentence(
    "the values are right, but for the dtype: {dtype}", "这些值是对的，只是 dtype 是 {dtype}"
)

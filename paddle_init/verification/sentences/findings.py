"""What explains that weights do not start where a spec says."""

from __future__ import annotations

from paddle_init.languages import Sentence

OF_ROWS = Sentence("rows {rows}: {what}", "第 {rows} 行：{what}")
OR = Sentence("{a}; or {b}", "{a}；或者{b}")

NO_NAME_IN_COMMON = Sentence(
    "no name is common to both: the weights have {has}, the spec {wants}; say in a mapping which "
    "belong together",
    "两边没有相同的名字：权重里有 {has}，规格里有 {wants}；请用映射说明哪些互相对应",
)
NONE = Sentence("none", "（没有）")
PREFIX = Sentence(
    "the weights' names begin with {prefix!r}, the spec's do not",
    "权重里的名字都以 {prefix!r} 开头，规格里的没有",
)
UNREADABLE = Sentence(
    "the weights have it, but not as numbers of a type that can be read",
    "权重里有它，但不是能读取的数值类型",
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
SEED_BITS = Sentence(
    "paddle.seed keeps 32 bits: {seed} and {low} give the same stream",
    "paddle.seed 只保留 32 位：{seed} 和 {low} 给出同一个随机流",
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

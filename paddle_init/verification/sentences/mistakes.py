"""The mistakes that would have drawn what was found."""

from __future__ import annotations

from paddle_init.languages import Sentence

COLUMN_MAJOR = Sentence("column-major", "按列")
ROW_MAJOR = Sentence("row-major", "按行")
OTHER_STORAGE = Sentence(
    "the draws fill the matrix in {other} order, not {own} as the spec says",
    "抽到的数{other}填入矩阵，而规格说是{own}",
)
PADDLES_ARITHMETIC = Sentence(
    "the same draws in Paddle's arithmetic: std is narrowed to float32 and multiplied in float32; "
    "the spec's double scale rounds once",
    "同一批数，按 Paddle 的算术：标准差收窄为 float32，再以 float32 相乘；"
    "规格的 double scale 只舍入一次",
)
SCALES_IN_FLOAT32 = Sentence(
    "the same draws with scales computed in float32, as the system derived from abacus does; the "
    "spec says float64",
    "同一批数，scale 以 float32 计算，与 abacus 的衍生系统一样；规格说是 float64",
)
SCALES_IN_FLOAT64 = Sentence(
    "the same draws with scales computed in float64; the spec says float32",
    "同一批数，scale 以 float64 计算；规格说是 float32",
)
ABACUS_ARITHMETIC = Sentence(
    "the same draws in abacus's arithmetic: a float times a double std, rounded once; Paddle "
    "narrows std to float32 first",
    "同一批数，按 abacus 的算术：float 乘 double 标准差，只舍入一次；"
    "Paddle 先把标准差收窄为 float32",
)

STREAM_OF_SEED = Sentence(
    "this is the stream of seed {seed}, {how}", "这是种子 {seed} 的随机流，{how}"
)
SEED_SEQ_FOR_INTEGER = Sentence(
    "the engine was seeded by std::seed_seq{{{seed}}}, not by the integer {seed}",
    "引擎以 std::seed_seq{{{seed}}} 播种，而不是以整数 {seed}",
)
INTEGER_FOR_SEED_SEQ = Sentence(
    "the engine was seeded by the integer {seed}, not by std::seed_seq{{{seed}}}",
    "引擎以整数 {seed} 播种，而不是以 std::seed_seq{{{seed}}}",
)
STREAM_OF_ENGINE = Sentence(
    "this is the stream of {name}, not of {engine}", "这是 {name} 的随机流，不是 {engine} 的"
)
EVERY_OP = Sentence(
    "every op was seeded with {seed} (a startup program's random_seed, or the initializer's), not "
    "the global generator: layers of one shape start identical",
    "每个算子都以 {seed} 播种（启动程序的 random_seed，或初始化器的种子），"
    "而不是全局生成器：形状相同的层起点完全一样",
)
GLOBAL_GENERATOR = Sentence(
    "the global generator was seeded with {seed} (paddle.seed), not every op",
    "以 {seed} 播种的是全局生成器（paddle.seed），而不是每个算子",
)
PLUS_32_BITS = Sentence("that is the spec's + 2^32", "即规格的种子 + 2^32")
MINUS_32_BITS = Sentence("that is the spec's - 2^32", "即规格的种子 - 2^32")
MOD_32_BITS = Sentence("the spec's mod 2^32", "即规格的种子对 2^32 取模")
ONE_MORE = Sentence("one more than the spec's", "比规格的种子大 1")
ONE_LESS = Sentence("one less than the spec's", "比规格的种子小 1")
NOT_THE_SPECS = Sentence("not the spec's", "不是规格的种子")
ENGINES_DEFAULT = Sentence("an engine's default", "即引擎的默认种子")

OTHER_ORDER = Sentence(
    "the parameters were drawn in another order: {order}", "参数的抽取顺序不同：{order}"
)
BY_CREATION = Sentence("the tensors' order of creation", "按张量的创建顺序")
REVERSED = Sentence("reverse order", "倒序")
BY_NAME = Sentence("alphabetical order", "按字母顺序")
WEIGHTS_FIRST = Sentence("weights first, then biases", "先权重，后偏置")
BIASES_FIRST = Sentence("biases first, then weights", "先偏置，后权重")
BIAS_BEFORE_WEIGHT = Sentence("each layer's bias before its weight", "每层的偏置在权重之前")

FIRST_ROW = Sentence(
    "the bias row folded into a weight is its first row, not its last",
    "折入权重的偏置行是第一行，而不是最后一行",
)
TWO_DRAWS = Sentence(
    "weight and bias row were drawn as two parameters, not folded into one",
    "权重和偏置行是作为两个参数抽取的，没有折成一个",
)
ONE_DRAW = Sentence(
    "the bias row was folded into its weight's draw, not drawn by itself",
    "偏置行折入了权重一起抽取，没有单独抽取",
)

WITH_NUMBERS = Sentence("{what}: {numbers}", "{what}：{numbers}")
STD = Sentence("std {std}", "标准差 {std}")
BOUND = Sentence("bound {bound}", "界 {bound}")
FAMILIES = {
    "constant": Sentence("constant", "常数"),
    "truncated_normal": Sentence("truncated_normal", "截断正态"),
    "unknown": Sentence("unknown", "未知"),
}

FANS_SWAPPED = Sentence("fan_in and fan_out are swapped", "fan_in 和 fan_out 弄反了")
TOWERS_RULE = Sentence("it follows the rule of the Paddle towers", "它遵循 Paddle 组网的规则")
BIAS_LIKE_WEIGHT = Sentence(
    "the bias has the scale of its weight, divided by sqrt(fan_in) = sqrt({fan_in})",
    "偏置用了权重的 scale，除以了 sqrt(fan_in) = sqrt({fan_in})",
)
ROWN_WITHOUT_BIAS = Sentence(
    "rown does not count a bias row, {rows}", "rown 没有算上偏置行，是 {rows}"
)
ROWN_WITH_BIAS = Sentence("rown counts a bias row, {rows}", "rown 算上了偏置行，是 {rows}")
NOT_DIVIDED = Sentence("the scale is not divided by sqrt(rown)", "scale 没有除以 sqrt(rown)")
DIVIDED = Sentence("the scale is divided by sqrt(rown)", "scale 除以了 sqrt(rown)")
MULTIPLIED = Sentence(
    "the scale is multiplied by sqrt(rown), as the document's formula is printed",
    "scale 乘了 sqrt(rown)，与文档印出的公式一样",
)
NO_GLOBAL_RANGE = Sentence("global_init_range is left out", "漏掉了 global_init_range")
BIAS_NOT_DIVIDED = Sentence(
    "the bias is not divided by sqrt(fan_in), as abacus draws it (rown = 1)",
    "偏置没有除以 sqrt(fan_in)，与 abacus 的抽取方式一样（rown = 1）",
)
FAN_IN_WITH_BIAS = Sentence(
    "fan_in counts a folded bias row, {fan_in}", "fan_in 算上了折入的偏置行，是 {fan_in}"
)
UNIFORM_OF_STD = Sentence("it is uniform, with that std", "是均匀分布，标准差相同")
UNIFORM_OF_BOUND = Sentence(
    "it is uniform, with the std as its bound", "是均匀分布，把标准差当成了界"
)
CUT = Sentence("it is cut at 2 stds", "在 2 倍标准差处截断了")
STD_AS_VARIANCE = Sentence("the std was taken for a variance", "把标准差当成了方差")
VARIANCE_AS_STD = Sentence("the variance was taken for a std", "把方差当成了标准差")
NORMAL_OF_STD = Sentence("it is normal, with that std", "是正态分布，标准差相同")
NORMAL_OF_BOUND = Sentence(
    "it is normal, with the bound as its std", "是正态分布，把界当成了标准差"
)

"""What stands around the numbers when a verification is shown."""

from __future__ import annotations

from paddle_init.languages import Sentence
from paddle_init.verification.records import Verdict

NOTHING = Sentence(
    "Nothing to verify: the spec has no parameter.", "没有可验证的：规格里没有参数。"
)
NO = Sentence(
    "No: {failed} of {known} parameters do not start where the spec says.",
    "否：{known} 个参数中有 {failed} 个的起点与规格不符。",
)
NO_NAMES_MATCH = Sentence(
    "Not known: no names match: the weights have none of the {known} parameters by name; {found} "
    "arrays were left over.",
    "无法判定：没有相同的名称：权重里没有规格中 {known} 个参数的任何一个名称；"
    "另有 {found} 个数组。",
)
NOT_KNOWN = Sentence(
    "Not known: {untested} of {known} parameters could not be tested; nothing speaks against the "
    "others.",
    "不能确定：{known} 个参数中有 {untested} 个无法检验；其余的没有发现问题。",
)
NONE_KNOWN = Sentence(
    "Not known: none of the {known} parameters could be tested.",
    "不能确定：{known} 个参数都无法检验。",
)
YES_IN_BITS = Sentence(
    "Yes, bit for bit: all {known} parameters.", "是，逐位相符：全部 {known} 个参数。"
)
YES_IN_ULP = Sentence(
    "Yes, up to {max_ulp} ULP: all {known} parameters.",
    "是，相差不超过 {max_ulp} ULP：全部 {known} 个参数。",
)
YES_IN_BOTH = Sentence(
    "Yes: {exact} of {known} parameters bit for bit, {tested} as far as tests tell.",
    "是：{known} 个参数中有 {exact} 个逐位相符，{tested} 个就检验所见符合规格。",
)
YES_IN_BOTH_IN_ULP = Sentence(
    "Yes: {exact} of {known} parameters up to {max_ulp} ULP, {tested} as far as tests tell.",
    "是：{known} 个参数中有 {exact} 个相差不超过 {max_ulp} ULP，{tested} 个就检验所见符合规格。",
)
YES_BY_TESTS = Sentence(
    "Yes, as far as tests tell: {known} parameters follow the spec.",
    "是，就检验所见：{known} 个参数符合规格。",
)

WEIGHTS = Sentence("weights", "权重")
SPEC = Sentence("spec", "规格")
STREAM = Sentence("stream", "随机流")
TESTS = Sentence("tests", "检验")
UNSEEDED = Sentence("not known: the distributions were tested", "未知：检验的是分布")
SEEDS_WITHIN = Sentence("seeds within the net", "网络内部的种子")
OP_SEED = Sentence("{engine}, op seed {seed}", "{engine}，算子种子 {seed}")
SEED = Sentence("{engine}, seed {seed}", "{engine}，种子 {seed}")
ALPHA = Sentence(
    "{tests}, which together fail right weights with a probability of at most {alpha}",
    "共 {tests} 项，正确的权重在其中任何一项失败的概率合计不超过 {alpha}",
)

VERDICT = Sentence("verdict", "判定")
FOUND = Sentence("found", "实际")
EVERY_BIT = Sentence("every bit is equal", "每一位都相同")
AND = Sentence("{a}, {b}", "{a}，{b}")
DIFFERING = Sentence("{differing} of {size} values differ", "{size} 个值中有 {differing} 个不同")
BY_AT_MOST = Sentence("{what}, by at most {max_ulp} ULP", "{what}，最多相差 {max_ulp} ULP")
SPANS = Sentence("{what} ({spans})", "{what}（{spans}）")
BY_SPAN = Sentence("{count} by {span}", "{count} 个差 {span}")
FIRST = Sentence("{what}, first {index}", "{what}，第一个在 {index}")
FIRST_VALUES = Sentence(
    "{what}: expected {expected}, found {found}", "{what}：应为 {expected}，实为 {found}"
)
LEAST_P = Sentence("least p-value {p}", "最小 p 值 {p}")
CHECK = Sentence("{test} (p {p})", "{test}（p {p}）")
CHECK_OBSERVED = Sentence("{test} {observed} (p {p})", "{test} {observed}（p {p}）")
CHECK_EXPECTED = Sentence(
    "{test} {observed}, expected {expected} (p {p})", "{test} {observed}，应为 {expected}（p {p}）"
)
TEST_NAMES = {
    "values": Sentence("values", "取值"),
    "finite": Sentence("finite", "有限"),
    "support": Sentence("support", "支集"),
    "mean": Sentence("mean", "均值"),
    "std": Sentence("std", "标准差"),
    "largest": Sentence("largest", "最大值"),
    "zeros": Sentence("zeros", "零的个数"),
    "form": Sentence("form", "形状"),
    "overwritten": Sentence("set after the draw", "抽取后改写的值"),
}

FINDINGS = Sentence("Findings", "发现")
ABOUT = Sentence("{names}: {what}", "{names}：{what}")
MORE = Sentence(
    "{more} more are no worse; --format json has every parameter.",
    "另有 {more} 个不比这些差；--format json 有全部参数。",
)
VERDICTS_HEADING = Sentence("What the verdicts mean", "判定的含义")
VERDICTS = {
    Verdict.IDENTICAL: Sentence("every bit is what the stream draws", "每一位都是随机流抽到的"),
    Verdict.FOLLOWS: Sentence(
        "no test speaks against the spec's distribution", "没有检验与规格的分布相矛盾"
    ),
    Verdict.UNEXPECTED: Sentence("the weights have it, the spec does not", "权重里有，规格里没有"),
    Verdict.UNTESTED: Sentence(
        "not known: the spec does not say what is drawn, or no test fits it",
        "不能确定：规格没有说抽取什么，或没有合适的检验",
    ),
    Verdict.DIFFERS: Sentence("it does not start where the spec says", "起点与规格不符"),
    Verdict.MISSING: Sentence("the spec has it, the weights do not", "规格里有，权重里没有"),
}


PERMUTED = Sentence(
    "the values are the drawn ones in another order: {order}",
    "这些值就是抽到的，只是次序不同：{order}",
)
WHOLE_ROWS = Sentence("whole rows were moved", "整行被移动过")
WHOLE_COLUMNS = Sentence("whole columns were moved", "整列被移动过")
SHUFFLED = Sentence("they were shuffled", "被打乱了")

OVERWRITTEN = Sentence(
    "{equal} of {size} values are the drawn ones, bit for bit; the rest{where} was changed "
    "after{what}",
    "{size} 个值中有 {equal} 个与抽到的逐位相同；其余的{where}后来被改过{what}",
)
IN_ROWS_FROM = Sentence(", in {count} rows from {first} on,", "（从第 {first} 行起的 {count} 行）")
IN_ROW = Sentence(", in row {first},", "（第 {first} 行）")
IN_ROWS = Sentence(", in rows [{first}, {stop}),", "（第 [{first}, {stop}) 行）")
WILD = Sentence("; {wild} of it NaN or infinite", "；其中 {wild} 个是 NaN 或无穷")
TO_VALUE = Sentence(", to {value}", "，改成了 {value}")

WITHIN_ULP = Sentence(
    "{differing} of {size} values differ from the drawn ones, by at most {max_ulp} ULP: another "
    "rounding, or hardly changed since",
    "{size} 个值中有 {differing} 个与抽到的不同，最多相差 {max_ulp} ULP："
    "舍入方式不同，或之后略有改动",
)
MEAN = Sentence(
    "every value lies {shift} from its own draw: the mean is another",
    "每个值与自己抽到的数都相差 {shift}：均值不同",
)
MOVED = Sentence(
    "every value lies near its own draw (correlation {r}), at most {far} away: the right start, "
    "and something since, as training does",
    "每个值都在自己抽到的数附近（相关系数 {r}），最多相差 {far}：起点是对的，"
    "之后有过变化，训练就会这样",
)


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

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

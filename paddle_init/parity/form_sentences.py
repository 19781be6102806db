"""What stands around the numbers when a report is shown."""

from __future__ import annotations

from paddle_init.languages import Sentence
from paddle_init.parity.records import Level

NOTHING = Sentence(
    "Nothing to compare: neither side has a parameter.", "没有可比较的：两侧都没有参数。"
)
NOTHING_COMPARED = Sentence(
    "Nothing to compare: no parameter belongs to a fully connected layer.",
    "没有可比较的：没有参数属于全连接层。",
)
ONE_NOT_KNOWN = Sentence(
    "Not known: as weights its one parameter is drawn alike, but nothing says which is a bias.",
    "无法判定：唯一的参数若是权重则抽取方式相同，但无法判定它是不是偏置。",
)
ALL_NOT_KNOWN = Sentence(
    "Not known: as weights all {total} parameters are drawn alike, "
    "but nothing says which is a bias.",
    "无法判定：全部 {total} 个参数若是权重则抽取方式相同，但无法判定哪个是偏置。",
)
ONE_SAME = {
    Level.IDENTICAL: Sentence(
        "Yes, bit for bit: its one parameter is identical.", "是，逐位相同：唯一的参数完全一致。"
    ),
    Level.ROUNDING: Sentence(
        "Yes, up to rounding: its one parameter is equal but for the last bits.",
        "是，只差舍入：唯一的参数除最后几位外相等。",
    ),
    Level.STREAM: Sentence(
        "Yes, in distribution: its one parameter is drawn alike; "
        "single values differ or are not known.",
        "是，就分布而言：唯一的参数抽取方式相同；单个值不同，或无法判定。",
    ),
}
ALL_SAME = {
    Level.IDENTICAL: Sentence(
        "Yes, bit for bit: all {total} parameters are identical.",
        "是，逐位相同：全部 {total} 个参数完全一致。",
    ),
    Level.ROUNDING: Sentence(
        "Yes, up to rounding: all {total} parameters are equal but for the last bits.",
        "是，只差舍入：全部 {total} 个参数除最后几位外相等。",
    ),
    Level.STREAM: Sentence(
        "Yes, in distribution: all {total} parameters are drawn alike; "
        "single values differ or are not known.",
        "是，就分布而言：全部 {total} 个参数抽取方式相同；单个值不同，或无法判定。",
    ),
}
DISTRIBUTION_NOT_KNOWN = Sentence(
    "Not known: {unknown} of {total} parameters cannot be compared, because the distribution of "
    "at least one side is not known.",
    "无法判定：{total} 个参数中有 {unknown} 个无法比较，因为至少有一侧的分布无法判定。",
)
OTHERS_ALIKE = Sentence(
    "Not known: {unknown} of {total} parameters cannot be compared, because the distribution of "
    "at least one side is not known; no difference was found in the others.",
    "无法判定：{total} 个参数中有 {unknown} 个无法比较，因为至少有一侧的分布无法判定；"
    "其余的没有发现不同。",
)
OTHERS_ALIKE_AS_WEIGHTS = Sentence(
    "Not known: {unknown} of {total} parameters cannot be compared, because the distribution of "
    "at least one side is not known; the others are alike as weights, but nothing says which is "
    "a bias.",
    "无法判定：{total} 个参数中有 {unknown} 个无法比较，因为至少有一侧的分布无法判定；"
    "其余的若是权重则相同，但无法判定哪个是偏置。",
)
APART_AND_NOT_KNOWN = Sentence(
    "No: {apart} of {total} parameters start elsewhere ({levels}); {unknown} not known.",
    "否：{total} 个参数中有 {apart} 个起点不同（{levels}）；{unknown} 个无法判定。",
)
COUNTS_AS = Sentence("Not known, which counts as {level} here.", "无法判定，这里按 {level} 计。")
APART = Sentence(
    "No: {apart} of {total} parameters start elsewhere ({levels}).",
    "否：{total} 个参数中有 {apart} 个起点不同（{levels}）。",
)
LEVELS = {
    Level.IDENTICAL: Sentence("every bit is equal", "每一位都相同"),
    Level.ROUNDING: Sentence(
        "the same draws; only the arithmetic differs, by an ULP or so",
        "抽到的是同一批数，只是算术不同，相差一个 ULP 左右",
    ),
    Level.STREAM: Sentence(
        "the same distribution from another random stream", "分布相同，随机流不同"
    ),
    Level.SCALE: Sentence("the same family, another mean or std", "同一族分布，均值或标准差不同"),
    Level.DISTRIBUTION: Sentence(
        "another family: a constant against a normal", "不同族：例如常数对正态"
    ),
    Level.STRUCTURE: Sentence("no partner, or another shape", "找不到对应参数，或形状不同"),
}

SIDE = Sentence("{framework}: {origin}", "{framework}: {origin}")
SIDE_IN_FLOAT32 = Sentence(
    "{framework}: {origin}, arithmetic {arithmetic}", "{framework}: {origin}，按 {arithmetic} 计算"
)
A_NET_SPEC = Sentence("a net spec", "一份网络规格")
TOWERS_RULE = Sentence(
    "FC rule of the towers, init_range {init_range} / fan_in ** 0.5",
    "组网的 FC 规则，init_range {init_range} / fan_in ** 0.5",
)

CONSTANT = Sentence("constant {value}", "常数 {value}")
BLOCKS = Sentence("blocks", "分块")
NOT_KNOWN = Sentence("not known", "无法判定")
STD = Sentence("std {std}", "标准差 {std}")
MEAN_STD = Sentence("mean {mean}, std {std}", "均值 {mean}，标准差 {std}")
OTHER_FAMILY = Sentence("{family}, {numbers}", "{family}，{numbers}")
FAMILIES = {
    "given": Sentence("given values", "给定的值"),
    "uniform": Sentence("uniform", "均匀"),
    "truncated_normal": Sentence("truncated normal", "截断正态"),
}
FORMULA_OF_ROWS = Sentence("rows {rows}: {formula}", "第 {rows} 行：{formula}")
VALUES = Sentence(
    "{differing} differ, by at most {max_ulp} ULP", "{differing} 个不同，最多相差 {max_ulp} ULP"
)

PARAMETERS = Sentence("Parameters", "参数")
PARAMETER = Sentence("parameter", "参数")
ROLE = Sentence("role", "角色")
SHAPE = Sentence("shape", "形状")
LEVEL = Sentence("level", "级别")
LEFT = Sentence("left", "左侧")
RIGHT = Sentence("right", "右侧")
RATIO = Sentence("ratio", "比值")
DRAWN_VALUES = Sentence("values", "数值")
LEFT_VALUES = Sentence("left, drawn values", "左侧，抽到的值")
RIGHT_VALUES = Sentence("right, drawn values", "右侧，抽到的值")
WHY = Sentence("why", "原因")
DO = Sentence("do", "建议")
NOT_COMPARED = Sentence(
    "Not compared: parameters of no fully connected layer", "没有比较的：不属于全连接层的参数"
)
UNCOMPARED = Sentence("{name} ({shape}): {formula}", "{name}（{shape}）：{formula}")
WARNINGS = Sentence("Warnings", "警告")
LEVELS_HEADING = Sentence("What the levels mean", "级别的含义")
KIND = Sentence(" ({role} {shape}): ", "（{role} {shape}）：")
PLACED = Sentence("{text}  ({place})", "{text}  ({place})")
MORE_GROUPS = Sentence(
    "{more} more rows compare no worse; --format json has every parameter.",
    "另有 {more} 行不比这些差；--format json 有全部参数。",
)
MORE_WARNINGS = Sentence(
    "{more} more; --format json has them all", "另有 {more} 条；--format json 有全部"
)

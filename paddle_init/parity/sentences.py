"""What a comparison means."""

from __future__ import annotations

from paddle_init.languages import Sentence

AND = Sentence("{a} and {b}", "{a}和{b}")
AND_THEN = Sentence("{a}; and {b}", "{a}；并且 {b}")
NEXT = Sentence("{a} {b}", "{a}{b}")
NEXT_LINE = Sentence("{a}\n{b}", "{a}\n{b}")

LEFT = Sentence("the left", "左侧")
RIGHT = Sentence("the right", "右侧")
ON_THE_LEFT = Sentence("on the left", "左侧")
ON_THE_RIGHT = Sentence("on the right", "右侧")

ROLES = {
    "weight": Sentence("weight", "权重"),
    "bias": Sentence("bias", "偏置"),
    "other": Sentence("other", "其他"),
}
PARAMETER = Sentence("parameter", "参数")


NO_ELEMENTS = Sentence("The tensor has no elements.", "这个张量没有元素。")
ROWS = Sentence("Rows {rows}: {sentence}", "第 {rows} 行：{sentence}")
MORE_ROWS = Sentence(
    "{more} more groups of rows differ no more than these.",
    "另有 {more} 组行，差别不超过以上几组。",
)
SAME_BITS = Sentence(
    "Drawn on both sides, every value is the same in every bit.",
    "两侧都实际抽取后，每个值的每一位都相同。",
)
SAME_DRAWS_IN = Sentence(
    "Both make the same draws; kept in two dtypes, they agree in {dtype}.",
    "两侧抽到同一批数；以两种 dtype 存放，在 {dtype} 下一致。",
)
SAME_DRAWS = Sentence(
    "Both make the same draws; {differing} values differ, by at most {max_ulp} ULP: {why}.",
    "两侧抽到同一批数；{differing} 个值不同，最多相差 {max_ulp} ULP：{why}。",
)
WHILE = Sentence(
    "{left} {left_does}, while {right} {right_does}", "{left}{left_does}，而{right}{right_does}"
)
BY_ROUNDING = Sentence("the numbers of the two differ by rounding", "两侧的参数只差舍入")
OTHER_VALUES = Sentence(
    "Both draw {drawn}, but not the same values: {reason}.",
    "两侧都从{drawn}抽取，但抽到的值不同：{reason}。",
)
OTHER_SEEDING = Sentence(
    "the streams are seeded or used in different ways", "随机流的播种或使用方式不同"
)
TWO_ENGINES = Sentence(
    "{left} draws with {left_engine}, {right} with {right_engine}",
    "{left}用 {left_engine} 抽取，{right}用 {right_engine}",
)
OWN_LIBRARY = Sentence(
    "Single values were not compared: the float32 system that {sides} "
    "stands for draws with a library of its own, which no seed reproduces.",
    "没有比较单个值：{sides}所代表的 float32 系统用它自己的库抽取，任何种子都无法重现。",
)
EQUAL_CONSTANTS = Sentence(
    "Every element is {value} on both sides; nothing is drawn.",
    "两侧的每个元素都是 {value}；没有抽取随机数。",
)
ROUNDED_CONSTANTS = Sentence(
    "Every element is {left} {left_place} and {right} {right_place}: rounding.",
    "{left_place}的每个元素是 {left}，{right_place}是 {right}：只差舍入。",
)
SIGNED_ZEROS = Sentence(
    "Every element is a zero on both sides; the sign of the zeros may differ.",
    "两侧的每个元素都是零；零的符号可能不同。",
)
TWO_DTYPES = Sentence(
    "Every element is {value} on both sides, kept in two dtypes.",
    "两侧的每个元素都是 {value}，但以两种 dtype 存放。",
)
SAME_DRAWN = Sentence(
    "Both draw {drawn}, the same to the last bit of {dtype}.",
    "两侧都从{drawn}抽取，参数相同到 {dtype} 的最后一位。",
)
NEARLY_SAME_DRAWN = Sentence(
    "Both draw {drawn}; the numbers differ by less than {dtype}'s eps ({eps}), "
    "that is by rounding.",
    "两侧都从{drawn}抽取；参数相差不到 {dtype} 的 eps（{eps}），即只差舍入。",
)
OTHER_ENGINES = Sentence("Single values differ: {engines}.", "单个值不同：{engines}。")
NOT_COMPARED = Sentence("Single values were not compared.", "没有比较单个值。")
NO_SEED = Sentence(
    "Single values were not compared: no seed is given for {sides}.",
    "没有比较单个值：{sides}没有给出种子。",
)
CONSTANTS = Sentence(
    "Every element is {left} {left_place} and {right} {right_place}.",
    "{left_place}的每个元素是 {left}，{right_place}是 {right}。",
)
SCALED = Sentence(
    "The {role} is drawn {ratio} {right_place} (std {right} against {left})",
    "{right_place}的{role}分布{ratio}（标准差 {right}，另一侧是 {left}）",
)
ONE_STD_ZERO = Sentence(
    "The {role} is drawn with std {right} {right_place} and {left} {left_place}",
    "{right_place}的{role}以标准差 {right} 抽取，{left_place}是 {left}",
)
STATED = Sentence("{fact}.", "{fact}。")
BECAUSE = Sentence("{fact}, because {reasons}.", "{fact}，因为：{reasons}。")
OFFSET = Sentence(
    "A smaller effect works the other way: {reasons}.", "另有较小的相反作用：{reasons}。"
)
OTHER_MEANS = Sentence(
    "The means differ: {left} {left_place}, {right} {right_place}.",
    "均值不同：{left_place}是 {left}，{right_place}是 {right}。",
)
AS_IF = Sentence("{fact}, as if {likely}.", "{fact}，就像是：{likely}。")
OTHER_NUMBERS = Sentence(
    "{left} {left_place}; {right} {right_place}.",
    "{left_place}是{left}，{right_place}是{right}。",
)
OTHER_FAMILIES = Sentence("{left.capital}; {right}.", "{left}；{right}。")
EITHER_NOT_KNOWN = Sentence("Not known: {left}; {right}.", "无法判定：{left}；{right}。")
GIVEN_ON_BOTH = Sentence("The given values are the same on both sides.", "两侧给定的值相同。")
GIVEN_ROUNDED = Sentence(
    "The given values of the two sides differ by rounding.", "两侧给定的值只差舍入。"
)
GIVEN_APART = Sentence(
    "{differing} of {count} given values differ.", "{count} 个给定的值中有 {differing} 个不同。"
)
GIVES = Sentence("there are {drawn} {place}", "{place}是{drawn}")
SET_APART = Sentence(
    "{count} elements are set after the draw and differ ({where}): {values}.",
    "有 {count} 个元素在抽取之后被设定，两侧不同（{where}）：{values}。",
)
FIRST_AT = Sentence("the first at {index}", "第一个在 {index}")
IN_ROWS = Sentence("rows {rows}", "第 {rows} 行")
SET_THERE = Sentence("{value} {place}", "{place}是 {value}")
DRAWN_THERE = Sentence("drawn {place}", "{place}是抽取的")
NOT_KNOWN = Sentence(
    "what {name} draws is not known ({description})", "无法判定{name}抽取什么（{description}）"
)
OUT_OF_RANGE = Sentence(
    "{drawn} is out of {name}'s range ({description})", "{drawn}超出{name}的范围（{description}）"
)
ALL_EQUAL = Sentence("every element is {value} {place}", "{place}的每个元素都是 {value}")
ALL_ONES = Sentence(
    "every element is {value} {place}, as the document reads its bias",
    "{place}的每个元素都是 {value}，这是文档对偏置的理解",
)
DRAWN = Sentence("{drawn} is drawn {place}", "{place}从{drawn}抽取")
FLOAT32_NUMBERS = Sentence(
    "Paddle's kernel takes its numbers as float32 for float64 tensors too: {drawn}.",
    "Paddle 的内核对 float64 张量也以 float32 接收参数：{drawn}。",
)

INFINITIES = Sentence(
    "With such a std {share} of the elements overflow {dtype} to inf {places}.",
    "标准差这样大，{share} 的元素溢出 {dtype} 成为 inf({places})。",
)

OTHER_RANGES = Sentence(
    "{left} has {left_text}, {right} {right_text}", "{left}有 {left_text}，{right}有 {right_text}"
)
UNDIVIDED = Sentence(
    "{plain} does not divide by sqrt(rown) (scale_by_rown is false), "
    "while {divided} divides by {root}",
    "{plain}不除以 sqrt(rown)（scale_by_rown 为 false），而 {divided}除以 {root}",
)
OTHER_ROOTS = Sentence(
    "{left} divides by {left_root}, {right} by {right_root}",
    "{left}除以 {left_root}，{right}除以 {right_root}",
)
FOLDED_ROW = Sentence(
    "rown = {rown} {rown_place} counts the bias row that is folded into the weight, "
    "fan_in = {fan_in} {fan_in_place} does not",
    "{rown_place}的 rown = {rown} 算上了折进权重的偏置行，"
    "{fan_in_place}的 fan_in = {fan_in} 则没有",
)
COUNTED_ROW = Sentence(
    "rown = {rown} {rown_place} counts the bias row that is folded into the weight",
    "{rown_place}的 rown = {rown} 算上了折进权重的偏置行",
)
FLOAT32_SCALE = Sentence("{side} computes its scale in float32", "{side}以 float32 计算 scale")
NO_RULE = Sentence(
    "A factor of {factor} is unexplained: at least one side gives only numbers and no rule.",
    "倍数 {factor} 未得到解释：至少有一侧只给出数值，没有给出规则。",
)
UNEXPLAINED = Sentence(
    "A remaining factor of {factor} is unexplained: the two rules do not account for it.",
    "余下的倍数 {factor} 未得到解释：两侧的规则都推不出它。",
)
BIAS_ALONE = Sentence(
    "{rown} treats the bias as a parameter with rown = 1, "
    "while {fan_in} divides init_range by {root}",
    "{rown}把偏置当作 rown = 1 的参数，而 {fan_in}把 init_range 除以 {root}",
)
OWN_ROWS = Sentence(
    "{rown} divides by these rows' own {rown_root}, while {fan_in} divides init_range by {root}",
    "{rown}除以这些行自己的 {rown_root}，而 {fan_in}把 init_range 除以 {root}",
)
OTHER_COUNTS = Sentence(
    "{rown} divides by {rown_root}, while {fan_in} divides init_range by {root}",
    "{rown}除以 {rown_root}，而 {fan_in}把 init_range 除以 {root}",
)

OR = Sentence("{a}; or {b}", "{a}；或者 {b}")
UNWIDENED = Sentence(
    "{name} had cut at 2 stds without widening the normal first",
    "{name}在 2 个标准差处截断，而没有先放宽正态分布",
)
SWAPPED = Sentence(
    "{name} had divided by sqrt(fan_out) = sqrt({fan_out}) "
    "in place of sqrt(fan_in) = sqrt({fan_in})",
    "{name}除以了 sqrt(fan_out) = sqrt({fan_out})，而不是 sqrt(fan_in) = sqrt({fan_in})",
)
BIAS_ROW_COUNTED = Sentence(
    "{name} had counted a bias row, sqrt({more}), and {other} sqrt({fan_in})",
    "{name}算上了偏置行，即 sqrt({more})，而{other}是 sqrt({fan_in})",
)
BIAS_UNDIVIDED = Sentence(
    "{other} had divided by the weight's sqrt({fan_in}), and {name} by 1",
    "{other}除以了权重的 sqrt({fan_in})，而{name}除以 1",
)

NO_WEIGHT = Sentence(
    "the rule needs the fan_in of this bias's weight", "规则需要这个偏置所属权重的 fan_in"
)
NO_FAN_IN = Sentence(
    "the shape {shape} gives the rule no fan_in", "形状 {shape} 不能给规则一个 fan_in"
)
ROLE_NOT_KNOWN = Sentence(
    "Nothing says whether this is a bias, so it counts as distribution. As a weight: {explanation}",
    "无法判定它是不是偏置，所以按 distribution 计。若是权重：{explanation}",
)


BLOCKWISE = Sentence(
    "Paddle has no initializer of its own for a weight whose rows differ; take the one that "
    "paddle_init.param_attrs(spec) builds, or that `paddle-init translate --to python` writes.",
    "Paddle 没有现成的初始化器能让权重的各行不同；请用 paddle_init.param_attrs(spec) 生成的，"
    "或 `paddle-init translate --to python` 写出的初始化器。",
)
DRAW = Sentence("Let {name} draw {distribution}.", "让{name}抽取 {distribution}。")
WRITE = Sentence("{place.capital}, write initializer={code}.", "{place}写 initializer={code}。")
SET_ALIKE = Sentence(
    "Set the same elements on both sides after the draw (an Embedding's padding_idx zeroes a row).",
    "让两侧在抽取之后设定相同的元素（Embedding 的 padding_idx 会把一行置零）。",
)
ASSIGN = Sentence(
    "{place.capital}, write initializer=paddle.nn.initializer.Assign(...) with the {count} values.",
    "{place}写 initializer=paddle.nn.initializer.Assign(...)，给出这 {count} 个值。",
)
SAME_SHAPE = Sentence(
    "Give both the same shape; then their distributions can be compared.",
    "让两侧的形状相同，才能比较分布。",
)
NAME_PARTNER = Sentence(
    "Say with a mapping what it belongs to, or add it to the other side.",
    "用 mapping 写明它对应哪个参数，或在另一侧补上它。",
)
SHARE_ALIKE = Sentence(
    "Share the parameter on both sides, or on neither.",
    "两侧要么都共用这个参数，要么都不共用。",
)
CANNOT_DRAW = Sentence(
    "Paddle cannot be brought to draw this: {refusal}. Change it {place}.",
    "Paddle 无法抽取这样的分布：{refusal}。请在另一侧更改（{place}）。",
)
COMPARE_SOMETHING = Sentence(
    "What compares nothing passes no check: name a conf or a net with fully connected layers.",
    "什么都没有比较，就不能通过检查：请给出含有全连接层的配置或网络。",
)
SAY_ROLES = Sentence(
    "Give the conf's layers too, or write a net spec in which every bias has role: bias.",
    "把配置里的 layer 也给出来，或写一份网络规格，给每个偏置写上 role: bias。",
)


OTHER_SHAPE = Sentence(
    "The shape is {left} {left_place} and {right} {right_place}.",
    "{left_place}的形状是 {left}，{right_place}是 {right}。",
)
SAME_SHAPE_THERE = Sentence(
    "{names} there has its shape, but which is which the order cannot tell.",
    "另一侧的 {names} 与它形状相同，但凭顺序无法确定对应关系。",
)
SAME_BIAS_THERE = Sentence(
    "On the other side {names} has the same shape, but nothing says that it is the bias of the "
    "same layer.",
    "另一侧的 {names} 与它形状相同，但没有信息表明它是同一层的偏置。",
)
TRANSPOSED_THERE = Sentence(
    "{names} there has its shape transposed: Paddle's weights are [in, out], "
    "torch's [out, in]. A mapping with transposed: true compares them.",
    "另一侧的 {names} 是它的转置形状：Paddle 的权重是 [in, out]，torch 的是 [out, in]。"
    "在 mapping 里写 transposed: true 即可比较。",
)
WITH_BIAS_ROW = Sentence(
    "{name} {shape} looks like a weight with its bias row: {parts}. A mapping says so.",
    "{name} {shape} 像是带偏置行的权重：{parts}。可以用 mapping 写明。",
)
STACK_OF_ROWS = Sentence(
    "{name} {shape} looks like a stack of rows: {parts}. A mapping says so.",
    "{name} {shape} 像是按行叠放的：{parts}。可以用 mapping 写明。",
)
ONE_ROW_MORE = Sentence(
    "{more} {more_shape} has one row more than {less} {less_shape}: its bias, perhaps, folded in.",
    "{more} {more_shape} 比 {less} {less_shape} 多一行：也许是折进去的偏置。",
)
NO_PARTNER = Sentence(
    "Only {has} has it; {missing} has {others}.",
    "{has}有这个参数，{missing}没有；{missing}有的是：{others}。",
)
TIED_THERE = Sentence(
    "{has.capital} has it as a parameter of its own; {place} it is {owner}, which several layers "
    "share.",
    "{has}把它作为单独的参数；{place}它就是由多个层共用的 {owner}。",
)
SIDE = Sentence("{framework}: {origin}", "{framework}: {origin}")
SIDE_IN_FLOAT32 = Sentence(
    "{framework}: {origin}, arithmetic {arithmetic}", "{framework}: {origin}，按 {arithmetic} 计算"
)
A_NET_SPEC = Sentence("a net spec", "一份网络规格")
TOWERS_RULE = Sentence(
    "FC rule of the towers, init_range {init_range} / fan_in ** 0.5",
    "组网的 FC 规则，init_range {init_range} / fan_in ** 0.5",
)

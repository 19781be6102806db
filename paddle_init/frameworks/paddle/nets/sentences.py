"""What is told of a net of Paddle that was read, and of what Paddle cannot draw."""

from __future__ import annotations

from paddle_init.languages import Sentence

NOT_PADDLES = Sentence(
    "the initializer {name}, which is not Paddle's", "初始化器 {name}，不是 Paddle 的"
)
INITIALIZER = Sentence("the initializer {name}", "初始化器 {name}")
MADE_BY_OP = Sentence("made by the op {kind}", "由算子 {kind} 生成")
COMPUTED_BOUNDS = Sentence(
    "a uniform op whose bounds the program computes", "均匀分布算子，上下界由程序算出"
)
GIVEN_VALUES = Sentence(
    "Assign: {count} given values, nothing is drawn", "Assign：给定了 {count} 个值，没有抽取"
)
IMPOSSIBLE = Sentence(
    "{kind}({numbers}), which Paddle takes: {error}",
    "{kind}（{numbers}），没有这样的分布，但 Paddle 会接受",
)
A_CLASS = Sentence("the class {name}, which fills nothing", "类 {name}，什么也没有填")
CHANGED = Sentence(
    "changed after its initializer had filled it ({name})", "在初始化器填好之后又被改动（{name}）"
)
NOT_KEPT = Sentence(
    "a dynamic graph does not keep its initializers; read a function that builds the net",
    "动态图不保留初始化器；请改为读取一个构建网络的函数",
)
NOT_SEEN = Sentence(
    "no initializer was seen to fill it; its values may be computed from draws, as by scaling or "
    "clipping them, or copied from another parameter",
    "没有看到初始化器填写它；它的值可能由采样结果计算得出（例如缩放或截断），或复制自另一个参数",
)

IMPOSSIBLE_NUMBERS = Sentence("{name}: {what}.", "{name}：{what}。")
OVERFLOW = Sentence(
    "{name}: the constant {value} overflows {dtype}; Paddle fills it with inf.",
    "{name}：常数 {value} 超出 {dtype} 的范围；Paddle 会填成 inf。",
)
BOUND = Sentence("bound {number}", "界 {number}")
STD = Sentence("std {number}", "标准差 {number}")
SLOPE_IGNORED = Sentence(
    "{name}: {kind} ignores negative_slope={slope} unless nonlinearity='leaky_relu'; "
    "it draws with {drawn}, and with the slope it would be {meant}.",
    "{name}：除非 nonlinearity='leaky_relu'，否则 {kind} 忽略 negative_slope={slope}；"
    "它按{drawn}抽取，若计入斜率应为{meant}。",
)
KAIMING_ON_1D = Sentence(
    "{name}: {kind} takes the length of a 1-D parameter, {length}, for its "
    "fan_in; give fan_in, that of the layer's weight.",
    "{name}：{kind} 把一维参数的长度 {length} 当作 fan_in；请给出 fan_in，即该层权重的 fan_in。",
)
IDENTICAL_LAYERS = Sentence(
    "the ops of {names} have the seed {seed}, and each starts its engine "
    "anew: all begin with the same draws.{equal} With paddle.seed and no seed of the "
    "program's or the initializer's, the draws go on from one to the next.",
    "{names} 的算子种子都是 {seed}，各自重新启动引擎：开头抽到的数都相同。{equal}"
    "若用 paddle.seed，而程序和初始化器都不设种子，则依次往下抽取。",
)
EQUAL_IN_EVERY_BIT = Sentence(
    "{before} Equal in every bit: {names}.", "{before}每一位都相同的有：{names}。"
)
UNINITIALIZED = Sentence(
    "{name}: initializer={kind} is a class, not an instance; Paddle leaves the "
    "parameter as uninitialized memory. Write {kind}().",
    "{name}：initializer={kind} 是类，不是实例；Paddle 会让参数停留在"
    "未初始化的内存。请写 {kind}()。",
)
CHANGED_AFTER = Sentence("{name} was {what}.", "{name} {what}。")
SHARED_PARAMETER = Sentence(
    "{names} are one parameter: it is drawn once, and shown as {name}.",
    "{names} 是同一个参数：只抽取一次，显示为 {name}。",
)
UNUSED_ATTRS = Sentence(
    "{names}: an attr without a shape, which makes no parameter.",
    "{names}：没有形状的 attr，不会生成参数。",
)
OF_DTYPE = Sentence(
    "{name} is of dtype {dtype}: a net spec cannot hold it, and it is left out.",
    "{name} 的 dtype 是 {dtype}：网络规格不能容纳，已略过。",
)
SINGLE_NUMBER = Sentence(
    "{name} is a single number without a shape: a net spec cannot hold it, and it is left out.",
    "{name} 是没有形状的单个数：网络规格不能容纳，已略过。",
)
NUMPY_SEED = Sentence(
    "numpy.random.seed({seed}) has no effect on what Paddle draws; paddle.seed would.",
    "numpy.random.seed({seed}) 对 Paddle 的抽取没有作用；应该用 paddle.seed。",
)
PROGRAM_SEED = Sentence(
    "a program's random_seed = {seed} has no effect on a dynamic graph; paddle.seed would.",
    "程序的 random_seed = {seed} 对动态图没有作用；应该用 paddle.seed。",
)
MAIN_SEED = Sentence(
    "the main program's random_seed = {seed} has no effect on initial values: "
    "the initializer ops are in the startup program, whose random_seed is 0.",
    "主程序的 random_seed = {seed} 对初始值没有作用：初始化算子在启动程序里，其 random_seed 是 0。",
)
PADDLE_SEED = Sentence(
    "paddle.seed({seed}) has no effect on initial values: the startup "
    "program's random_seed = {startup_seed} seeds every op.",
    "paddle.seed({seed}) 对初始值没有作用：启动程序的 "
    "random_seed = {startup_seed} 给每个算子播种。",
)
TOO_LATE = Sentence(
    "paddle.seed({seed}) comes too late: it has no effect on {names}. "
    "Call it before the net is built.",
    "paddle.seed({seed}) 太晚了：它对 {names} 没有作用。请在构建网络之前调用。",
)
DRAWN_BEFORE = Sentence("the parameters, which were drawn before", "此前已抽取的参数")
SEEDED_AGAIN = Sentence(
    "paddle.seed({seed}) is called again before {name} is drawn: the stream starts "
    "anew there, so no one seed makes the whole net.",
    "在抽取 {name} 之前又调用了 paddle.seed({seed})：随机流在那里重新开始，"
    "所以没有一个种子能生成整个网络。",
)
OTHER_DRAWS = Sentence(
    "something else draws random numbers {where} ({ops}). What it takes from the stream is known, "
    "and what follows is exact.",
    "{where}有别的东西抽取随机数（{ops}）。它从随机流中取走多少是已知的，其后的值仍然精确。",
)
UNKNOWN_DRAWS = Sentence(
    "something else draws random numbers {where} ({ops}). How much it takes from the stream is "
    "not known, and so the values that follow in the stream are not known.",
    "{where}有别的东西抽取随机数（{ops}）。它从随机流中取走多少无法判定，"
    "因此随机流中其后的值也无法判定。",
)
PUT_BACK = Sentence(
    "the random stream is put back to an earlier state {where}, as set_rng_state does.",
    "{where}随机流被恢复到先前的状态（如 set_rng_state 所做）。",
)
UNSEEN = Sentence("an op that was not seen", "未被观察到的算子")
UNSEEN_DRAWS = Sentence(
    "random numbers drawn by an op that was not seen", "由未被观察到的算子抽取的随机数"
)
LOOKED_AT = Sentence(
    "made after the function looked at drawn values{line}, on which it may depend",
    "在函数查看已抽取的值{line}之后生成，可能取决于这些值",
)
LOOKED_AT_GENERATOR = Sentence(
    "made after the function looked at the seed or state of Paddle's random generator{line}, on "
    "which it may depend",
    "在函数查看 Paddle 随机数生成器的种子或状态{line}之后生成，可能取决于它",
)
OTHER_THREAD = Sentence(
    "made after another thread drew random numbers{line}, whose place in the stream is not fixed",
    "在另一线程抽取随机数{line}之后生成，而这些随机数在随机流中的位置并不固定",
)
OTHERWISE = Sentence(
    "not the same when the function is called again with other seeds{line}",
    "用其他种子再次调用该函数时结果不同{line}",
)
VALUES_DIFFER = Sentence(
    "given values that are not the same when the function is called again with other seeds",
    "给定的值，但用其他种子再次调用该函数时不同",
)
VALUES_MOVED = Sentence(
    "given values, which NumPy's or Python's random numbers may have made",
    "给定的值，可能来自 NumPy 或 Python 的随机数",
)
CHANCE = Sentence(
    "the function uses random numbers of NumPy or Python. {count} calls under other seeds did the "
    "same; what it does only rarely by such numbers would not show.",
    "该函数使用 NumPy 或 Python 的随机数。用其他种子调用 {count} 次，结果相同；"
    "它凭这些随机数偶尔才做的事不会显现。",
)
NO_ROWS = Sentence(
    "parts of draws that a net spec cannot hold", "若干次抽取的片段，网络规格不能容纳"
)
NOT_FINITE = Sentence("an infinite or NaN constant", "无穷大或 NaN 的常数")
LOADED = Sentence(
    "values that were loaded or set before the parameter was initialized",
    "在参数初始化之前载入或设置的值",
)
OLDER_HALVES = Sentence(
    "cast to or from a half type by Paddle 2, which does not round to nearest",
    "由 Paddle 2 转换为半精度类型或由其转换而来，它并不舍入到最近的值",
)
BEFORE = Sentence("before {name}", "在 {name} 之前")
BETWEEN = Sentence("between {first} and {second}", "在 {first} 与 {second} 之间")

SET_AFTER_THE_DRAW = Sentence(
    "elements of it are set after the draw, such as a padding row, which no ParamAttr does; draw "
    "it by exact_initializers, or set them in the net",
    "它的部分元素（例如 padding 行）在抽取后被改写，ParamAttr 做不到；"
    "请用 exact_initializers，或在网络中改写",
)
GIVEN_WITHOUT_SHAPE = Sentence(
    "given values make an initializer only together with a shape: use param_attr",
    "给定的值要与形状一起才能构成初始化器：请用 param_attr",
)
GIVEN_AMONG_ROWS = Sentence(
    "some of its rows are given and not drawn, which no ParamAttr does; use exact_initializers",
    "它的部分行是给定的而非抽取的，ParamAttr 做不到；请用 exact_initializers",
)
UNKNOWN_INITIALIZER = Sentence(
    "an initializer that is not known cannot be built: {description}",
    "无法判定的初始化器不能构建：{description}",
)
SPAN_OVERFLOWS = Sentence(
    "{drawn}: high - low overflows float32", "{drawn}：high - low 超出 float32 的范围"
)
NOTHING_BETWEEN = Sentence(
    "{drawn}: no value lies between the cutoffs; with std 0 the mean must",
    "{drawn}：两个截断点之间没有值；标准差为 0 时均值必须在其间",
)
NUMBER_OVERFLOWS = Sentence(
    "{drawn}: {value} overflows {dtype}, whose largest value is {largest}",
    "{drawn}：{value} 超出 {dtype} 的范围，其最大值是 {largest}",
)

NOT_FOLLOWED = Sentence("a variable that the program does not make", "程序没有生成的变量")
NOT_WHOLE_ROWS = Sentence(
    "made of draws of which it takes no whole rows, or in another shape than another parameter",
    "由若干次采样拼成，但取的不是整行，或与另一参数取用的形状不同",
)
OF_OTHER_DTYPE = Sentence("the op {kind} with dtype {dtype}", "dtype 为 {dtype} 的算子 {kind}")
REPLAYED_DRAWS = Sentence(
    "the startup program also runs random ops that fill no parameter: {ops}. Their draws are "
    "counted, so that the parameters after them are known.",
    "启动程序还运行不填充任何参数的随机算子：{ops}。这些采样已计入，其后的参数仍可确定。",
)
UNCOUNTED_DRAWS = Sentence(
    "the startup program runs random ops that take an unknown part of the random stream: {ops}. "
    "What is drawn after them is not known.",
    "启动程序运行的随机算子用掉多少随机流无法判定：{ops}。其后采样的值也无法判定。",
)
UNORDERED_DRAWS = Sentence(
    "the startup program runs random ops that Paddle runs in no fixed order beside the others: "
    "{ops}. Two runs with one seed may differ, and no value drawn from the stream is known.",
    "启动程序运行的一些随机算子，Paddle 执行它们与其他随机算子的先后顺序不固定：{ops}。"
    "同一种子的两次运行可能不同，从随机流中采样的值都无法判定。",
)

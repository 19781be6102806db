"""Why a net cannot be drawn, and what its draws have in common."""

from __future__ import annotations

from paddle_init.distributions import TruncatedNormal
from paddle_init.languages import Message, Sentence
from paddle_init.schemes.fixed import describe

AND = Sentence("{a} and {b}", "{a} 和 {b}")
SEVERAL_DTYPES = Sentence(
    "one draw has one dtype, its tensors have {dtypes}",
    "一个 draw 只有一种 dtype，它的张量却有 {dtypes}",
)
OF_DRAW = Sentence("draw {name}: {why}", "draw {name}：{why}")
NO_KERNEL = Sentence(
    "Paddle 2.6.2 has no CPU kernel that draws {dtype}",
    "Paddle 2.6.2 没有能抽取 {dtype} 的 CPU 内核",
)
NO_TRUNCATED_KERNEL = Sentence(
    "Paddle has no CPU kernel that draws a float16 TruncatedNormal",
    "Paddle 没有能抽取 float16 TruncatedNormal 的 CPU 内核",
)
NOT_KNOWN = Sentence(
    "it is not known how to draw this: {description}", "无法判定怎样抽取它：{description}"
)
NO_SEED = Sentence("no seed is known", "种子未知")
POSITION = Sentence(
    "how many values the draw {name} before takes from the random stream is not known "
    "({description})",
    "在它之前的 draw {name} 从随机流中取走多少个值，无法判定（{description}）",
)
TENSORS_WHY = Sentence("{names} ({why})", "{names}（{why}）")
SEMICOLON = Sentence("{a}; {b}", "{a}；{b}")
NOT_ALL_KNOWN = Sentence(
    "the initial values of {count} of {total} tensors are not known: {tensors}",
    "{total} 个张量中有 {count} 个的初始值无法判定：{tensors}",
)
PARTIAL_HELPS = Sentence(
    "{told}. Give {option} for the {known} that are known",
    "{told}。如只要已知的 {known} 个，请加上 {option}",
)
NOT_WRITTEN = Sentence(
    "{count} of {total} tensors are left out, because their initial values are not known: "
    "{tensors}",
    "{total} 个张量中有 {count} 个未给出，因为它们的初始值无法判定：{tensors}",
)
CONSTANT_OVERFLOWS = Sentence(
    "the constant {value} overflows {dtype}", "常数 {value} 超出 {dtype} 的范围"
)
NORMAL_IN_DTYPE = Sentence("multiplies in the dtype", "以该 dtype 相乘")
IN_FLOAT32 = Sentence(
    "rounds the std to float32 and multiplies in float32",
    "把标准差舍入为 float32，再以 float32 相乘",
)
IN_DOUBLE = Sentence(
    "multiplies the draw by a double scale and rounds once",
    "用 double 的 scale 乘抽到的数，只舍入一次",
)
SCALE_IN_FLOAT32 = Sentence("computes its scale in float32", "以 float32 计算 scale")
NUMBER_OVERFLOWS = Sentence(
    "{drawn}: {field} overflows as float32, its numbers",
    "{drawn}：{field} 超出 float32 的范围，而它的参数是 float32",
)
VALUE_OVERFLOWS = Sentence(
    "{drawn}: {field} overflows in {dtype}", "{drawn}：{field} 超出 {dtype} 的范围"
)
SPAN_OVERFLOWS = Sentence(
    "{drawn}: high - low overflows float32", "{drawn}：high - low 超出 float32 的范围"
)
OTHER_CUT = Sentence(
    "{drawn}: Paddle 2.6.2 cuts at mean +- 2 std, at {low} and {high}",
    "{drawn}：Paddle 2.6.2 在 mean +- 2 std 处截断，即 {low} 和 {high}",
)
NOTHING_BETWEEN = Sentence(
    "{drawn}: no value lies between the cutoffs", "{drawn}：两个截断点之间没有值"
)
FLOAT32_ALONE = Sentence(
    "abacus has float32 alone, not {dtype}", "abacus 只有 float32，没有 {dtype}"
)
NO_MATRIX = Sentence(
    "abacus draws matrices; the shape {shape} is none", "abacus 抽取的是矩阵，形状 {shape} 不是"
)
TOO_MANY = Sentence(
    "abacus counts in int: {product} is over 2**31 - 1",
    "abacus 用 int 计数：{product} 超过 2**31 - 1",
)
NO_SUCH_DRAW = Sentence(
    "abacus draws normals of mean 0 and constants, not {drawn}",
    "abacus 只抽取均值为 0 的正态分布和常数，不能抽取 {drawn}",
)
SAME_BITS = Sentence("the same bits", "每一位都相同")
SAME_Z = Sentence("the same z", "z 相同")
SAME_START = Sentence(
    "These draws of shape {shape} start from the same state of the generator and have {what}: "
    "{names}.",
    "这些形状为 {shape} 的 draw 从生成器的同一状态开始，{what}：{names}。",
)
IDENTICAL_LAYERS = Sentence(
    "op seed {seed} starts each of its initializers anew, so these draws of shape "
    "{shape} have {what}: {names}. Give each its own seed, or paddle.seed for all.",
    "op 种子 {seed} 让用它的每个初始化器都重新开始，所以这些形状为 {shape} 的 draw "
    "{what}：{names}。"
    "请给它们各自的种子，或统一用 paddle.seed。",
)


def other_cut(drawn: TruncatedNormal) -> Message:
    """Say that Paddle 2 does not cut where `drawn` does."""
    low, high = drawn.mean - 2 * drawn.std, drawn.mean + 2 * drawn.std
    return OTHER_CUT(drawn=describe(drawn), low=f"{low:g}", high=f"{high:g}")

"""What a tensor without partner might belong to."""

from __future__ import annotations

from paddle_init.languages import Sentence

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
NO_PARAMETERS = Sentence("no parameters", "无")

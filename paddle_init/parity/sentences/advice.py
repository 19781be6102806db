"""What to write so that both sides start alike."""

from __future__ import annotations

from paddle_init.languages import Sentence

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

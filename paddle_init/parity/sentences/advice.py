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
SAME_SHAPE = Sentence(
    "Give both the same shape; then their distributions can be compared.",
    "让两侧的形状相同，才能比较分布。",
)
SAME_NAME = Sentence(
    "Parameters are matched by name: rename one side's, or add the missing one.",
    "参数按名称对应：请改其中一侧的名称，或补上缺少的参数。",
)

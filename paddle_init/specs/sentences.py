"""What is said of how the tensors of two specs were matched."""

from __future__ import annotations

from paddle_init.languages import Sentence

MATCHED_BY_ORDER = Sentence(
    "the names differ, so these were matched by role, shape and layer, in their order: {pairs}. "
    "A mapping states which belong together.",
    "名称不同，所以按角色、形状和所在层依次对应：{pairs}。可以用 mapping 写明哪些是一对。",
)
SQUARE_LAYOUT = Sentence(
    "{names}: a square shape does not show whether one side is transposed. Both "
    "are taken as [in, out], as Paddle and abacus have them; a mapping with transposed: "
    "true (torch has [out, in]) or false says so.",
    "{names}：方阵看不出有没有一侧是转置的。两侧都按 [in, out] 理解，Paddle 和 abacus 都是如此；"
    "可在 mapping 里用 transposed: true（torch 是 [out, in]）或 false 写明。",
)
DRAW_ORDER = Sentence(
    "the two sides draw their parameters in different orders, so that one seed gives different "
    "values from the first difference on: {left} on the left, {right} on the right.",
    "两侧抽取参数的顺序不同，因此即使种子相同，从第一处差异起数值就不同：左侧是 {left}，"
    "右侧是 {right}。",
)
PREFIX_LEFT = Sentence(
    "the names on the left have the prefix {prefix!r}, those on the right do not; names are "
    "compared without it.",
    "左侧的名称带有前缀 {prefix!r}，右侧的没有；比较时去掉这个前缀。",
)
PREFIX_RIGHT = Sentence(
    "the names on the right have the prefix {prefix!r}, those on the left do not; names are "
    "compared without it.",
    "右侧的名称带有前缀 {prefix!r}，左侧的没有；比较时去掉这个前缀。",
)
OTHER_LAYERS = Sentence(
    "{names}: a bias of this name belongs to different layers on the two sides, so it is not "
    "matched by name. A mapping states which belong together.",
    "{names}：两侧都有这个名称的偏置，但属于不同的层，所以没有按名称对应。"
    "可以用 mapping 写明哪些是一对。",
)
UNDECIDED = Sentence(
    "{left} on the left and {right} on the right ({kind}): it is not known which of them belong "
    "together",
    "左侧的 {left} 与右侧的 {right}（{kind}）：无法判定哪些是一对",
)
ONLY_LEFT = Sentence("{names} ({kind}): only on the left", "只有左侧有 {names}（{kind}）")
ONLY_RIGHT = Sentence("{names} ({kind}): only on the right", "只有右侧有 {names}（{kind}）")

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
    "the two sides draw in different orders: from one seed the values differ from the "
    "first change on, {left} on the left against {right} on the right.",
    "两侧抽取的顺序不同：用同一个种子，从第一处不同起值就不同，左侧是 {left}，右侧是 {right}。",
)
PREFIX_LEFT = Sentence(
    "the left's names have {prefix!r} before what the right calls them.",
    "左侧的名称比右侧的多出前缀 {prefix!r}。",
)
PREFIX_RIGHT = Sentence(
    "the right's names have {prefix!r} before what the left calls them.",
    "右侧的名称比左侧的多出前缀 {prefix!r}。",
)
OTHER_LAYERS = Sentence(
    "{names}: a bias of this name belongs to different layers on the two sides, so the name alone "
    "makes no pair. A mapping states which belong together.",
    "{names}：两侧都有这个名称的偏置，但它属于不同的层，所以仅凭名称不能对应。"
    "可以用 mapping 写明哪些是一对。",
)
UNDECIDED = Sentence(
    "{left} on the left and {right} on the right ({kind}): what is known of them does not say "
    "which belong together",
    "左侧的 {left} 与右侧的 {right}（{kind}）：已知信息无法判定哪些是一对",
)
ONLY_LEFT = Sentence("{names} ({kind}) on the left alone", "只有左侧有 {names}（{kind}）")
ONLY_RIGHT = Sentence("{names} ({kind}) on the right alone", "只有右侧有 {names}（{kind}）")

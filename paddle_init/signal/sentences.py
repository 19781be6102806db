"""What is said of a net's signal and gradient, in every language."""

from __future__ import annotations

from paddle_init.languages import Sentence

MEAN_NOT_0 = Sentence(
    "the weights of {names} have a mean that is not 0: gradients there and before are "
    "approximate, as is the signal where that mean is comparable to the std",
    "{names} 的权重均值不为 0：该处及之前的梯度是近似值；均值与标准差相当时，信号也是近似值",
)
UNSURE = Sentence(
    "from {name} on, draws of the weights differ from each other and from the prediction by "
    "factors, at these widths",
    "从 {name} 起，在这样的宽度下，权重的各次抽取之间、抽取与预测之间会相差若干倍",
)
GRADIENT_NOT_0 = Sentence(
    "the output's gradient has a mean that is not 0: gradients are approximate",
    "输出的梯度均值不为 0：各处的梯度是近似值",
)
PREPARED = Sentence(
    "{name} reads what the net makes of its input; the prediction starts there",
    "{name} 读到的是网络对输入处理后的结果；预测从那里开始",
)
NOT_PREDICTED = Sentence(
    "measured, not predicted: {why}. Each layer's output is compared with that of the first layer "
    "that ran, its gradient with that of the last",
    "只有实测，没有预测：{why}。各层的输出与最先运行的层比较，梯度与最后运行的层比较",
)
NORMALIZED = Sentence(
    "not judged, because the net normalizes ({kinds}): the size of an output before a "
    "normalization does not reach what follows, and gradients scale with its inverse",
    "不作判断，因为网络会做归一化（{kinds}）：归一化之前输出的大小不影响后面的计算，梯度则与它成反比",
)
SILENT = Sentence(
    "not measured, because their forward was not seen to run: {names}",
    "未测量，因为没有看到它们的 forward 运行：{names}",
)
NO_GRADIENT = Sentence("no gradient reaches {names}", "梯度到不了 {names}")

FINDINGS = {
    "vanishing signal": Sentence("vanishing signal", "信号消失"),
    "exploding signal": Sentence("exploding signal", "信号爆炸"),
    "vanishing gradient": Sentence("vanishing gradient", "梯度消失"),
    "exploding gradient": Sentence("exploding gradient", "梯度爆炸"),
    "saturating": Sentence("saturating", "饱和"),
}
NOTHING = Sentence("nothing is wrong", "没有问题")
FINE = Sentence("fine", "正常")
NOT_JUDGED = Sentence("not known whether anything is wrong", "无法判定是否有问题")
UNJUDGED = Sentence("not judged", "未判断")
ONE_LAYER = Sentence("{what.capital}: 1 layer.", "{what}：1 层。")
LAYERS = Sentence(
    "{what.capital}: {layers} layers. From layer to layer the signal's rms changes by a factor of "
    "{forward}, on the way back the gradient's norm by {backward}.",
    "{what}：{layers} 层。向前每过一层，信号的均方根变为 {forward} 倍；"
    "向后每过一层，梯度的范数变为 {backward} 倍。",
)
OVERFLOW = Sentence("overflow", "溢出")

NET = Sentence("net", "网络")
PREDICTED = Sentence("predicted", "预测")
MEASURED = Sentence("measured", "实测")
ON_PADDLE = Sentence("on Paddle, a batch of {batch}", "在 Paddle 上，一批 {batch} 行")
NOT_MEASURED = Sentence("no", "没有")
LAYERS_HEADING = Sentence("Layers", "各层")
LAYER = Sentence("layer", "层")
SHAPE = Sentence("shape", "形状")
ACTIVATION = Sentence("activation", "激活函数")
FOUND = Sentence("found", "发现")
Y_MEAN = Sentence("y mean", "y 均值")
Y_RMS = Sentence("y rms", "y 均方根")
A_MEAN = Sentence("a mean", "a 均值")
A_RMS = Sentence("a rms", "a 均方根")
G_NORM = Sentence("g norm", "g 范数")
FLAT = Sentence("flat", "平缓")
MEANING = Sentence(
    "y is a layer's sum before its activation a, g the gradient with respect to y; rms is "
    "sqrt(E[x^2]) over samples and units, norm the root of the sum of E[g^2] over the units of a "
    "sample; flat is the share of units where the slope is below {flat} of the steepest, for "
    "S-shaped activations.",
    "y 是一层在激活函数 a 之前的和，g 是对 y 的梯度；均方根是对样本和单元取的 sqrt(E[x^2])，"
    "范数是一个样本各单元的 E[g^2] 之和的平方根；"
    "平缓指 S 形激活函数中斜率低于最大斜率 {flat} 的单元所占的比例。",
)
FORWARD = Sentence("forward: rms of y", "向前：y 的均方根")
BACKWARD = Sentence("backward: norm of g", "向后：g 的范数")
BAND = Sentence("predicted, ± 2 std over draws", "预测，各次抽取 ± 2 个标准差")
SIGNALS = Sentence("outputs y, measured", "输出 y，实测")
ACTIVATIONS = Sentence("activations, measured", "激活值，实测")
GRADIENTS = Sentence("gradients g, measured", "梯度 g，实测")

FINDINGS_HEADING = Sentence("Where, and what would help", "在哪里，怎样改进")
SPAN = Sentence("{first} to {last}", "{first} 至 {last}")
WHERE = Sentence("{places} ({limit})", "{places}（{limit}）")
RMS_BELOW = Sentence("rms below {limit} of {name}'s", "均方根低于 {name} 的 {limit}")
RMS_ABOVE = Sentence("rms above {limit} times {name}'s", "均方根高于 {name} 的 {limit} 倍")
NORM_BELOW = Sentence("norm below {limit} of {name}'s", "范数低于 {name} 的 {limit}")
NORM_ABOVE = Sentence("norm above {limit} times {name}'s", "范数高于 {name} 的 {limit} 倍")
ARE_FLAT = Sentence(
    "more than {percent} % of the units are flat", "超过 {percent} % 的单元处于平缓处"
)
BETTER = Sentence("better", "改进")
WITHOUT_BIASES = Sentence("{fix}, without biases", "{fix}，不要偏置")
NONE_BETTER = Sentence(
    "none of the schemes that were tried leaves nothing wrong", "试过的方案都不能消除全部问题"
)
LEAVES_NOTHING = Sentence("{fix}, which leaves nothing wrong:", "{fix}，之后没有问题：")
RULE = Sentence("{names}: {rule}", "{names}：{rule}")
NOTE = Sentence("note", "注")

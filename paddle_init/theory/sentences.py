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

FINDINGS = {
    "vanishing signal": Sentence("vanishing signal", "信号消失"),
    "exploding signal": Sentence("exploding signal", "信号爆炸"),
    "vanishing gradient": Sentence("vanishing gradient", "梯度消失"),
    "exploding gradient": Sentence("exploding gradient", "梯度爆炸"),
    "saturating": Sentence("saturating", "饱和"),
}
NOTHING = Sentence("nothing is wrong", "没有问题")
FINE = Sentence("fine", "正常")
ONE_LAYER = Sentence("{what.capital}: 1 layer.", "{what}：1 层。")
LAYERS = Sentence(
    "{what.capital}: {layers} layers. From layer to layer the signal's rms changes by a factor of "
    "{forward}, on the way back the gradient's by {backward}.",
    "{what}：{layers} 层。向前每过一层，信号的均方根变为 {forward} 倍；"
    "向后每过一层，梯度的均方根变为 {backward} 倍。",
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
G_RMS = Sentence("g rms", "g 均方根")
FLAT = Sentence("flat", "平缓")
MEANING = Sentence(
    "y is a layer's sum before its activation a, g the gradient with respect to y; rms is "
    "sqrt(E[x^2]) over samples and units; flat is the share of units where the slope is below "
    "{flat} of the steepest, for S-shaped activations.",
    "y 是一层在激活函数 a 之前的和，g 是对 y 的梯度；均方根是对样本和单元取的 sqrt(E[x^2])；"
    "平缓指 S 形激活函数中斜率低于最大斜率 {flat} 的单元所占的比例。",
)
FORWARD = Sentence("forward: rms of y", "向前：y 的均方根")
BACKWARD = Sentence("backward: rms of g", "向后：g 的均方根")
BAND = Sentence("predicted, ± 2 std over draws", "预测，各次抽取 ± 2 个标准差")
ACTIVATIONS = Sentence("activations, measured", "激活值，实测")
GRADIENTS = Sentence("gradients g, measured", "梯度 g，实测")

FINDINGS_HEADING = Sentence("Where, and what would help", "在哪里，怎样改进")
SPAN = Sentence("{first} to {last}", "{first} 至 {last}")
WHERE = Sentence("{places} ({limit})", "{places}（{limit}）")
RMS_BELOW = Sentence("rms below {limit} of {name}'s", "均方根低于 {name} 的 {limit}")
RMS_ABOVE = Sentence("rms above {limit} times {name}'s", "均方根高于 {name} 的 {limit} 倍")
ARE_FLAT = Sentence(
    "more than {percent} % of the units are flat", "超过 {percent} % 的单元处于平缓处"
)
BETTER = Sentence("better", "改进")
WITHOUT_BIASES = Sentence("{fix}, without biases", "{fix}，不要偏置")
NONE_BETTER = Sentence("no scheme that was tried does better", "试过的方案都不更好")
LEAVES = Sentence("{fix}, which leaves {left}:", "{fix}，之后仍有{left}：")
LEAVES_NOTHING = Sentence("{fix}, which leaves nothing wrong:", "{fix}，之后没有问题：")
RULE = Sentence("{names}: {rule}", "{names}：{rule}")
NOTE = Sentence("note", "注")

"""The page: results as tables, with the pictures and what they say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchmarks.papers.experiments import ACTIVATIONS, deep_net
from paddle_init.activations.notation import activation as found
from paddle_init.signal.propagation import integrals, propagate_dense

__all__ = ["page"]

NAMES = {"xavier": "Xavier", "he": "He", "constant variance": "Constant Variance"}


def page(entries: Mapping[str, Any]) -> str:
    """Return the Markdown page for `entries` as ``results.json`` has them."""
    return "\n".join(
        [
            _opening(entries),
            _five_layers(entries),
            _deep(entries),
            _half(entries),
            _table(entries),
            _averages(entries),
        ]
    )


def _opening(entries: Mapping[str, Any]) -> str:
    settings = entries["table"]["settings"]
    return f"""\
# The papers' results that need no data, run again

Made by `python -m benchmarks.papers` with Paddle {settings["paddle"]}, seed {settings["seed"]}; \
the numbers are in [results.json](papers/results.json). The same seed gives them again. In every \
picture dots are measured on a real Paddle net, lines are what `paddle_init.propagate` predicts \
without one.
"""


def _five_layers(entries: Mapping[str, Any]) -> str:
    nodes = entries["five layers xavier"]["settings"]["nodes"]
    rows = [
        (
            name,
            what,
            *(f"{value:.3f} ({expected:.3f})" for value, expected in zip(
                result[what], result[f"predicted_{what}"], strict=True)),
        )
        for key, name in (("old uniform", "U(-1/√m, 1/√m)"), ("xavier", "Xavier"))
        for result in (entries[f"five layers {key}"]["result"],)
        for what in ("activation", "gradient")
    ]  # fmt: skip
    return f"""\
## Old uniform against Xavier

Source: "So why do we need to initialize weights in deep learning?", after Glorot and Bengio \
(2010). Five hidden tanh layers of {nodes} units. Under the older rule U(-1/√m, 1/√m) activations \
shrink from layer to layer and gradients on the way back; under Xavier the histograms nearly \
coincide.

![Histograms of activations and gradients](papers/five_layers.png)

Root mean square, measured (predicted):

{_rows(("scheme", "of", *(f"layer {number}" for number in range(1, 6))), rows)}
"""


def _deep(entries: Mapping[str, Any]) -> str:
    settings = entries["deep he relu"]["settings"]
    layers, nodes = settings["layers"], settings["nodes"]
    middle = layers // 2
    tanh, softsign = (_growth(entries, name) for name in ("tanh", "softsign"))
    gelu, silu = (_instability(name, nodes, layers) for name in ("gelu", "silu"))
    rows = [
        (
            activation,
            NAMES[scheme],
            *(_pair(result, "std", layer) for layer in (middle, layers)),
            *(_pair(result, "gradient", layer) for layer in (middle, 1)),
        )
        for activation in ACTIVATIONS
        for scheme in NAMES
        for result in (entries[f"deep {scheme} {activation}"]["result"],)
    ]
    head = ("activation", "scheme", f"std, layer {middle}", f"std, layer {layers}",
            f"gradient, layer {middle}", "gradient, layer 1")  # fmt: skip
    return f"""\
## {layers} layers of {nodes}

Source: "Constant Variance Weight Initialisation". Standard normal input, batch \
{settings["batch"]}; the gradient starts as a standard normal at the output. Constant Variance \
takes coefficient 1 for the first layer, whose input has passed no activation.

- Forward, Constant Variance holds the std of pre-activations at 1 for every activation; He does \
so for ReLU alone (at √2, since its first layer counts a ReLU that is not there), Xavier for \
SELU alone, whose coefficient is 1.
- Backward, under Constant Variance gradients grow towards the input with tanh (to {tanh}) and \
softsign (to {softsign}), less with ELU, SELU and GELU, and hardly change with ReLU and tanh8; \
under Xavier they fade towards the input with every activation but SELU. The paper found the same \
sides. With the sigmoid, whose mean is not 0, the gradient dies under all three.
- GELU and SiLU leave the prediction under Constant Variance, GELU under He too. E[a(y)²] grows \
there with a power of the variance above 1 ({gelu[0]:.2f} and {silu[0]:.2f} at std 1), so that \
what is louder than the rest gets louder still. From layers {gelu[1]} and {silu[1]} on, draws of \
{nodes} units differ by factors, which `propagate` notes.
{_not_numbers(entries)}
![Std of pre-activations by layer](papers/deep_forward.png)

![Rms of gradients by layer](papers/deep_backward.png)

Measured (predicted):

{_rows(head, rows)}
"""


def _half(entries: Mapping[str, Any]) -> str:
    layers = entries["deep half tanh"]["settings"]["layers"]
    rows = [
        (
            activation,
            *(_pair(entries[f"deep {scheme} {activation}"]["result"], what, layer)
              for scheme in ("constant variance", "half")
              for what, layer in (("std", layers), ("gradient", 1))),
        )
        for activation in ACTIVATIONS
    ]  # fmt: skip
    head = ("activation", f"std 1: std, layer {layers}", "std 1: gradient, layer 1",
            f"std 1/2: std, layer {layers}", "std 1/2: gradient, layer 1")  # fmt: skip
    return f"""\
## At half the std, and with a wider curve

Source: as above. Constant Variance made for std 1/2, on an input of that std, keeps an S-shaped \
curve near its linear middle, as the widened tanh8 = 8 tanh(x / 8) does at std 1: with tanh and \
softsign the gradient grows far less. The sigmoid's middle is at 1/2 and not at 0: its gradient \
dies sooner.

![S-shaped curves at std 1 and 1/2](papers/half_std.png)

Measured (predicted):

{_rows(head, rows)}
"""


def _table(entries: Mapping[str, Any]) -> str:
    settings = entries["table"]["settings"]
    rows = [
        (
            name,
            f"{row['normal']:.12f}",
            f"{row['uniform']:.12f}",
            f"{row['error']:.0e}",
            f"{row['experiment']:.4f} ± {row['standard_error']:.4f}",
            f"{(row['experiment'] - row['normal']) / row['standard_error']:+.1f}",
            f"{row['std_gain']:.6f}",
        )
        for name, row in entries["table"]["result"].items()
    ]
    head = ("activation", "normal: std · √m", "uniform: bound · √m", "error below", "experiment",
            "off, in standard errors", "1 / std(a(z))")  # fmt: skip
    return f"""\
## Table 1: coefficients

Source: as above; the table itself is missing there. By definition 1 / √E[a(z)²], z ~ N(0, 1), \
with a bound on the error of the computed number; beside it the paper's experiment, two layers of \
{settings["nodes"]} nodes, {settings["repetitions"]} times, all activations on the same draws. \
The last column is the other convention, that of the variance.

{_rows(head, rows)}
"""


def _averages(entries: Mapping[str, Any]) -> str:
    settings = entries["stack geometric"]["settings"]
    (m, n), depths = settings["fans"], settings["depths"]
    rows = [
        (average, way, *(
            f"{value:.3g} ± {error:.1g} ({exact:.3g})"
            for value, error, exact in zip(
                result[way], result[f"{way}_error"], result["exact"], strict=True)
        ))
        for average in ("arithmetic", "geometric", "quadratic")
        for result in (entries[f"stack {average}"]["result"],)
        for way in ("forward", "backward")
    ]  # fmt: skip
    return f"""\
## Three averages of the fans

Source: "初始化方法中非方阵的维度平均策略思考". A weight of shape {m} × {n} cannot keep the \
second moment both forward and backward. The quadratic average makes the sum of squared errors \
of one step least; \
the geometric one keeps a stack {m} → {n} → {m} .. end to end, in both directions, where the \
others lose it by a factor at every second layer.

![One step and a stack](papers/averages.png)

Linear layers on Paddle, {settings["draws"]} draws: second moment relative to where it started, \
mean ± standard error (exact).

![Stacks of 2 to 64 layers](papers/stacks.png)

{_rows(("average", "", *(f"{depth} layers" for depth in depths)), rows)}
"""


def _not_numbers(entries: Mapping[str, Any]) -> str:
    if not any(
        None in entry["result"]["gradient"]
        for name, entry in entries.items()
        if name.startswith("deep")
    ):
        return ""
    return (
        "- Where NaN stands, the loudest samples have reached y < -88, where Paddle's float32 "
        "gradient of silu is not a number (from -87 on it is -inf): exp(-y) overflows in its "
        "kernel.\n"
    )


def _instability(activation: str, nodes: int, layers: int) -> tuple[float, int]:
    """d log E[a(y)^2] / d log var(y) at std 1, and the layer from which draws differ by factors."""
    response = integrals(found(activation), 0.0, 1.0).response
    net = deep_net("constant variance", activation, [nodes] * (layers + 1))
    spreads = [signal.spread for signal in propagate_dense(net).signals]
    return response, next((i for i, spread in enumerate(spreads, 1) if spread > 1), layers)


def _growth(entries: Mapping[str, Any], activation: str) -> str:
    return f"{entries[f'deep constant variance {activation}']['result']['gradient'][0]:.3g}"


def _pair(result: Mapping[str, Any], what: str, layer: int) -> str:
    measured, predicted = result[what][layer - 1], result[f"predicted_{what}"][layer - 1]
    return f"{'NaN' if measured is None else f'{measured:.3g}'} ({predicted:.3g})"


def _rows(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)

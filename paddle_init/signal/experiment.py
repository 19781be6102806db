"""The paper's own way to a coefficient: two layers of j nodes, repeated, run on Paddle.

Standard normal input v, weights N(0, 1 / j), output o = W2 a(W1 v). The mean of o^2 estimates
E[a(z)^2]. Averaging 1 / std(o) instead, as the paper's text suggests, is biased: for ReLU with 64
nodes by seven standard errors of a thousand repetitions.

Source: "Constant Variance Weight Initialisation".
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from paddle_init.activations.builtin import ActivationError
from paddle_init.activations.curves import Array
from paddle_init.activations.gains import DEFAULT_TABLE
from paddle_init.activations.notation import Spec, activation

__all__ = ["Experiment", "experiments"]


@dataclass(frozen=True)
class Experiment:
    """An estimated gain and its standard error, from `repetitions` nets of two layers."""

    activation: str
    gain: float
    standard_error: float
    nodes: int
    repetitions: int
    seed: int


def experiments(
    specs: Iterable[Spec] = DEFAULT_TABLE,
    *,
    nodes: int = 512,
    repetitions: int = 128,
    seed: int = 0,
    std: float = 1.0,
) -> list[Experiment]:
    """Estimate the gain of each activation; all see the same inputs and weights.

    The std of W1 v is |v| / sqrt(j), not 1, so that the estimate is off by O(1 / nodes): with 512
    nodes less than one standard error of 128 repetitions. The same seed gives the same numbers
    again; Paddle's global generator is put back as it was.

    Parameters
    ----------
    nodes, repetitions
        In [1, inf) and [2, inf).
    seed
        For paddle.seed, in [0, 2**64 - 1].
    std
        Of the input and of the signal to keep, in (0, inf).
    """
    if nodes < 1 or repetitions < 2:
        raise ActivationError(
            f"the experiment needs nodes >= 1 and repetitions >= 2, got {nodes} and {repetitions}"
        )
    import paddle

    from paddle_init.frameworks.registry import home_nets

    specs = list(specs)
    names = [activation(spec).text for spec in specs]
    functions = [home_nets().on_paddle(spec) for spec in specs]
    squares = np.empty((len(functions), repetitions))
    state = paddle.get_rng_state()
    paddle.seed(seed)
    try:
        with paddle.no_grad():
            for repetition in range(repetitions):
                v = std * paddle.randn([1, nodes])
                first, second = (paddle.randn([nodes, nodes]) / math.sqrt(nodes) for _ in range(2))
                hidden = paddle.matmul(v, first)
                outputs = paddle.concat([function(hidden) for function in functions])
                o = paddle.matmul(outputs, second).numpy().astype(np.float64)
                squares[:, repetition] = (o * o).mean(axis=1)
    finally:
        paddle.set_rng_state(state)
    return [
        _estimate(name, row, std, nodes, repetitions, seed)
        for name, row in zip(names, squares, strict=True)
    ]


def _estimate(
    name: str, squares: Array, std: float, nodes: int, repetitions: int, seed: int
) -> Experiment:
    second = float(squares.mean())
    if second == 0:
        raise ActivationError(f"{name}: every output of the experiment is 0")
    spread = float(squares.std(ddof=1)) / math.sqrt(repetitions)
    gain = std / math.sqrt(second)
    return Experiment(name, gain, 0.5 * gain / second * spread, nodes, repetitions, seed)

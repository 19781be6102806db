"""The fixed gains that frameworks recommend, beside which the definition stands."""

from __future__ import annotations

import math

from paddle_init.theory.activations import Activation

__all__ = ["paddle_table", "torch_table"]


def paddle_table(activation: Activation) -> float | None:
    """Return what Paddle's `calculate_gain` recommends, None where its table has no entry.

    Source: paddle/nn/initializer/initializer.py, 3.3.1.
    """
    return _recommended(activation)


def torch_table(activation: Activation) -> float | None:
    """Return what torch's `calculate_gain` recommends, None where its table has no entry.

    Source: torch/nn/init.py, 2.x; Paddle took its table from there, entry by entry.
    """
    return _recommended(activation)


def _recommended(activation: Activation) -> float | None:
    if activation.width != 1:
        return None
    match activation.name:
        case "linear" | "sigmoid":
            return 1.0
        case "tanh":
            return 5.0 / 3
        case "relu":
            return math.sqrt(2.0)
        case "leaky_relu":
            return math.sqrt(2.0 / (1 + activation.parameters["negative_slope"] ** 2))
        case "selu" if activation.text == "selu":
            return 3.0 / 4
        case _:
            return None

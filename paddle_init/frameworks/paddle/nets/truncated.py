"""A normal that is cut, in whichever version of Paddle is installed.

Importing this module imports paddle, so only functions that need paddle import it. The function
stands on its own: the modules that `paddle_init.python_module` writes carry it word for word.
"""

from __future__ import annotations

import inspect

import paddle

__all__ = ["truncated_normal"]


def truncated_normal(
    mean: float, std: float, low: float, high: float
) -> paddle.nn.initializer.Initializer:
    """Return Paddle's TruncatedNormal; Paddle 2 has fixed cutoffs, mean +- 2 std."""
    own = paddle.nn.initializer.TruncatedNormal
    if "a" in inspect.signature(own).parameters:
        return own(mean, std, a=low, b=high)
    if (low, high) != (mean - 2 * std, mean + 2 * std):
        raise ValueError(
            f"this version of Paddle cuts at mean +- 2 std, {mean - 2 * std:g} and "
            f"{mean + 2 * std:g}, not at {low:g} and {high:g}; use those or Paddle 3"
        )
    return own(mean, std)

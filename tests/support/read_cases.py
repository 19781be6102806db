"""What tests of reading nets share: nets, expected specs and bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import paddle
from paddle import nn
from paddle.nn.initializer import (
    Normal,
    TruncatedNormal,
    Uniform,
)
from support.paddle_graph import PADDLE_3

from paddle_init import (
    NetSpec,
    distributions,
)
from paddle_init.distributions import Distribution


def f32(value: float) -> float:
    return float(np.float32(value))


def gaussian(mean: float, std: float) -> distributions.Normal:
    return distributions.Normal(f32(mean), f32(std))


def flat(low: float, high: float) -> distributions.Uniform:
    return distributions.Uniform(f32(low), f32(high))


def same(value: float) -> distributions.Constant:
    return distributions.Constant(value)


def truncated(std: float, low: float, high: float) -> TruncatedNormal:
    """Paddle's initializer; before version 3 it cuts at two stds."""
    return TruncatedNormal(0, std, low, high) if PADDLE_3 else TruncatedNormal(0, std)


def cut(std: float, low: float, high: float) -> distributions.TruncatedNormal:
    """What `truncated` draws."""
    low, high = (low, high) if PADDLE_3 else (-2 * f32(std), 2 * f32(std))
    return distributions.TruncatedNormal(0, f32(std), f32(low), f32(high))


def held(spec: NetSpec) -> dict[str, Distribution]:
    return {tensor.name: spec.distribution(tensor) for tensor in spec.tensors}


def codes(spec: NetSpec) -> list[str]:
    return [notice.code for notice in spec.notices]


class Net(nn.Layer):
    """An embedding, two FC layers and a norm."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(10, 4)
        self.fc1 = nn.Linear(4, 3, weight_attr=Normal(0.1, 0.13), bias_attr=Uniform(-0.3, 0.1))
        self.norm = nn.LayerNorm(3)
        self.fc2 = nn.Linear(3, 2, bias_attr=False)


def parameter(initializer: Any, name: str, dtype: str = "float32", shape: Any = (4, 5)) -> None:
    attr = paddle.ParamAttr(name=name, initializer=initializer)
    paddle.static.create_parameter(list(shape), dtype, attr=attr)

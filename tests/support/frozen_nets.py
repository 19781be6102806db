"""Nets of Paddle whose printed results are kept: see frozen_outputs.py."""

from __future__ import annotations

import paddle
from paddle import nn
from paddle.nn import initializer as init


def tower():
    normal = paddle.ParamAttr(initializer=init.Normal(0.0, 0.2 / 300**0.5))
    return nn.Sequential(nn.Linear(300, 128, normal), nn.ReLU(), nn.Linear(128, 1, normal))


def blocks():
    return nn.LayerList([nn.Conv2D(3, 4, 3), nn.BatchNorm2D(4), nn.LSTM(4, 3), nn.LayerNorm(3)])


def padded():
    cut = paddle.ParamAttr(initializer=init.TruncatedNormal(0.0, 0.02))
    return nn.Sequential(nn.Embedding(20, 4, padding_idx=3, weight_attr=cut), nn.Linear(4, 1))


def other_draws():
    first = nn.Linear(4, 4)
    paddle.randperm(5)
    return nn.LayerList([first, nn.Linear(4, 4)])


def own():
    class Scaled(init.Initializer):
        def forward(self, param, block=None):
            param.set_value(paddle.normal(0.0, 0.1, param.shape) * 2)

    odd = paddle.ParamAttr(initializer=Scaled())
    return nn.LayerList([nn.Linear(4, 4), nn.Linear(4, 4, odd), nn.Linear(4, 4)])


class Tied(nn.Layer):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(9, 4)
        self.head = nn.Linear(4, 9)
        self.out_weight = self.table.weight


def tied():
    return Tied()

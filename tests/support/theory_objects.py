"""What the command line is given as module:object."""

from __future__ import annotations

import numpy as np
import paddle

number = 3


def pair():
    return np.ones((4, 3), np.float32), np.ones((4, 3), np.float32)


def square(x):
    return np.maximum(x, 0) ** 2


def holed(x):
    return np.where(x > 1, np.nan, x)


def flat(x):
    return x.sum()


def zero(x):
    return np.zeros_like(x)


def infinite(x):
    return np.exp(x * x)


def failing(x):
    raise RuntimeError("not today")


class Refusing:
    def __init__(self):
        raise RuntimeError("no activation today")


class Tower(paddle.nn.Layer):
    def __init__(self, *between):
        super().__init__()
        self.first = paddle.nn.Linear(30, 40)
        self.between = paddle.nn.LayerList(between)
        self.last = paddle.nn.Linear(40, 10)

    def forward(self, x):
        x = paddle.tanh(self.first(x))
        for layer in self.between:
            x = layer(x)
        return self.last(x)


def tower():
    return Tower()


def normalized():
    return Tower(paddle.nn.LayerNorm(40))


def dropped():
    return Tower(paddle.nn.Dropout(0.5))


class Residual(Tower):
    def forward(self, x):
        y = self.first(x)
        return self.last(y + paddle.tanh(y))


def broken():
    raise RuntimeError("no net today")


built = Tower()

"""Ranking towers as teams write them in Paddle, small: what the tests of real nets read and draw.

Initializers are those that such nets use: embeddings cut normals or scaled uniforms, layers
Normal(0, 1 / sqrt(fan_in)), Xavier, Kaiming or Paddle's default.
"""

from __future__ import annotations

import math
from itertools import pairwise

import paddle
from paddle import nn
from paddle.nn import initializer as init

__all__ = ["DYNAMIC", "STATIC"]

FIELDS, WORDS, WIDTH, DENSE = 5, 40, 6, 3


def cut_normal(width=WIDTH):
    return paddle.ParamAttr(initializer=init.TruncatedNormal(0.0, 0.1 / math.sqrt(float(width))))


def scaled(fan_in):
    return paddle.ParamAttr(initializer=init.Normal(std=1.0 / math.sqrt(fan_in)))


class Mlp(nn.Layer):
    """Layers named as PaddleRec names them, with `add_sublayer`."""

    def __init__(self, widths, last_relu=False, attr=scaled):
        super().__init__()
        self.steps = []
        for index in range(len(widths) - 1):
            layer = nn.Linear(
                widths[index], widths[index + 1], weight_attr=attr(widths[index]) if attr else None
            )
            self.add_sublayer(f"linear_{index}", layer)
            self.steps.append(layer)
            if last_relu or index < len(widths) - 2:
                self.add_sublayer(f"act_{index}", nn.ReLU())


class Dnn(nn.Layer):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(
            WORDS,
            WIDTH,
            sparse=True,
            weight_attr=paddle.ParamAttr(name="SparseFeatFactors", initializer=init.Uniform()),
        )
        self.mlp = Mlp([FIELDS * WIDTH + DENSE, 16, 8, 2])


class WideDeep(nn.Layer):
    def __init__(self):
        super().__init__()
        self.wide = nn.Linear(
            DENSE, 1, weight_attr=paddle.ParamAttr(initializer=init.TruncatedNormal(0.0, 1.0))
        )
        self.embedding = nn.Embedding(WORDS, WIDTH, padding_idx=0, weight_attr=cut_normal())
        self.deep = Mlp([FIELDS * WIDTH + DENSE, 16, 16, 1])


class Fm(nn.Layer):
    def __init__(self):
        super().__init__()
        self.first = nn.Embedding(WORDS, 1, padding_idx=0, weight_attr=cut_normal())
        self.first_dense = paddle.create_parameter(
            [DENSE], "float32", default_initializer=init.TruncatedNormal(0.0, 0.1)
        )
        self.second = nn.Embedding(WORDS, WIDTH, padding_idx=0, weight_attr=cut_normal())
        self.second_dense = paddle.create_parameter(
            [1, DENSE, WIDTH], "float32", default_initializer=init.TruncatedNormal(0.0, 0.1)
        )


class DeepFm(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fm = Fm()
        self.dnn = Mlp([WIDTH * (FIELDS + DENSE), 16, 16, 1])
        self.bias = paddle.create_parameter([1], "float32", default_initializer=init.Constant(0.0))


class Dcn(nn.Layer):
    """Cross layers with a vector each."""

    def __init__(self):
        super().__init__()
        width = FIELDS * WIDTH + DENSE
        self.embedding = nn.Embedding(WORDS, WIDTH, weight_attr=cut_normal())
        self.kernels = nn.ParameterList(
            [
                self.create_parameter([width, 1], default_initializer=init.XavierNormal())
                for _ in range(3)
            ]
        )
        self.biases = nn.ParameterList(
            [self.create_parameter([width, 1], is_bias=True) for _ in range(3)]
        )
        self.mlp = Mlp([width, 16, 8], last_relu=True)
        self.fc = nn.Linear(width + 8, 1)


class DcnMix(nn.Layer):
    """Cross layers of low rank, with experts."""

    def __init__(self, experts=2, rank=3):
        super().__init__()
        width = FIELDS * WIDTH
        self.embedding = nn.Embedding(WORDS, WIDTH, weight_attr=cut_normal())
        make = self.create_parameter
        for index in range(2):
            for name, shape in (("u", [width, rank]), ("v", [width, rank]), ("c", [rank, rank])):
                value = make([experts, *shape], default_initializer=init.XavierNormal())
                self.add_parameter(f"{name}_{index}", value)
            self.add_parameter(
                f"bias_{index}", make([width], default_initializer=init.Constant(0.0))
            )
        self.gates = nn.LayerList([nn.Linear(width, 1, bias_attr=False) for _ in range(experts)])
        self.out = nn.Linear(width, 1)


class XDeepFm(nn.Layer):
    """A compressed interaction network of 1 x 1 convolutions."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH, padding_idx=3, weight_attr=cut_normal())
        sizes = [FIELDS, 4, 4]
        self.cin = nn.LayerList(
            [
                nn.Conv2D(
                    sizes[0] * before,
                    after,
                    [1, 1],
                    weight_attr=paddle.ParamAttr(
                        initializer=init.Normal(std=1.0 / math.sqrt(before * sizes[0]))
                    ),
                    bias_attr=False,
                )
                for before, after in pairwise(sizes)
            ]
        )
        self.cin_out = nn.Linear(sum(sizes[1:]), 1, weight_attr=scaled(sum(sizes[1:])))
        self.dnn = Mlp([FIELDS * WIDTH, 16, 1])


class Dice(nn.Layer):
    def __init__(self, width):
        super().__init__()
        self.bn = nn.BatchNorm1D(width, epsilon=1e-9)
        self.alpha = self.create_parameter([width], default_initializer=init.Constant(0.0))


class Din(nn.Layer):
    """Attention over a history; tables with a padding row."""

    def __init__(self):
        super().__init__()
        wide = paddle.ParamAttr(initializer=init.XavierUniform())
        self.items = nn.Embedding(WORDS, WIDTH, padding_idx=WORDS - 1, weight_attr=wide)
        self.categories = nn.Embedding(7, WIDTH, weight_attr=wide)
        self.bias = nn.Embedding(
            WORDS, 1, weight_attr=paddle.ParamAttr(initializer=init.Constant(0))
        )
        self.attention = nn.LayerList(
            [nn.Linear(8 * WIDTH, 10), Dice(10), nn.Linear(10, 5), nn.PReLU(), nn.Linear(5, 1)]
        )
        self.fc = nn.Linear(2 * WIDTH, 2 * WIDTH)
        self.tower = Mlp([6 * WIDTH, 10, 5, 1], attr=None)


class Dien(nn.Layer):
    """Two recurrent layers in place of the pooled history."""

    def __init__(self):
        super().__init__()
        self.items = nn.Embedding(WORDS, WIDTH, weight_attr=cut_normal())
        self.interest = nn.GRU(WIDTH, 4)
        self.evolution = nn.GRUCell(4, 4)
        self.tower = Mlp([WIDTH + 4, 8, 1])


class MMoE(nn.Layer):
    def __init__(self, experts=3, tasks=2):
        super().__init__()
        constant = init.Constant(0.1)
        self.embedding = nn.Embedding(WORDS, WIDTH)
        width = FIELDS * WIDTH
        self.experts = nn.LayerList(
            [
                nn.Linear(
                    width,
                    8,
                    weight_attr=paddle.ParamAttr(initializer=init.XavierUniform()),
                    bias_attr=paddle.ParamAttr(initializer=constant),
                    name=f"expert_{index}",
                )
                for index in range(experts)
            ]
        )
        self.gates = nn.LayerList(
            [
                nn.Linear(width, experts, bias_attr=paddle.ParamAttr(initializer=constant))
                for _ in range(tasks)
            ]
        )
        self.towers = nn.LayerList([Mlp([8, 4, 2], attr=None) for _ in range(tasks)])


class Ple(nn.Layer):
    """Experts of tasks and shared ones, in two levels."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH, weight_attr=cut_normal())
        kaiming = paddle.ParamAttr(initializer=init.KaimingNormal())
        self.levels = nn.LayerList(
            [
                nn.LayerList([nn.Linear(width, 6, weight_attr=kaiming) for _ in range(5)])
                for width in (FIELDS * WIDTH, 6)
            ]
        )
        self.gates = nn.LayerList([nn.Linear(FIELDS * WIDTH, 3), nn.Linear(6, 3)])
        self.towers = nn.LayerList([nn.Linear(6, 1), nn.Linear(6, 1)])


class Esmm(nn.Layer):
    """Two towers on one table."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH, padding_idx=0, weight_attr=cut_normal())
        self.ctr = Mlp([FIELDS * WIDTH, 12, 2])
        self.cvr = Mlp([FIELDS * WIDTH, 12, 2])


class TwoTower(nn.Layer):
    """A query's and an item's tower, which share their last layer."""

    def __init__(self):
        super().__init__()
        self.query_table = nn.Embedding(WORDS, WIDTH)
        self.item_table = nn.Embedding(WORDS, WIDTH)
        last = nn.Linear(8, 4, weight_attr=paddle.ParamAttr(initializer=init.XavierUniform()))
        self.query = nn.Sequential(nn.Linear(2 * WIDTH, 8), nn.Tanh(), last)
        self.item = nn.Sequential(nn.Linear(3 * WIDTH, 8), nn.Tanh(), last)


class AutoInt(nn.Layer):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, 8, weight_attr=cut_normal(8))
        self.attention = nn.LayerList([nn.MultiHeadAttention(8, 2) for _ in range(2)])
        self.residual = nn.Linear(8, 8, bias_attr=False)
        self.out = nn.Linear(FIELDS * 8, 1)


class Bst(nn.Layer):
    """A transformer over the history."""

    def __init__(self):
        super().__init__()
        self.items = nn.Embedding(WORDS, 8, padding_idx=0)
        self.positions = nn.Embedding(10, 8)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, 0.1), 2)
        self.tower = Mlp([16, 8, 1])


class Gru4Rec(nn.Layer):
    def __init__(self):
        super().__init__()
        self.items = nn.Embedding(WORDS, WIDTH, padding_idx=0)
        self.gru = nn.GRU(WIDTH, 5, num_layers=2)
        self.out = nn.Linear(5, WORDS)


class Ncf(nn.Layer):
    """Matrix factorization beside a tower, joined by a layer of Kaiming."""

    def __init__(self):
        super().__init__()
        normal = paddle.ParamAttr(initializer=init.Normal(0.0, 0.01))
        self.tables = nn.LayerList([nn.Embedding(n, WIDTH, weight_attr=normal) for n in (9, 9, 7)])
        self.mlp = Mlp([2 * WIDTH, 8, 4], last_relu=True)
        self.out = nn.Linear(
            4 + WIDTH, 1, weight_attr=paddle.ParamAttr(initializer=init.KaimingUniform())
        )


DYNAMIC = {
    kind.__name__: kind
    for kind in (
        Dnn, WideDeep, DeepFm, Dcn, DcnMix, XDeepFm, Din, Dien, MMoE, Ple, Esmm, TwoTower, AutoInt,
        Bst, Gru4Rec, Ncf,
    )
}  # fmt: skip


def static_dnn():
    ids, dense = _inputs()
    table = _embedding(
        ids,
        [WORDS, WIDTH],
        attr=paddle.ParamAttr(name="table", initializer=init.Uniform(-0.1, 0.1)),
    )
    x = paddle.concat([table.reshape([-1, FIELDS * WIDTH]), dense], axis=1)
    return _tower(x, [16, 8], FIELDS * WIDTH + DENSE)


def static_wide_deep():
    ids, dense = _inputs()
    wide = paddle.static.nn.fc(
        dense, 1, weight_attr=paddle.ParamAttr(initializer=init.TruncatedNormal(0.0, 1.0))
    )
    table = _embedding(ids, [WORDS, WIDTH], padding_idx=0, attr=cut_normal())
    return wide + _tower(table.reshape([-1, FIELDS * WIDTH]), [16, 16], FIELDS * WIDTH)


def static_deepfm():
    ids, dense = _inputs()
    first = _embedding(ids, [WORDS, 1], padding_idx=0, attr=cut_normal())
    table = _embedding(ids, [WORDS, WIDTH], attr=cut_normal())
    scale = paddle.static.create_parameter(
        [1, DENSE, WIDTH], "float32", default_initializer=init.TruncatedNormal(0.0, 0.1)
    )
    each = paddle.concat([table, dense.unsqueeze(2) * scale], axis=1)
    total = paddle.mean(each, 1, keepdim=True)
    squares = paddle.mean(each * each, 1, keepdim=True)
    second = 0.5 * paddle.mean(total * total - squares, [1, 2]).unsqueeze(1)
    width = (FIELDS + DENSE) * WIDTH
    return paddle.mean(first, 1) + second + _tower(each.reshape([-1, width]), [16, 16], width)


def static_mmoe():
    ids, _ = _inputs()
    table = _embedding(ids, [WORDS, WIDTH])
    x = table.reshape([-1, FIELDS * WIDTH])
    experts = paddle.stack([paddle.static.nn.fc(x, 8, activation="relu") for _ in range(3)], 1)
    outputs = []
    for _ in range(2):
        gate = paddle.static.nn.fc(
            x, 3, activation="softmax", bias_attr=paddle.ParamAttr(initializer=init.Constant(0.1))
        )
        outputs.append(_tower(paddle.mean(experts * gate.unsqueeze(2), 1), [4], 8))
    return outputs[0] + outputs[1]


def static_two_tower():
    ids, _ = _inputs()
    shared = paddle.ParamAttr(name="words", initializer=init.XavierNormal())
    query = _embedding(ids[:, :2], [WORDS, WIDTH], attr=shared)
    item = _embedding(ids[:, 2:], [WORDS, WIDTH], attr=shared)
    left = _tower(query.reshape([-1, 2 * WIDTH]), [8], 2 * WIDTH, out=4)
    right = _tower(item.reshape([-1, 3 * WIDTH]), [8], 3 * WIDTH, out=4)
    return paddle.mean(left * right, 1, keepdim=True)


def static_dcn():
    ids, dense = _inputs()
    table = _embedding(ids, [WORDS, WIDTH], attr=cut_normal())
    x = paddle.concat([table.reshape([-1, FIELDS * WIDTH]), dense], axis=1)
    width, cross = FIELDS * WIDTH + DENSE, x
    for _ in range(2):
        kernel = paddle.ParamAttr(initializer=init.XavierNormal())
        bias = paddle.static.create_parameter([width], "float32", is_bias=True)
        crossed = paddle.static.nn.fc(cross, 1, weight_attr=kernel, bias_attr=False)
        cross = x * crossed + bias + cross
    return _tower(paddle.concat([cross, _tower(x, [8], width, out=8)], axis=1), [], width + 8)


STATIC = {
    build.__name__: build
    for build in (
        static_dnn, static_wide_deep, static_deepfm, static_mmoe, static_two_tower, static_dcn,
    )
}  # fmt: skip


def _embedding(ids, shape, padding_idx=None, attr=None):
    """A table, which static.nn.embedding has under ProgramDesc alone."""
    table = paddle.static.create_parameter(shape, "float32", attr=attr)
    return paddle.nn.functional.embedding(ids, table, padding_idx=padding_idx)


def _inputs():
    ids = paddle.static.data("ids", [None, FIELDS], "int64")
    return ids, paddle.static.data("dense", [None, DENSE], "float32")


def _tower(x, widths, fan_in, out=1):
    """Fully connected layers whose weight and bias have one std, init_range / sqrt(fan_in)."""
    for width in widths:
        std = 0.2 / fan_in**0.5
        x = paddle.static.nn.fc(
            x,
            width,
            activation="relu",
            weight_attr=paddle.ParamAttr(initializer=init.Normal(0.0, std)),
            bias_attr=paddle.ParamAttr(initializer=init.Normal(0.0, std)),
        )
        fan_in = width
    return paddle.static.nn.fc(x, out, weight_attr=scaled(fan_in))

"""What real nets do beside making layers, by name: each takes the layers so far, and may add some.

EXACT is what leaves every parameter known, EDITS what hides the last layer's weight alone. ENDS
takes a share of the stream that depends on its values, DECISIONS looks at values before it draws:
both hide what follows.
"""

from __future__ import annotations

import copy
import random
import secrets
import threading
import time
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import paddle
from paddle import nn
from paddle.nn import initializer as init

from paddle_init import read_net

__all__ = ["DECISIONS", "EDITS", "ENDS", "EXACT", "Disturbance", "linear", "usable"]

Disturbance = Callable[[list[nn.Layer]], Any]
RNG = np.random.default_rng(5)


class Settings:
    """Holds generators where no function refers to them."""

    rng = np.random.default_rng(6)
    held: ClassVar = {"rng": random.Random(7)}


def linear(*, rows: int = 6, columns: int = 5, **attrs: Any) -> nn.Linear:
    return nn.Linear(rows, columns, **attrs)


def usable(layer: nn.Layer) -> bool:
    """Tell a layer with a float32 matrix and a bias, which every disturbance can work on."""
    return isinstance(layer, nn.Linear) and layer.weight.dtype == paddle.float32


def without_grad(act: Callable[[Any], Any]) -> Disturbance:
    def disturbed(layers: list[nn.Layer]) -> None:
        with paddle.no_grad():
            act(layers[-1].weight)

    return disturbed


def on_weight(act: Callable[[Any], Any]) -> Disturbance:
    return lambda layers: act(layers[-1].weight)


def adding(make: Callable[[], Any]) -> Disturbance:
    def added(layers: list[nn.Layer]) -> None:
        made = make()
        layers.extend(made if isinstance(made, list) else [made])

    return added


def set_item(index: Any, value: Any) -> Callable[[Any], None]:
    def act(weight: Any) -> None:
        weight[index] = value(weight) if callable(value) else value

    return act


class Drawn(init.Initializer):
    """A user's own, which is one draw."""

    def forward(self, param: Any, block: Any = None) -> None:
        param.set_value(paddle.normal(0.0, 0.3, param.shape))


class Halved(init.Normal):
    """A user's own, which works on what it draws."""

    def forward(self, param: Any, block: Any = None) -> None:
        super().forward(param, block)
        param.set_value(param / 2)


def parameter(shape: list[int], dtype: str = "float32") -> nn.Layer:
    layer = nn.Layer()
    layer.own = layer.create_parameter(
        shape, dtype=dtype, default_initializer=init.Normal(0.0, 0.5)
    )
    return layer


def stacked() -> nn.Layer:
    layer = linear(columns=15)
    parts = [paddle.uniform([2, 15]), paddle.randn([3, 15]), paddle.zeros([1, 15])]
    layer.weight.set_value(paddle.concat(parts))
    return layer


def from_rows() -> list[nn.Layer]:
    table, layers = paddle.randn([12, 5]), [linear(), linear()]
    layers[0].weight.set_value(table[:6])
    layers[1].weight.set_value(table[6:])
    return layers


def tied() -> list[nn.Layer]:
    first, second = linear(), linear()
    second.weight = first.weight
    return [first, second]


def in_a_tracker(layers: list[nn.Layer]) -> None:
    from paddle.distributed.fleet.meta_parallel.parallel_layers.random import RNGStatesTracker

    tracker = RNGStatesTracker()
    tracker.add("part", 123)
    for _ in range(2):
        with tracker.rng_state("part"):
            layers.append(linear())
        layers.append(linear())


def put_back(layers: list[nn.Layer]) -> None:
    state = paddle.get_rng_state()
    layers.append(linear())
    paddle.set_rng_state(state)


def seeded_part(layers: list[nn.Layer]) -> None:
    state = paddle.get_rng_state()
    paddle.seed(99)
    layers.append(linear())
    paddle.set_rng_state(state)


def loaded(change: Callable[[Any], Any]) -> Disturbance:
    def act(layers: list[nn.Layer]) -> None:
        state = {name: change(value) for name, value in layers[-1].state_dict().items()}
        layers[-1].set_state_dict(state)

    return act


def lazy() -> nn.Layer:
    with paddle.LazyGuard():
        layer = linear()
    for each in layer.parameters():
        each.initialize()
    return layer


def logged(layers: list[nn.Layer]) -> None:
    float(layers[-1].weight.mean())
    layers[-1].weight.numpy()


def half_row(layers: list[nn.Layer]) -> None:
    layers[-1].to(dtype="bfloat16")
    with paddle.no_grad():
        layers[-1].weight[2] = 0.1


EXACT: dict[str, Disturbance] = {
    "nothing": lambda layers: None,
    "randn": lambda layers: paddle.randn([3]),
    "randn of float64": lambda layers: paddle.randn([3], "float64"),
    "randn of float16": lambda layers: paddle.randn([3], "float16"),
    "complex randn": lambda layers: paddle.randn([3], "complex64"),
    "rand": lambda layers: paddle.rand([5]),
    "randint": lambda layers: paddle.randint(0, 10, [7]),
    "randperm": lambda layers: paddle.randperm(13),
    "bernoulli": lambda layers: paddle.bernoulli(paddle.full([7], 0.3)),
    "multinomial": lambda layers: paddle.multinomial(paddle.ones([7]), 3),
    "dropout": lambda layers: nn.functional.dropout(paddle.ones([9]), 0.5),
    "bernoulli of drawn values": lambda layers: paddle.bernoulli(paddle.rand([7])),
    "multinomial of drawn values": lambda layers: paddle.multinomial(paddle.rand([7]), 3),
    "gumbel_softmax": lambda layers: nn.functional.gumbel_softmax(paddle.randn([2, 7])),
    "exponential": lambda layers: paddle.ones([5]).exponential_(),
    "a dummy pass": lambda layers: linear(rows=3)(paddle.randn([2, 3])),
    "normal set": on_weight(lambda w: w.set_value(paddle.normal(0.0, 0.3, w.shape))),
    "normal_": without_grad(lambda w: w.normal_(0.1, 0.2)),
    "uniform_": without_grad(lambda w: w.uniform_(-0.1, 0.2)),
    "normal_ of data": without_grad(lambda w: w.data.normal_(0.1, 0.2)),
    "uniform_ of a view": on_weight(lambda w: w.detach().uniform_(-0.2, 0.2)),
    "xavier_uniform_": on_weight(lambda w: nn.init.xavier_uniform_(w)),
    "trunc_normal_": on_weight(lambda w: nn.init.trunc_normal_(w, std=0.02)),
    "constant_": on_weight(lambda w: nn.init.constant_(w, 0.02)),
    "an initializer once more": on_weight(init.Normal(0.0, 0.5)),
    "an initializer on a tensor": lambda layers: init.Normal()(paddle.zeros([3, 4])),
    "an initializer on columns": on_weight(lambda w: init.XavierUniform()(w[:, :4])),
    "an initializer on rows": on_weight(lambda w: init.XavierUniform()(w[:2])),
    "a seed": lambda layers: paddle.seed(11),
    "a state put back": put_back,
    "a part of another seed": seeded_part,
    "a tracker": in_a_tracker,
    "a deep copy": lambda layers: layers.append(copy.deepcopy(layers[-1])),
    "to float16": lambda layers: layers[-1].to(dtype="float16"),
    "to bfloat16": lambda layers: layers[-1].astype("bfloat16"),
    "to float64": lambda layers: layers[-1].to(dtype="float64"),
    "a row set": without_grad(set_item(1, 0.0)),
    "every second of rows set": without_grad(set_item((slice(1, 3), slice(None, None, 2)), 0.25)),
    "a row of data set": on_weight(lambda w: set_item(-1, 0.125)(w.data)),
    "all set to a draw": without_grad(set_item(slice(None), lambda w: paddle.randn(w.shape))),
    "all of a view set to a draw": on_weight(
        lambda w: set_item(Ellipsis, lambda v: paddle.rand(v.shape))(w.detach())
    ),
    "a row of bfloat16 set": half_row,
    "fill_": without_grad(lambda w: w.fill_(0.3)),
    "zero_": without_grad(lambda w: w.zero_()),
    "zeros": on_weight(lambda w: w.set_value(paddle.zeros_like(w))),
    "zeros of NumPy": on_weight(lambda w: w.set_value(np.zeros(w.shape, "float32"))),
    "given values": on_weight(
        lambda w: w.set_value(np.arange(w.size, dtype="float32").reshape(w.shape) / 7)
    ),
    "a tensor of given values": on_weight(
        lambda w: w.set_value(paddle.to_tensor(np.eye(*w.shape, dtype="float32")))
    ),
    "negative zeros": on_weight(
        lambda w: w.set_value(np.resize(np.array([0.0, -0.0], "float32"), w.shape))
    ),
    "Assign of a draw": adding(
        lambda: linear(weight_attr=init.Assign(paddle.randn([6, 5])), bias_attr=init.Uniform())
    ),
    "Assign of an array": adding(
        lambda: linear(weight_attr=init.Assign(np.arange(30.0).reshape(6, 5) / 7))
    ),
    "Dirac": adding(lambda: nn.Conv1D(3, 4, 3, weight_attr=init.Dirac())),
    "Bilinear": adding(lambda: nn.Conv2DTranspose(3, 3, 4, groups=3, weight_attr=init.Bilinear())),
    "TruncatedNormal": adding(lambda: linear(weight_attr=init.TruncatedNormal(0.0, 0.02))),
    "a diagonal, which a dynamic graph ignores": adding(
        lambda: linear(weight_attr=init.uniform.UniformInitializer(-1.0, 1.0, 0, 3, 2, 7.0))
    ),
    "a complex parameter": adding(lambda: parameter([3, 4], "complex64")),
    "a parameter without a shape": adding(lambda: parameter([])),
    "a random buffer": lambda layers: layers[-1].register_buffer("own", paddle.randn([4])),
    "spectral_norm": adding(lambda: nn.utils.spectral_norm(linear())),
    "LSTM": adding(lambda: nn.LSTM(4, 3, num_layers=2, direction="bidirect")),
    "GRUCell": adding(lambda: nn.GRUCell(4, 3)),
    "BatchNorm": adding(lambda: nn.BatchNorm2D(3)),
    "an Embedding with a padding row": adding(lambda: nn.Embedding(7, 3, padding_idx=-2)),
    "parts of several draws": adding(stacked),
    "parts of one draw": adding(from_rows),
    "a draw of another shape": on_weight(
        lambda w: w.set_value(paddle.randn([int(w.size)]).reshape(w.shape))
    ),
    "a draw of float64, cast": on_weight(
        lambda w: w.set_value(paddle.randn(w.shape, "float64").astype("float32"))
    ),
    "tied weights": adding(tied),
    "its own values loaded": loaded(lambda value: value.clone()),
    "ones loaded": loaded(paddle.ones_like),
    "a user's own initializer that is a draw": adding(lambda: linear(weight_attr=Drawn())),
    "a lazy layer": adding(lazy),
    "a seed of the initializer's own": adding(
        lambda: linear(weight_attr=init.normal.NormalInitializer(0.0, 0.5, seed=9))
    ),
    "printed values": on_weight(str),
    "logged values": logged,
    "a net read inside": lambda layers: read_net(linear),
    "fixed integers looked at": lambda layers: paddle.rand(
        [int(paddle.arange(2, 6)[1]), *paddle.to_tensor([2, 3]).tolist()]
    ),
    "fixed numbers looked at": lambda layers: [n.item() for n in paddle.linspace(0, 0.3, 4)],
}


def if_large(layers: list[nn.Layer]) -> None:
    weight = layers[-1].weight
    if float(weight.abs().max()) > 50:
        weight.set_value(paddle.zeros_like(weight))


def if_any_large(layers: list[nn.Layer]) -> None:
    weight = layers[-1].weight
    if (weight > 50).any():
        weight.set_value(paddle.zeros_like(weight))


def stepped(layers: list[nn.Layer]) -> None:
    """One step of no length, which changes no bit."""
    weight = layers[-1].weight
    step = paddle.optimizer.SGD(0.0, parameters=[weight])
    (weight.sum() * 2).backward()
    step.step()


def through_dlpack(weight: Any) -> None:
    lent = paddle.utils.dlpack.to_dlpack(weight.detach())
    paddle.utils.dlpack.from_dlpack(lent).clip_(-50, 50)


# Of these most change no bit here, and would for other seeds or bounds.
EDITS: dict[str, Disturbance] = {
    "clip_": without_grad(lambda w: w.clip_(-50, 50)),
    "abs_ of positive values": without_grad(lambda w: (w.uniform_(0, 1), w.abs_())),
    "set to its clipped values": on_weight(lambda w: w.set_value(paddle.clip(w, -50, 50))),
    "a view set to its clipped values": on_weight(
        lambda w: w.detach().set_value(paddle.clip(w, -50, 50))
    ),
    "clip with out": without_grad(lambda w: paddle.clip(w, -50, 50, out=w)),
    "multiply with out": without_grad(lambda w: paddle.multiply(w, paddle.ones([]), out=w)),
    "clipped by NumPy": on_weight(lambda w: w.set_value(w.numpy().clip(-50, 50))),
    "copy_": on_weight(lambda w: w.copy_(paddle.clip(w, -50, 50), True)),
    "get_tensor().set": on_weight(
        lambda w: w.get_tensor().set(np.clip(w.numpy(), -50, 50), paddle.CPUPlace())
    ),
    "assign": on_weight(lambda w: paddle.assign(paddle.clip(w, -50, 50), w)),
    "data": on_weight(lambda w: setattr(w, "data", paddle.clip(w, -50, 50))),
    "dlpack": on_weight(through_dlpack),
    "rows clipped": without_grad(lambda w: w[1:3].clip_(-50, 50)),
    "a slice clipped": without_grad(lambda w: w._slice(0, 2).clip_(-50, 50)),
    "where": on_weight(lambda w: w.set_value(paddle.where(w > 50, w * 0, w))),
    "a step of SGD": stepped,
    "scaled": on_weight(lambda w: w.set_value(paddle.randn(w.shape) * 0.3)),
    "scale_": without_grad(lambda w: w.scale_(0.5)),
    "a row of a tensor": without_grad(set_item(1, lambda w: paddle.zeros(w.shape[1:]))),
    "a random row": without_grad(set_item(1, lambda w: paddle.randn(w.shape[1:]))),
    "a mask": without_grad(lambda w: set_item(w > 50, 0.0)(w)),
    "transposed": on_weight(lambda w: w.set_value(paddle.randn(w.shape[::-1]).t())),
    "rounded twice": lambda layers: (
        layers[-1].to(dtype="float16"),
        layers[-1].to(dtype="float32"),
    ),
    "orthogonal_": on_weight(lambda w: nn.init.orthogonal_(w)),
    "Orthogonal": on_weight(init.Orthogonal()),
    "a user's own initializer": on_weight(Halved(0.0, 0.5)),
    "values of NumPy's generator": on_weight(
        lambda w: w.set_value(np.random.rand(*w.shape).astype("float32"))  # noqa: NPY002
    ),
    "values of a generator of NumPy": on_weight(
        lambda w: w.set_value(RNG.random(w.shape, dtype="float32"))
    ),
    "values of a new generator": on_weight(
        lambda w: w.set_value(np.random.default_rng().random(w.shape, dtype="float32"))
    ),
    "values of Python's generator": on_weight(
        lambda w: init.Assign([[random.random() for _ in range(5)] for _ in range(6)])(w)
    ),
    "a constant of a generator of a class": on_weight(
        lambda w: init.Constant(float(Settings.rng.random()))(w)
    ),
    "a constant of a generator in a dict": on_weight(
        lambda w: init.Constant(Settings.held["rng"].random())(w)
    ),
    "a constant of a new RandomState": on_weight(
        lambda w: init.Constant(float(np.random.RandomState().rand()))(w)
    ),
    "a constant of a new Random": on_weight(lambda w: init.Constant(random.Random().random())(w)),
    "a constant of the system": on_weight(
        lambda w: init.Constant(float(secrets.randbelow(2**40)))(w)
    ),
    "a constant of a clock": on_weight(lambda w: init.Constant(time.perf_counter() % 1)(w)),
    "a constant beyond float32": on_weight(init.Constant(1e39)),
    "a constant of a generator": on_weight(lambda w: init.Constant(float(RNG.random()))(w)),
    "a decision by a value": if_large,
    "a decision by values": if_any_large,
    "a constant by a value's sign": on_weight(
        lambda w: init.Constant(1.0 if float(w.sum()) > 0 else -1.0)(w)
    ),
}


def masked(layers: list[nn.Layer]) -> None:
    weight = layers[-1].weight
    nn.functional.dropout(weight[weight > 0], 0.5)


def in_lent_memory(layers: list[nn.Layer]) -> None:
    drawn = paddle.randint(1, 9, [1])
    paddle.rand([int(np.array(drawn.get_tensor())[0])])


def in_a_thread(layers: list[nn.Layer]) -> None:
    thread = threading.Thread(target=paddle.rand, args=([3],))
    thread.start()
    thread.join()


ENDS: dict[str, Disturbance] = {
    "poisson": lambda layers: paddle.poisson(paddle.ones([5])),
    "rrelu, for negative values": lambda layers: nn.functional.rrelu(paddle.randn([37])),
    "standard_gamma": lambda layers: paddle.standard_gamma(paddle.ones([5])),
    "binomial": lambda layers: paddle.binomial(paddle.full([5], 5, "int64"), paddle.rand([5])),
    "an op of the old kind": lambda layers: paddle._legacy_C_ops.gaussian_random(
        "shape", [3], "mean", 0.0, "std", 1.0, "seed", 0, "dtype", 5
    ),
}
# What follows them in the stream may depend on values.
DECISIONS: dict[str, Disturbance] = {
    "a random shape": lambda layers: paddle.randn([int(paddle.randint(1, 9, [1])[0])]),
    "a random tensor for a shape": lambda layers: paddle.randn(paddle.randint(1, 9, [1])),
    "a mask for a shape": masked,
    "places of values for a shape": lambda layers: paddle.rand(
        [paddle.nonzero(layers[-1].weight > 0).shape[0]]
    ),
    "a bound of a slice": lambda layers: paddle.rand(
        paddle.zeros([9])[: paddle.randint(1, 9, [])].shape
    ),
    "an end of a range": lambda layers: paddle.rand(
        paddle.arange(0, paddle.randint(1, 9, [])).shape
    ),
    "rows of an identity matrix": lambda layers: paddle.rand(
        paddle.eye(paddle.randint(1, 9, [1])).shape
    ),
    "the largest": lambda layers: paddle.rand(
        paddle.topk(paddle.zeros([9]), paddle.randint(1, 9, [1]))[0].shape
    ),
    "segments": lambda layers: paddle.rand(
        paddle.geometric.segment_sum(
            paddle.ones([5, 2]), paddle.sort(paddle.randint(0, 9, [5]))
        ).shape
    ),
    "an integer compared": lambda layers: (
        paddle.rand([1]) if int(paddle.randint(0, 50, [])) == 7 else None
    ),
    "how long a number is": lambda layers: paddle.rand([len(str(paddle.randint(0, 9999, [])))]),
    "lent memory": in_lent_memory,
    "memory lent to NumPy": lambda layers: paddle.rand(
        [int(np.from_dlpack(paddle.randint(1, 9, [1]))[0])]
    ),
    "the seed": lambda layers: paddle.rand([1 + paddle.get_rng_state()[0].current_seed() % 7]),
    "the state": lambda layers: paddle.rand([len(str(paddle.get_rng_state()[0]))]),
    "a draw of another thread": in_a_thread,
    "a size of a new RandomState": lambda layers: paddle.rand(
        [np.random.RandomState().randint(1, 50)]
    ),
    "a std of values": lambda layers: paddle.normal(0.0, float(layers[-1].weight.std()), [3]),
    "a std of NumPy's generator": lambda layers: paddle.normal(0.0, np.random.rand(), [3]),  # noqa: NPY002
    "as many draws as NumPy says": lambda layers: paddle.randn([np.random.randint(1, 50)]),  # noqa: NPY002
}

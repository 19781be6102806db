"""read_net on dynamic graphs: exact numbers, order, names, and what nobody can know."""

from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

import numpy as np
import paddle
import pytest
from paddle import nn
from paddle.nn.initializer import (
    Assign,
    Constant,
    KaimingNormal,
    KaimingUniform,
    Normal,
    Orthogonal,
    XavierNormal,
    set_global_initializer,
)
from support import read_cases
from support.paddle_graph import PADDLE_3, fresh_names
from support.read_cases import Net, codes, cut, flat, gaussian, held, same, truncated
from support.towers import dynamic_tower, static_tower

from paddle_init import (
    dump_spec,
    param_attrs,
    parse_spec,
    read_net,
    sample,
)
from paddle_init.distributions import Block, Blocks, Distribution, Given, Unknown
from paddle_init.errors import SpecError
from paddle_init.frameworks.paddle.nets.standalone import RowBlocks
from paddle_init.specs import Overwrite, Seeding

FORGOTTEN = "a dynamic graph does not keep its initializers; read a function that builds the net"


def test_everything_of_a_net_in_drawing_order() -> None:
    spec = read_net(Net)
    bound = math.sqrt(6 / 14)
    assert [(draw.name, draw.shape) for draw in spec.draws] == [
        ("embedding_0.w_0", (10, 4)),
        ("linear_0.w_0", (4, 3)),
        ("linear_0.b_0", (3,)),
        ("layer_norm_0.w_0", (3,)),
        ("layer_norm_0.b_0", (3,)),
        ("linear_1.w_0", (3, 2)),
    ]
    assert [(t.name, t.role, t.shape, t.dtype) for t in spec.tensors] == [
        ("embed.weight", "other", (10, 4), "float32"),
        ("fc1.weight", "weight", (4, 3), "float32"),
        ("fc1.bias", "bias", (3,), "float32"),
        ("norm.weight", "other", (3,), "float32"),
        ("norm.bias", "other", (3,), "float32"),
        ("fc2.weight", "weight", (3, 2), "float32"),
    ]
    assert held(spec) == {
        "embed.weight": flat(-bound, bound),
        "fc1.weight": gaussian(0.1, 0.13),
        "fc1.bias": flat(-0.3, 0.1),
        "norm.weight": same(1),
        "norm.bias": same(0),
        "fc2.weight": flat(-math.sqrt(6 / 5), math.sqrt(6 / 5)),
    }
    assert (spec.framework, spec.stream, codes(spec)) == ("paddle", None, [])
    source = spec.draws[1].source
    assert source is not None
    assert source.file.endswith("read_cases.py")
    lines = Path(read_cases.__file__).read_text().splitlines()
    assert "self.fc1 = " in lines[source.line - 1]


@pytest.mark.parametrize(
    ("initializer", "expected"),
    [
        (Normal(0.5, 0), gaussian(0.5, 0)),
        (Constant(0.1), same(0.1)),
        (truncated(0.7, -1.1, 1.3), cut(0.7, -1.1, 1.3)),
        (XavierNormal(), gaussian(0, math.sqrt(2 / 9))),
        (KaimingNormal(), gaussian(0, math.sqrt(2 / 4))),
        (KaimingNormal(fan_in=7), gaussian(0, math.sqrt(2) / math.sqrt(7))),
        (KaimingUniform(), flat(-math.sqrt(6 / 4), math.sqrt(6 / 4))),
        (Assign(np.full((4, 5), 2.5)), same(2.5)),
        (Assign(np.arange(20).reshape(4, 5)), Given(np.arange(20))),
        (Orthogonal(), Unknown("the initializer Orthogonal")),
        (
            RowBlocks((1, Normal(0, 0.13)), (3, Constant(0.5))),
            Blocks((Block(1, gaussian(0, 0.13)), Block(3, same(0.5)))),
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_initializer_has_the_numbers_of_its_op(
    initializer: Any, expected: Distribution
) -> None:
    spec = read_net(lambda: nn.Linear(4, 5, weight_attr=initializer, bias_attr=False))
    assert held(spec) == {"weight": expected}


def test_a_users_own_initializer_is_shown_by_name() -> None:
    class Halved(Normal):
        def forward(self, param: Any, block: Any = None) -> None:
            super().forward(param, block)
            param.set_value(param / 2)

    spec = read_net(lambda: nn.Linear(4, 5, weight_attr=Halved()))
    (weight, _) = spec.tensors
    found = spec.distribution(weight)
    assert isinstance(found, Unknown)
    assert ".Halved" in found.description


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"] if PADDLE_3 else ["float64"])
def test_dtypes(dtype: str) -> None:
    def build() -> nn.Layer:
        paddle.set_default_dtype(dtype)
        return nn.Linear(4, 5, weight_attr=Normal(0, 0.13), bias_attr=KaimingNormal(fan_in=4))

    spec = read_net(build)
    assert [tensor.dtype for tensor in spec.tensors] == [dtype, dtype]
    assert held(spec) == {"weight": gaussian(0, 0.13), "bias": gaussian(0, math.sqrt(0.5))}
    assert paddle.get_default_dtype() == "float32"


def test_both_towers_read_back_as_they_were_specified() -> None:
    widths = [300, 128, 64, 1]
    spec = read_net(lambda: dynamic_tower.DeepNet(widths, last_none=True))
    expected = {}
    for i, width in enumerate(widths[:-1]):
        for name in ("weight", "bias"):
            expected[f"fcs.{i}.{name}"] = gaussian(0, 0.2 / width**0.5)
    assert held(spec) == expected
    attrs = param_attrs(static_tower.tower_spec("rank", [300, 128, 1]))
    assert held(read_net(attrs)) == {
        f"rank_fc_{i}.{name}": gaussian(0, 0.2 / width**0.5)
        for i, width in enumerate([300, 128])
        for name in ("w_0", "b_0")
    }


def test_a_built_layer_has_forgotten_its_initializers() -> None:
    with fresh_names():
        net = Net()
    spec = read_net(net)
    assert set(held(spec).values()) == {Unknown(FORGOTTEN)}
    assert [t.role for t in spec.tensors] == ["other", "weight", "bias", "other", "other", "weight"]


def test_a_lazy_layer_knows_what_it_will_draw() -> None:
    with fresh_names(), paddle.LazyGuard():
        net = Net()
    waiting = read_net(net)
    assert held(waiting) == held(read_net(Net))
    for parameter in net.parameters():
        parameter.initialize()
    assert set(held(read_net(net)).values()) == {Unknown(FORGOTTEN)}


@pytest.mark.paddle_3  # Paddle 2 loads nothing into a lazy layer
def test_a_lazy_layer_that_was_loaded_draws_nothing() -> None:
    with fresh_names(), paddle.LazyGuard():
        layer = nn.Linear(4, 3)
    layer.set_state_dict({"weight": paddle.ones([4, 3]), "bias": paddle.ones([3])})
    why = "values that were loaded or set before the parameter was initialized"
    assert set(held(read_net(layer)).values()) == {Unknown(why)}


def test_names_of_one_parameter_and_of_buffers() -> None:
    def build() -> nn.Layer:
        net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
        net[1].weight = net[0].weight
        net[1].register_buffer("mask", paddle.ones([4]))
        net[1].register_buffer("gone", paddle.ones([4]), persistable=False)
        return net

    with fresh_names():
        built = build()
    for spec in (read_net(build), read_net(built)):
        assert spec.tensor_by_name["0.weight"].aliases == ("1.weight",)
        assert spec.buffers == ("1.mask",)
        names = {n for t in spec.tensors for n in (t.name, *t.aliases)}
        assert names | set(spec.buffers) == set(built.state_dict())


def test_two_parameters_of_one_name_are_two() -> None:
    """Names begin anew where static graph was switched on and off."""

    def build() -> nn.Layer:
        first = nn.Linear(3, 3)
        paddle.enable_static()
        paddle.disable_static()
        paddle.utils.unique_name.switch()
        return nn.Sequential(first, nn.Linear(3, 3))

    spec = read_net(build)
    assert [t.name for t in spec.tensors] == ["0.weight", "0.bias", "1.weight", "1.bias"]
    assert not any(tensor.aliases for tensor in spec.tensors)


def test_a_builder_is_called_once_unless_it_must_be_proven() -> None:
    calls: list[int] = []

    def plain() -> nn.Layer:
        calls.append(1)
        return Net()

    def given() -> nn.Layer:
        net = plain()
        net.fc2.weight.set_value(np.ones((3, 2), "float32"))
        return net

    def fails_again() -> nn.Layer:
        if calls:
            raise RuntimeError("once is enough")
        return given()

    read_net(plain)
    assert len(calls) == 1
    read_net(given)
    assert len(calls) == 3
    calls.clear()
    found = held(read_net(fails_again))
    assert isinstance(found.pop("fc2.weight"), Unknown)
    assert not any(isinstance(each, Unknown) for each in found.values())


def test_numpys_chance_is_told() -> None:
    def build() -> nn.Layer:
        net = Net()
        if np.random.rand() < 0.001:  # noqa: NPY002
            paddle.randn([3])
        net.fc3 = nn.Linear(2, 2)
        return net

    assert "chance-in-builder" in codes(read_net(build))


def test_lazy_parameters_draw_when_they_are_initialized() -> None:
    def build() -> nn.Layer:
        with paddle.LazyGuard():
            net = Net()
        for parameter in reversed(net.parameters()):
            parameter.initialize()
        return net

    spec, eager = read_net(build), read_net(Net)
    assert [draw.name for draw in spec.draws] == [draw.name for draw in eager.draws[::-1]]
    assert held(spec) == held(eager)


def test_global_initializers_count_and_are_put_back() -> None:
    def build() -> nn.Layer:
        set_global_initializer(Normal(0, 0.3), Constant(0.5))
        return Net()

    found = held(read_net(build))
    assert found["fc2.weight"] == gaussian(0, 0.3)
    assert found["fc1.weight"] == gaussian(0.1, 0.13)
    assert found["norm.bias"] == same(0.5)
    assert held(read_net(Net))["norm.bias"] == same(0)


def test_shared_parameters_are_one_tensor() -> None:
    def build() -> nn.Layer:
        net = Net()
        net.tied = net.fc1
        net.head = nn.Linear(4, 3, bias_attr=False)
        net.head.weight = net.fc1.weight
        return net

    spec = read_net(build)
    assert "fc1.weight" in spec.tensor_by_name
    assert "head.weight" not in spec.tensor_by_name
    messages = [n.message for n in spec.notices if n.code == "shared-parameter"]
    assert messages[0].startswith("fc1.weight, tied.weight, head.weight are one parameter")
    # The head's own weight is gone, but it has drawn.
    assert [draw.name for draw in spec.draws][-1] == "linear_2.w_0"


def test_what_is_no_parameter_of_the_net_keeps_its_draw() -> None:
    """An LSTM lays its weights together in a buffer, and changes that behind its initializer."""
    spec = read_net(lambda: (paddle.seed(5), nn.LSTM(3, 4))[1])
    assert not any(isinstance(each, Unknown) for each in held(spec).values())
    assert set(codes(spec)) == {"shared-parameter"}
    assert spec.stream == Seeding("mt19937_64", seed=5)


def test_a_copy_is_no_draw() -> None:
    def build() -> nn.Layer:
        first = nn.Linear(3, 2)
        return nn.Sequential(first, copy.deepcopy(first))

    spec = read_net(build)
    assert [draw.name for draw in spec.draws if draw.scheme.kind != "constant"] == ["linear_0.w_0"]
    tensors = spec.tensor_by_name
    assert tensors["1.weight"].blocks == tensors["0.weight"].blocks


def test_a_padding_row_is_drawn_and_then_zeroed() -> None:
    def build() -> nn.Layer:
        paddle.seed(5)
        return nn.Sequential(nn.Embedding(7, 3, padding_idx=1), nn.Linear(3, 2))

    spec = read_net(build)
    assert spec.stream == Seeding("mt19937_64", seed=5)
    assert spec.draws[0].name == "embedding_0.w_0"
    assert spec.tensor_by_name["0.weight"].overwritten == (Overwrite(3, 3),)
    assert codes(spec) == []


@pytest.mark.parametrize("shape", [[], [1]])
def test_a_number_without_a_shape_takes_its_place_in_the_stream(shape: list[int]) -> None:
    def build() -> nn.Layer:
        paddle.seed(5)
        net = nn.Layer()
        net.own = net.create_parameter(shape, default_initializer=Normal(0, 1.0))
        net.fc = nn.Linear(3, 2)
        kept.append(net.fc.weight.numpy())
        return net

    kept: list[np.ndarray] = []
    drawn = sample(read_net(build))
    assert np.array_equal(drawn["fc.weight"], kept[0])


def test_a_parameter_that_is_filled_twice_draws_twice() -> None:
    def build() -> nn.Layer:
        layer = nn.Linear(3, 2)
        Normal(0, 0.5)(layer.weight)
        return layer

    spec = read_net(build)
    assert [draw.name for draw in spec.draws] == [
        "linear_0.w_0 (1 before its last)",
        "linear_0.b_0",
        "linear_0.w_0",
    ]
    assert held(spec) == {"bias": same(0), "weight": gaussian(0, 0.5)}


def test_a_parameter_that_is_changed_is_unknown() -> None:
    def build() -> nn.Layer:
        layer = nn.Linear(3, 2)
        with paddle.no_grad():
            layer.weight.scale_(2.0)
        return layer

    spec = read_net(build)
    why = "changed after its initializer had filled it (XavierUniform)"
    assert held(spec) == {"weight": Unknown(why), "bias": same(0)}
    assert codes(spec) == ["changed-after"]


def test_given_values_stand_in_place_of_a_draw() -> None:
    def build() -> nn.Layer:
        layer = nn.Linear(3, 2)
        layer.weight.set_value(np.ones((3, 2), "float32"))
        return layer

    assert held(read_net(build)) == {"weight": same(1), "bias": same(0)}


def test_one_attr_makes_two_independent_parameters() -> None:
    def build() -> nn.Layer:
        attr = paddle.ParamAttr(initializer=XavierNormal())
        return nn.Sequential(nn.Linear(4, 5, attr), nn.Linear(5, 3, attr))

    found = held(read_net(build))
    assert found["0.weight"] == gaussian(0, math.sqrt(2 / 9))
    assert found["1.weight"] == gaussian(0, math.sqrt(2 / 8))


@pytest.mark.parametrize(("bias", "names"), [(None, 2), (True, 2), (False, 1)])
def test_bias_attr(bias: bool | None, names: int) -> None:
    assert len(read_net(lambda: nn.Linear(3, 4, bias_attr=bias)).tensors) == names


@pytest.mark.paddle_3
@pytest.mark.parametrize("shape", [(0, 3), (4, 0)])
def test_empty_layers_hold_nothing(shape: tuple[int, int]) -> None:
    spec = read_net(lambda: nn.Linear(*shape, bias_attr=False))
    assert [tensor.shape for tensor in spec.tensors] == [shape]


def no_fan() -> nn.Layer:
    return nn.Linear(4, 3, weight_attr=KaimingNormal(fan_in=0))


def number() -> nn.Layer:
    return nn.Linear(4, 3, weight_attr=paddle.ParamAttr(initializer=0.1))


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (no_fan, "no_fan() failed: ZeroDivisionError: float division by zero"),
        (number, "number() failed: TypeError: 'float' object is not callable"),
        (lambda: 3, "nothing was built that has parameters, and int came back"),
        (3, "3 is no net; read_net takes a paddle.nn.Layer"),
    ],
)
def test_what_cannot_be_built_says_where(build: Any, said: str) -> None:
    with pytest.raises(SpecError) as error:
        read_net(build)
    assert said in str(error.value)
    if " failed" in said:
        assert error.value.source is not None
        assert error.value.source.file.endswith("test_read_dynamic.py")


def all_programs() -> list[Any]:
    """The programs of the dynamic graph, and the static graph's default programs."""
    framework, pir = paddle.base.framework, paddle.pir.core
    return [
        framework.default_main_program(),
        framework.default_startup_program(),
        pir.default_main_program(),
        pir.default_startup_program(),
    ]


@pytest.mark.parametrize("fails", [False, True])
def test_reading_leaves_paddle_as_it_was(fails: bool) -> None:
    def build() -> nn.Layer:
        paddle.seed(3)
        np.random.seed(3)  # noqa: NPY002
        paddle.set_default_dtype("float64")
        set_global_initializer(Normal(), Normal())
        paddle.enable_static()
        paddle.static.nn.fc(paddle.static.data("x", [None, 4]), 3)
        if fails:
            raise ValueError("on purpose")
        paddle.disable_static()
        return nn.Linear(3, 4, paddle.ParamAttr(name="taken"))

    methods = [paddle.base.framework.Block.create_parameter, nn.initializer.Initializer.__call__]
    programs = all_programs()
    paddle.seed(11)
    expected = paddle.randn([8]).numpy()
    paddle.seed(11)
    np.random.seed(5)  # noqa: NPY002
    numpy_expected = np.random.RandomState(5).rand()
    for _ in range(2):  # the second time the name is free again
        if fails:
            with pytest.raises(SpecError, match="ValueError: on purpose"):
                read_net(build)
        else:
            read_net(build)
    assert paddle.in_dynamic_mode()
    assert paddle.get_default_dtype() == "float32"
    assert np.array_equal(paddle.randn([8]).numpy(), expected)
    assert np.random.rand() == numpy_expected  # noqa: NPY002
    assert methods == [
        paddle.base.framework.Block.create_parameter,
        nn.initializer.Initializer.__call__,
    ]
    assert all(a is b for a, b in zip(programs, all_programs(), strict=True))
    paddle.enable_static()
    try:
        assert not paddle.static.default_startup_program().global_block().ops
    finally:
        paddle.disable_static()
    with fresh_names():
        assert nn.Linear(3, 4).bias.numpy().tolist() == [0, 0, 0, 0]


def test_names_go_on_where_they_were() -> None:
    with fresh_names():
        first = nn.Linear(2, 2).weight.name
        read_net(Net)
        read_net(param_attrs(static_tower.tower_spec("rank", [3, 2])))
        second = nn.Linear(2, 2).weight.name
    assert (first, second) == ("linear_0.w_0", "linear_1.w_0")


def test_a_read_net_is_written_and_read() -> None:
    spec = read_net(lambda: (paddle.seed(5), Net())[1])
    assert spec.stream == Seeding("mt19937_64", seed=5)
    assert parse_spec(dump_spec(spec)) == spec


def test_attrs_by_name_and_in_order() -> None:
    attrs = {"w": Normal(0, 0.3), "b": None, "gone": False, "named": "other"}
    spec = read_net(attrs, shapes={"w": (4, 5), "b": (5,), "gone": (5,), "named": (2, 2)})
    bound = math.sqrt(6 / 4)
    assert held(spec) == {"w": gaussian(0, 0.3), "b": same(0), "other": flat(-bound, bound)}
    listed = read_net([Normal(0, 0.3), Constant(2.0), None], shapes=[(4, 5), (5,)])
    assert held(listed) == {"attr 0": gaussian(0, 0.3), "attr 1": same(2)}
    assert codes(listed) == ["unused-attrs"]
    assert "attr 2" in listed.notices[0].message


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        (1, 1, ["x (1 before its last)[0:1]", "x (1 before its last)[1:4]", "x[0:1]", "x[1:4]"]),
        (1, 2, ["x (1 before its last)[0:1]", "x (1 before its last)[1:4]", "x[0:2]", "x[2:4]"]),
        (0, 2, ["x (1 before its last)", "x[0:2]", "x[2:4]"]),
        (1, 0, ["x (1 before its last)[0:1]", "x (1 before its last)[1:4]", "x"]),
    ],
)
def test_blocks_of_two_attrs_of_one_name(first: int, second: int, names: list[str]) -> None:
    def attr(rows: int) -> paddle.ParamAttr:
        blocks = RowBlocks((rows, Normal(0, 0.13)), (4 - rows, Constant(0.5)))
        return paddle.ParamAttr("x", blocks if rows else Normal())

    spec = read_net({"a": attr(first), "b": attr(second)}, shapes={"a": (4, 5), "b": (4, 2)})
    assert [draw.name for draw in spec.draws] == names
    (tensor,) = spec.tensors
    assert [block.draw for block in tensor.blocks] == names[-len(tensor.blocks) :]
    assert parse_spec(dump_spec(spec)) == spec


@pytest.mark.parametrize(
    ("attrs", "shapes", "said"),
    [
        ([None], None, "give shapes"),
        ({"w": None}, [(3, 4)], "both be mappings"),
        ([None], [(3, 4), (4,)], "no attr for attr 1"),
        ([[None, None]], [(3, 4)], "a list of 2 attrs stands in place of one"),
        ([0.5], [(3, 4)], "Paddle takes no such attr: 0.5"),
    ],
)
def test_attrs_that_do_not_fit_are_refused(attrs: Any, shapes: Any, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        read_net(attrs, shapes=shapes)

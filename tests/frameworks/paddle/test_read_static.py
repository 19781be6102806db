"""read_net on startup programs of both kinds: exact numbers, op seeds, order, roles."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import paddle
import pytest
from paddle import nn
from paddle.nn.initializer import (
    Assign,
    Constant,
    KaimingNormal,
    Normal,
    Orthogonal,
    Uniform,
    set_global_initializer,
)
from paddle.nn.initializer.uniform import UniformInitializer
from support.paddle_graph import PADDLE_3, each_ir, static_graph
from support.read_cases import Net, codes, cut, flat, gaussian, held, parameter, same, truncated
from support.towers import built, dynamic_tower, static_tower

from paddle_init import dump_spec, parse_spec, read_net, report, sample, verify
from paddle_init.distributions import Block, Blocks, Given, Unknown
from paddle_init.errors import SpecError
from paddle_init.frameworks.knowledge import identical_layers
from paddle_init.frameworks.paddle.nets.standalone import RowBlocks
from paddle_init.frameworks.sampling import with_stream
from paddle_init.specs import Overwrite, Seeding
from paddle_init.verification import Verdict

HALF = "float16" if PADDLE_3 else "float32"


@each_ir
def test_every_op_of_a_startup_program(old_ir: bool) -> None:
    given = np.arange(1.0, 21.0).reshape(4, 5)
    with static_graph(old_ir=old_ir) as graph:
        parameter(Normal(0.1, 0.13), "normal")
        parameter(Uniform(-0.3, 0.1), "uniform")
        parameter(truncated(0.7, -1.1, 1.3), "truncated")
        parameter(Constant(0.1), "constant")
        parameter(KaimingNormal(), "cast", HALF)
        parameter(Assign(given), "given", "float64")
        parameter(Assign(np.full((4, 5), 2.5)), "full")
        parameter(RowBlocks((1, Normal(0, 0.13)), (3, Constant(0.5))), "blocks")
        parameter(Orthogonal(), "orthogonal")
        parameter(None, "default")
        spec = read_net(graph.startup)
    bound = math.sqrt(6 / 9)
    assert held(spec) == {
        "normal": gaussian(0.1, 0.13),
        "uniform": flat(-0.3, 0.1),
        "truncated": cut(0.7, -1.1, 1.3),
        "constant": same(0.1),
        "cast": gaussian(0, math.sqrt(0.5)),
        "given": Given(given),
        "full": same(2.5),
        "blocks": Blocks((Block(1, gaussian(0, 0.13)), Block(3, same(0.5)))),
        "orthogonal": Unknown(f"made by the op {'' if old_ir else 'pd_op.'}scale"),
        "default": flat(-bound, bound),
    }
    assert list(spec.tensor_by_name) == list(held(spec))
    assert spec.tensor_by_name["cast"].dtype == HALF
    assert spec.tensor_by_name["given"].dtype == "float64"
    assert [draw.name for draw in spec.draws if "blocks" in draw.name] == [
        "blocks[0:1]",
        "blocks[1:4]",
    ]
    assert spec.stream is None
    source = spec.draws[0].source
    assert source is not None
    assert source.file.endswith("read_cases.py")


@each_ir
def test_the_static_tower_reads_back(old_ir: bool) -> None:
    with static_graph(old_ir=old_ir) as graph:
        if old_ir:
            x = paddle.static.data("x", [None, 300])
            attrs = static_tower.param_attrs(static_tower.tower_spec("rank", [300, 128, 1]))
            x = paddle.static.nn.fc(x, 128, **attrs.linear("rank_fc_0.w_0"))
            x = paddle.static.nn.layer_norm(x)
            paddle.static.nn.fc(x, 1, **attrs.linear("rank_fc_1.w_0"))
        else:
            built(static_tower.tower_spec("rank", [300, 128, 1]))
        spec = read_net((graph.main, graph.startup))
    first, second = gaussian(0, 0.2 / 300**0.5), gaussian(0, 0.2 / 128**0.5)
    by_role: dict[str, list[Any]] = {}
    for tensor in spec.tensors:
        by_role.setdefault(tensor.role, []).append(spec.distribution(tensor))
    assert by_role == {
        "weight": [first, second],
        "bias": [first, second],
        "other": by_role["other"],
    }
    assert sorted(by_role["other"], key=repr) == [same(0), same(1)]


def test_a_layer_in_static_graph_has_its_own_names() -> None:
    def build() -> Any:
        paddle.enable_static()
        return Net()

    spec, dynamic = read_net(build), read_net(Net)
    assert held(spec) == held(dynamic)
    assert spec == dynamic
    assert paddle.in_dynamic_mode()
    with static_graph():
        net = Net()
        assert read_net(net) == dynamic


def test_the_dynamic_tower_is_the_same_in_both_graphs() -> None:
    def build() -> Any:
        return dynamic_tower.DeepNet([300, 128, 1])

    def build_static() -> Any:
        paddle.enable_static()
        return build()

    assert read_net(build) == read_net(build_static)


def default_programs() -> None:
    paddle.enable_static()
    paddle.static.nn.fc(paddle.static.data("x", [None, 4]), 3, bias_attr=False)


def own_programs() -> Any:
    paddle.enable_static()
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        paddle.static.nn.fc(paddle.static.data("x", [None, 4]), 3, bias_attr=False)
    return main, startup


def only_startup() -> Any:
    return own_programs()[1]


@pytest.mark.parametrize("build", [default_programs, own_programs, only_startup])
def test_a_function_may_leave_or_return_programs(build: Callable[[], Any]) -> None:
    bound = math.sqrt(6 / 7)
    assert held(read_net(build)) == {"fc_0.w_0": flat(-bound, bound)}
    assert paddle.in_dynamic_mode()


def test_programs_that_are_kept_back_are_asked_for() -> None:
    def build() -> None:
        own_programs()

    with pytest.raises(SpecError, match=r"let it return \(main, startup\)"):
        read_net(build)
    with pytest.raises(SpecError, match="give the startup program"):
        read_net(own_programs()[0])
    paddle.disable_static()


def test_global_initializers_count_in_static_graph() -> None:
    def build() -> None:
        set_global_initializer(Normal(0, 0.3), Constant(0.5))
        paddle.enable_static()
        paddle.static.nn.fc(paddle.static.data("x", [None, 4]), 3)

    assert held(read_net(build)) == {"fc_0.w_0": gaussian(0, 0.3), "fc_0.b_0": same(0.5)}


@each_ir
def test_a_programs_seed_is_the_seed_of_every_op(old_ir: bool) -> None:
    with static_graph(7, old_ir=old_ir) as graph:
        parameter(Normal(0, 0.5), "a")
        parameter(Normal(0, 0.5), "b")
        parameter(Uniform(-1, 1), "c", shape=(5,))
        parameter(Constant(1.0), "d")
        spec = read_net(graph.startup)
        if not old_ir:
            values = graph.initialized()
            assert np.array_equal(values["a"], values["b"])
    assert spec.stream == Seeding("mt19937_64", op_seed=7)
    assert [draw.op_seed for draw in spec.draws] == [None] * 4
    (notice,) = spec.notices
    assert notice.code == "identical-layers"
    assert "a, b, c have the seed 7" in notice.message
    assert "Equal in every bit: a, b." in notice.message
    told = [warning.code for warning in report(spec, spec).warnings]
    assert told.count("identical-layers") == 1
    (anew,) = identical_layers(with_stream(spec, op_seed=3))
    assert "op seed 3 starts" in anew.message
    assert ": a, b." in anew.message


@each_ir
def test_an_initializers_own_seed_is_its_draws(old_ir: bool) -> None:
    own = nn.initializer.normal.NormalInitializer(0.0, 0.5, seed=9)
    with static_graph(old_ir=old_ir) as graph:
        parameter(own, "a")
        parameter(Normal(0, 0.5), "b")
        spec = read_net(graph.startup)
    assert [draw.op_seed for draw in spec.draws] == [9, None]
    assert (spec.stream, spec.notices) == (None, ())
    assert "op_seed: 9" in dump_spec(spec)
    assert parse_spec(dump_spec(spec)) == spec


def test_a_name_twice_in_an_old_program_keeps_the_first() -> None:
    with static_graph(old_ir=True) as graph:
        parameter(Normal(0, 0.5), "w")
        parameter(Normal(0, 0.7), "w")
        assert held(read_net(graph.startup)) == {"w": gaussian(0, 0.5)}


def test_names_tell_other_layers_where_no_main_program_does() -> None:
    with static_graph() as graph:
        Net()
        spec = read_net(graph.startup)
    assert [tensor.role for tensor in spec.tensors] == [
        "other",
        "weight",
        "bias",
        "other",
        "other",
        "weight",
    ]


@pytest.mark.paddle_3
def test_bounds_that_a_program_computes_are_unknown() -> None:
    class Computed(nn.initializer.Initializer):
        def forward(self, param: Any, block: Any = None) -> Any:
            low, high = paddle.full([1], -0.5), paddle.full([1], 0.25) * 2
            place, seed = paddle.CPUPlace(), 0
            return paddle._C_ops.uniform([4, 5], param.dtype, low, high, seed, place)

    with static_graph() as graph:
        parameter(Computed(), "w")
        found = held(read_net(graph.startup))
    assert found == {"w": Unknown("a uniform op whose bounds the program computes")}


def test_what_no_spec_can_hold_is_left_out_and_told() -> None:
    with static_graph() as graph:
        parameter(Normal(0, 0.5), "w")
        parameter(Constant(1), "count", "int8", (3,))
        parameter(Constant(1.0), "scalar", shape=())
        spec = read_net(graph.startup)
    assert list(held(spec)) == ["w"]
    assert codes(spec) == ["parameter-left-out", "parameter-left-out"]
    assert "count is of dtype int8" in spec.notices[0].message
    assert "scalar is a single number" in spec.notices[1].message


class Made(nn.initializer.Initializer):
    """What `make` makes of the draws of other initializers, in a startup program."""

    def __init__(self, make: Callable[..., Any], *parts: Part) -> None:
        super().__init__()
        self.make, self.parts = make, parts

    def forward(self, param: Any, block: Any = None) -> Any:
        parts = [part.drawn(block) for part in self.parts]
        if paddle.framework.use_pir_api():
            return self.make(*parts)
        with paddle.static.program_guard(block.program):
            made = self.make(*parts)
        return block.append_op(type="assign", inputs={"X": made}, outputs={"Out": param})


class Part:
    """One float32 draw, for any number of parameters."""

    def __init__(self, initializer: Any, shape: Sequence[int] = (4, 4)) -> None:
        self.initializer, self.shape = initializer, list(shape)
        self.made: Any = None

    def drawn(self, block: Any) -> Any:
        if self.made is None:
            self.made = RowBlocks._drawn(self.initializer, self.shape, paddle.float32, block)
        return self.made


@each_ir
@pytest.mark.parametrize("dtypes", [["float16"], ["bfloat16"], ["float16", "bfloat16"]])
@pytest.mark.parametrize("initializer", [Uniform(-0.5, 0.5), truncated(0.5, -1.0, 1.0)])
def test_one_draw_cast_to_half_types(initializer: Any, dtypes: list[str], old_ir: bool) -> None:
    """Also one that Paddle draws in no half type. Paddle 2 casts otherwise: not known."""
    part = Part(initializer)
    with static_graph(old_ir=old_ir) as graph:
        for dtype in dtypes:
            made = Made(lambda x, dtype=dtype: x.astype(dtype), part)
            parameter(made, dtype, dtype, (4, 4))
        parameter(Normal(0, 0.5), "behind")
        spec = read_net(graph.startup)
        paddle.seed(3)
        values = graph.initialized()
    drawn = sample(spec, seed=3, partial=True)
    assert set(drawn) == {"behind", *(dtypes if PADDLE_3 else ())}
    assert all(drawn[name].tobytes() == values[name].tobytes() for name in drawn)
    assert parse_spec(dump_spec(spec)) == spec


def test_what_is_set_in_unknown_values_is_known() -> None:
    """A tensor that takes no whole rows of its draws, one of which has a diagonal of 2."""
    parts = Part(Uniform(-1.0, 1.0)), Part(UniformInitializer(-1.0, 1.0, 0, 4, 4, 2.0))
    with static_graph(old_ir=True) as graph:
        made = Made(lambda *parts: paddle.reshape(paddle.concat(parts), [1, 32]), *parts)
        parameter(made, "w", shape=(1, 32))
        parameter(Normal(0, 0.5), "behind")
        spec = read_net(graph.startup)
        paddle.seed(3)
        values = graph.initialized()
    (tensor, _) = spec.tensors
    assert isinstance(spec.distribution(tensor), Unknown)
    assert tensor.overwritten == (Overwrite(16, 4, 5, 2.0),)
    assert np.flatnonzero(values["w"] == 2.0).tolist() == [16, 21, 26, 31]
    drawn = sample(spec, seed=3, partial=True)
    assert drawn["behind"].tobytes() == values["behind"].tobytes()
    assert verify(values, spec, seed=3).parameters[0].verdict is Verdict.UNTESTED
    values["w"][0, 21] = 0.5
    assert verify(values, spec, seed=3).parameters[0].verdict is Verdict.DIFFERS


@pytest.mark.paddle_3
def test_no_rows_of_what_a_program_makes() -> None:
    given = np.arange(12, dtype="float32").reshape(4, 3)
    part = Part(Uniform(-0.5, 0.5), [10, 3])
    with static_graph() as graph:
        for name, make in {
            "drawn": lambda x: paddle.slice(x, [0], [2], [2]),
            "given": lambda x: paddle.slice(paddle.assign(given), [0], [2], [2]),
            "number": lambda x: paddle.slice(paddle.full([4, 3], 2.0), [0], [2], [2]),
        }.items():
            parameter(Made(make, part), name, shape=(0, 3))
        parameter(Normal(0, 0.5), "behind")
        spec = read_net(graph.startup)
        paddle.seed(3)
        values = graph.initialized()
    drawn = sample(spec, seed=3)
    assert {name: array.tobytes() for name, array in drawn.items()} == {
        name: array.tobytes() for name, array in values.items()
    }
    assert parse_spec(dump_spec(spec)) == spec


@pytest.mark.paddle_3
@pytest.mark.parametrize("first", [1, 2])
def test_rows_cut_from_a_draw_in_a_program(first: int) -> None:
    """Rows of 2 begin at the elements 0, 2, 4, ...; one row of 3 later they do not."""
    part = Part(Uniform(-0.5, 0.5), [10, 3])
    with static_graph() as graph:
        made = Made(lambda x: paddle.slice(x, [0], [first], [first + 2]).reshape([3, 2]), part)
        parameter(made, "w", shape=(3, 2))
        parameter(Normal(0, 0.5), "behind")
        spec = read_net(graph.startup)
        paddle.seed(3)
        values = graph.initialized()
    drawn = sample(spec, seed=3, partial=True)
    assert set(drawn) == ({"behind"} if first % 2 else {"w", "behind"})
    assert all(drawn[name].tobytes() == values[name].tobytes() for name in drawn)

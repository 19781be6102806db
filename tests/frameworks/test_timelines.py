"""Draws that start elsewhere than behind each other, against Paddle doing the same."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import paddle
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from paddle import nn
from paddle.nn import functional
from paddle.nn import initializer as init
from paddle.nn.initializer.normal import NormalInitializer, TruncatedNormalInitializer
from paddle.nn.initializer.uniform import UniformInitializer
from support.paddle_graph import PADDLE_3

from paddle_init import NetSpec, Seeding, dump_spec, parse_spec, sample
from paddle_init.distributions import Constant, Given, Normal, Simple, TruncatedNormal, Uniform
from paddle_init.dtypes import rounded
from paddle_init.frameworks import drawing
from paddle_init.frameworks.knowledge import unknown_tensors
from paddle_init.schemes import Fixed, constant, normal, uniform
from paddle_init.schemes.fixed import given as given_values
from paddle_init.schemes.fixed import unknown
from paddle_init.specs import Draw, Overwrite, RowBlock, Tensor
from paddle_init.streams import Stream

SEED = 11
# Paddle 2 does not round to the half types as Paddle 3 does.
HALVES = [pytest.param(dtype, marks=pytest.mark.paddle_3) for dtype in ("float16", "bfloat16")]
Arrays = dict[str, NDArray[Any]]


def bits(array: Any) -> NDArray[Any]:
    values = np.ascontiguousarray(array.numpy() if isinstance(array, paddle.Tensor) else array)
    return values.view(f"u{values.dtype.itemsize}")


def same(left: Any, right: Any) -> bool:
    return left.shape == tuple(right.shape) and np.array_equal(bits(left), bits(right))


def whole(draw: Draw, name: str = "", dtype: str = "float32", **fields: Any) -> Tensor:
    """The tensor that holds a whole draw."""
    blocks = (RowBlock(draw.name, 0, draw.shape[0]),)
    return Tensor(name or draw.name, "other", draw.shape, blocks, dtype, **fields)


def spec_of(*draws: Draw, tensors: tuple[Tensor, ...] = (), seed: int = SEED) -> NetSpec:
    return NetSpec("paddle", draws, tensors, Seeding("mt19937_64", seed=seed))


@pytest.fixture(autouse=True, params=["auto", "numpy"])
def path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways of drawing: compiled where numba is there, and NumPy's."""
    plain = Stream.__init__

    def on_path(self: Stream, *args: Any, **settings: Any) -> None:
        plain(self, *args, **{**settings, "path": request.param})

    monkeypatch.setattr(Stream, "__init__", on_path)


# --- each means alone, in Paddle's own words ---


def test_a_seed_within_the_net() -> None:
    spec = spec_of(
        Draw("a", (7, 3), normal(0, 1)),
        Draw("b", (5,), uniform(-1, 1), seed=2**32 + 5),
        Draw("c", (4, 4), normal(0, 2)),
    )
    drawn = sample(spec)
    paddle.seed(SEED)
    assert same(drawn["a"], paddle.normal(0, 1, [7, 3]))
    paddle.seed(2**32 + 5)
    assert same(drawn["b"], paddle.uniform([5], min=-1, max=1))
    assert same(drawn["c"], paddle.normal(0, 2, [4, 4]))
    paddle.seed(5)
    assert same(drawn["b"], paddle.uniform([5], min=-1, max=1))


def test_a_state_that_is_put_back() -> None:
    spec = spec_of(
        Draw("a", (7, 3), normal(0, 1)),
        Draw("b", (5,), uniform(-1, 1)),
        Draw("c", (4, 4), normal(0, 2), after="a"),
        Draw("d", (3,), normal(0, 1)),
        Draw("e", (9,), normal(0, 1), after=""),
        Draw("f", (2,), normal(0, 1), seed=3),
        Draw("g", (2,), normal(0, 1), after="d"),
    )
    drawn = sample(spec)
    paddle.seed(SEED)
    start = paddle.get_rng_state()
    found = {"a": paddle.normal(0, 1, [7, 3])}
    state = paddle.get_rng_state()
    found["b"] = paddle.uniform([5], min=-1, max=1)
    paddle.set_rng_state(state)
    found["c"] = paddle.normal(0, 2, [4, 4])
    found["d"] = paddle.normal(0, 1, [3])
    behind = paddle.get_rng_state()
    paddle.set_rng_state(start)
    found["e"] = paddle.normal(0, 1, [9])
    paddle.seed(3)
    found["f"] = paddle.normal(0, 1, [2])
    paddle.set_rng_state(behind)
    found["g"] = paddle.normal(0, 1, [2])
    assert {name for name in found if not same(drawn[name], found[name])} == set()


def test_a_part_with_a_stream_of_its_own_leaves_the_outer_one() -> None:
    """As fleet's tracker does it."""
    spec = spec_of(
        Draw("before", (6,), normal(0, 1)),
        Draw("inside", (8, 2), normal(0, 1), seed=77),
        Draw("behind", (6,), normal(0, 1), after="before"),
    )
    drawn = sample(spec)
    paddle.seed(SEED)
    before = paddle.normal(0, 1, [6])
    state = paddle.get_rng_state()
    paddle.seed(77)
    inside = paddle.normal(0, 1, [8, 2])
    paddle.set_rng_state(state)
    behind = paddle.normal(0, 1, [6])
    found = {"before": before, "inside": inside, "behind": behind}
    assert all(same(drawn[name], found[name]) for name in found)


SKIPS: dict[str, tuple[int, Callable[[], Any]]] = {
    "randint": (37, lambda: paddle.randint(0, 1000, [37])),
    "a float uniform": (20_000, lambda: paddle.rand([200, 100])),
    "a double uniform": (41, lambda: paddle.rand([41], dtype="float64")),
    "dropout": (60, lambda: functional.dropout(paddle.ones([6, 10]), 0.5, training=True)),
    "nothing": (0, lambda: paddle.ones([3])),
}


@pytest.mark.parametrize("skip", SKIPS)
def test_what_takes_a_known_number_is_passed_over(skip: str) -> None:
    takes, op = SKIPS[skip]
    spec = spec_of(
        Draw("a", (3, 3), normal(0, 1)),
        Draw("skip", (1,), unknown(skip, takes)),
        Draw("b", (3, 3), normal(0, 1)),
    )
    spec = replace(spec, tensors=(whole(spec.draws[0]), whole(spec.draws[2])))
    drawn = sample(spec)
    paddle.seed(SEED)
    assert same(drawn["a"], paddle.normal(0, 1, [3, 3]))
    op()
    assert same(drawn["b"], paddle.normal(0, 1, [3, 3]))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_draws_that_no_tensor_takes(dtype: str) -> None:
    spec = spec_of(
        Draw("noise", (11,), normal(0, 1), dtype=dtype), Draw("w", (5, 5), uniform(-2, 2))
    )
    spec = replace(spec, tensors=(whole(spec.draws[1]),))
    paddle.seed(SEED)
    paddle.standard_normal([11], dtype=dtype)
    assert same(sample(spec)["w"], paddle.uniform([5, 5], min=-2, max=2))


@pytest.mark.parametrize("held", [*HALVES, "float64", "float32"])
@pytest.mark.parametrize("drawn_in", ["float32", "float64", HALVES[1]])
def test_a_tensor_that_is_cast_after_the_draw(drawn_in: str, held: str) -> None:
    draw = Draw("w", (40, 30), normal(0.5, 3), dtype=drawn_in)
    after = Draw("v", (3,), normal(0, 1))
    spec = spec_of(draw, after, tensors=(whole(draw, dtype=held), whole(after)))
    values = sample(spec)
    paddle.seed(SEED)
    parameter = paddle.create_parameter([40, 30], drawn_in, default_initializer=init.Normal(0.5, 3))
    assert same(values["w"], parameter.astype(held))
    assert same(values["v"], paddle.normal(0, 1, [3]))


def test_one_draw_in_tensors_of_several_dtypes() -> None:
    draw = Draw("w", (6, 2), normal(0, 1), dtype="float32")
    spec = spec_of(draw, tensors=(whole(draw), whole(draw, "copy"), whole(draw, "half", "float16")))
    values = sample(spec)
    assert same(values["w"], values["copy"])
    assert same(values["half"], values["w"].astype(np.float16))


def test_a_padding_row_and_a_diagonal() -> None:
    table = Draw("table", (5, 3), normal(0, 1))
    square = Draw("square", (4, 6), uniform(-1, 1))
    spec = spec_of(
        table,
        square,
        tensors=(
            whole(table, overwritten=(Overwrite(6, 3),)),
            whole(square, overwritten=(Overwrite(0, 4, 7, 0.25),)),
            whole(table, "as drawn"),
        ),
    )
    values = sample(spec)
    paddle.seed(SEED)
    attr = paddle.ParamAttr(initializer=init.Normal(0, 1))
    embedding = nn.Embedding(5, 3, padding_idx=2, weight_attr=attr)
    parameter = paddle.uniform([4, 6], min=-1, max=1).fill_diagonal_(0.25)
    assert same(values["table"], embedding.weight)
    assert same(values["square"], parameter)
    assert not values["table"][2].any()
    assert values["as drawn"][2].all()


@pytest.mark.parametrize("dtype", ["float32", "float64", *HALVES])
def test_given_values_take_nothing_from_the_stream(dtype: str) -> None:
    table = np.float32([[0.1, -0.0], [1e-8, 70000.0], [3.0, np.inf]])
    draws = (Draw("given", (3, 2), given_values(table)), Draw("w", (3,), normal(0, 1)))
    spec = spec_of(*draws, tensors=(whole(draws[0], dtype=dtype), whole(draws[1])))
    values = sample(spec)
    assert same(values["given"], paddle.to_tensor(table).astype(dtype))
    paddle.seed(SEED)
    assert same(values["w"], paddle.normal(0, 1, [3]))


@pytest.mark.paddle_3
def test_what_is_no_finite_number_is_cast_as_paddle_casts_it() -> None:
    patterns = [0x7FC00000, 0x7FFFFFFF, 0xFFFFFFFF, 0x7F800001, 0x7F800000, 0xFF800000, 0x7F7FFFFF]
    values = np.array(patterns, np.uint32).view(np.float32)
    for dtype in ("bfloat16", "float16"):
        cast = paddle.to_tensor(values).astype(dtype)
        assert np.array_equal(bits(rounded(values, dtype)), bits(cast))


def test_overwritten_elements_beyond_one_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values come block by block, and a run of elements may lie across blocks."""
    draw = Draw("w", (50, 20), normal(0, 1))
    edits = (Overwrite(95, 130), Overwrite(3, 40, 23, 7.5), Overwrite(100, 2, 5, -1.0))
    spec = spec_of(draw, tensors=(whole(draw, overwritten=edits),))
    expected = sample(spec_of(draw))["w"].reshape(-1)
    for edit in edits:
        expected[edit.elements] = edit.value
    for block in (1 << 20, 7, 33, 100, 1):
        monkeypatch.setattr(drawing, "BLOCK", block)
        assert np.array_equal(sample(spec)["w"].reshape(-1), expected)


def test_without_a_seed_what_is_seeded_within_is_drawn() -> None:
    draws = (
        Draw("first", (2,), normal(0, 1), seed=4),
        Draw("second", (2,), normal(0, 1)),
        Draw("own", (2,), normal(0, 1), op_seed=9),
        Draw("zero", (2,), constant(0)),
    )
    spec = NetSpec("paddle", draws)
    paddle.seed(4)
    drawn = sample(spec)
    assert same(drawn["first"], paddle.normal(0, 1, [2]))
    assert same(drawn["second"], paddle.normal(0, 1, [2]))
    again = sample(spec, seed=1)
    assert all(same(again[name], array) for name, array in drawn.items())


# --- any timeline, against Paddle's own ops ---

DRAWN: dict[str, st.SearchStrategy[Simple]] = {
    "normal": st.builds(Normal, st.sampled_from([0.0, 0.3]), st.sampled_from([1.0, 0.02])),
    "uniform": st.builds(Uniform, st.sampled_from([-1.0, 0.0]), st.sampled_from([0.5, 1.0])),
    "truncated_normal": st.just(TruncatedNormal(0.0, 1.0, -2.0, 2.0)),
    "constant": st.builds(Constant, st.sampled_from([0.0, 1.5])),
}


def made(drawn: Simple, shape: tuple[int, ...], dtype: str, seed: int) -> paddle.Tensor:
    """Return what Paddle draws; a seed other than 0 is the op's own."""
    match drawn:
        case Normal(mean, std):
            drawer: Any = NormalInitializer(mean, std, seed)
        case Uniform(low, high):
            drawer = UniformInitializer(low, high, seed)
        case TruncatedNormal(mean, std, low, high):
            cutoffs = (low, high) if PADDLE_3 else ()  # Paddle 2 cuts at two stds
            drawer = TruncatedNormalInitializer(mean, std, seed, *cutoffs)
        case Constant(value):
            drawer = init.Constant(value)
        case _:
            raise AssertionError(drawn)
    return paddle.create_parameter(list(shape), dtype, default_initializer=drawer).detach()


@st.composite
def timelines(draw: st.DrawFn) -> tuple[list[Draw], list[Tensor]]:
    draws: list[Draw] = []
    tensors: list[Tensor] = []
    for index in range(draw(st.integers(1, 9))):
        name = f"d{index}"
        shape = tuple(draw(st.lists(st.integers(1, 9), min_size=1, max_size=3)))
        own: dict[str, Any] = {}
        match draw(st.sampled_from(["", "", "", "seed", "after", "op_seed"])):
            case "seed":
                own["seed"] = draw(st.sampled_from([0, 7, 2**32, 2**40 + 3]))
            case "after":
                own["after"] = draw(st.sampled_from(["", *(each.name for each in draws)]))
            case "op_seed":
                own["op_seed"] = draw(st.sampled_from([1, -3]))
        kind = draw(st.sampled_from([*DRAWN, "skip", "given"]))
        if kind == "skip":
            own.pop("op_seed", None)
            draws.append(Draw(name, (1,), unknown("rand", draw(st.integers(0, 700))), **own))
            continue
        if kind == "given":
            values = np.arange(math.prod(shape)) / 8 - 0.1
            draws.append(Draw(name, shape, given_values(values)))
        else:
            dtype = draw(st.sampled_from([None, None, "float32", "float64"]))
            scheme = Fixed(draw(DRAWN[kind]))  # type: ignore[arg-type]
            draws.append(Draw(name, shape, scheme, dtype=dtype, **own))
        for copy in range(draw(st.integers(0, 2))):
            size = math.prod(shape)
            start = draw(st.integers(0, size - 1))
            step = draw(st.integers(1, 5))
            count = draw(st.integers(1, (size - 1 - start) // step + 1))
            edits = (Overwrite(start, count, step, draw(st.sampled_from([0.0, -1.5]))),)
            held = "float32"
            if draws[-1].dtype is not None:
                halves = ["float16", "bfloat16"] if PADDLE_3 else []
                held = draw(st.sampled_from(["float32", "float64", *halves]))
            edited = edits if draw(st.booleans()) else ()
            label = f"{name}.{copy}"
            tensors.append(whole(draws[-1], label, held, overwritten=edited))
    return draws, tensors


def replayed(draws: list[Draw], tensors: list[Tensor]) -> Arrays:
    """Return what Paddle holds after it has done what the timeline says."""
    paddle.seed(SEED)
    states = {"": paddle.get_rng_state()}
    found: Arrays = {}
    for each in draws:
        if each.seed is not None:
            paddle.seed(each.seed)
        if each.after is not None:
            paddle.set_rng_state(states[each.after])
        drawn = each.scheme(each.shape)
        if drawn.family == "unknown":
            if drawn.takes:  # type: ignore[union-attr]
                paddle.rand([drawn.takes])  # type: ignore[union-attr]
            values = None
        elif isinstance(drawn, Given):
            values = paddle.to_tensor(drawn.values.reshape(each.shape).astype(np.float32))
        else:
            values = made(drawn, each.shape, each.dtype or "float32", each.op_seed or 0)
        states[each.name] = paddle.get_rng_state()
        for tensor in tensors:
            if tensor.blocks[0].draw == each.name and values is not None:
                flat = values.astype(tensor.dtype).clone().reshape([-1])
                for edit in tensor.overwritten:
                    flat[edit.start : edit.stop : edit.step] = edit.value
                found[tensor.name] = flat.reshape(list(each.shape)).numpy()
    return found


@settings(
    max_examples=100,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(timelines())
def test_any_timeline_is_drawn_as_paddle_draws_it(
    timeline: tuple[list[Draw], list[Tensor]],
) -> None:
    draws, tensors = timeline
    if not tensors:
        return
    spec = spec_of(*draws, tensors=tuple(tensors))
    text = dump_spec(spec)
    assert parse_spec(text) == spec
    assert dump_spec(parse_spec(text)) == text  # what is no part of equality too
    assert not unknown_tensors(spec)
    values, expected = sample(spec), replayed(draws, tensors)
    assert {name for name in expected if not same(values[name], expected[name])} == set()
    assert values.keys() == expected.keys()

"""Net specs: parts that must agree, pairs of weight and bias, and the YAML form."""

from __future__ import annotations

import math
import string
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from abacus_compat import load_conf
from paddle_init import Draw, NetSpec, RowBlock, Seeding, Tensor, dump_spec, load_spec, parse_spec
from paddle_init.distributions import Block, Blocks, Constant, Given, Normal
from paddle_init.errors import SchemeError, SpecError
from paddle_init.schemes import MODES, abacus, constant, normal, paddle_fc, uniform
from paddle_init.schemes import VarianceScaling as Scaling
from paddle_init.schemes import truncated_normal as truncated
from paddle_init.schemes.fixed import given as given_values
from paddle_init.schemes.fixed import unknown
from paddle_init.specs import ENGINES, Overwrite, plain_tensor
from paddle_init.yaml_cpp import DocumentError

CONFIGS = Path(__file__).parents[2] / "configs"
RULE = abacus(1, 0.2, True)

# the format's definition, comments and all
EXAMPLE = """\
paddle_init: 1               # the format's version; marks the file
framework: abacus            # abacus | paddle
stream: {engine: minstd_rand0, seed_seq: [0, 1, 2, 3]}
arithmetic: float64
storage_order: F
draws:
  - name: fc1_w
    shape: [300, 128]
    scheme: {kind: abacus, init_range: 1, global_init_range: 0.2, scale_by_rown: true}
  - name: fc1_b
    shape: [1, 128]
    scheme: {kind: abacus, init_range: 1, global_init_range: 0.2, scale_by_rown: true}
tensors:
  - {name: fc1_w, role: weight, shape: [300, 128], blocks: [{draw: fc1_w, rows: [0, 300]}]}
  - {name: fc1_b, role: bias, shape: [128], blocks: [{draw: fc1_b, rows: [0, 1]}]}
"""


def test_the_yaml_form_of_the_definition() -> None:
    spec = parse_spec(EXAMPLE, "example.yaml")
    assert spec == NetSpec(
        "abacus",
        (Draw("fc1_w", (300, 128), RULE), Draw("fc1_b", (1, 128), RULE)),
        (
            Tensor("fc1_w", "weight", (300, 128), (RowBlock("fc1_w", 0, 300),)),
            Tensor("fc1_b", "bias", (128,), (RowBlock("fc1_b", 0, 1),)),
        ),
        Seeding("minstd_rand0", seed_seq=(0, 1, 2, 3)),
    )
    assert str(spec.draws[1].source) == "example.yaml:10"
    assert str(spec.tensors[0].source) == "example.yaml:14"
    assert [spec.distribution(tensor) for tensor in spec.tensors] == [
        Normal(0.0, 0.2 / math.sqrt(300)),
        Normal(0.0, 0.2),
    ]
    assert spec.bias_by_weight == {"fc1_w": "fc1_b"}


def test_tensors_left_out_are_the_draws() -> None:
    spec = parse_spec(
        "paddle_init: 1\nframework: paddle\ndraws:\n"
        "  - {name: w, shape: [3, 2], scheme: {kind: xavier_uniform}}\n"
        "  - {name: b, shape: [2], scheme: {kind: constant, value: 0}}\n"
    )
    assert [(t.name, t.role, t.shape) for t in spec.tensors] == [
        ("w", "weight", (3, 2)),
        ("b", "bias", (2,)),
    ]
    assert "tensors" not in dump_spec(spec)


def test_blocks_of_rows_become_one_distribution_where_they_agree() -> None:
    draws = (Draw("a", (3, 2), normal(0, 1)), Draw("b", (4, 2), normal(0, 2)))
    blocks = (RowBlock("a", 0, 1), RowBlock("a", 2, 3), RowBlock("b", 0, 4))
    spec = NetSpec("abacus", draws, (Tensor("w", "weight", (6, 2), blocks),))
    mixed = spec.distribution(spec.tensors[0])
    assert isinstance(mixed, Blocks)
    assert [(part.rows, part.distribution.std) for part in mixed.parts] == [(2, 1.0), (4, 2.0)]


def _net(shapes: dict[str, tuple[int, ...]], **bias_of: tuple[str, ...]) -> NetSpec:
    draws = tuple(Draw(name, shape, constant(0)) for name, shape in shapes.items())
    tensors = tuple(replace(plain_tensor(draw), bias_of=bias_of.get(draw.name)) for draw in draws)
    return NetSpec("paddle", draws, tensors)


def test_a_bias_belongs_to_the_weight_right_before_it() -> None:
    spec = _net({"w1": (3, 4), "w2": (4, 4), "b2": (4,), "b1": (4,), "w3": (4, 1), "b3": (1,)})
    assert spec.bias_by_weight == {"w1": None, "w2": "b2", "w3": "b3"}
    assert spec.weight_by_bias == {"b2": "w2", "b3": "w3"}
    assert "bias_of" not in dump_spec(spec)


def test_a_bias_may_say_its_weights() -> None:
    shapes = {"w1": (3, 4), "w2": (4, 4), "b2": (4,), "b1": (4,), "w3": (4, 1), "b3": (1,)}
    spec = _net(shapes, b1=("w1", "w2"), b3=())
    assert spec.pairs == (("w2", "b2"), ("w1", "b1"), ("w2", "b1"))
    assert spec.weight_by_bias == {"b2": "w2", "b1": "w1"}
    assert spec != _net(shapes)
    text = dump_spec(spec)
    assert text.count("bias_of: [") == 2
    assert parse_spec(text) == spec
    assert parse_spec(text).pairs == spec.pairs


def test_layers_say_whose_a_bias_is_and_it_outlives_them() -> None:
    spec = load_conf(Path(__file__).parents[2] / "configs" / "training.yaml")
    assert spec.pairs == (("fc_w", "user_b"), ("fc_w", "item_b"))
    assert replace(spec, layers=()).pairs == spec.pairs
    assert parse_spec(dump_spec(spec)).pairs == spec.pairs


# --- identity over generated specs ---

finite = st.floats(allow_nan=False, allow_infinity=False)
positive = st.floats(min_value=0, allow_nan=False, allow_infinity=False)
names = st.text(
    st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12
) | st.sampled_from(
    ["null", "~", "yes", "1e3", "0x10", "a: b", "- c", "#d", "'", '"', "\\", "*e", "&f", "{", "<<"]
)
fan = st.none() | st.integers(1, 2**31 - 1)
schemes = st.one_of(
    st.builds(abacus, positive, positive, st.booleans()),
    st.builds(paddle_fc, positive, fan),
    st.builds(constant, finite),
    st.builds(normal, finite, positive),
    st.tuples(finite, finite).map(lambda pair: uniform(*sorted(pair))),
    st.tuples(finite, positive, finite, finite)
    .filter(lambda four: four[2] != four[3])
    .map(lambda four: truncated(four[0], four[1], *sorted(four[2:]))),
    st.builds(
        Scaling,
        positive,
        st.sampled_from(sorted(MODES)),
        st.sampled_from(["normal", "uniform", "truncated_normal"]),
        fan,
        fan,
    ),
)
seeds = st.integers(0, 2**64 - 1)


@st.composite
def specs(draw: st.DrawFn) -> NetSpec:
    framework = draw(st.sampled_from(["abacus", "paddle"]))
    stream: st.SearchStrategy[Seeding]
    if framework == "abacus":
        seq = st.lists(st.integers(-(2**70), 2**70), max_size=4).map(tuple)
        stream = st.builds(Seeding, st.sampled_from(ENGINES), seed=seeds) | st.builds(
            Seeding, st.sampled_from(ENGINES), seed_seq=seq
        )
        settings = {
            "arithmetic": draw(st.sampled_from(["float64", "float32"])),
            "storage_order": draw(st.sampled_from(["F", "C"])),
        }
    else:
        op_seeds = st.integers(-(2**31), 2**31 - 1).filter(bool)
        stream = st.builds(Seeding, st.just("mt19937_64"), seed=seeds) | st.builds(
            Seeding, st.just("mt19937_64"), op_seed=op_seeds
        )
        settings = {}
    columns = draw(st.integers(1, 50))
    draws = tuple(
        Draw(name, (draw(st.integers(1, 50)), columns), draw(schemes))
        for name in draw(st.lists(names, unique=True, max_size=4))
    )
    tensors: list[Tensor] = []
    for name in draw(st.lists(names, unique=True, max_size=3)) if draws else ():
        dtype = draw(st.sampled_from(["float32", "float64", "float16", "bfloat16"]))
        parts = draw(st.lists(st.sampled_from(draws), min_size=1, max_size=3))
        blocks = tuple(RowBlock(part.name, 0, part.shape[0]) for part in parts)
        shape = (sum(block.rows for block in blocks), columns)
        tensors.append(Tensor(name, "weight", shape, blocks, dtype))
    return NetSpec(framework, draws, tuple(tensors), draw(st.none() | stream), **settings)


@given(specs())
def test_reading_what_was_written_gives_an_equal_spec(spec: NetSpec) -> None:
    text = dump_spec(spec)
    again = parse_spec(text)
    assert again == spec
    assert dump_spec(again) == text


@given(specs())
def test_other_yaml_readers_see_the_same_names_and_numbers(spec: NetSpec) -> None:
    plain = yaml.safe_load(dump_spec(spec))
    assert [draw["name"] for draw in plain["draws"]] == [draw.name for draw in spec.draws]
    for written, draw in zip(plain["draws"], spec.draws, strict=True):
        for key, value in written["scheme"].items():
            if key not in ("kind", "mode", "distribution"):
                assert isinstance(value, (int, float)), (key, value)
        if draw.scheme.kind == "normal":
            assert written["scheme"]["std"] == draw.scheme((1, 1)).std  # type: ignore[union-attr]


# --- what is refused ---

TWO = (Draw("a", (3, 2), normal(0, 1)), Draw("b", (1, 2), constant(0)))
CONTRADICTIONS = [
    (lambda: NetSpec("torch", ()), "framework must be one of abacus, paddle, got 'torch'"),
    (lambda: NetSpec("abacus", (TWO[0], TWO[0])), "two draws are named 'a'"),
    (lambda: NetSpec("paddle", TWO, storage_order="C"), "a paddle spec has neither"),
    (
        lambda: NetSpec("abacus", TWO, (Tensor("t", "weight", (3, 2), (RowBlock("c", 0, 3),)),)),
        "tensor t: no draw is named 'c'; draws: a, b",
    ),
    (
        lambda: NetSpec("abacus", TWO, (Tensor("t", "weight", (4, 2), (RowBlock("a", 0, 4),)),)),
        "tensor t: rows [0, 4] of a must lie in [0, 3]",
    ),
    (
        lambda: NetSpec("abacus", TWO, (Tensor("t", "weight", (2, 2), (RowBlock("a", 0, 3),)),)),
        "its blocks hold 6 values, its shape [2, 2] 4",
    ),
    (lambda: Tensor("t", "gate", (1,), (RowBlock("a", 0, 1),)), "role must be one of weight, bias"),
    (lambda: Tensor("t", "bias", (1,), ()), "blocks must name at least one draw"),
    (
        lambda: Tensor("t", "weight", (1,), (RowBlock("a", 0, 1),), bias_of=("a",)),
        "tensor t: bias_of is for a bias, this is a weight",
    ),
    (lambda: _net({"w": (3, 2), "b": (2,)}, b=("v",)), "bias_of: no weight is named 'v'"),
    (
        lambda: _net({"w": (3, 2), "b": (4,)}, b=("w",)),
        "tensor b: bias_of: the weight w has 2 columns, the bias 4",
    ),
    (lambda: Draw("", (1,), RULE), "a draw's name must be a text that is not empty"),
    (lambda: Draw("w", (1.5, 2), RULE), "shape must be a list of one or more integers of 0"),
    (lambda: Seeding("ranlux", seed=1), "engine must be one of minstd_rand0"),
    (lambda: Seeding("mt19937"), "exactly one of seed, seed_seq and op_seed, got none"),
    (lambda: Seeding("mt19937", seed=1, op_seed=1), "got seed and op_seed"),
    (lambda: Seeding("mt19937_64", seed=2**64), "seed must be in [0, 2**64 - 1]"),
    (lambda: Seeding("mt19937_64", op_seed=2**31), "op_seed must be an int32"),
    (lambda: Seeding("mt19937_64", op_seed=0), "op_seed 0 means the global generator"),
    (lambda: Seeding("mt19937_64", seed=True), "seed must be an integer, got True"),
    (lambda: Seeding("mt19937_64", seed=np.float64(1)), "seed must be an integer, got"),
    (
        lambda: NetSpec("paddle", TWO, stream=Seeding("mt19937", seed=1)),
        "paddle draws with mt19937_64 alone",
    ),
    (
        lambda: NetSpec("abacus", TWO, stream=Seeding("mt19937_64", op_seed=1)),
        "op_seed is Paddle's; abacus takes seed or seed_seq",
    ),
]


@pytest.mark.parametrize(("build", "message"), CONTRADICTIONS, ids=[m for _, m in CONTRADICTIONS])
def test_contradictions_are_refused(build: object, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        build()  # type: ignore[operator]
    assert message in str(caught.value)


TIMELINE = """\
paddle_init: 1
framework: paddle
stream: {seed: 3}
draws:
  - {name: noise, shape: [5], scheme: {kind: uniform, low: 0.0, high: 1.0}, dtype: float64}
  - {name: skip, shape: [9], scheme: {kind: unknown, description: randint, takes: 9}}
  - {name: w, shape: [4, 3], scheme: {kind: normal, mean: 0.0, std: 1.0}, seed: 4294967296}
  - {name: own, shape: [3], scheme: {kind: unknown, description: mine}}
  - {name: again, shape: [3], scheme: {kind: normal, mean: 0.0, std: 1.0}, after: noise}
  - {name: first, shape: [3], scheme: {kind: normal, mean: 0.0, std: 1.0}, after: ""}
  - {name: table, shape: [2, 2], scheme: {kind: given, values: [0.1, -0.0, 3.0, -.inf]}}
tensors:
  - {name: w, role: weight, shape: [4, 3], blocks: [{draw: w, rows: [0, 4]}], \
overwritten: [{start: 3, count: 3, step: 1, value: 0.0}, \
{start: 0, count: 2, step: 4, value: .inf}], \
aliases: [head.w, "0"]}
  - {name: own, role: other, shape: [3], blocks: [{draw: own, rows: [0, 3]}]}
  - {name: half, role: other, shape: [3], dtype: float16, blocks: [{draw: again, rows: [0, 3]}]}
  - {name: table, role: weight, shape: [2, 2], blocks: [{draw: table, rows: [0, 2]}]}
buffers: [bn._mean, bn._variance]
"""


def test_the_yaml_form_of_draws_that_start_elsewhere() -> None:
    spec = parse_spec(TIMELINE)
    assert dump_spec(spec) == TIMELINE
    noise, skip, w, own, again, first, table = spec.draws
    assert (noise.dtype, skip.scheme, w.seed) == (
        "float64",
        unknown("randint", 9),
        2**32,
    )
    assert (own.scheme, again.after, first.after) == (unknown("mine"), "noise", "")
    assert table.scheme == given_values([[0.1, -0.0], [3, -np.inf]])
    assert spec.tensors[0].overwritten == (Overwrite(3, 3), Overwrite(0, 2, 4, math.inf))
    assert spec.tensors[0].aliases == ("head.w", "0")
    assert spec.buffers == ("bn._mean", "bn._variance")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            "seed: 4294967296|seed: 4294967296, op_seed: 1",
            "draw w: give at most one of seed and op_seed",
        ),
        ("after: noise|after: w2", "draw again: after: no earlier draw is named 'w2'"),
        ("after: noise|after: again", "draw again: after: no earlier draw is named 'again'"),
        ("seed: 4294967296|seed: -1", r"draw w: seed must be in \[0, 2\*\*64 - 1\], got -1"),
        ("count: 3|count: 0", "count must be 1 or more, got 0"),
        ("start: 3|start: 10", r"element 12 is not one of the 12 of its shape \[4, 3\]"),
        ("value: .inf|value: .nan", "value must be a number, got NaN"),
        ("takes: 9|takes: -1", "takes must be an integer of 0 or more, got -1"),
        ("-.inf]|]", "values: .*expected a number|draw table: 3 values are given"),
        ("[head.w|[own", "the name 'own' is a tensor and an alias of w"),
        ("[bn._mean|[head.w", "the name 'head.w' is an alias of w and a buffer"),
    ],
)
def test_draws_and_names_that_cannot_be(change: str, said: str) -> None:
    old, new = change.split("|")
    assert TIMELINE.count(old) == 1
    with pytest.raises((DocumentError, SpecError), match=said):
        parse_spec(TIMELINE.replace(old, new)).drawn("table")


def test_what_is_paddles_is_refused_of_abacus() -> None:
    for start in ({"seed": 1}, {"after": ""}, {"op_seed": 1}):
        draw = Draw("w", (2, 2), normal(0, 1), **start)
        with pytest.raises(SpecError, match=f"draw w: {next(iter(start))} is Paddle's"):
            NetSpec("abacus", (draw,))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (np.zeros(10_001), "10001 given values have no form in a net spec, .* at most 10000"),
        ([0.0, np.nan], "a NaN among them"),
    ],
)
def test_given_values_that_no_file_holds(values: object, said: str) -> None:
    draw = Draw("w", (np.size(values),), given_values(values))  # type: ignore[arg-type]
    with pytest.raises(SchemeError, match=said):
        dump_spec(NetSpec("paddle", (draw,)))


def test_given_values_are_equal_by_their_bits() -> None:
    assert (
        Given(np.float32([0.5, 1])) == Given(np.float64([[0.5], [1]])) == Given(np.array([0.5, 1]))
    )
    assert len({Given(np.float32([0.5])), Given(np.array([0.5]))}) == 1
    assert Given(np.zeros(1)) != Given(-np.zeros(1))
    assert Given(np.array([np.nan])) == Given(np.array([np.nan]))
    assert Given(np.array([0.1])) != Given(np.float32([0.1]))
    with pytest.raises(SchemeError, match="exact as float64"):
        Given(np.array([2**53 + 1]))
    with pytest.raises(SchemeError, match="real numbers, got dtype complex128"):
        Given(np.array([1j]))


def test_rows_of_given_values() -> None:
    draw = Draw("d", (3, 2), given_values(np.arange(6.0)))
    twice = (RowBlock("d", 1, 3), RowBlock("d", 1, 3))
    spec = NetSpec("paddle", (draw,), (Tensor("t", "weight", (4, 2), twice),))
    part = Given(np.array([2.0, 3, 4, 5]))
    assert spec.distribution(spec.tensors[0]) == Blocks((Block(2, part), Block(2, part)))


def test_everything_wrong_with_a_file_is_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(
        "paddle_init: 2\n"
        "framework: torch\n"
        "storage_ordr: F\n"
        "draws:\n"
        "  - {name: a, shape: [3, x], scheme: {kind: normal, std: 1_0}}\n"
        "  - {name: b, shape: [3], scheme: {kind: normal}}\n"
        "  - 3\n"
    )
    with pytest.raises(DocumentError) as caught:
        load_spec(path)
    known = "paddle_init, framework, arithmetic, storage_order, stream, draws, tensors, buffers"
    number = "expected a number such as 0.2 or 1e-3, found '1_0'"
    assert str(caught.value).replace(str(path), "bad.yaml").splitlines() == [
        "bad.yaml:1: paddle_init: net spec: format 2 is not known; this version reads 1",
        "bad.yaml:2: framework: net spec: expected one of abacus, paddle, found 'torch'",
        "bad.yaml:3: storage_ordr: net spec: unknown key; did you mean storage_order? "
        f"(known: {known})",
        "bad.yaml:5: shape: draw a: expected an integer, found 'x'",
        f"bad.yaml:5: std: draw a: scheme: {number} (C++ reads no underscores between digits)",
        "bad.yaml:6: draw b: scheme: the key std is missing",
        "bad.yaml:7: draw: expected a mapping, found a text",
    ]


def test_a_contradiction_between_parts_says_the_line() -> None:
    text = EXAMPLE.replace("rows: [0, 300]", "rows: [0, 301]")
    with pytest.raises(DocumentError) as caught:
        parse_spec(text, "s.yaml")
    assert str(caught.value) == (
        "s.yaml:14: net spec: tensor fc1_w: rows [0, 301] of fc1_w must lie in [0, 300]"
    )


@pytest.mark.parametrize("letter", string.punctuation)
def test_any_punctuation_in_a_name_is_written_safely(letter: str) -> None:
    spec = NetSpec("paddle", (Draw(f"{letter}x{letter}", (1, 1), normal(0, 1)),))
    assert parse_spec(dump_spec(spec)) == spec


def test_a_constant_bias_of_one() -> None:
    draw = Draw("bias", (1, 4), constant(1))
    tensor = Tensor("bias", "bias", (4,), (RowBlock("bias", 0, 1),))
    spec = NetSpec("abacus", (draw,), (tensor,))
    assert spec.distribution(tensor) == Constant(1.0)


@pytest.mark.parametrize("conf", ["abacus_rank.yaml", "flat.yaml", "training.yaml"])
def test_a_conf_is_sent_to_load_conf(conf: str) -> None:
    path = CONFIGS / conf
    with pytest.raises(DocumentError) as caught:
        load_spec(path)
    assert [problem.message for problem in caught.value.problems] == [
        "this looks like an abacus conf, which abacus_compat.load_conf reads"
    ]
    assert str(caught.value).startswith(f"{path}:")


def test_a_spec_is_sent_to_load_spec(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(dump_spec(load_conf(CONFIGS / "flat.yaml")))
    with pytest.raises(DocumentError, match=r"a net spec, which paddle_init\.load_spec reads$"):
        load_conf(path)


def test_numpys_integers_are_integers() -> None:
    seeds = (
        {"seed": np.uint64(2**64 - 1)},
        {"seed_seq": np.array([1, -2])},
        {"op_seed": np.int32(3)},
    )
    for setting in seeds:
        ((name, value),) = setting.items()
        plain = tuple(value.tolist()) if name == "seed_seq" else int(value)
        assert repr(Seeding("mt19937_64", **setting)) == repr(
            Seeding("mt19937_64", **{name: plain})
        )
    drawn = Draw("w", np.array([3, 4]), RULE, op_seed=np.int64(5))
    assert repr(drawn) == repr(Draw("w", (3, 4), RULE, op_seed=5))


def test_a_scheme_is_applied_once_to_each_draw() -> None:
    shapes: list[tuple[int, ...]] = []

    class Counting:
        kind = "counting"

        def __call__(self, shape: tuple[int, ...], arithmetic: str = "float64") -> Normal:
            shapes.append(shape)
            return Normal(0.0, 0.1)

        def formula(self, shape: tuple[int, ...], arithmetic: str = "float64") -> str:
            return "counting"

    spec = NetSpec("paddle", (Draw("w", (3, 2), Counting()),))
    for _ in range(2):
        assert spec.drawn("w") == spec.distribution(spec.tensors[0]) == Normal(0.0, 0.1)
    assert shapes == [(3, 2)]

"""Specs back to confs: identity for what came from one, and a reason for what cannot."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from support.confs import random_conf, random_flat

from abacus_compat import InexpressibleError, dump_conf, load_conf, parse_conf
from paddle_init import dump_spec, parse_spec
from paddle_init.schemes import Abacus, Scheme, constant, normal, uniform
from paddle_init.schemes.base import Arithmetic
from paddle_init.specs import BIAS_INPUT, Draw, NetSpec, RowBlock, Seeding, Tensor

CONFIGS = Path(__file__).parents[2] / "configs"
CONFS = [
    path for path in sorted(CONFIGS.glob("*.yaml")) if b"paddle_init:" not in path.read_bytes()
]


def read_again(text: str, spec: NetSpec) -> NetSpec:
    return parse_conf(text, arithmetic=spec.arithmetic, storage_order=spec.storage_order)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.randoms(use_true_random=False),
    st.sampled_from([random_conf, random_flat]),
    st.sampled_from(["float64", "float32"]),
    st.sampled_from(["F", "C"]),
)
def test_conf_to_spec_to_conf_to_spec_is_an_identity(
    rng: random.Random,
    make: Callable[[random.Random], str],
    arithmetic: Arithmetic,
    storage_order: str,
) -> None:
    spec = parse_conf(make(rng), arithmetic=arithmetic, storage_order=storage_order)

    with_layers = read_again(dump_conf(spec), spec)
    assert with_layers == spec
    assert with_layers.layers == spec.layers

    bare = parse_spec(dump_spec(spec))
    assert bare == spec
    assert not bare.layers
    assert read_again(dump_conf(bare), spec) == spec


@pytest.mark.parametrize("path", CONFS, ids=lambda path: path.stem)
def test_examples(path: Path) -> None:
    spec = load_conf(path)
    again = read_again(dump_conf(spec), spec)
    assert again == spec
    assert [layer.activation for layer in again.layers] == [
        layer.activation for layer in spec.layers
    ]
    bare = replace(spec, layers=(), skipped_layers=())
    assert read_again(dump_conf(bare), spec) == spec


def test_the_form_is_kept() -> None:
    flat = dump_conf(load_conf(CONFIGS / "flat.yaml"))
    assert flat == (
        "global_init_range: 0.2\nrown: 300\ncoln: 128\ninit_range: 1\nscale_by_rown: true\n"
    )
    params = dump_conf(load_conf(CONFIGS / "params_only.yaml"))
    assert "layer:" not in params


WRITTEN = """\
# Not kept: the layers cat.
global_init_range: 0.1
param:
  - name: w
    rown: 5
    coln: 2
    init_range: 1
    scale_by_rown: true
  - name: v
    rown: 2
    coln: 2
    init_range: 1
    scale_by_rown: false
vec_input:
  - {name: left, dim: 1}
  - {name: right, dim: 3}
layer:
  - name: fc
    tag: fc
    class: NeuralLayer
    output: fc_out
    a_input: [left, bias_input, right]
    b_input: [w]
    act_func: relu
  - name: "fc 2"
    tag: "fc 2"
    class: NeuralLayer
    a_input: [fc_out]
    b_input: [v]
    act_func: linear
"""


def test_the_whole_text() -> None:
    spec = parse_conf(
        "{global_init_range: 1e-1, param: [{name: w, rown: 5, coln: 2, init_range: 1.0,"
        " scale_by_rown: yes}, {name: v, rown: 2, coln: 2, init_range: 1, scale_by_rown: no}],"
        " layer: [{name: cat, class: Cat, output: c},"
        " {name: fc, output: fc_out, class: NeuralLayer, a_input: [left, bias_input, right],"
        " b_input: w, act_func: relu},"
        " {name: fc 2, class: NeuralLayer, a_input: fc, b_input: v, act_func: linear}]}",
        widths={"left": 1},
    )
    text = dump_conf(spec)
    assert text == WRITTEN
    assert parse_conf(text) == spec


def test_a_bias_that_shares_its_weight_survives_the_loss_of_layers() -> None:
    spec = parse_conf(
        "{global_init_range: 1, param: ["
        "{name: w, rown: 3, coln: 2, init_range: 1, scale_by_rown: y},"
        "{name: b, rown: 1, coln: 2, init_range: 1, scale_by_rown: y},"
        "{name: c, rown: 1, coln: 2, init_range: 1, scale_by_rown: y},"
        "{name: v, rown: 4, coln: 2, init_range: 1, scale_by_rown: y}], layer: ["
        "{name: 1, class: NeuralLayer, a_input: [x, bias_input], b_input: [w, b], act_func: relu},"
        "{name: 2, class: NeuralLayer, a_input: [y, bias_input], b_input: [w, c], act_func: relu},"
        "{name: 3, class: NeuralLayer, a_input: z, b_input: v, act_func: relu}]}"
    )
    assert [tensor.name for tensor in spec.tensors] == ["w", "b", "c", "v"]
    bare = replace(spec, layers=())
    assert parse_conf(dump_conf(bare)) == spec


def test_the_stream_is_left_out() -> None:
    spec = load_conf(CONFIGS / "abacus_rank.yaml")
    seeded = replace(spec, stream=Seeding("minstd_rand0", seed=3))
    assert parse_conf(dump_conf(seeded)) == spec


ABACUS = Abacus(1.0, 0.2, True)


def spec_of(
    scheme: Scheme = ABACUS,
    shape: tuple[int, ...] = (4, 2),
    *more: Draw,
    tensors: tuple[Tensor, ...] = (),
    **settings: object,
) -> NetSpec:
    return NetSpec("abacus", (Draw("w", shape, scheme), *more), tensors, **settings)  # type: ignore[arg-type]


def tensor(role: str, shape: tuple[int, ...], *blocks: RowBlock, dtype: str = "float32") -> Tensor:
    return Tensor(f"t_{role}", role, shape, blocks, dtype)


INEXPRESSIBLE = {
    "another framework": (
        NetSpec("paddle", (Draw("w", (4, 2), normal(0, 1)),)),
        "a conf is abacus's; this spec's framework is paddle",
    ),
    "uniform": (
        spec_of(uniform(-1, 1)),
        "draw w: abacus draws normals of mean 0, found Uniform(low -1, high 1)",
    ),
    "a mean": (
        spec_of(normal(1, 0.5)),
        "draw w: abacus draws normals of mean 0, found Normal(mean 1, std 0.5)",
    ),
    "ones beside a drawn bias": (
        spec_of(ABACUS, (4, 2), Draw("b", (1, 2), ABACUS), Draw("ones", (1, 2), constant(1))),
        "draw ones: abacus draws normals of mean 0, found Constant(1)",
    ),
    "ones of another name": (
        spec_of(ABACUS, (4, 2), Draw("bias", (1, 2), constant(1))),
        "draw bias: abacus draws normals of mean 0, found Constant(1)",
    ),
    "a number that is no float": (
        spec_of(normal(0, 0.1), arithmetic="float32"),
        "draw w: Normal(mean 0, std 0.1) is no float32",
    ),
    "a number beyond the largest float": (
        spec_of(normal(0, 1e40), arithmetic="float32"),
        "draw w: Normal(mean 0, std 1e+40) is no float32",
    ),
    "a scale beyond the largest float": (
        spec_of(Abacus(1e40, 1.0, True), arithmetic="float32"),
        "draw w: abacus: the scale 1e+40 * 1 overflows float32",
    ),
    "a scale beyond the largest double": (
        spec_of(Abacus(1e200, 1e200, True)),
        "draw w: abacus: the scale 1e+200 * 1e+200 overflows float64",
    ),
    "dtype": (
        spec_of(tensors=(tensor("weight", (4, 2), RowBlock("w", 0, 4), dtype="float16"),)),
        "tensor t_weight: abacus's weights are float32, found float16",
    ),
    "one dimension": (
        spec_of(normal(0, 1), (4,)),
        "draw w: abacus draws [rown, coln], each at least 1, their product at most 2147483647; "
        "found [4]",
    ),
    "too many weights": (
        spec_of(ABACUS, (65536, 32768)),
        "draw w: abacus draws [rown, coln], each at least 1, their product at most 2147483647; "
        "found [65536, 32768]",
    ),
    "a bias without a weight": (
        spec_of(ABACUS, (1, 2), tensors=(tensor("bias", (2,), RowBlock("w", 0, 1)),)),
        "bias t_bias: a layer has a bias beside a weight, and none is known; say it by bias_of",
    ),
    "a bias before its weight": (
        spec_of(
            tensors=(
                Tensor("w.bias", "bias", (2,), (RowBlock("w", 0, 1),)),
                Tensor("w", "weight", (3, 2), (RowBlock("w", 1, 4),)),
            ),
        ),
        "bias w.bias: a layer has a bias beside a weight, and none is known; say it by bias_of",
    ),
    "half a draw": (
        spec_of(tensors=(tensor("weight", (2, 2), RowBlock("w", 0, 2)),)),
        "no layers of abacus give these tensors: layer layer_1: the columns of a_input "
        "(input_1 2) do not add up to the rows of b_input (w 4)",
    ),
    "another name": (
        spec_of(tensors=(tensor("weight", (4, 2), RowBlock("w", 0, 4)),)),
        "a conf gives its tensors layer by layer, a weight and then its bias; in this place it "
        "gives the weight w [4, 2] = w[0:4], not the weight t_weight [4, 2] = w[0:4]",
    ),
    "a draw that no tensor holds": (
        spec_of(
            ABACUS,
            (4, 2),
            Draw("v", (4, 2), ABACUS),
            tensors=(Tensor("w", "weight", (4, 2), (RowBlock("w", 0, 4),)),),
        ),
        "a conf gives its tensors layer by layer, a weight and then its bias; in this place it "
        "gives the parameter v [4, 2] = v[0:4], not nothing",
    ),
}


@pytest.mark.parametrize(("spec", "message"), INEXPRESSIBLE.values(), ids=INEXPRESSIBLE)
def test_refused(spec: NetSpec, message: str) -> None:
    with pytest.raises(InexpressibleError) as caught:
        dump_conf(spec)
    assert str(caught.value) == message


@settings(max_examples=200, deadline=None)
@given(st.text(min_size=1, max_size=12), st.sampled_from(["w", "layer_1", "input_1"]))
def test_any_name_is_written_so_that_it_reads_back(name: str, other: str) -> None:
    assume(name not in (other, BIAS_INPUT))
    draws = (Draw(name, (4, 2), ABACUS), Draw(other, (1, 2), ABACUS))
    bias = Tensor(other, "bias", (2,), (RowBlock(other, 0, 1),))
    spec = NetSpec("abacus", draws, (Tensor(name, "weight", (4, 2), (RowBlock(name, 0, 4),)), bias))
    assert parse_conf(dump_conf(spec)) == spec

"""Net specs drawn: order, placing, transfer between frameworks, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from paddle_init import NetSpec, local_random_engine, sample
from paddle_init.distributions import Normal, Unknown
from paddle_init.dtypes import rounded
from paddle_init.errors import SpecError
from paddle_init.frameworks import drawing
from paddle_init.frameworks.base import CannotDrawError
from paddle_init.frameworks.knowledge import identical_layers
from paddle_init.frameworks.placing import pieces
from paddle_init.frameworks.transfer import as_abacus, as_framework, as_paddle
from paddle_init.schemes import (
    Fixed,
    Scheme,
    abacus,
    constant,
    normal,
    truncated_normal,
    uniform,
)
from paddle_init.specs import Draw, RowBlock, Seeding, Tensor
from paddle_init.streams import Stream

ABACUS = abacus(1, 0.2, True)
SEED_SEQ = Seeding("minstd_rand0", seed_seq=(0, 1, 2, 3))


def net(
    scheme: Scheme,
    *shapes: tuple[int, ...],
    framework: str = "paddle",
    dtype: str = "float32",
    stream: Seeding | None = None,
) -> NetSpec:
    """A net of one tensor per shape."""
    draws = tuple(Draw(f"p{i}", shape, scheme) for i, shape in enumerate(shapes))
    tensors = tuple(
        Tensor(one.name, "weight", one.shape, (RowBlock(one.name, 0, one.shape[0]),), dtype)
        for one in draws
    )
    return NetSpec(framework, draws, tensors, stream)


def blockwise(order: str = "F") -> NetSpec:
    """Draw order and tensor order differ; a weight has rows of two draws; a bias row is folded."""
    draws = (
        Draw("low", (3, 7), ABACUS),
        Draw("other", (5, 2), ABACUS),
        Draw("high", (4, 7), ABACUS),
    )
    tensors = (
        Tensor("w", "weight", (6, 7), (RowBlock("high", 0, 4), RowBlock("low", 0, 2))),
        Tensor("w.bias", "bias", (7,), (RowBlock("low", 2, 3),)),
        Tensor("v", "weight", (5, 2), (RowBlock("other", 0, 5),)),
    )
    return NetSpec("abacus", draws, tensors, SEED_SEQ, storage_order=order)


@pytest.mark.parametrize("order", ["F", "C"])
def test_rows_go_to_their_tensors(order):
    values = sample(blockwise(order))
    stream = Stream("minstd_rand0", seed_seq=(0, 1, 2, 3))
    drawn = {}
    for draw in blockwise().draws:
        scale = ABACUS.scale(draw.shape[0])
        z = stream.standard_normal(draw.shape[0] * draw.shape[1])
        flat = (z.astype(np.float64) * scale).astype(np.float32)
        drawn[draw.name] = flat.reshape(draw.shape, order=order)
    assert list(values) == ["w", "w.bias", "v"]
    assert np.array_equal(values["w"], np.concatenate([drawn["high"], drawn["low"][:2]]))
    assert np.array_equal(values["w.bias"], drawn["low"][2])
    assert np.array_equal(values["v"], drawn["other"])


@pytest.mark.parametrize("block", [1, 2, 3, 5, 8, 13, 1000])
@pytest.mark.parametrize("order", ["F", "C"])
def test_blocks_change_no_bit(monkeypatch, block, order):
    whole = sample(blockwise(order))
    in_halves = sample(net(normal(0.1, 0.2), (5, 7), (3,), dtype="bfloat16"), seed=3)
    monkeypatch.setattr(drawing, "BLOCK", block)
    monkeypatch.setattr("paddle_init.frameworks.placing.TILE", 2)
    for name, values in sample(blockwise(order)).items():
        assert np.array_equal(values, whole[name])
    cut = sample(net(normal(0.1, 0.2), (5, 7), (3,), dtype="bfloat16"), seed=3)
    assert all(np.array_equal(cut[name], in_halves[name]) for name in cut)


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 100])
@pytest.mark.parametrize(("outer", "inner"), [(1, 1), (4, 6), (3, 1), (1, 9)])
def test_pieces_cover_the_flat_order(outer, inner, limit):
    flat = np.arange(outer * inner).reshape(outer, inner)
    cut = [flat[piece].reshape(-1) for piece in pieces(outer, inner, limit)]
    assert np.array_equal(np.concatenate(cut), flat.reshape(-1))
    assert max(part.size for part in cut) <= limit


def test_a_constant_draws_nothing():
    spec = NetSpec(
        "paddle",
        (Draw("a", (3,), normal()), Draw("b", (2,), constant(0.1)), Draw("c", (3,), normal())),
    )
    bare = NetSpec("paddle", (spec.draws[0], spec.draws[2]))
    values, without = sample(spec, seed=9), sample(bare, seed=9)
    assert np.array_equal(values["c"], without["c"])
    assert values["b"].tolist() == [np.float32(0.1)] * 2


def test_paddle_seeds_keep_32_bits_and_op_seeds_start_anew():
    spec = net(normal(), (4, 3), (4, 3), (2,))
    low, high = sample(spec, seed=7), sample(spec, seed=7 + 2**32)
    assert np.array_equal(low["p0"], high["p0"])
    assert not np.array_equal(low["p0"], low["p1"])
    anew = sample(spec, op_seed=-1)
    assert np.array_equal(anew["p0"], anew["p1"])
    assert np.array_equal(anew["p2"], anew["p0"].reshape(-1)[:2])
    assert np.array_equal(anew["p2"], Stream("mt19937_64", 2**64 - 1).normal(2))


class TestTransfer:
    def test_paddle_draws_an_op_per_tensor_in_order_of_creation(self):
        spec = as_paddle(blockwise())
        assert [(draw.name, draw.shape) for draw in spec.draws] == [
            ("w.block0", (4, 7)),
            ("w.block1", (2, 7)),
            ("w.bias", (7,)),
            ("v", (5, 2)),
        ]
        assert [spec.distribution(t) for t in spec.tensors] == [
            blockwise().distribution(t) for t in blockwise().tensors
        ]
        assert spec.stream is None

    def test_equal_neighbours_are_one_op(self):
        draws = (Draw("a", (2, 3), normal(0, 0.1)), Draw("b", (4, 3), normal(0, 0.1)))
        rows = (RowBlock("a", 0, 2), RowBlock("b", 0, 4))
        spec = as_paddle(NetSpec("abacus", draws, (Tensor("w", "weight", (6, 3), rows),)))
        assert [(draw.name, draw.shape) for draw in spec.draws] == [("w", (6, 3))]

    def test_abacus_draws_the_same_distributions(self):
        spec = as_abacus(net(normal(0, 0.3), (4, 3), (3,)))
        assert spec.framework == "abacus"
        assert spec.drawn("p1") == Normal(0.0, 0.3)
        values = sample(spec, seed=5)["p0"]
        flat = Stream("minstd_rand0", 5).standard_normal(12).astype(np.float64) * 0.3
        assert np.array_equal(values, flat.astype(np.float32).reshape(4, 3, order="F"))

    def test_its_own_framework_is_left_alone(self):
        spec = blockwise()
        assert as_framework(spec, "abacus") is spec

    def test_names_that_stand_for_blocks_stay_apart(self):
        spec = blockwise()
        odd = replace(spec, tensors=(*spec.tensors, Tensor("w.block0", "weight", (5, 2), (
            RowBlock("other", 0, 5),))))  # fmt: skip
        assert len({draw.name for draw in as_paddle(odd).draws}) == 5


class TestLocalRandomEngine:
    def test_with_a_clock(self):
        assert local_random_engine(thread=2, clock=1700000000123) == Seeding(
            "minstd_rand0", seed_seq=(6, 7, 8, 1700000000123)
        )

    def test_without_a_clock(self):
        assert local_random_engine() == Seeding("minstd_rand0", seed_seq=(0, 1, 2, 3))
        assert local_random_engine(thread=1, engine="mt19937") == Seeding(
            "mt19937", seed_seq=(4, 5, 6, 7)
        )

    @pytest.mark.parametrize("wrong", [{"thread": -1}, {"thread": True}, {"clock": -1}])
    def test_refused(self, wrong):
        with pytest.raises(SpecError, match=r"must be an integer"):
            local_random_engine(**wrong)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (net(normal(0, 1), (2, 2), framework="abacus", dtype="float64"), "abacus has float32"),
        (net(normal(0.1, 1), (2, 2), framework="abacus"), r"mean 0 .*, not Normal\(mean 0.1"),
        (net(uniform(0, 1), (2, 2), framework="abacus"), "not Uniform"),
        (net(normal(0, 1), (2, 2, 2), framework="abacus"), r"matrices; the shape \[2, 2, 2\]"),
        (net(normal(0, 1), (2**16, 2**15), framework="abacus"), r"65536 \* 32768 is over 2\*\*31"),
        (net(truncated_normal(), (2, 2), dtype="float16"), "no CPU kernel that draws a float16"),
        (net(normal(0, 1e39), (2, 2)), "std overflows as float32"),
        (net(normal(0, 1e39), (2, 2), dtype="float64"), "std overflows as float32"),
        (net(constant(1e5), (2, 2), dtype="float16"), "value overflows in float16"),
        (net(uniform(-3e38, 3e38), (2, 2)), "high - low overflows"),
        (net(truncated_normal(5, 0, -2, 2), (2, 2)), "no value lies between"),
        (net(Fixed(Unknown("a lambda")), (2, 2)), "not known how to draw this: a lambda"),
    ],
)  # fmt: skip
def test_refused(spec, said):
    with pytest.raises(CannotDrawError, match=f"draw p0: .*{said}"):
        sample(spec, seed=1)


def test_a_draw_has_one_dtype():
    spec = blockwise()
    tensors = tuple(replace(t, dtype="float64") if t.role == "bias" else t for t in spec.tensors)
    with pytest.raises(CannotDrawError, match="its tensors have float32 and float64"):
        sample(replace(spec, tensors=tensors))


def test_2_6_2_has_its_own_truncated_normal():
    own = net(truncated_normal(0.5, 0.1, 0.3, 0.7), (4, 3))
    with pytest.raises(CannotDrawError, match=r"2\.6\.2 cuts at mean \+- 2 std"):
        sample(net(truncated_normal(0.5, 0.1, -2, 2), (4, 3)), seed=1, paddle_version="2.6.2")
    with pytest.raises(CannotDrawError, match=r"2\.6\.2 has no CPU kernel that draws bfloat16"):
        sample(own, seed=1, dtype="bfloat16", paddle_version="2.6.2")
    with pytest.raises(CannotDrawError, match=r"must be one of 3\.3\.1, 2\.6\.2, got '3\.0'"):
        sample(own, seed=1, paddle_version="3.0")
    assert sample(own, seed=1, paddle_version="2.6.2")["p0"].shape == (4, 3)


def test_rounding_to_bfloat16():
    values = np.array([1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-8 + 2**-23, -0.0, 2**-140], np.float32)
    assert rounded(values, "bfloat16").tolist() == [0x3F80, 0x3F82, 0x3F81, 0x8000, 0]


def test_identical_layers():
    spec = net(normal(0, 0.1), (4, 3), (4, 3), (3,), stream=Seeding("mt19937_64", op_seed=7))
    (notice,) = identical_layers(spec)
    assert notice.code == "identical-layers"
    assert "shape [4, 3] have the same bits: p0, p1." in notice.message
    scaled = replace(spec, draws=(replace(spec.draws[0], scheme=normal(0, 0.2)), *spec.draws[1:]))
    (notice,) = identical_layers(scaled)
    assert "have the same z: p0, p1." in notice.message
    assert not list(identical_layers(replace(spec, stream=Seeding("mt19937_64", seed=7))))
    assert not list(identical_layers(replace(spec, draws=tuple(
        replace(draw, scheme=constant(1)) for draw in spec.draws))))  # fmt: skip


def test_an_initializers_own_seed_repeats_too():
    spec = net(normal(0, 0.1), (4, 3), (4, 3), (4, 3), (4, 3), stream=Seeding("mt19937_64", seed=1))
    first, second, third, fourth = spec.draws
    own = (replace(first, op_seed=9), replace(second, op_seed=8), replace(third, op_seed=9), fourth)
    (notice,) = identical_layers(replace(spec, draws=own))
    assert "op seed 9 starts" in notice.message
    assert ": p0, p2." in notice.message
    (notice,) = identical_layers(replace(spec, draws=own, stream=None))
    shared = replace(spec, draws=own, stream=Seeding("mt19937_64", op_seed=8))
    told = {
        notice.message.split(" starts")[0]: notice.message for notice in identical_layers(shared)
    }
    assert ": p0, p2." in told["op seed 9"]
    assert ": p1, p3." in told["op seed 8"]
    drawn = sample(shared)
    assert np.array_equal(drawn["p0"], drawn["p2"])
    assert np.array_equal(drawn["p1"], drawn["p3"])
    assert not np.array_equal(drawn["p0"], drawn["p1"])


def test_seeds_of_initializers_mean_nothing_to_abacus():
    spec = net(normal(0, 0.1), (4, 3), (4, 3))
    own = replace(spec, draws=tuple(replace(draw, op_seed=9) for draw in spec.draws))
    drawn = sample(own, framework="abacus", seed=3)
    assert np.array_equal(drawn["p1"], sample(spec, framework="abacus", seed=3)["p1"])


@pytest.mark.filterwarnings("error", "ignore::paddle_init.errors.NoticeWarning")
@pytest.mark.parametrize("arithmetic", ["float64", "float32"])
@pytest.mark.parametrize("scheme", [normal(0, 1e300), constant(1e39)])
def test_what_overflows_in_abacus_is_infinite_without_a_warning(scheme, arithmetic):
    spec = replace(net(scheme, (40, 30), framework="abacus"), arithmetic=arithmetic)
    assert np.isinf(sample(spec, seed=1)["p0"]).all()

"""sample: whose draws, which seeds, which dtypes, and into which arrays."""

from __future__ import annotations

import numpy as np
import pytest
from support.command_line import CONFIGS

from abacus_compat import load_conf
from paddle_init import NetSpec, Seeding, sample
from paddle_init.errors import SpecError
from paddle_init.frameworks.sampling import as_sampled
from paddle_init.schemes import normal
from paddle_init.specs import Draw
from paddle_init.streams import Stream

RANK = load_conf(CONFIGS / "abacus_rank.yaml")
SHAPES = {"fc1_w": (300, 128), "fc1_b": (128,), "fc2_w": (128, 1), "fc2_w.bias": (1,)}


def same(left, right):
    return left.keys() == right.keys() and all(
        left[name].dtype == right[name].dtype and np.array_equal(left[name], right[name])
        for name in left
    )


def test_a_conf_is_sampled_in_paddles_shapes():
    values = sample(RANK, seed=42)
    assert {name: array.shape for name, array in values.items()} == SHAPES
    assert {array.dtype for array in values.values()} == {np.dtype(np.float32)}


def test_the_specs_stream_is_taken_unless_seeds_are_given():
    stream = Seeding("mt19937", seed_seq=(1, 2))
    spec = NetSpec("abacus", RANK.draws, RANK.tensors, stream)
    assert same(sample(spec), sample(RANK, engine="mt19937", seed_seq=(1, 2)))
    assert same(sample(spec, seed=3), sample(RANK, engine="mt19937", seed=3))
    other = sample(RANK, engine="minstd_rand", seed_seq=[1, 2])
    assert same(sample(spec, engine="minstd_rand"), other)
    assert not same(sample(spec), sample(spec, seed=3))


def test_the_other_framework_draws_the_same_distributions():
    here, there = sample(RANK, seed=3), sample(RANK, framework="paddle", seed=3)
    assert here.keys() == there.keys()
    for name, array in here.items():
        assert array.shape == there[name].shape
        if array.size > 100:
            assert abs(array.std() / there[name].std() - 1) < 0.2
    assert as_sampled(RANK, framework="paddle", seed=3).stream == Seeding("mt19937_64", seed=3)


@pytest.mark.parametrize(
    ("dtype", "held"), [("float64", "float64"), ("float16", "float16"), ("bfloat16", "uint16")]
)
def test_dtypes(dtype, held):
    values = sample(RANK, framework="paddle", seed=3, dtype=dtype)
    assert {str(array.dtype) for array in values.values()} == {held}


def test_values_go_into_given_arrays():
    out = {name: np.full(shape, np.nan, np.float32) for name, shape in SHAPES.items()}
    given = sample(RANK, seed=42, out=out)
    assert all(given[name] is out[name] for name in out)
    assert same(given, sample(RANK, seed=42))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"fc1_b": None}, "out: found fc1_w, fc2_w, fc2_w.bias, expected the tensors fc1_w, fc1_b"),
        ({"more": np.zeros(1)}, "out: found .* more, expected"),
        ({"fc1_b": np.zeros(128)}, r"out\['fc1_b'\]: found float64 \[128\], expected float32"),
        ({"fc1_b": np.zeros((1, 128), np.float32)}, r"found float32 \[1, 128\]"),
        ({"fc1_w": np.zeros((300, 256), np.float32)[:, ::2]}, "expected a C-contiguous"),
        ({"fc1_w": [[0.0]]}, r"out\['fc1_w'\]: expected an array, got list"),
    ],
)
def test_arrays_that_do_not_fit(change, said):
    out = {name: np.zeros(shape, np.float32) for name, shape in SHAPES.items()} | change
    out = {name: array for name, array in out.items() if array is not None}
    with pytest.raises(SpecError, match=said):
        sample(RANK, seed=42, out=out)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"spec": "a.yaml"}, "expected a NetSpec, as load_conf and load_spec return, got 'a.yaml'"),
        ({"out": [np.zeros(1)]}, "out: expected arrays by name, got list"),
        ({"seed": None, "seed_seq": 5}, "seed_seq must be a list of integers, got 5"),
        ({"seed": None, "seed_seq": "12"}, "seed_seq must be a list of integers, got '12'"),
    ],
)
def test_what_is_of_another_kind(settings, said):
    with pytest.raises(SpecError, match=said):
        sample(**{"spec": RANK, "seed": 1} | settings)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "no seed is known: give seed or seed_seq, or a spec that has a stream"),
        ({"framework": "paddle"}, "no seed is known: give seed or op_seed"),
        ({"seed": 2**64}, r"seed must be in \[0, 2\*\*64 - 1\], got 18446744073709551616"),
        ({"seed": -1}, "seed must be in"),
        ({"seed": 1.0}, "seed must be an integer, got 1.0"),
        ({"seed": 1, "seed_seq": [1]}, "exactly one of seed, seed_seq and op_seed"),
        ({"op_seed": 1}, "op_seed is Paddle's"),
        ({"framework": "paddle", "op_seed": 2**31}, r"op_seed must be an int32"),
        ({"framework": "paddle", "op_seed": 0}, "op_seed 0 means the global generator"),
        ({"framework": "paddle", "seed_seq": [1]}, "seed_seq is abacus's"),
        ({"framework": "paddle", "seed": 1, "engine": "mt19937"}, "mt19937_64 alone"),
        ({"seed": 1, "engine": "pcg64"}, "engine must be one of minstd_rand0, .*, got 'pcg64'"),
        ({"framework": "torch", "seed": 1}, "framework must be one of abacus, paddle"),
        ({"seed": 1, "dtype": "int8"}, "dtype must be one of float32, .*, got 'int8'"),
        ({"seed": 1, "dtype": "float64"}, "draw fc1_w: abacus has float32 alone, not float64"),
    ],
)
def test_refused(settings, said):
    with pytest.raises(SpecError, match=said):
        sample(RANK, **settings)


def test_out_and_path_exclude_each_other(tmp_path):
    with pytest.raises(SpecError, match="give out or path"):
        sample(RANK, seed=1, out={}, path=tmp_path / "x.npz")


def test_progress_tells_every_value(monkeypatch):
    monkeypatch.setattr("paddle_init.frameworks.drawing.BLOCK", 100)
    told = []
    sample(NetSpec("paddle", (Draw("w", (33, 10), normal()),)), seed=1, progress=told.append)
    assert told == [100, 100, 100, 30]


@pytest.mark.slow
def test_more_than_2_31_values_in_blocks():
    """2**31 + 2 values, of which the first and the last are looked at."""
    rows = 2**30 + 1

    class Ends:
        def __init__(self):
            self.first, self.count, self.largest = None, 0, 0

        def put(self, tensor, start, values):
            assert start == self.count
            self.first = values[:3].copy() if self.first is None else self.first
            self.count += values.size
            self.largest = max(self.largest, values.size)

    from paddle_init.frameworks.drawing import draw_net

    spec = NetSpec("paddle", (Draw("w", (rows, 2), normal()),), stream=Seeding("mt19937_64", 1))
    ends = Ends()
    draw_net(spec, ends)
    assert ends.count == 2 * rows
    assert ends.largest <= 2**20
    assert np.array_equal(ends.first, Stream("mt19937_64", seed_seq=[1]).normal(4)[:3])

"""Normals and uniforms against compiled libstdc++, every bit."""

from __future__ import annotations

import numpy as np
import pytest
from support.reference import compiled, run
from support.streams_cases import C_TYPES, SEEDINGS, Seeding, bits, edge_draws, reference

from paddle_init.streams import (
    ENGINES,
    NormalDistribution,
    Stream,
    StreamError,
    UniformRealDistribution,
)
from paddle_init.streams.canonical import Canonical
from paddle_init.streams.kernels import numpy_kernels

DTYPES = ("float32", "float64")
# A block is 16384 uniforms with mt19937_64, 32768 with the others.
SIZES = (1, 2, 3, 255, 16_383, 16_384, 16_385, 32_767, 32_768, 32_769, 70_001)


@pytest.mark.compiler
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["normal", "uniform"])
@pytest.mark.parametrize("engine", ENGINES)
def test_every_seeding(engine, kind, dtype):
    for seeding in SEEDINGS:
        ours = getattr(seeding.stream(engine, path="numpy"), kind)(1001, dtype=dtype)
        assert np.array_equal(bits(ours), bits(reference(engine, seeding, kind, dtype, 1001)))


@pytest.mark.compiler
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["normal", "uniform"])
@pytest.mark.parametrize("engine", ENGINES)
def test_sizes_and_parameters(engine, kind, dtype):
    seeding, parameters = Seeding(42), (-0.1, 0.13)
    for size in SIZES:
        ours = getattr(seeding.stream(engine, path="numpy"), kind)(size, *parameters, dtype)
        theirs = reference(engine, seeding, kind, dtype, size, parameters)
        assert np.array_equal(bits(ours), bits(theirs))


@pytest.mark.compiler
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_new_distribution_per_request_drops_the_spare(engine, dtype):
    stream = Stream(engine, 5, path="numpy")
    ours = np.concatenate([stream.normal(n, dtype=dtype) for n in (3, 1, 4, 5)])
    assert np.array_equal(bits(ours), bits(reference(engine, "int:5", "normal", dtype, "3;1;4;5")))


@pytest.mark.compiler
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("engine", ENGINES)
def test_one_distribution_in_pieces_keeps_the_spare(engine, dtype):
    stream, distribution = Stream(engine, 5, path="numpy"), NormalDistribution(1, 2, dtype)
    pieces = [distribution.fill(stream, np.empty(n, dtype)) for n in (3, 0, 1, 4, 1, 5)]
    theirs = reference(engine, "int:5", "normal", dtype, 14, (1.0, 2.0))
    assert np.array_equal(bits(np.concatenate(pieces)), bits(theirs))


def test_a_saved_spare_carries_on():
    stream, distribution = Stream("mt19937_64", 5), NormalDistribution(0, 0.5)
    whole = NormalDistribution(0, 0.5).fill(Stream("mt19937_64", 5), np.empty(8, np.float32))
    first = distribution.fill(stream, np.empty(3, np.float32))
    later = NormalDistribution(0, 0.5)
    later.spare = distribution.spare
    second = later.fill(Stream.restore(stream.state), np.empty(5, np.float32))
    assert np.array_equal(bits(np.concatenate([first, second])), bits(whole))


@pytest.mark.compiler
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("engine", ENGINES)
def test_canonical_at_its_edges(engine, dtype):
    draws = edge_draws(engine)
    answer = run(
        compiled("streams"), engine, "default", "canonical", C_TYPES[dtype], stdin=draws.tobytes()
    )
    theirs = np.frombuffer(answer, dtype)
    ours = np.empty(theirs.size, dtype)
    record = ENGINES[engine]
    numpy_kernels(record, np.dtype(dtype)).canonical(draws.astype(record.word), ours)
    assert np.array_equal(bits(ours), bits(theirs))
    assert ours[-1] == np.nextafter(ours.dtype.type(1), ours.dtype.type(0))


@pytest.mark.parametrize(
    ("engine", "dtype", "count"),
    [(engine, "float32", 1) for engine in ENGINES]
    + [("minstd_rand0", "float64", 2), ("mt19937", "float64", 2), ("mt19937_64", "float64", 1)],
)
def test_draws_per_value(engine, dtype, count):
    assert Canonical(ENGINES[engine], np.dtype(dtype)).draws_per_value == count


def test_a_uniform_may_round_up_to_its_upper_end():
    # u = 1 - 2**-24 times 1, plus 2**24: halfway, and to the even 2**24 + ... of C++.
    values = Stream("minstd_rand0", 1).uniform(100_000, 2.0**23, 2.0**23 + 1)
    assert set(values.tolist()) == {2.0**23, 2.0**23 + 1}


def test_no_canonical_value_reaches_one():
    for engine in ENGINES:
        assert Stream(engine, 2).uniform(200_000).max() < 1


def test_minus_zero_becomes_zero():
    # r2 = 1 gives sqrt(-0) = -0, and times std plus mean +0, as in C++.
    kernels = numpy_kernels(ENGINES["minstd_rand0"], np.dtype(np.float32))
    out = np.empty(2, np.float32)
    kernels.finish(np.array([1, 0], np.float32), out, np.float32(0), np.float32(1))
    assert bits(out).tolist() == [0, 0]


@pytest.mark.parametrize("shape", [0, (0, 3), (), (2, 3)])
def test_shapes(shape):
    for kind in ("normal", "uniform", "standard_normal"):
        values = getattr(Stream("mt19937", 1), kind)(shape)
        assert values.shape == np.empty(shape).shape
        flat = getattr(Stream("mt19937", 1), kind)(values.size)
        assert np.array_equal(values.reshape(-1), flat)


def test_an_empty_request_takes_nothing():
    stream = Stream("mt19937", 1)
    stream.normal(0)
    stream.uniform((3, 0))
    assert stream.state == Stream("mt19937", 1).state


@pytest.mark.parametrize("distribution", [NormalDistribution(), UniformRealDistribution()])
@pytest.mark.parametrize(
    ("out", "message"),
    [
        (np.empty(3), "out: found float64, allowed is an array of float32"),
        ([0.0], "out: found list, allowed is an array of float32"),
        (
            np.empty((4, 4), np.float32).T[:, :2],
            "out: found a read-only or strided array, allowed is a C-ordered one",
        ),
    ],
)
def test_a_wrong_array_to_fill(distribution, out, message):
    with pytest.raises(StreamError) as caught:
        distribution.fill(Stream("mt19937", 1), out)
    assert str(caught.value) == message


@pytest.mark.compiler
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("engine", ENGINES)
def test_what_overflows_is_infinite_without_a_warning(engine):
    for kind, parameters in (("normal", (3e38, 3e38)), ("uniform", (-3e38, 3e38))):
        ours = getattr(Stream(engine, 5, path="numpy"), kind)(1001, *parameters)
        theirs = reference(engine, "int:5", kind, "float32", 1001, parameters)
        assert np.isinf(ours).any()
        assert np.array_equal(bits(ours), bits(theirs))

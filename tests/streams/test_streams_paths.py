"""NumPy and compiled path, one thread and several: the same bits; when each is taken."""

from __future__ import annotations

import hashlib
import importlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.reference import compiled, run, unavailable
from support.streams_cases import C_TYPES, Seeding, bits, edge_draws, reference

from paddle_init.streams import (
    ENGINES,
    NormalDistribution,
    Stream,
    StreamError,
    UniformRealDistribution,
    kernels,
)
from paddle_init.streams.blocks import PARALLEL_BLOCK

DTYPES = ("float32", "float64")
KINDS = {"normal": NormalDistribution, "uniform": UniformRealDistribution}
PARAMETERS = (-0.1, 0.13)

# A block is 16384 uniforms with mt19937_64, 32768 with the others.
BORDERS = (1, 2, 16_383, 16_384, 16_385, 32_767, 32_768, 32_769, 70_001)


@pytest.fixture(autouse=True)
def _numba():
    try:
        import numba  # noqa: F401
    except ImportError:
        unavailable("no numba (extra fast)")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("engine", ENGINES)
def test_both_paths_at_block_borders_with_the_state_saved_between(engine, kind, dtype):
    sides = []
    for path in ("numpy", "compiled"):
        stream = Stream(engine, 17, path=path)
        distribution = KINDS[kind](*PARAMETERS, dtype)
        pieces = []
        for size in BORDERS:
            pieces.append(distribution.fill(stream, np.empty(size, dtype)))
            stream = Stream.restore(stream.state, path=path)
        sides.append((bits(np.concatenate(pieces)), stream.state))
    assert np.array_equal(sides[0][0], sides[1][0])
    assert sides[0][1] == sides[1][1]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_stream_may_change_its_path_midway(engine):
    straight = Stream(engine, 3, path="numpy").normal(120_000)
    stream, distribution = Stream(engine, 3, path="numpy"), NormalDistribution()
    pieces = []
    for path in ("compiled", "numpy", "compiled"):
        stream = Stream.restore(stream.state, path=path)
        pieces.append(distribution.fill(stream, np.empty(40_000, np.float32)))
    assert np.array_equal(bits(np.concatenate(pieces)), bits(straight))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("size", [2 * PARALLEL_BLOCK, 10 * PARALLEL_BLOCK + 12_345])
def test_any_number_of_threads(engine, kind, dtype, size):
    answers = []
    for threads in (1, 2, 3):
        stream = Stream(engine, seed_seq=[8], path="compiled", threads=threads)
        values = getattr(stream, kind)(size, *PARAMETERS, dtype)
        answers.append((bits(values).tobytes(), stream.state))
    assert answers[0] == answers[1] == answers[2]


@pytest.mark.compiler
@pytest.mark.parametrize("engine", ENGINES)
def test_the_compiled_path_equals_compiled_cpp(engine):
    for kind in KINDS:
        for dtype in DTYPES:
            ours = getattr(Stream(engine, 6, path="compiled"), kind)(300_001, *PARAMETERS, dtype)
            theirs = reference(engine, Seeding(6), kind, dtype, 300_001, PARAMETERS)
            assert np.array_equal(bits(ours), bits(theirs))


@pytest.mark.compiler
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("engine", ENGINES)
def test_compiled_canonical_at_its_edges(engine, dtype):
    draws = edge_draws(engine)
    answer = run(
        compiled("streams"), engine, "default", "canonical", C_TYPES[dtype], stdin=draws.tobytes()
    )
    theirs = np.frombuffer(answer, dtype)
    ours = np.empty(theirs.size, dtype)
    stream = Stream(engine, 1, path="compiled")
    stream.kernels(np.dtype(dtype), 1).canonical(draws.astype(stream.engine.word), ours)
    assert np.array_equal(bits(ours), bits(theirs))


@pytest.mark.parametrize("path", ["numpy", "compiled"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_disc_has_its_border_but_not_its_centre(dtype, path):
    steps = Stream("mt19937_64", 1, path=path).kernels(np.dtype(dtype), 1)
    half, beyond = 0.5, np.nextafter(np.dtype(dtype).type(0.5), np.dtype(dtype).type(1))
    uniforms = np.array([0, half, half, half, 0, beyond, 0, 0, half, 0.75], dtype)
    points = np.empty_like(uniforms)
    # 1 + tiny**2 rounds to 1. Dropped are (0, 0) and (-1, -1).
    kept = steps.try_points(uniforms, points)
    assert points[: 2 * kept].tolist() == [-1, 0, -1, 2 * float(beyond) - 1, 0, 0.5]


def test_threads_fill_all_but_the_last_blocks():
    stream, size = Stream("mt19937_64", 1, path="compiled", threads=2), 50 * PARALLEL_BLOCK
    steps, out = stream.kernels(np.dtype(np.float32), size), np.empty(size, np.float32)
    filled = NormalDistribution()._fill_in_threads(stream, steps, out)
    # A block in flight counts in full until it is sifted, so two may be left undone.
    assert size - 3 * PARALLEL_BLOCK < filled <= size


@pytest.mark.parametrize("path", ["numpy", "compiled"])
def test_raw_draws(path):
    for engine in ENGINES:
        draws = Stream(engine, 5, path=path).raw(100_000)
        assert np.array_equal(draws, Stream(engine, 5, path="numpy").raw(100_000))


def test_an_interrupt_in_one_thread_ends_the_request(monkeypatch):
    stream = Stream("mt19937", 1, path="compiled", threads=2)
    steps = stream.kernels(np.dtype(np.float32), 1)
    calls = []

    def broken(*arguments):
        calls.append(1)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return steps.finish(*arguments)

    altered = kernels.Kernels(**{**vars(steps), "finish": broken})
    monkeypatch.setattr(stream, "kernels", lambda dtype, count: altered)
    with pytest.raises(KeyboardInterrupt):
        stream.normal(200 * PARALLEL_BLOCK)
    assert len(calls) < 20


def test_auto_takes_the_compiler_once_it_has_paid(monkeypatch):
    monkeypatch.setattr(kernels, "_loaded", {})
    monkeypatch.setattr(kernels, "_drawn_by_numpy", 0)
    monkeypatch.setattr(kernels, "COMPILER_PAYS", 50_000)
    record, dtype = ENGINES["mt19937"], np.dtype(np.float32)
    taken = [
        kernels.choose_kernels(record, dtype, count, "auto").parallel
        for count in (20_000, 20_000, 10_000, 10_000, 100, 20_000)
    ]
    assert taken == [False, False, True, True, False, True]


def test_without_numba_auto_takes_numpy_and_compiled_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.setattr(kernels, "_loaded", {})
    monkeypatch.setattr(kernels, "COMPILER_PAYS", 0)
    assert Stream("mt19937", 1).normal(10_000).size == 10_000
    with pytest.raises(StreamError) as caught:
        Stream("mt19937", 1, path="compiled").normal(1)
    assert str(caught.value) == (
        "path 'compiled' for mt19937, float32: found no usable numba; "
        "pip install 'paddle-init[fast]', or take 'auto' or 'numpy'"
    )


def test_doubles_are_left_to_numpy_where_numba_has_svml(monkeypatch):
    import numba

    monkeypatch.setattr(numba.config, "USING_SVML", True)
    monkeypatch.setattr(kernels, "_loaded", {})
    with pytest.raises(StreamError):
        Stream("mt19937", 1, path="compiled").normal(1, dtype="float64")
    monkeypatch.setattr(kernels, "COMPILER_PAYS", 0)
    assert not kernels.choose_kernels(
        ENGINES["mt19937"], np.dtype(np.float64), 10**6, "auto"
    ).parallel


def start(code: str, **environment: str) -> subprocess.Popen[str]:
    root = str(Path(__file__).parents[2])
    env = {**os.environ, "PYTHONPATH": root, **environment}
    return subprocess.Popen(
        [sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, text=True
    )


def answer(process: subprocess.Popen[str]) -> str:
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    return out.strip()


def test_a_small_request_imports_no_compiler_and_no_paddle():
    code = (
        "import sys; from paddle_init.streams import Stream; Stream('mt19937', 1).normal(10**5);"
        "print([name for name in ('numba', 'paddle', 'yaml') if name in sys.modules])"
    )
    assert answer(start(code)) == "[]"


DRAW = (
    "import hashlib; from paddle_init.streams import Stream;"
    "print(hashlib.sha256(Stream('{}', 1, path='compiled').normal(1001)).hexdigest())"
)


@pytest.fixture
def double(tmp_path, monkeypatch):
    """A function in a module of its own, so with a cache of its own."""
    (tmp_path / "twice.py").write_text("def double(x):\n    return x + x\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "twice", raising=False)
    return importlib.import_module("twice").double


def test_a_broken_cache_is_left_aside(double, tmp_path):
    from paddle_init.streams.compiled.build import build

    for damage in (lambda data: data[:20], lambda data: b"", lambda data: b"x" * len(data)):
        assert build(double, "int64(int64)")(4) == 8
        files = [path for path in tmp_path.rglob("*") if path.suffix in (".nbi", ".nbc")]
        assert len(files) >= 2
        for path in files:
            path.write_bytes(damage(path.read_bytes()))
        assert build(double, "int64(int64)")(4) == 8
        for path in files:
            path.unlink()


def test_a_cache_entry_of_another_signature_is_left_aside(double, tmp_path):
    from paddle_init.streams.compiled.build import build

    build(double, "int64(int64)")
    build(double, "float64(float64)")
    first, second = sorted(tmp_path.rglob("*.nbc"))
    second.write_bytes(first.read_bytes())
    assert build(double, "float64(float64)")(0.25) == 0.5


def test_no_place_for_a_cache(double, tmp_path, monkeypatch):
    from numba.core import caching

    from paddle_init.streams.compiled.build import build

    monkeypatch.setattr(caching.CompileResultCacheImpl, "_locator_classes", [])
    assert build(double, "int64(int64)")(4) == 8
    assert not list(tmp_path.rglob("*.nb?"))


@pytest.mark.slow
def test_a_cache_that_processes_share_costs_time_only(tmp_path):
    engines = ("mt19937", "mt19937_64")
    expected = [
        hashlib.sha256(Stream(engine, 1, path="numpy").normal(1001)).hexdigest()
        for engine in engines
    ]
    here = {"NUMBA_CACHE_DIR": str(tmp_path)}
    together = [start(DRAW.format(engine), **here) for engine in engines]
    assert [answer(process) for process in together] == expected

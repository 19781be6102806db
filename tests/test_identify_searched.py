"""identify finds every parameter of the streams that it searches, and says what was altered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import paddle
import pytest
from numpy.typing import NDArray

from abacus_compat import load_conf
from paddle_init import Draw, NetSpec, RowBlock, Seeding, Tensor, identify, sample
from paddle_init.cli.main import main
from paddle_init.distributions import TruncatedNormal, Uniform
from paddle_init.identification import ParameterIdentification
from paddle_init.identification.lcg_search import back_to, first_draws_of, windows
from paddle_init.identification.lcg_states import MODULUS
from paddle_init.identification.order_index import OrderIndex, comparisons, pattern
from paddle_init.identification.searching import FAMOUS_SEEDS
from paddle_init.identification.starts import COMMON_SEEDS
from paddle_init.identification.subjects import Reading, Subject
from paddle_init.schemes import normal, truncated_normal, uniform, xavier_uniform
from paddle_init.streams import Stream
from paddle_init.streams.engines import engine_named

CONFS = Path(__file__).parent.parent / "configs"
MULTIPLIERS = {"minstd_rand0": 16807, "minstd_rand": 48271}


def only(weights: Any, **options: Any) -> ParameterIdentification:
    (found,) = identify({"w": weights}, **options).parameters
    return found


def lone(rng: np.random.Generator, kind: int) -> tuple[NDArray[Any], str, Seeding | None]:
    """Return a parameter of a searched stream, in either arithmetic, and where it is from."""
    size, scale = int(2 ** rng.uniform(4, 12)), 10 ** rng.uniform(-4, 1)
    common = int(rng.choice(COMMON_SEEDS))
    seeding: Seeding | None = None
    if kind < 2:
        engine = ("minstd_rand0", "minstd_rand")[kind]
        stream = Stream(engine, int(rng.integers(1, MODULUS)))
    elif kind == 2:
        seeding = Seeding("mt19937_64", seed=common)
        stream = Stream("mt19937_64", seed_seq=[common])
    elif kind == 3:
        famous = int(rng.choice(FAMOUS_SEEDS))
        seeding = Seeding("mt19937_64", seed=famous)
        stream = Stream("mt19937_64", seed_seq=[famous])
        stream.skip(int(rng.integers(0, 2**18 - 8192)))
    elif kind == 4:
        seeding = Seeding("mt19937", seed_seq=(common,))
        stream = Stream("mt19937", seed_seq=[common])
    else:
        op_seed = common % (2**31 - 1) or 1
        seeding = Seeding("mt19937_64", op_seed=op_seed) if op_seed == common else None
        stream = Stream("mt19937_64", op_seed if op_seed == common else 5)
        seeding = seeding or Seeding("mt19937_64", op_seed=5)
    if rng.integers(2):
        values = (stream.normal(size).astype(np.float64) * scale).astype(np.float32)
    else:
        values = stream.normal(size, 0, scale)
    return values, stream.engine.name, seeding


def all_found(count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for index in range(count):
        values, engine, seeding = lone(rng, index % 6)
        found = only(values)
        assert found.stream is not None, (seed, index)
        assert (found.initial, found.altered) == (True, 0)
        assert found.stream.engine == engine
        assert seeding is None or found.stream.seeding == seeding, (seed, index)


def test_lone_normals_are_found() -> None:
    all_found(36, seed=11)


@pytest.mark.slow
def test_two_thousand_lone_normals_are_found() -> None:
    all_found(2000, seed=12)


@pytest.mark.parametrize("seed", [23, 137, 165, 268, 378])
def test_a_polar_factor_near_one_is_found(seed: int) -> None:
    """x * x + y * y of the first pairs is near 1, where log loses most digits."""
    found = only(Stream("mt19937_64", seed_seq=[seed]).normal((64, 32), 0.0, 0.1))
    assert found.stream is not None
    assert found.stream.seeding == Seeding("mt19937_64", seed=seed)


@pytest.mark.parametrize("engine", MULTIPLIERS)
def test_no_state_is_lost_to_rounding(engine: str) -> None:
    """Of random states, at every scale, the first accepted pair's draw is kept; at any window."""
    rng = np.random.default_rng(7)
    multiplier, reading = MULTIPLIERS[engine], Reading("normal", "C")
    for seed in rng.integers(1, MODULUS, 150).tolist():
        scale = 10 ** rng.uniform(-30, 30)
        with np.errstate(over="ignore"):
            values = (Stream(engine, seed).normal(60).astype(np.float64) * scale).astype(np.float32)
        subject = Subject("w", values)
        states, state = [], seed
        for _ in range(60):
            state = state * multiplier % MODULUS
            states.append(state)
        for place in windows(subject, reading):
            firsts = first_draws_of(subject, reading, place, multiplier)
            assert firsts is not None
            begins = {back_to(first, place // 2, multiplier) for first in firsts}
            assert begins & set(states[::2])


def test_order_finds_every_place() -> None:
    values = np.random.default_rng(2).random(20_000).astype(np.float32)
    index = OrderIndex(comparisons(values))
    for place in range(0, 19_000, 97):
        for size in (5, 20, 65, 100):
            part = np.float16(values[place : place + size]).astype(np.float64) * 3 - 1
            part[size // 2] = np.nan
            assert place in index.places(*pattern(part))


@pytest.mark.parametrize(
    ("mean", "std", "low", "high"),
    [(0, 0.05, -2, 2), (0, 1, -2, 2), (0, 0.02, -0.04, 0.04), (0.5, 0.3, 0, 1), (1, 0.02, -2, 2)],
)
@pytest.mark.parametrize("before", [0, 1000])
@pytest.mark.paddle_3
def test_truncated_normals(mean: float, std: float, low: float, high: float, before: int) -> None:
    paddle.seed(7)
    paddle.uniform([before])
    initializer = paddle.nn.initializer.TruncatedNormal(mean, std, low, high)
    weight = paddle.create_parameter([500, 16], "float32", default_initializer=initializer)
    found = only(weight)
    assert (found.initial, found.altered) == (True, 0)
    assert found.stream is not None
    assert (found.stream.seeding, found.stream.position) == (
        Seeding("mt19937_64", seed=7),
        before,
    )
    drawn = found.stream.drawn
    assert isinstance(drawn, TruncatedNormal)
    assert (np.float32(drawn.mean), np.float32(drawn.std)) == (np.float32(mean), np.float32(std))


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-0.05, 0.2), (3, 4), (0.999, 1.001)])
def test_uniforms_of_any_bounds(low: float, high: float) -> None:
    paddle.seed(42)
    paddle.normal(shape=[33])
    initializer = paddle.nn.initializer.Uniform(low, high)
    found = only(paddle.create_parameter([90, 7], "float32", default_initializer=initializer))
    assert (found.initial, found.altered) == (True, 0)
    assert found.stream is not None
    assert found.stream.seeding == Seeding("mt19937_64", seed=42)
    assert isinstance(found.stream.drawn, Uniform)


@pytest.mark.parametrize(
    "initializer",
    [
        paddle.nn.initializer.TruncatedNormal(0.0, 0.05),
        paddle.nn.initializer.TruncatedNormal(0.0, 0.5),
        paddle.nn.initializer.TruncatedNormal(0.0, 1.5),
        paddle.nn.initializer.XavierUniform(),
        paddle.nn.initializer.KaimingUniform(),
        paddle.nn.initializer.XavierNormal(),
    ],
)
def test_a_fresh_parameter_of_another_seed_is_never_said_to_be_altered(initializer: Any) -> None:
    for seed in (987654322, 4_000_000_001):
        paddle.seed(seed)
        weight = paddle.create_parameter([400, 16], "float32", default_initializer=initializer)
        found = only(weight, ahead=1000)
        assert found.stream is None
        assert found.initial is not False
        assert found.altered is None


def row(values: NDArray[Any]) -> int:
    values[3] = 0
    return values.shape[1]


def first(values: NDArray[Any]) -> int:
    values[:2, :20] = 0.5
    return 40


def clipped(values: NDArray[Any]) -> int:
    limit = np.float32(np.sort(np.abs(values).reshape(-1))[-8])
    many = int((np.abs(values) > limit).sum())
    np.clip(values, -limit, limit, out=values)
    return many


def block(values: NDArray[Any]) -> int:
    values[100:150, 10:20] = np.random.default_rng(0).normal(size=(50, 10))
    return 500


@pytest.mark.parametrize("change", [row, first, clipped, block])
@pytest.mark.parametrize("kind", ["abacus", "normal", "uniform", "truncated"])
def test_altered_values_are_counted(kind: str, change: Any) -> None:
    seeding = Seeding("minstd_rand0", seed=5)
    if kind == "abacus":
        spec = NetSpec("abacus", (Draw("w", (300, 64), normal(0, 0.01)),), stream=seeding)
    else:
        scheme = {
            "normal": normal(0, 0.01),
            "uniform": xavier_uniform(),
            "truncated": truncated_normal(0, 0.02),
        }[kind]
        seeding = Seeding("mt19937_64", seed=7)
        spec = NetSpec("paddle", (Draw("w", (300, 64), scheme),), stream=seeding)
    values = sample(spec)["w"]
    drawn = values.copy()
    count = change(values)
    assert count == np.count_nonzero(values != drawn)
    found = only(values)
    assert (found.initial, found.altered) == (False, count)
    assert found.stream is not None
    assert found.stream.seeding == seeding
    changed = found.stream.alteration
    assert changed is not None
    places = np.argwhere(values != drawn)
    assert changed.first == tuple(map(tuple, places[:5].tolist()))
    assert changed.first_rows == tuple(np.unique(places[:, 0])[:5].tolist())


def test_blocks_are_not_said_to_be_altered() -> None:
    """A weight whose last rows are another draw of the same stream."""
    for sizes in ((200, 100), (201, 99)):
        draws = tuple(
            Draw(f"b{i}", (rows, 7), normal(0, std))
            for i, (rows, std) in enumerate(zip(sizes, (0.1, 0.02), strict=True))
        )
        blocks = tuple(RowBlock(draw.name, 0, draw.shape[0]) for draw in draws)
        spec = NetSpec("paddle", draws, (Tensor("w", "weight", (300, 7), blocks),))
        found = only(sample(spec, seed=7)["w"])
        assert found.initial is not False
        assert found.altered is None


@pytest.mark.parametrize(
    ("conf", "counter"), [("abacus_rank.yaml", (0, 1, 2, 3)), ("blockwise.yaml", (40, 41, 42, 43))]
)
def test_a_conf_finds_its_seed(conf: str, counter: tuple[int, ...]) -> None:
    spec = load_conf(CONFS / conf)
    weights = sample(spec, seed_seq=counter)
    net = identify(weights, CONFS / conf).net
    assert net is not None
    assert net.seeding == Seeding("minstd_rand0", seed_seq=counter)
    assert set(net.confirmed) == set(weights)
    assert not net.altered + net.different + net.missing + net.not_known


def test_a_state_draws_the_net_where_no_common_seed_does() -> None:
    spec = load_conf(CONFS / "blockwise.yaml")
    weights = sample(spec, seed=1987654321)
    net = identify(weights, spec).net
    assert net is not None
    assert net.seeding is not None
    again = sample(spec, seed=net.seeding.seed, engine=net.seeding.engine)
    assert all((again[name] == weights[name]).all() for name in weights)


def deep_fm() -> NetSpec:
    return NetSpec(
        "paddle",
        (
            Draw("first", (500, 1), truncated_normal(0, 0.03)),
            Draw("embedding", (500, 9), truncated_normal(0, 0.03)),
            Draw("dense", (13,), uniform(-0.1, 0.1)),
            Draw("fc1", (351, 64), normal(0, 0.05)),
            Draw("fc2", (64, 1), normal(0, 0.1)),
        ),
    )


@pytest.mark.parametrize("seed", [7, 31337])
def test_a_net_behind_its_embeddings(seed: int) -> None:
    weights = sample(deep_fm(), seed=seed)
    weights["embedding"][0] = 0
    made = identify(weights, deep_fm())
    assert made.net is not None
    assert made.net.seeding == Seeding("mt19937_64", seed=seed)
    assert made.net.altered == ("embedding",)
    assert {p.name: p.altered for p in made.parameters} == dict.fromkeys(weights, 0) | {
        "embedding": 9
    }
    del weights["embedding"], weights["first"]
    net = identify(weights, deep_fm()).net
    assert net is not None
    assert net.seeding == Seeding("mt19937_64", seed=seed)
    assert net.missing == ("first", "embedding")
    assert net.confirmed == ("dense", "fc1", "fc2")


def test_a_seed_that_is_not_searched_is_not_named() -> None:
    made = identify(sample(deep_fm(), seed=987654321012), deep_fm(), ahead=1000)
    assert made.net is not None
    assert made.net.seeding is None
    assert made.net.searched


def test_the_command_with_a_spec(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, conf = tmp_path / "start.npz", str(CONFS / "abacus_rank.yaml")
    sample(load_conf(conf), seed_seq=(0, 1, 2, 3), path=path)
    assert main(["identify", str(path), "--spec", conf, "--format", "json"]) == 0
    form = json.loads(capsys.readouterr().out)
    assert form["net"]["seeding"]["seed_seq"] == [0, 1, 2, 3]
    assert len(form["net"]["confirmed"]) == len(form["parameters"])
    assert {p["altered"] for p in form["parameters"]} == {0}
    assert main(["identify", str(path), "--spec", conf]) == 0
    assert f"abacus: {conf}" in capsys.readouterr().out
    assert main(["identify", str(path), "--mapping", conf]) == 2


def test_no_scheme_is_named_twice() -> None:
    found = only(Stream("mt19937_64", 1234).normal((60, 30), 0, 0.02))
    assert found.fits
    for fit in found.fits:
        labels = fit.label.split("; or ")
        assert len(labels) == len(set(labels))


def test_common_seeds_cover_a_seed_seq_of_one_value_of_mt19937() -> None:
    assert engine_named("mt19937").name == "mt19937"
    found = only(Stream("mt19937", seed_seq=[2019]).normal(500, 0, 0.3))
    assert found.stream is not None
    assert found.stream.seeding == Seeding("mt19937", seed_seq=(2019,))

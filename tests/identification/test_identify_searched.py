"""identify finds every parameter of the streams that it searches, and says what was altered."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import paddle
import pytest
from numpy.typing import NDArray

from abacus_compat import load_conf
from paddle_init import Draw, NetSpec, Overwrite, RowBlock, Seeding, Tensor, identify, sample
from paddle_init.cli.main import main
from paddle_init.distributions import Given, TruncatedNormal, Uniform, Unknown
from paddle_init.frameworks.paddle.nets.net import read_net
from paddle_init.identification import ParameterIdentification
from paddle_init.identification.lcg import MODULUS, back_to, first_draws_of, windows
from paddle_init.identification.page import as_text
from paddle_init.identification.parameters import Reading, Subject
from paddle_init.identification.prefilter import OrderIndex, comparisons, pattern
from paddle_init.identification.searching import FAMOUS_SEEDS
from paddle_init.identification.seed_tables import COMMON_SEEDS
from paddle_init.schemes import Fixed, normal, truncated_normal, uniform, xavier_uniform
from paddle_init.streams import Stream
from paddle_init.streams.engines import engine_named

CONFS = Path(__file__).parents[2] / "configs"
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
    all_found(24, seed=11)


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


def fresh(kind: str) -> NDArray[Any]:
    """Return values as no stream that is searched draws them in float32, and nothing altered."""
    rng = np.random.default_rng(4)
    initializers = paddle.nn.initializer
    paddle.seed(7 if "seed 7" in kind else 987654322)
    match kind.split(",")[0]:
        case "NumPy normal":
            return rng.standard_normal(5000, dtype=np.float32) * np.float32(0.02)
        case "NumPy uniform":
            return rng.uniform(-0.1, 0.1, 5000).astype(np.float32)
        case "tiny mean":
            initializer = initializers.Normal(1e-6, 0.02)
        case "normal":
            initializer = initializers.Normal(0.0, 0.02)
        case "uniform":
            initializer = initializers.Uniform(-0.1, 0.1)
        case "truncated":
            initializer = initializers.TruncatedNormal(0.0, 0.02, -0.04, 0.04)
        case "cut":
            initializer = initializers.TruncatedNormal(0.0, 0.02, -0.006, 0.006)
        case _:
            initializer = initializers.Orthogonal()
    dtype = "float64" if "float64" in kind else "float32"
    weight = paddle.create_parameter([500, 10], dtype, default_initializer=initializer)
    return weight.numpy().astype(np.float32)


@pytest.mark.parametrize(
    "kind",
    [
        "NumPy normal",
        "NumPy uniform",
        "tiny mean",
        "normal, float64",
        "uniform, float64",
        pytest.param("cut", marks=pytest.mark.paddle_3),
        "normal, float64, seed 7",
        "uniform, float64, seed 7",
        pytest.param("truncated, float64, seed 7", marks=pytest.mark.paddle_3),
        "orthogonal",
        "orthogonal, seed 7",
    ],
)
def test_fresh_values_are_never_said_to_be_altered(kind: str) -> None:
    found = only(fresh(kind), ahead=1000)
    assert found.initial is None
    assert found.altered is None
    assert found.remark.startswith("not known")
    assert "drawn in blocks" not in found.remark


def test_the_grid_proves_no_initial_values() -> None:
    """Of an unsearched seed a row that was set would not show."""
    paddle.seed(987654322)
    weight = paddle.create_parameter([400, 16], "float32").numpy()
    weight[3] = 0
    found = only(weight, ahead=1000)
    assert (found.initial, found.on_grid) == (None, True)


@pytest.mark.parametrize("kind", ["normal", "uniform", "truncated"])
@pytest.mark.parametrize("share", [1e-3, 0.3])
def test_training_is_found_behind_what_it_left(kind: str, share: float) -> None:
    """The first weight is whole, the bias and the last weight were moved."""
    scheme = {
        "normal": normal(0, 0.02),
        "uniform": uniform(-0.1, 0.1),
        "truncated": truncated_normal(0, 0.02),
    }[kind]
    names = {"w1": (40, 64), "b1": (64,), "w2": (64, 33)}
    draws = tuple(Draw(name, shape, scheme) for name, shape in names.items())
    weights = sample(NetSpec("paddle", draws), seed=31337)
    rng = np.random.default_rng(1)
    for name in ("b1", "w2"):
        step = rng.standard_normal(names[name]) * share * weights[name].std()
        weights[name] = (weights[name] - step).astype(np.float32)
    found = {p.name: p for p in identify(weights).parameters}
    assert found["w1"].initial is True
    assert found["w2"].initial is False
    assert found["b1"].initial is not True  # a few values that hardly moved prove nothing
    for name in ("b1", "w2"):
        stream = found[name].stream
        assert stream is not None
        assert stream.seeding == Seeding("mt19937_64", seed=31337)


def row(values: NDArray[Any]) -> int:
    values[3] = 0.25
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


def test_a_padding_row_counts_as_altered_without_a_spec() -> None:
    paddle.seed(11)
    table = paddle.nn.Embedding(50, 8, padding_idx=3)
    found = only(table.weight.numpy())
    assert (found.initial, found.altered) == (False, 8)
    assert found.remark == (
        "8 of 400 values were altered after they were drawn, in row 3: 0, as the padding row of an "
        "embedding; --spec says whether the net sets it"
    )
    part = table.weight.numpy()
    part[3, 2] = 1
    assert "padding" not in only(part).remark
    head = paddle.nn.Linear(8, 5).weight.numpy()
    told = as_text(identify({"table": table.weight.numpy(), "head": head}))
    assert told.startswith("1 of 2 parameters are drawn, bit for bit, by mt19937_64 ")
    assert told.splitlines()[0].endswith("; 1 was drawn so and altered since.")


class Reader(paddle.nn.Layer):  # type: ignore[misc]
    """An embedding with a padding row, tied to the layer that reads it."""

    def __init__(self) -> None:
        super().__init__()
        self.words = paddle.nn.Embedding(50, 8, padding_idx=4)
        self.fc = paddle.nn.Linear(8, 16)
        self.tied = self.words


def test_a_padding_row_of_a_spec_is_not_altered(tmp_path: Path) -> None:
    """Of a file too, whose arrays are read anew each time; under both names of it."""
    paddle.seed(42)
    path = tmp_path / "start.pdparams"
    paddle.save(Reader().state_dict(), str(path))
    for found in identify(path).parameters:
        if found.name != "fc.bias":
            assert found.initial is (found.name == "fc.weight")
    spec = read_net(Reader)
    made = identify(path, spec)
    assert made.net is not None
    assert set(made.net.confirmed) == {"words.weight", "fc.weight"}
    for found in made.parameters:
        if found.name != "fc.bias":
            assert (found.initial, found.altered) == (True, 0), found.name
    other = NetSpec("paddle", (Draw("words.weight", (50, 8), xavier_uniform()),))
    weights = sample(other, seed=42)
    weights["words.weight"][4] = 0
    (found,) = identify(weights, other).parameters
    assert (found.initial, found.altered) == (False, 8)


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


def test_a_file_is_read_by_its_spec_as_arrays_are(tmp_path: Path) -> None:
    spec = load_conf(CONFS / "blockwise.yaml")
    sample(spec, seed=1987654321, path=tmp_path / "start.npz")
    made = identify(tmp_path / "start.npz", spec)
    assert made == replace(
        identify(dict(np.load(tmp_path / "start.npz")), spec), weights=made.weights
    )
    assert {p.initial for p in made.parameters} == {True}


def test_what_a_spec_says_is_not_altered(tmp_path: Path) -> None:
    """A padding row, and a second name, are as the spec says."""
    spec = deep_fm()
    table = replace(
        spec.tensors[1], overwritten=(Overwrite(0, 9),), aliases=("head",), dtype="bfloat16"
    )
    spec = replace(spec, tensors=(spec.tensors[0], table, *spec.tensors[2:]))
    weights = sample(spec, seed=7)
    saved = {f"model.{name}": array for name, array in weights.items()}
    saved["model.head"] = saved["model.embedding"].copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = identify(saved, spec)
    assert made.net is not None
    assert set(made.net.confirmed) == set(weights)
    assert {p.name: (p.initial, p.altered) for p in made.parameters} == dict.fromkeys(
        saved, (True, 0)
    )
    table_of = {p.name: p for p in made.parameters}["model.head"]
    assert table_of.remark.startswith("every bit is a stream's, or set after the draw, as the spec")
    saved["model.head"][3] += 1
    made = identify(saved, spec)
    assert {p.name: p.initial for p in made.parameters}["model.head"] is not True


def test_what_a_spec_does_not_know_is_searched_behind_what_it_does() -> None:
    spec = deep_fm()
    weights = sample(spec, seed=7)
    unknown = Draw("fc1", (351, 64), Fixed(Unknown("an initializer of a user's own")))
    partly = NetSpec("paddle", (*spec.draws[:3], unknown))
    made = identify({n: weights[n] for n in ("first", "embedding", "dense", "fc1")}, partly)
    assert made.net is not None
    assert made.net.not_known == ("fc1",)
    stream = made.parameters[3].stream
    assert stream is not None
    assert (stream.seeding, stream.position) == (Seeding("mt19937_64", seed=7), 5013)


def test_a_net_of_other_names_is_not_searched() -> None:
    made = identify({"table": sample(deep_fm(), seed=7)["embedding"]}, deep_fm(), ahead=1000)
    assert made.net is not None
    assert (made.net.seeding, made.net.searched) == (None, ())
    assert "Nothing of the net of a net spec was found to search its seed by" in as_text(made)
    assert "--mapping" in as_text(made)


@pytest.mark.parametrize("kept", [(), ("fc1",)])
def test_a_trained_net_finds_its_seed(kept: tuple[str, ...]) -> None:
    """Every value was moved, or one layer was frozen."""
    weights, rng = sample(deep_fm(), seed=31337), np.random.default_rng(2)
    for name, values in weights.items():
        if name not in kept:
            step = rng.standard_normal(values.shape) * 0.1 * values.std()
            weights[name] = (values - step).astype(np.float32)
    net = identify(weights, deep_fm()).net
    assert net is not None
    assert net.seeding == Seeding("mt19937_64", seed=31337)
    assert net.confirmed == kept
    # 13 values are too few to tell that they are near.
    assert set(net.altered) == {"first", "embedding", "fc1", "fc2"} - set(kept)
    assert net.different == ("dense",)
    other = sample(deep_fm(), seed=987654321012)
    other["fc2"] = weights["fc2"]
    fresh_net = identify(other, deep_fm(), ahead=1000).net
    assert fresh_net is not None
    assert fresh_net.seeding is None


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


def net_with_seeds() -> NetSpec:
    """A table of given values, a parameter of the net's stream, and two of seeds of their own."""
    table = np.random.default_rng(3).normal(size=200).astype(np.float32)
    draws = (
        Draw("table", (20, 10), Fixed(Given(table))),
        Draw("own", (40, 10), normal(0, 0.1)),
        Draw("zeros", (40, 10), normal(0, 0)),
        Draw("within", (10, 8), normal(0, 0.1), seed=5),
        Draw("op", (10, 8), normal(0, 0.1), op_seed=9),
        Draw("behind", (10, 8), uniform(-0.1, 0.1)),
    )
    return NetSpec("paddle", draws)


def test_what_depends_on_no_seed_of_the_net_tells_none() -> None:
    spec = net_with_seeds()
    weights = sample(spec, seed=42)
    weights["own"] = np.random.default_rng(0).normal(0, 0.1, (40, 10)).astype(np.float32)
    net = identify(weights, replace(spec, stream=Seeding("mt19937_64", seed=7))).net
    assert net is not None
    assert net.seeding is None


def test_places_are_those_of_the_stream_that_draws() -> None:
    spec = net_with_seeds()
    made = identify(sample(spec, seed=42), spec)
    assert made.net is not None
    assert made.net.confirmed == ("own", "within", "op", "behind")
    assert made.net.constant == ("table", "zeros")
    found = {each.name: each.stream for each in made.parameters if each.name in made.net.confirmed}
    known = {name: (each.seeding, each.position) for name, each in found.items() if each}
    assert known == {
        "own": (Seeding("mt19937_64", seed=42), 0),
        "within": (Seeding("mt19937_64", seed=5), 0),
        "op": (Seeding("mt19937_64", op_seed=9), 0),
        "behind": (Seeding("mt19937_64", seed=5), found["within"].end if found["within"] else None),
    }

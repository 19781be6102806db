"""verify: what it says with a seed and without, of any input, in text, JSON and exit codes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import paddle
import pytest
from support.faults import (
    ABACUS,
    BLOCKWISE,
    DISTRIBUTIONS,
    TOWER,
    UNSEEDED,
    Arrays,
    changed,
    codes,
    planted,
    seeded,
)
from support.parity_specs import RANK

from paddle_init import param_attrs
from paddle_init.cli.main import main
from paddle_init.distributions import Unknown
from paddle_init.errors import Source, SpecError
from paddle_init.frameworks.sampling import sample
from paddle_init.results.checks import as_junit
from paddle_init.schemes import (
    Fixed,
    Scheme,
    constant,
    normal,
    paddle_fc,
    xavier_uniform,
)
from paddle_init.specs import Draw, NetSpec
from paddle_init.specs.yaml_form import dump_spec
from paddle_init.statistics import tails
from paddle_init.statistics.histograms import histogram
from paddle_init.verification import Verdict, verify
from paddle_init.verification.comparison import compare_bits
from paddle_init.verification.page import as_checks, as_text


def verdicts(spec: NetSpec, arrays: Arrays, **settings: Any) -> dict[str, str]:
    made = verify(arrays, spec, **settings)
    return {parameter.name: str(parameter.verdict) for parameter in made.parameters}


@pytest.mark.parametrize(("name", "said", "drawn", "code"), DISTRIBUTIONS)
def test_another_distribution_is_named(name: str, said: Scheme, drawn: Scheme, code: str) -> None:
    """300 x 128 values; with this fixed seed all are found, of which nothing is left to chance."""
    spec = NetSpec("abacus" if said.kind == "abacus" else "paddle", (Draw("w", (300, 128), said),))
    other = NetSpec("paddle", (Draw("w", (300, 128), drawn),))
    made = verify(sample(other, seed=5), spec)
    assert not made.passed
    assert codes(made, "w") == [code]


@pytest.mark.parametrize(
    ("name", "scheme", "code"),
    [("b1", paddle_fc(0.2, 1), "bias-scale"), ("b1", constant(0), "default")],
)
def test_another_bias_is_named(name: str, scheme: Scheme, code: str) -> None:
    made = verify(sample(changed(TOWER, **{name: scheme})), UNSEEDED)
    assert codes(made, name) == [code]
    assert [p.name for p in made.parameters if p.verdict.failed] == [name]


def test_repeated_layers_without_a_seed() -> None:
    """The trap of a program's random_seed: layers of one shape, and biases, begin alike."""
    made = verify(sample(seeded(TOWER, op_seed=9)), UNSEEDED)
    assert codes(made, "w3") == ["repeated"]
    assert codes(made, "b1") == ["repeats"]
    assert codes(made, "w1") == []
    assert "begins with the draws of w1" in as_text(made)
    assert "every bit equals that of w2" in as_text(made)


def test_repeated_layers_that_the_spec_asks_for() -> None:
    spec = seeded(TOWER, op_seed=9)
    made = verify(sample(spec), spec)
    assert made.passed
    assert codes(made, "w3") == ["repeated"]


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_repetition_in_every_dtype(dtype: str) -> None:
    arrays = sample(seeded(TOWER, op_seed=9), dtype=dtype)
    tensors = tuple(replace(tensor, dtype=dtype) for tensor in TOWER.tensors)
    made = verify(arrays, replace(UNSEEDED, tensors=tensors))
    assert {n.parameter for n in made.findings} == {"b1", "w2", "b2", "w3"}
    right = sample(TOWER, dtype=dtype)
    assert verify(right, replace(UNSEEDED, tensors=tensors)).passed


@pytest.mark.parametrize(
    ("arrays", "test"),
    [
        (planted((3, 4), np.nan), "finite"),
        (planted((3, 4), np.inf), "finite"),
        (planted((3, 4), 0.2), "largest"),
        (planted((slice(2),), 0.0), "zeros"),
    ],
)
def test_single_values(arrays: Arrays, test: str) -> None:
    made = verify(arrays, UNSEEDED)
    (weight,) = [p for p in made.parameters if p.verdict.failed]
    assert weight.name == "w1"
    assert test in [check.name for check in weight.checks if not check.passed]


def test_uniform_support() -> None:
    spec = changed(UNSEEDED, w1=xavier_uniform())
    arrays = sample(spec, seed=3)
    arrays["w1"][0, 0] = 0.2
    made = verify(arrays, spec)
    failed = [check.name for check in made.parameters[0].checks if not check.passed]
    assert failed == ["support"]


def test_blocks_are_tested_by_rows() -> None:
    right = sample(BLOCKWISE, seed=3)
    assert verify(right, BLOCKWISE).passed
    made = verify({"w": right["w"][::-1].copy()}, BLOCKWISE)
    (weight,) = made.parameters
    assert {check.rows for check in weight.checks if not check.passed} == {(0, 200), (200, 300)}
    scaled = {"w": right["w"] * np.repeat(np.float32([1, 2]), [200, 100])[:, None]}
    (finding,) = verify(scaled, BLOCKWISE, seed=3).findings
    assert finding.message.startswith("rows [200, 300): the draws are right")


def test_ulps_and_the_first_difference() -> None:
    expected = np.float32([[1, -1, 0.0, 2], [3, 4, 5, 6]])
    found = expected.copy()
    assert compare_bits(expected, found).histogram == ((0, 0, 8),)
    found[0, 2] = -0.0
    bits = compare_bits(expected, found)
    assert (bits.differing, bits.max_ulp, bits.first) == (1, 0, (0, 2))
    found[0, 1] = np.nextafter(np.float32(-1), np.float32(-2))
    found[1, 3] = np.float32(6) + 5 * np.spacing(np.float32(6))
    bits = compare_bits(expected, found)
    assert (bits.size, bits.differing, bits.max_ulp) == (8, 3, 5)
    assert bits.histogram == ((0, 0, 6), (1, 1, 1), (4, 7, 1))
    assert (bits.first, bits.expected) == ((0, 1), -1.0)
    assert compare_bits(np.float32([0]), np.float32([np.nan])).max_ulp is None
    ends = np.float64([-np.finfo(np.float64).max, np.finfo(np.float64).max])
    far = compare_bits(ends, ends[::-1].copy())
    assert far.max_ulp == 2 * 0x7FEFFFFFFFFFFFFF
    halves = compare_bits(np.uint16([0x3F80]), np.uint16([0xBF80]))  # bfloat16: 1 and -1
    assert (halves.max_ulp, halves.expected, halves.found) == (2 * 0x3F80, 1.0, -1.0)


def test_max_ulp_lets_rounding_pass() -> None:
    arrays = sample(TOWER)
    arrays["w1"] = np.nextafter(arrays["w1"], np.float32(1))
    assert not verify(arrays, TOWER).passed
    assert verify(arrays, TOWER, max_ulp=1).passed
    arrays["w1"] = np.nextafter(arrays["w1"], np.float32(1))
    assert not verify(arrays, TOWER, max_ulp=1).passed


def test_another_seed_is_a_stream_not_a_distribution() -> None:
    made = verify(sample(TOWER, seed=555), TOWER)
    assert {notice.code for notice in made.findings} == {"stream"}
    assert all(check.passed for parameter in made.parameters for check in parameter.checks)


def test_paddles_32_bits_of_seed() -> None:
    made = verify(sample(TOWER, seed=5), TOWER, seed=5 + 2**32)
    assert made.passed
    assert [notice.code for notice in made.findings] == ["seed-32-bits"]


def test_missing_unexpected_and_misshapen() -> None:
    arrays = sample(TOWER)
    del arrays["b2"]
    arrays["norm"] = np.ones(3, np.float32)
    arrays["w1"] = arrays["w1"].T
    for spec in (TOWER, UNSEEDED):
        made = verify(arrays, spec)
        found = {p.name: p.verdict for p in made.parameters}
        assert found["b2"] is Verdict.MISSING
        assert found["norm"] is Verdict.UNEXPECTED
        assert found["w1"] is Verdict.DIFFERS
        assert codes(made, "w1") == ["transposed"]
    del arrays["w1"]
    assert verify(arrays | sample(TOWER), TOWER).passed


def test_names() -> None:
    arrays = {f"{name}_of_net": array for name, array in sample(TOWER).items()}
    made = verify(arrays, TOWER)
    assert [notice.code for notice in made.findings] == ["names"]
    assert verify(arrays, TOWER, mapping={d.name: f"{d.name}_of_net" for d in TOWER.draws}).passed


def test_a_prefix_that_all_names_have_is_told() -> None:
    right = sample(TOWER)
    behind = {f"model.{name}": array for name, array in right.items()}
    made = verify(behind | {"epoch": np.ones(1, np.float32)}, TOWER)
    assert made.passed
    assert [notice.code for notice in made.findings] == ["prefix"]
    assert "'model.'" in made.findings[0].message
    assert [p.name for p in made.parameters if p.verdict is Verdict.UNEXPECTED] == ["epoch"]
    twice = behind | {f"ema.{name}": array for name, array in right.items()}
    assert [notice.code for notice in verify(twice, TOWER).findings] == ["names"]
    del behind["model.w2"]
    assert [notice.code for notice in verify(behind, TOWER).findings] == ["names"]


def test_what_a_spec_does_not_say_stays_untested() -> None:
    """What is known to take nothing from the stream leaves the rest to be compared."""
    given = Draw("given", (3, 4), Fixed(Unknown("given values", takes=0)))
    spec = replace(TOWER, draws=(given, *TOWER.draws), tensors=())
    arrays = sample(TOWER) | {"given": np.ones((3, 4), np.float32)}
    made = verify(arrays, spec)
    assert made.worst is Verdict.UNTESTED
    assert made.counts[Verdict.IDENTICAL] == len(TOWER.tensors)
    assert [p.name for p in made.parameters if p.verdict is Verdict.UNTESTED] == ["given"]
    assert as_text(made).startswith("Not known: 1 of 6 parameters could not be tested")
    arrays["given"] = arrays["given"].T
    assert verify(arrays, spec).worst is Verdict.DIFFERS


def test_behind_a_draw_that_may_move_the_stream_distributions_are_tested() -> None:
    own = Draw("own", (3, 4), Fixed(Unknown("a user's own")))
    arrays = sample(TOWER) | {"own": np.ones((3, 4), np.float32)}
    first = replace(TOWER, draws=(own, *TOWER.draws), tensors=())
    made = verify(arrays, first)
    assert made.worst is Verdict.UNTESTED
    assert made.counts[Verdict.FOLLOWS] == len(TOWER.tensors)
    last = replace(TOWER, draws=(*TOWER.draws, own), tensors=())
    assert verify(arrays, last).counts[Verdict.IDENTICAL] == len(TOWER.tensors)
    by_op = seeded(first, op_seed=7)
    right = sample(seeded(TOWER, op_seed=7)) | {"own": arrays["own"]}
    assert verify(right, by_op).worst is Verdict.UNTESTED


def test_empty_tensors_take_nothing_from_the_stream() -> None:
    empty = Draw("empty", (0, 4), normal(0, 1))
    spec = replace(TOWER, draws=(empty, *TOWER.draws), tensors=())
    drawn = sample(spec)
    assert drawn["empty"].shape == (0, 4)
    assert all(np.array_equal(drawn[name], array) for name, array in sample(TOWER).items())
    assert verify(drawn, spec).passed


def test_numbers_of_no_known_type_are_told(tmp_path: Path) -> None:
    path = tmp_path / "w.safetensors"
    header = b'{"w1":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]}}'
    path.write_bytes(len(header).to_bytes(8, "little") + header + b"\0\0")
    assert "unreadable" in codes(verify(path, TOWER), "w1")


def test_a_mapping_file(tmp_path: Path) -> None:
    """A weight turned, a weight with its bias row in one array, a weight in two."""
    arrays = sample(ABACUS)
    whole = np.concatenate([arrays["fc2_w"], arrays["fc2_w.bias"][None]])
    file = tmp_path / "names.yaml"
    given = {"a.weight": arrays["fc1_w"].T, "a.bias": arrays["fc1_b"], "b": whole}
    pairs = (
        "{left: fc1_w, right: a.weight, transposed: true}",
        "{left: fc1_b, right: a.bias}",
        "{left: [fc2_w, fc2_w.bias], right: b}",
    )

    def write(*lines: str) -> None:
        file.write_text("paddle_init_mapping: 1\npairs:\n" + "".join(f"  - {x}\n" for x in lines))

    write(*pairs)
    made = verify(given, ABACUS, mapping=file)
    assert made.passed, as_text(made)
    assert len(made.parameters) == 4
    top, bottom = np.split(arrays["fc1_w"], [100])
    write("{left: fc1_w, right: [top, bottom]}", *pairs[1:])
    assert verify(given | {"top": top, "bottom": bottom}, ABACUS, mapping=file).passed
    for line, said in (
        ("{left: fc1_w, right: none}", "'none', which arrays does not have"),
        ("{left: none, right: a.bias}", "'none', which is no tensor"),
        ("{left: [fc2_w, fc1_b], right: a.weight}", "which has 128"),
        ("{left: fc1_w, right: [a.weight, b]}", "rows that differ"),
    ):
        write(line)
        with pytest.raises(SpecError, match=said) as told:
            verify(given, ABACUS, mapping=file)
        assert "names.yaml:3" in str(told.value)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        # the second pairing would hide the first one's array, which nothing is compared with
        (["{left: fc1_w, right: other}", "{left: fc1_w, right: fc1_w}"], "'fc1_w' twice"),
        (["{left: fc1_w, right: fc1_w}", "{left: fc2_w, right: fc1_w}"], "'fc1_w' twice"),
        (["{left: fc1_b, right: fc1_b}", "{left: fc1_w, right: [other, other]}"], "'other' twice"),
        (
            ["{left: fc1_b, right: fc1_b}", "{left: fc1_v, right: fc1_w}"],
            "no tensor; it has fc1_w, fc1_b, fc2_w and 1 more; did you mean fc1_",
        ),
        (["{left: fc1_b, right: fc1_b}", "{left: fc1_w, right: othr}"], "did you mean other"),
    ],
)
def test_a_mapping_that_is_not_meant_so(lines: list[str], said: str, tmp_path: Path) -> None:
    file = tmp_path / "names.yaml"
    file.write_text("paddle_init_mapping: 1\npairs:\n" + "".join(f"  - {x}\n" for x in lines))
    given = {**sample(ABACUS), "other": np.ones((300, 128), np.float32)}
    with pytest.raises(SpecError, match=said) as told:
        verify(given, ABACUS, mapping=file)
    assert "names.yaml:4" in str(told.value)


def test_tied_names_may_name_one_array() -> None:
    spec = replace(
        TOWER, tensors=(replace(TOWER.tensors[0], aliases=("tied",)), *TOWER.tensors[1:])
    )
    name = spec.tensors[0].name
    arrays = sample(TOWER)
    given = {**arrays, "w": arrays[name]}
    del given[name]
    made = verify(given, spec, mapping={name: "w", "tied": "w"})
    assert made.passed, as_text(made)


@pytest.fixture
def net() -> paddle.nn.Layer:
    """A Layer whose ParamAttrs have the spec's names."""
    attrs = param_attrs(UNSEEDED)
    paddle.seed(2024)
    return paddle.nn.Sequential(
        paddle.nn.Linear(300, 128, attrs["w1"], attrs["b1"]),
        paddle.nn.Linear(128, 64, attrs["w2"], attrs["b2"]),
        paddle.nn.Linear(128, 64, attrs["w3"], False),
    )


def test_a_layer_and_its_file(net: paddle.nn.Layer, tmp_path: Path) -> None:
    """Paddle's own values, matched by the parameters' names."""
    paddle.save(net.state_dict(), str(tmp_path / "net.pdparams"))
    for weights in (net, net.state_dict(), tmp_path / "net.pdparams"):
        made = verify(weights, TOWER)
        assert made.passed, as_text(made)
        assert {p.verdict for p in made.parameters} == {Verdict.IDENTICAL}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"alpha": 0}, "alpha must be in (0, 1)"),
        ({"max_ulp": -1}, "max_ulp"),
        ({"any_seed": True, "seed": 3}, "any_seed and seed"),
        ({"seed": -1}, "seed must be"),
        ({"framework": "torch"}, "framework"),
    ],
)
def test_refusals(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(SpecError, match=said.replace("(", r"\(").replace(")", r"\)")):
        verify(sample(TOWER), UNSEEDED, **settings)
    with pytest.raises(SpecError, match="weights"):
        verify(5, TOWER)
    with pytest.raises(SpecError, match="expected an array"):
        verify({"w1": "text"}, TOWER)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec, weights = tmp_path / "net.yaml", tmp_path / "start.npz"
    spec.write_text(dump_spec(ABACUS))
    sample(ABACUS, path=weights)
    assert main(["verify", str(weights), str(spec)]) == 0
    assert capsys.readouterr().out.startswith("Yes, bit for bit: all 4 parameters.\n")
    assert main(["verify", str(weights), str(spec), "--any-seed"]) == 0
    assert capsys.readouterr().out.startswith("Yes, as far as tests tell: 4 parameters follow")
    assert main(["verify", str(weights), str(spec), "--seed-seq", "0,1,2,4"]) == 1
    assert capsys.readouterr().out.startswith("No: 4 of 4 parameters do not start")
    code = main(["verify", str(weights), str(spec), "--seed", "1", "--format", "json"])
    form = json.loads(capsys.readouterr().out)
    assert code == 1
    assert (form["schema"], form["passed"], form["counts"]["differs"]) == (1, False, 4)
    assert form["parameters"][0]["bits"]["first"] == [0, 0]
    for bad in (
        ["--mapping", "none.yaml"],
        ["--op-seed", "4"],
        ["--max-ulp", "-1"],
        ["-o", str(weights)],
    ):
        assert main(["verify", str(weights), str(spec), *bad]) == 2
    assert main(["verify", str(spec), str(spec)]) == 2


@pytest.mark.parametrize("degrees", [1, 2, 7, 41, 1000, 10_000])
@pytest.mark.parametrize("sigmas", [-5, -1, 0, 1, 5, 8])
def test_chi_square_tails(degrees: int, sigmas: float) -> None:
    """Within 1e-8 of mpmath's incomplete gamma function."""
    import mpmath

    value = max(1e-3, degrees + sigmas * (2 * degrees) ** 0.5)
    with mpmath.workdps(30):
        lower = mpmath.gammainc(mpmath.mpf(degrees) / 2, 0, mpmath.mpf(value) / 2, regularized=True)
        expected = float(min(lower, 1 - lower))
    assert min(tails.chi_square_tails(value, degrees)) == pytest.approx(expected, rel=1e-8)


UNKNOWN = NetSpec("paddle", (Draw("w", (8, 8), Fixed(Unknown("a rule of its own"))),))


def test_what_cannot_be_tested_does_not_pass() -> None:
    arrays = {"w": np.ones((8, 8), np.float32)}
    made = verify(arrays, UNKNOWN)
    assert (made.worst, made.passed) == (Verdict.UNTESTED, False)
    assert as_text(made).startswith("Not known: none of the 1 parameters could be tested")
    empty = NetSpec("paddle", (Draw("w", (0, 8), normal(0, 1)),))
    assert verify({"w": np.ones((0, 8), np.float32)}, empty).passed


def test_every_parameter_tells_its_spec_and_its_values() -> None:
    arrays = sample(BLOCKWISE, seed=3)
    (weight,) = verify(arrays, BLOCKWISE, histograms=True).parameters
    assert weight.spec is not None
    assert [block.rows for block in weight.spec.blocks or ()] == [(0, 200), (200, 300)]
    assert weight.histogram is not None
    assert sum(weight.histogram.counts) == 300 * 64
    assert weight.histogram.edges[0] == arrays["w"].min()
    assert weight.histogram.edges[-1] == arrays["w"].max()
    (bare,) = verify(arrays, BLOCKWISE).parameters
    assert bare.histogram is None


@pytest.mark.parametrize(
    ("values", "bins"),
    [
        ([], None),
        ([np.nan, np.inf], None),
        ([-1e308, 1e308], None),
        ([3.0], 1),
        ([1.0, 1.0 + 2.0**-52] * 50, 1),
        ([*range(100), np.nan], 10),
        (range(10_000), 48),
    ],
)
def test_histograms(values: Any, bins: int | None) -> None:
    found = histogram(np.array(values, np.float64))
    assert (found and len(found.counts)) == bins
    if found is not None:
        assert sum(found.counts) == np.isfinite(np.array(values)).sum()
        assert len(found.edges) == len(found.counts) + 1


@pytest.mark.parametrize(
    ("change", "fails"),
    [
        ("none", ["identical", "follows"]),
        ("extra", ["identical", "follows", "unexpected"]),
        ("wrong", ["identical", "follows", "unexpected", "untested", "differs"]),
        ("gone", ["identical", "follows", "unexpected", "untested", "differs", "missing"]),
    ],
)
def test_fail_on(
    change: str, fails: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec, weights = tmp_path / "net.yaml", tmp_path / "start.npz"
    spec.write_text(dump_spec(UNSEEDED))
    arrays = sample(TOWER)
    if change == "extra":
        arrays["more"] = np.ones(3, np.float32)
    elif change == "wrong":
        arrays["w1"] = arrays["w1"] * np.float32(2)
    elif change == "gone":
        del arrays["w1"]
    np.savez(weights, **arrays)
    command = ["verify", str(weights), str(spec)]
    for verdict in Verdict:
        expected = int(str(verdict) in fails)
        assert main([*command, "--fail-on", str(verdict)]) == expected, verdict
    assert main(command) == int("untested" in fails)
    capsys.readouterr()
    assert main([*command, "--format", "github", "--fail-on", "untested"]) == main(command)
    printed = capsys.readouterr().out
    assert ("::error " in printed) == ("untested" in fails)
    assert ("::warning title=more%3A unexpected::" in printed) == (change == "extra")


def test_checks_say_why_and_where(tmp_path: Path) -> None:
    arrays = sample(changed(TOWER, b1=paddle_fc(0.2, 1)))
    del arrays["b2"]
    source = Source("net.yaml", 7)
    spec = replace(UNSEEDED, draws=tuple(replace(d, source=source) for d in UNSEEDED.draws))
    suite = as_checks(verify(arrays, spec))
    missing, differs, *others = suite.checks
    assert (missing.name, missing.kind) == ("b2", "missing")
    assert missing.details.startswith("the spec has it, the weights do not\nspec: std = ")
    assert (differs.name, differs.source) == ("b1", source)
    assert differs.details.startswith("the bias is not divided by sqrt(fan_in)")
    assert {check.verdict.value for check in others} == {"passed"}
    assert suite.name == "paddle-init verify"
    assert 'failures="2"' in as_junit(suite)


def test_rank_follows_its_own_rule() -> None:
    assert verdicts(RANK, sample(RANK, seed=11)) == dict.fromkeys(RANK.tensor_by_name, "follows")

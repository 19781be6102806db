"""The report's fine levels: both sides drawn and compared bit by bit."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from support.command_line import CONFIGS
from support.parity_specs import ABACUS, one_weight

from paddle_init import NetSpec, Seeding, report, sample
from paddle_init.cli.main import main
from paddle_init.dtypes import differences
from paddle_init.parity.building import counterpart
from paddle_init.parity.records import Level
from paddle_init.schemes import normal, truncated_normal, uniform
from paddle_init.specs import Draw

RANK = str(CONFIGS / "abacus_rank.yaml")
SEQ = Seeding("mt19937_64", seed_seq=(7,))
PADDLE = Seeding("mt19937_64", seed=7)


def only(left: NetSpec, right: NetSpec):
    (comparison,) = report(left, right).parameters
    return comparison


def tower(*rowns: int) -> tuple[NetSpec, NetSpec]:
    """abacus's weights and the towers', from the same z in the same order."""
    draws = tuple(Draw(f"w{rown}", (rown, 64), ABACUS) for rown in rowns)
    left = NetSpec("abacus", draws, stream=SEQ, storage_order="C")
    return left, replace(counterpart(left), stream=PADDLE)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ([0.0], [-0.0], (1, 0)),
        ([1.0], [np.nextafter(np.float32(1), np.float32(2))], (1, 1)),
        ([-1e-45], [1e-45], (1, 2)),
        ([1.0, 2.0], [1.0, 2.0], (0, 0)),
        ([1.0, 2.0], [2.0, 2.0], (1, 2**23)),
        ([-1.0], [1.0], (1, 2 * 0x3F800000)),
        ([-np.inf], [np.inf], (1, 2 * 0x7F800000)),
    ],
)
def test_ulp_on_the_line_of_integers(left, right, expected):
    here, there = np.array(left, np.float32), np.array(right, np.float32)
    assert differences(here.view(np.uint32), there.view(np.uint32)) == expected


@pytest.mark.parametrize("width", [16, 64])
def test_ulp_of_the_other_widths(width):
    one = np.array([1.0], f"f{width // 8}")
    bits, negative = one.view(f"u{width // 8}"), (-one).view(f"u{width // 8}")
    assert differences(bits, negative) == (1, 2 * int(bits[0]))


def test_why_abacus_scales_the_draw_and_paddle_the_std():
    """The open question of the seed document: the same distribution, a rounding apart."""
    left, right = tower(16, 64, 100, 300, 512, 1000, 2048, 4096)
    here, there = sample(left), sample(right)
    for comparison in report(left, right).parameters:
        name = comparison.name
        assert comparison.level is Level.ROUNDING
        assert comparison.max_ulp == 1
        assert comparison.differing == np.count_nonzero(here[name] != there[name])
        assert 0.11 < comparison.differing / math.prod(comparison.shape) < 0.57
        assert comparison.explanation == (
            f"Both make the same draws; {comparison.differing} values differ, by at most 1 ULP: "
            "abacus multiplies the draw by a double scale and rounds once, while Paddle rounds "
            "the std to float32 and multiplies in float32."
        )


@pytest.mark.parametrize(
    ("left", "right", "level"),
    [
        (one_weight(ABACUS, stream=SEQ), one_weight(ABACUS, stream=SEQ), Level.IDENTICAL),
        (
            one_weight(ABACUS, stream=SEQ),
            one_weight(ABACUS, stream=SEQ, arithmetic="float32"),
            Level.ROUNDING,
        ),
        (
            one_weight(ABACUS, stream=SEQ),
            one_weight(ABACUS, stream=SEQ, storage_order="C"),
            Level.STREAM,
        ),
        (
            one_weight(ABACUS, stream=SEQ),
            one_weight(ABACUS, stream=replace(SEQ, seed_seq=(8,))),
            Level.STREAM,
        ),
        (
            one_weight(normal(0, 0.1), "paddle", stream=PADDLE),
            one_weight(normal(0, 0.1), "paddle", stream=replace(PADDLE, seed=7 + 2**32)),
            Level.IDENTICAL,
        ),
        (
            one_weight(normal(0, 0.1), "paddle", stream=PADDLE),
            one_weight(normal(0, 0.1), "paddle", "bfloat16", stream=PADDLE),
            Level.ROUNDING,
        ),
        (
            one_weight(normal(0, 0.1), "paddle", "float16", stream=PADDLE),
            one_weight(normal(0, 0.1), "paddle", "bfloat16", stream=PADDLE),
            Level.ROUNDING,
        ),
        (
            one_weight(uniform(-0.1, 0.1), "paddle", stream=PADDLE),
            one_weight(uniform(-0.1, 0.1 * (1 + 2**-40)), "paddle", stream=PADDLE),
            Level.IDENTICAL,
        ),
        (
            one_weight(uniform(-0.1, 0.1), "paddle", stream=PADDLE),
            one_weight(uniform(-0.1, 0.1 * (1 + 2**-24)), "paddle", stream=PADDLE),
            Level.ROUNDING,
        ),
        (
            one_weight(truncated_normal(0, 1), "paddle", stream=PADDLE),
            one_weight(truncated_normal(0, 1), "paddle", stream=Seeding("mt19937_64", op_seed=7)),
            Level.STREAM,
        ),
    ],
)
def test_levels_by_drawing(left, right, level):
    found = only(left, right)
    assert found.level is level
    assert (found.differing == 0) == (found.max_ulp == 0)
    if level is Level.STREAM:
        assert found.differing > 30_000
        assert "but not the same values" in found.explanation
    if level is Level.IDENTICAL:
        assert found.differing == 0
        assert found.explanation == "Drawn on both sides, every value is the same in every bit."


def test_a_tensor_without_partner_and_another_scale_are_not_drawn():
    left, right = tower(16, 64)
    right = replace(
        right,
        draws=(
            replace(right.draws[0], scheme=normal(0, 3)),
            replace(right.draws[1], name="x", shape=(5, 7)),
        ),
        tensors=(),
    )
    levels = {c.name: (c.level, c.differing) for c in report(left, right).parameters}
    assert levels == {
        "w16": (Level.SCALE, None),
        "w64": (Level.STRUCTURE, None),
        "x": (Level.STRUCTURE, None),
    }


def test_tensors_of_other_names_are_drawn_under_their_own():
    left, right = tower(16, 64)
    draws = tuple(replace(one, name=f"{one.name}.x") for one in right.draws)
    found = report(left, replace(right, draws=draws, tensors=())).parameters
    same = report(left, right).parameters
    assert [c.name for c in found] == ["w16", "w64"]
    assert [(c.level, c.differing) for c in found] == [(c.level, c.differing) for c in same]


def test_without_a_seed_nothing_is_drawn():
    left, right = tower(16)
    for a, b in ((replace(left, stream=None), right), (left, replace(right, stream=None))):
        found = only(a, b)
        assert (found.level, found.differing, found.max_ulp) == (Level.STREAM, None, None)


def test_what_cannot_be_drawn_is_told():
    left = one_weight(uniform(0, 1), stream=SEQ)
    found = report(left, left)
    assert found.parameters[0].level is Level.STREAM
    assert found.warnings[0].code == "not-drawn"
    assert "draws normals of mean 0 and constants, not Uniform" in found.warnings[0].message


def test_draws_after_one_that_consumes_otherwise_are_another_stream():
    """The same seed, but the right side's first tensor is a constant: all after it moves on."""
    left, right = tower(16, 64)
    right = replace(right, draws=(replace(right.draws[0], scheme=uniform(0, 1)), right.draws[1]))
    assert [c.level for c in report(left, right).parameters] == [Level.DISTRIBUTION, Level.STREAM]


def test_identical_layers():
    spec = NetSpec(
        "paddle",
        (Draw("a", (3, 4), normal()), Draw("b", (3, 4), normal())),
        stream=Seeding("mt19937_64", op_seed=7),
    )
    codes = [notice.code for notice in report(spec, spec).warnings]
    assert codes.count("identical-layers") == 1


class TestCommand:
    def report(self, capsys, *options: str) -> dict:
        assert main(["report", RANK, "--format", "json", *options]) == 0
        return json.loads(capsys.readouterr().out)

    def test_seeds_of_both_sides(self, capsys):
        options = ("--engine", "mt19937_64", "--seed-seq", "7", "--storage-order", "C")
        found = self.report(capsys, *options, "--right-seed", "7")["parameters"][0]
        assert (found["name"], found["level"], found["max_ulp"]) == ("fc1_w", "rounding", 1)
        assert 0 < found["differing"] < 300 * 128

    def test_a_right_op_seed(self, capsys):
        found = self.report(capsys, "--seed", "1", "--right-op-seed", "7")
        assert found["parameters"][0]["level"] == "stream"
        assert found["parameters"][0]["differing"] > 38_000

    def test_against_itself(self, capsys):
        options = ("--against", RANK, "--seed", "42", "--right-seed", "42")
        found = self.report(capsys, *options)
        assert found["summary"]["worst"] == "identical"
        assert {one["differing"] for one in found["parameters"]} == {0}

    def test_bad_seeds(self, capsys):
        assert main(["report", RANK, "--right-op-seed", "0"]) == 2
        assert "op_seed 0 means the global generator" in capsys.readouterr().err
        assert main(["report", RANK, "--engine", "mt19937"]) == 2
        assert "no seed is known" in capsys.readouterr().err

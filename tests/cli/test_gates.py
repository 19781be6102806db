"""Gates: what is not known passes no assertion, no --fail-on and no check of CI."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from support.command_line import CONFIGS
from support.parity_specs import ABACUS, RANK

from paddle_init.cli.main import main
from paddle_init.distributions import Unknown
from paddle_init.parity.building import counterpart, report
from paddle_init.parity.gating import gated
from paddle_init.parity.page import answer, as_checks
from paddle_init.parity.records import Level
from paddle_init.results.checks import Verdict
from paddle_init.schemes import Fixed
from paddle_init.specs import Draw, NetSpec, RowBlock, Tensor, plain_tensor
from paddle_init.specs.yaml_form import dump_spec
from paddle_init.testing import ParityError, assert_parity
from paddle_init.verification import Verdict as Found
from paddle_init.verification import verify
from paddle_init.verification.page import as_checks as verification_checks

ROWS = NetSpec("abacus", (Draw("w", (300, 128), ABACUS), Draw("b", (1, 128), ABACUS)))
"""Draws alone: b may be a bias."""
UNREADABLE = NetSpec("paddle", (Draw("w", (8, 4), Fixed(Unknown("a function of its own"))),))


def test_a_report_shows_levels_as_of_weights_and_a_gate_does_not_believe_them() -> None:
    made = report(ROWS)
    assert made.worst is Level.STREAM
    weight, bias = gated(made).parameters
    assert (weight.level, bias.level) == (Level.STREAM, Level.DISTRIBUTION)
    assert bias.explanation.startswith("Nothing says whether this is a bias, so it counts as")
    assert "role: bias" in str(bias.advice)
    assert gated(report(RANK)) == report(RANK)


def test_without_single_rows_any_may_hold_a_bias() -> None:
    made = report(CONFIGS / "params_only.yaml")
    assert made.worst is Level.SCALE
    assert {each.level for each in gated(made).parameters} == {Level.DISTRIBUTION}


def test_what_may_be_a_bias_is_not_said_to_differ_from_the_rule_of_a_weight() -> None:
    """As the bias of w, b is drawn as the towers draw it: 0.2 / sqrt(300)."""
    alike = replace(ABACUS, init_range=300**-0.5)
    spec = NetSpec("abacus", (Draw("w", (300, 128), ABACUS), Draw("b", (1, 128), alike)))
    made = report(spec)
    assert [(each.level, each.known) for each in made.parameters] == [
        (Level.STREAM, True),
        (Level.DISTRIBUTION, False),
    ]
    assert str(answer(made)).startswith("Not known: 1 of 2 parameters")
    given = report(spec, counterpart(spec))  # a net says what it draws, whatever it is for
    assert [each.level for each in given.parameters] == [Level.STREAM, Level.SCALE]
    bias = replace(plain_tensor(spec.draws[1]), role="bias", shape=(128,))
    stated = replace(spec, tensors=(spec.tensors[0], bias))
    assert report(stated).worst is Level.STREAM


@pytest.mark.parametrize("spec", [ROWS, CONFIGS / "params_only.yaml", UNREADABLE])
def test_what_is_not_known_fails(
    spec: NetSpec | Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    right = UNREADABLE if spec is UNREADABLE else None
    for level in ("rounding", "stream", "scale"):
        with pytest.raises(ParityError, match=r"worse than .*; the worst is distribution"):
            assert_parity(spec, right, level)
    assert_parity(spec, right, "distribution")
    suite = as_checks(report(spec, right) if right else report(spec))
    assert suite.checks[0].verdict is Verdict.FAILED
    assert suite.checks[0].kind == "not known"
    if spec is UNREADABLE:
        return
    path = spec if isinstance(spec, Path) else tmp_path / "spec.yaml"
    if isinstance(spec, NetSpec):
        path.write_text(dump_spec(spec))
    for level, code in (("stream", 1), ("scale", 1), ("distribution", 1), ("structure", 0)):
        assert main(["report", str(path), "--fail-on", level]) == code, level
    assert main(["report", str(path)]) == 0
    answer = "Not known: " if spec is ROWS else "No: 2 of 2 parameters start elsewhere (scale 2)."
    assert f"\n{answer}" in capsys.readouterr().out


NOTHING = NetSpec("abacus", ())
EMBEDDED = Draw("table", (8, 4), ABACUS)
TABLE = NetSpec(
    "paddle", (EMBEDDED,), (Tensor("table", "other", (8, 4), (RowBlock("table", 0, 8),)),)
)
"""A parameter of no fully connected layer: shown, and held against nothing."""


@pytest.mark.parametrize("sides", [(NOTHING, None), (NOTHING, NOTHING), (TABLE, NOTHING)])
def test_what_compares_nothing_passes_at_no_level(
    sides: tuple[NetSpec, NetSpec | None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = report(*sides)
    names = []
    for number, side in enumerate(filter(None, sides)):
        names.append(str(tmp_path / f"{number}.yaml"))
        Path(names[-1]).write_text(dump_spec(side))
    command = ["report", names[0], *(["--against", names[1]] if len(names) > 1 else [])]
    assert main(command) == 0
    for level in Level:
        with pytest.raises(ParityError, match=r"^Nothing to compare: .*") as failed:
            assert_parity(*sides, level)
        assert "What compares nothing passes no check: name a conf" in str(failed.value)
        assert failed.value.report == made
        (check,) = as_checks(made, level).checks
        assert (check.verdict, check.kind) == (Verdict.FAILED, "nothing")
        assert check.details.startswith("Nothing to compare: ")
        assert main([*command, "--fail-on", str(level)]) == 1, level
    capsys.readouterr()
    assert main([*command, "--format", "github"]) == 0
    assert "\n::error title=nothing to check%3A nothing::Nothing to comp" in capsys.readouterr().out
    assert main([*command, "--format", "junit"]) == 0
    assert 'tests="1" failures="1"' in capsys.readouterr().out


@pytest.mark.parametrize("arrays", [{}, {"w": np.ones((2, 3), np.float32)}])
def test_what_verifies_nothing_passes_at_no_verdict(
    arrays: dict[str, NDArray[np.float32]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = verify(arrays, NOTHING)
    assert not made.passed
    weights, spec = tmp_path / "w.npz", tmp_path / "spec.yaml"
    np.savez(weights, **arrays)  # type: ignore[arg-type]
    spec.write_text(dump_spec(NOTHING))
    for verdict in Found:
        assert made.fails(verdict)
        assert verification_checks(made, verdict).checks[0].verdict is Verdict.FAILED
        assert main(["verify", str(weights), str(spec), "--fail-on", str(verdict)]) == 1
    assert main(["verify", str(weights), str(spec)]) == 1
    assert capsys.readouterr().out.startswith("Nothing to verify: the spec has no parameter.")

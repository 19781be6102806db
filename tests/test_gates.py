"""Gates: what is not known passes no assertion, no --fail-on and no check of CI."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import CONFIGS
from parity_specs import ABACUS, RANK

from paddle_init.checks import Verdict
from paddle_init.cli.main import main
from paddle_init.distributions import Unknown
from paddle_init.parity import Level, report
from paddle_init.parity.check_form import as_checks
from paddle_init.parity.gating import gated
from paddle_init.schemes import Fixed
from paddle_init.specs import Draw, NetSpec
from paddle_init.specs.writing import dump_spec
from paddle_init.testing import ParityError, assert_parity

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
    assert suite.checks[0].kind == "distribution"
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

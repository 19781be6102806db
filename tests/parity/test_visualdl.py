"""Reports in VisualDL's logs, read back by VisualDL."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.command_line import CONFIGS
from support.parity_specs import ABACUS, one_weight

from paddle_init.cli.main import main
from paddle_init.distributions import Unknown
from paddle_init.frameworks.sides import Side
from paddle_init.parity.building import report
from paddle_init.parity.records import Level
from paddle_init.parity.visualdl import VisualDLError, expected_values, write_visualdl
from paddle_init.schemes import Fixed, Scheme, constant, normal, truncated_normal, uniform
from paddle_init.specs import Draw, NetSpec

BLOCKWISE = CONFIGS / "blockwise.yaml"


def _side(scheme: Scheme) -> Side:
    (parameter,) = report(one_weight(scheme, "paddle")).parameters
    assert parameter.left is not None
    return parameter.left


@pytest.mark.parametrize(
    ("scheme", "mean", "std"),
    [
        (constant(0.25), 0.25, 0),
        (normal(1, 2), 1, 2),
        (uniform(-3, 3), 0, 3**0.5),
        (truncated_normal(0, 1, -1, 1), 0, 0.5395657),
    ],
)
def test_expected_values_have_the_moments(scheme: Scheme, mean: float, std: float) -> None:
    values = expected_values(_side(scheme))
    assert values is not None
    assert values.mean() == pytest.approx(mean, abs=1e-12)
    # The tails beyond the outermost of 2000 quantiles hold 0.05 % of a normal's variance.
    assert values.std() == pytest.approx(std, rel=2e-3)


@pytest.mark.parametrize(
    "scheme",
    [Fixed(Unknown("a rule")), truncated_normal(0, 1, 40, 41), truncated_normal(0, 0, -1, 1)],
)
def test_what_is_unknown_has_no_values(scheme: Scheme) -> None:
    assert expected_values(_side(scheme)) is None


def test_blocks_count_by_their_rows() -> None:
    (weight, *_) = report(BLOCKWISE).parameters
    assert weight.left is not None
    values = expected_values(weight.left)
    assert values is not None
    found = [np.unique(part).size for part in np.split(values, [1266, 1899])]
    assert found == [1266, 633, 101]
    assert values[1899:].std() == pytest.approx(0.02, rel=1e-2)


def test_without_visualdl_the_command_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "visualdl", None)
    with pytest.raises(VisualDLError):
        write_visualdl(report(one_weight(ABACUS)), tmp_path)
    assert main(["report", str(BLOCKWISE), "--visualdl", str(tmp_path / "log")]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert 'pip install "paddle-init[visualdl]"' in printed.err
    assert list(tmp_path.iterdir()) == []


def test_a_log_reads_back(tmp_path: Path) -> None:
    pytest.importorskip("visualdl")
    from visualdl import LogReader

    conf = tmp_path / "conf.yaml"
    conf.write_text(BLOCKWISE.read_text("utf-8").replace("fc2_w", "100 % b/c"), "utf-8")
    assert main(["report", str(conf), "--visualdl", str(tmp_path / "log")]) == 0
    logs = {path.parent.name: LogReader(file_path=str(path)) for path in tmp_path.glob("log/*/*")}
    assert logs.keys() == {"left", "right", "parity"}
    for name in ("left", "right"):
        assert logs[name].get_tags()["histogram"] == [
            "fc1_show_w", "fc1_b", "100 _ b/c", "100 _ b/c.bias",
        ]  # fmt: skip
    found = logs["left"].get_data("histogram", "fc1_b")[0].histogram
    assert sum(found.hist) == 2000
    parity = logs["parity"]
    ratios = [each.value for each in parity.get_data("scalar", "std ratio by parameter")]
    expected = [each.std_ratio for each in report(conf).parameters if each.std_ratio is not None]
    assert ratios == pytest.approx(expected, rel=1e-6)
    assert parity.get_data("text", "report")[0].text.encoded_text_string.startswith("No: ")


def test_what_is_not_known_has_no_level_in_a_log(tmp_path: Path) -> None:
    pytest.importorskip("visualdl")
    from visualdl import LogReader

    two = NetSpec("paddle", (Draw("a", (3, 4), normal(0, 1)), Draw("b", (3, 4), normal(0, 1))))
    own = replace(two.draws[0], scheme=Fixed(Unknown("a rule")))
    write_visualdl(report(two, replace(two, draws=(own, two.draws[1]))), tmp_path)
    (path,) = (tmp_path / "parity").iterdir()
    log = LogReader(file_path=str(path))
    levels = log.get_data("scalar", "level by parameter, 0 identical to 5 structure")
    assert [(each.id, each.value) for each in levels] == [(1, Level.STREAM.rank)]
    unknown = log.get_data("scalar", "not known by parameter")
    assert [(each.id, each.value) for each in unknown] == [(0, 1)]
    text = log.get_data("text", "report")[0].text.encoded_text_string
    assert text.startswith("Not known: 1 of 2 parameters")


def test_a_folder_that_cannot_be_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("visualdl")
    (tmp_path / "file").write_text("")
    assert main(["report", str(BLOCKWISE), "--visualdl", str(tmp_path / "file" / "log")]) == 2
    assert f"error: {tmp_path}/file/log: there is no folder {tmp_path}/file" in (
        capsys.readouterr().err
    )

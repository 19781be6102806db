"""Parity as assertions, and reports against their snapshots."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.command_line import CONFIGS
from support.parity_specs import ABACUS, FLAT, RANK, one_weight, whole

from paddle_init import dump_spec, report
from paddle_init.cli.main import main
from paddle_init.errors import PaddleInitError, SpecError
from paddle_init.parity.records import Level, Report
from paddle_init.schemes import abacus, constant, normal
from paddle_init.specs import Draw, NetSpec, Seeding
from paddle_init.testing import (
    ParityError,
    SnapshotError,
    assert_parity,
    assert_snapshot,
    write_snapshot,
)

CONF = CONFIGS / "abacus_rank.yaml"


@pytest.mark.parametrize("level", list(Level))
def test_each_level_passes_what_is_no_worse(level: Level) -> None:
    worst = report(RANK).worst
    if level >= worst:
        assert assert_parity(RANK, level=level) == assert_parity(RANK, level=level.value)
    else:
        with pytest.raises(ParityError) as caught:
            assert_parity(RANK, level=level)
        assert caught.value.report == report(RANK)


def test_rounding_is_asked_for_unless_told_otherwise() -> None:
    ones = one_weight(constant(1))
    assert assert_parity(ones, ones).worst is Level.IDENTICAL
    with pytest.raises(ParityError):
        assert_parity(one_weight(ABACUS), one_weight(ABACUS))


def test_one_stream_on_both_sides_passes() -> None:
    seeded = replace(RANK, stream=Seeding("minstd_rand0", seed_seq=(0, 1, 2, 3)))
    assert assert_parity(seeded, seeded).worst is Level.IDENTICAL
    other = replace(RANK, stream=Seeding("minstd_rand0", seed_seq=(1, 1, 2, 3)))
    with pytest.raises(ParityError, match="4 of 4 parameters are worse than rounding"):
        assert_parity(seeded, other)


def test_the_message_word_for_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CONFIGS)
    with pytest.raises(ParityError) as caught:
        assert_parity("abacus_rank.yaml", level="stream")
    bias_row = "129 in abacus counts the bias row that is folded into the weight, fan_in = 128 in"
    normal = "In Paddle, write initializer=paddle.nn.initializer.Normal(mean=0.0, std="
    assert (
        str(caught.value)
        == f"""\
3 of 4 parameters are worse than stream; the worst is scale.
left    abacus: abacus_rank.yaml
right   paddle: FC rule of the towers, init_range 0.2 / fan_in ** 0.5

fc1_b (bias 128): scale, right std / left std = 0.057735
  where   abacus_rank.yaml:11
  why     The bias is drawn 17.3 times narrower in Paddle (std 0.01155 against 0.2), because
          abacus treats the bias as a parameter with rown = 1, while Paddle divides init_range
          by sqrt(fan_in) = sqrt(300).
  do      {normal}0.2).

fc2_w (weight 128 x 1): scale, right std / left std = 1.0039
  where   abacus_rank.yaml:16
  why     The weight is drawn 0.39 % wider in Paddle (std 0.01768 against 0.01761), because rown
          = {bias_row}
          Paddle does not.
  do      {normal}0.017609018126512478).

fc2_w.bias (bias 1): scale, right std / left std = 1.0039
  where   abacus_rank.yaml:16
  why     The bias is drawn 0.39 % wider in Paddle (std 0.01768 against 0.01761), because rown =
          {bias_row}
          Paddle does not.
  do      {normal}0.017609018126512478).

All of them: paddle-init report abacus_rank.yaml"""
    )


def test_the_command_to_see_all() -> None:
    with pytest.raises(
        ParityError, match=r"report \S*abacus_rank.yaml --against \S*blockwise.yaml$"
    ):
        assert_parity(CONF, CONFIGS / "blockwise.yaml")
    with pytest.raises(
        ParityError, match=r"paddle_init.report\(\.\.\.\)\)\) with the same arguments$"
    ):
        assert_parity(CONF, init_range=0.1)
    with pytest.raises(ParityError, match=r"with the same arguments$"):
        assert_parity(RANK)


def test_streams_that_differ_say_what_can_be_done() -> None:
    with pytest.raises(ParityError) as caught:
        assert_parity(one_weight(ABACUS), one_weight(ABACUS))
    assert (
        '  do      Give both sides a stream with the same engine and seed, or accept level="stream"'
        in (str(caught.value))
    )


def test_the_worst_come_first_and_the_message_stays_short() -> None:
    draws = [Draw(f"w{i}", (300, 8), abacus(1 + i / 100, 0.2, True)) for i in range(400)]
    draws.append(Draw("n" * 500 + "\x1b", (300, 8), constant(1)))
    spec = NetSpec("abacus", tuple(draws), tuple(map(whole, draws)))
    with pytest.raises(ParityError) as caught:
        assert_parity(spec, level="stream")
    text = str(caught.value)
    assert len(text) < 4000
    heads = [line.split(" ")[0] for line in text.splitlines() if "(weight" in line]
    assert heads == ["n" * 80 + "...", "w399", "w398", "w397", "w396"]
    assert "\n... and 395 more.\n" in text
    assert all(line.isprintable() for line in text.splitlines())


def test_bad_arguments_are_told() -> None:
    with pytest.raises(ValueError, match="'close'"):
        assert_parity(RANK, level="close")
    with pytest.raises(SpecError):
        assert_parity("nets.tower:build")


def test_failures_are_assertions_and_ours() -> None:
    for error in (ParityError, SnapshotError):
        assert issubclass(error, AssertionError)
        assert issubclass(error, PaddleInitError)


def _changed(path: Path, old: Report, new: Report) -> list[str]:
    write_snapshot(old, path)
    try:
        assert_snapshot(new, path)
    except SnapshotError as error:
        first, *changes, last = str(error).splitlines()
        count = f"{len(changes)} changes since this snapshot was written (old -> new)"
        assert first == f"{path}: {count}"
        assert last == (
            "Where they are meant, run pytest with --parity-update and commit the file."
        )
        return [change.strip() for change in changes]
    return []


def test_an_equal_report_passes(tmp_path: Path) -> None:
    assert _changed(tmp_path / "a.json", report(CONF), report(CONF)) == []
    assert main(["report", str(CONF), "--format", "json", "-o", str(tmp_path / "b.json")]) == 0
    assert_snapshot(report(CONF), tmp_path / "b.json")


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        (
            one_weight(normal(0, 0.5)),
            one_weight(normal(0, 0.5000000000000001)),
            [
                "w: left.std 0.5 -> 0.5000000000000001",
                "w: std_ratio 0.02309401076758503 -> 0.023094010767585025",
                "w: left was Normal(mean 0, std 0.5)",
                "w: left is  Normal(mean 0, std 0.5000000000000001)",
            ],
        ),
        (
            FLAT,
            replace(FLAT, draws=FLAT.draws[:1], tensors=FLAT.tensors[:1]),
            [
                "b: gone (was bias 128, distribution)",
                "warning bias-reading about b: gone",
            ],
        ),
        (
            replace(FLAT, draws=FLAT.draws[:1], tensors=FLAT.tensors[:1]),
            FLAT,
            [
                "b: new (bias 128, distribution)",
                "warning bias-reading about b: new",
            ],
        ),
        (
            RANK,
            replace(RANK, tensors=RANK.tensors[2:] + RANK.tensors[:2]),
            ["parameters stand in another order"],
        ),
    ],
)
def test_a_change_is_told(tmp_path: Path, old: NetSpec, new: NetSpec, changes: list[str]) -> None:
    assert _changed(tmp_path / "s.json", report(old), report(new)) == changes


def test_places_and_prose_do_not_count(tmp_path: Path) -> None:
    conf = tmp_path / "other name.yaml"
    conf.write_text("# one more line\n" + CONF.read_text("utf-8"), "utf-8")
    assert _changed(tmp_path / "s.json", report(CONF), report(conf)) == []
    spec = tmp_path / "rank.yaml"
    spec.write_text(dump_spec(RANK), "utf-8")
    form = json.loads((tmp_path / "s.json").read_text("utf-8"))
    for parameter in form["parameters"]:
        parameter["explanation"] = parameter["advice"] = "said otherwise"
        parameter["a_key_of_a_later_release"] = 1
    (tmp_path / "s.json").write_text(json.dumps(form), "utf-8")
    assert_snapshot(report(CONF), tmp_path / "s.json")


def test_a_long_list_of_changes_is_cut(tmp_path: Path) -> None:
    draws = [Draw(f"w{i}", (30, 8), ABACUS) for i in range(100)]
    spec = NetSpec("abacus", tuple(draws), tuple(map(whole, draws)))
    write_snapshot(report(RANK), tmp_path / "s.json")
    with pytest.raises(SnapshotError, match=r"\n  \.\.\. and \d+ more\n") as caught:
        assert_snapshot(report(spec), tmp_path / "s.json")
    assert len(str(caught.value).splitlines()) == 33


PARAMETER = {"name": "w", "shape": [3], "role": "weight", "level": "stream"}


def _form(**changes: Any) -> str:
    return json.dumps({"schema": 1, "parameters": [], "warnings": [], **changes})


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "there is no such snapshot; run pytest with --parity-update to write it"),
        ("", "this is no JSON report"),
        ("[]", "expected a JSON report with schema 1"),
        (_form(schema=2), "expected a JSON report with schema 1"),
        (_form(parameters=None), "expected a JSON report with schema 1"),
        (_form(parameters=[{"name": "w"}]), "expected a JSON report with schema 1"),
        (_form(warnings=[1]), "expected a JSON report with schema 1"),
        (_form(warnings=[{"code": [], "parameter": None}]), "expected a JSON report with schema"),
        (_form(parameters=[PARAMETER | {"name": []}]), "expected a JSON report with schema 1"),
        (_form(parameters=[PARAMETER | {"shape": 3}]), "expected a JSON report with schema 1"),
        ("\udcff", "this is no JSON report"),
    ],
)
def test_a_snapshot_that_is_none_is_told(tmp_path: Path, content: str | None, said: str) -> None:
    path = tmp_path / "s.json"
    if content is not None:
        path.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(SnapshotError) as caught:
        assert_snapshot(report(RANK), path)
    assert str(caught.value).startswith(f"{path}: ")
    assert said in str(caught.value)
    assert "--parity-update" in str(caught.value)


def test_snapshots_are_the_same_on_every_machine(tmp_path: Path) -> None:
    written = []
    for folder in ("here", "there"):
        root = tmp_path / folder
        (root / "confs").mkdir(parents=True)
        conf = root / "confs" / "rank.yaml"
        conf.write_bytes(CONF.read_bytes())
        assert write_snapshot(report(conf), root / "new" / "s.json", root)
        assert not write_snapshot(report(conf), root / "new" / "s.json", root)
        written.append((root / "new" / "s.json").read_text("utf-8"))
    assert written[0] == written[1]
    assert '"left": "abacus: confs/rank.yaml"' in written[0]


def test_a_level_that_is_none_is_told() -> None:
    with pytest.raises(ValueError, match=r"^'strem' is no level of parity; allowed: identical, ro"):
        assert_parity(RANK, level="strem")

"""`paddle-init translate`: one file, or many at once."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from command_line import CONFIGS

from abacus_compat import load_conf
from paddle_init import dump_spec, load_spec
from paddle_init.cli.main import main

RANK, FLAT = CONFIGS / "abacus_rank.yaml", CONFIGS / "flat.yaml"


def test_to_a_spec(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["translate", str(RANK)]) == 0
    printed = capsys.readouterr()
    assert printed.out == dump_spec(load_conf(RANK))
    assert f"{RANK}:16: " in printed.err
    assert "warning [bias-row-in-rown]" in printed.err


def test_to_a_file_that_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    assert main(["translate", str(RANK), "-o", str(path)]) == 0
    assert load_spec(path) == load_conf(RANK)


def test_to_a_conf_and_back(tmp_path: Path) -> None:
    spec, conf = tmp_path / "spec.yaml", tmp_path / "conf.yaml"
    assert main(["translate", str(RANK), "-o", str(spec)]) == 0
    assert main(["translate", str(spec), "--to", "conf", "-o", str(conf)]) == 0
    assert load_conf(conf) == load_conf(RANK)


def test_to_python(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["translate", str(RANK), "--to", "python"]) == 0
    compile(capsys.readouterr().out, "module.py", "exec")


def test_what_abacus_cannot_say_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec, out = tmp_path / "spec.yaml", tmp_path / "out.yaml"
    spec.write_text(
        "paddle_init: 1\nframework: paddle\ndraws:\n"
        "  - {name: w, shape: [3, 4], scheme: {kind: uniform, low: -1, high: 1}}\n"
    )
    assert main(["translate", str(spec), "--to", "conf", "-o", str(out)]) == 2
    assert "a conf is abacus's" in capsys.readouterr().err
    assert not out.exists()


@pytest.fixture
def confs(tmp_path: Path) -> Path:
    """Two good confs, one bad one, and files that are none."""
    folder = tmp_path / "confs"
    (folder / "inner").mkdir(parents=True)
    (folder / ".hidden").mkdir()
    (folder / "rank.yaml").write_bytes(RANK.read_bytes())
    (folder / "inner" / "flat-1.yml").write_bytes(FLAT.read_bytes())
    (folder / "inner" / "bad.yaml").write_text("init_range: x\nrown: 1.5\n")
    (folder / "notes.txt").write_text("none of it")
    (folder / ".hidden" / "rank.yaml").write_bytes(RANK.read_bytes())
    return folder


def test_a_folder(confs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "specs"
    assert main(["translate", str(confs), "-o", str(out)]) == 2
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "2 of 3 translated"
    assert printed[1].startswith(f"ok      {confs}/rank.yaml")
    assert f"{out}/rank.yaml  (4 parameters" in printed[1]
    assert printed[2] == f"failed  {confs}/inner/bad.yaml"
    assert any(f"{confs}/inner/bad.yaml:1: " in line and "'x'" in line for line in printed)
    assert any(f"{confs}/inner/bad.yaml:2: " in line and "'1.5'" in line for line in printed)
    written = sorted(path.relative_to(out) for path in out.rglob("*") if path.is_file())
    assert written == [Path("inner/flat-1.yaml"), Path("rank.yaml")]
    assert load_spec(out / "rank.yaml") == load_conf(RANK)


def test_a_pipe_among_confs_is_not_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "flat.yaml").write_bytes(FLAT.read_bytes())
    os.mkfifo(tmp_path / "pipe.yaml")
    assert main(["translate", str(tmp_path), "-o", str(tmp_path / "out")]) == 2
    printed = capsys.readouterr().out
    assert printed.startswith("1 of 2 translated\n")
    assert "pipe.yaml: this is a pipe, a socket or a device; name a file\n" in printed


def test_several_files_to_python(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    conf = tmp_path / "flat-1.2.yaml"
    conf.write_bytes(FLAT.read_bytes())
    out = tmp_path / "new" / "modules"
    assert main(["translate", str(conf), str(RANK), "--to", "python", "-o", str(out)]) == 0
    assert capsys.readouterr().out.startswith("2 of 2 translated\n")
    assert sorted(path.name for path in out.iterdir()) == ["abacus_rank.py", "flat_1_2.py"]


def test_the_summary_as_json(
    confs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["translate", str(confs), "-o", str(tmp_path / "o"), "--format", "json"]) == 2
    results = json.loads(capsys.readouterr().out)
    assert [list(result) for result in results] == [
        ["input", "output", "parameters", "warnings", "errors"] for _ in range(3)
    ]
    good, bad, flat = results
    assert (good["parameters"], good["errors"]) == (4, [])
    assert (bad["output"], bad["parameters"]) == (None, 0)
    assert len(bad["errors"]) >= 2
    assert "bias-reading" in flat["warnings"][0]


def test_one_file_to_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["translate", str(RANK), "-o", str(tmp_path)]) == 0
    assert (tmp_path / "abacus_rank.yaml").exists()


def test_two_files_of_one_name_do_not_overwrite_each_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "in" / "flat.yaml"
    other.parent.mkdir()
    other.write_bytes(RANK.read_bytes())
    out = tmp_path / "out"
    assert main(["translate", str(FLAT), str(other), "-o", str(out)]) == 2
    printed = capsys.readouterr().out
    assert "1 of 2 translated" in printed
    assert f"is already written from {FLAT}" in printed
    assert load_spec(out / "flat.yaml") == load_conf(FLAT)


def test_output_inside_the_input_folder(confs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (confs / "inner" / "bad.yaml").unlink()
    for _ in range(2):  # the second run does not read what the first wrote
        assert main(["translate", str(confs), "-o", str(confs / "out")]) == 0
        assert "2 of 2 translated" in capsys.readouterr().out
    assert main(["translate", str(confs), "-o", str(confs)]) == 2
    assert "this file is the input" in capsys.readouterr().out
    assert (confs / "rank.yaml").read_bytes() == RANK.read_bytes()


def test_a_folder_without_confs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "none").mkdir()
    assert main(["translate", str(tmp_path / "none"), "-o", str(tmp_path / "out")]) == 2
    assert "no conf" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_file_where_the_folder_should_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert main(["translate", str(RANK), str(FLAT), "-o", str(tmp_path / "file")]) == 2
    assert "0 of 2 translated" in capsys.readouterr().out

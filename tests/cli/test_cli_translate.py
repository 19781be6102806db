"""`paddle-init translate`: one file, or many at once."""

from __future__ import annotations

import json
import keyword
import os
import re
import subprocess
import sys
import unicodedata
from importlib import metadata
from pathlib import Path

import pytest
from support.command_line import CONFIGS, environment

from abacus_compat import load_conf
from paddle_init import dump_spec, load_spec
from paddle_init.cli.batch import file_names
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
    assert main(["translate", str(tmp_path), "-o", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("1 of 1 translated, 1 passed over\n")
    assert f"\npassed  {tmp_path}/pipe.yaml  (no regular file)\n" in printed.out
    assert "pipe.yaml: passed over, as this is a pipe, a socket or a device\n" in printed.err
    assert main(["translate", str(tmp_path), "-o", str(tmp_path / "o"), "--format", "json"]) == 0
    (pipe,) = [one for one in json.loads(capsys.readouterr().out) if "pipe" in one["input"][-9:]]
    assert (pipe["output"], pipe["errors"], len(pipe["warnings"])) == (None, [], 1)
    assert main(["translate", str(tmp_path / "pipe.yaml"), str(FLAT), "-o", str(tmp_path)]) == 2
    assert "name a file\n" in capsys.readouterr().out


def test_a_link_to_nothing_among_confs_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "link.yaml").symlink_to("nothing")
    assert main(["translate", str(tmp_path), "-o", str(tmp_path / "out")]) == 2
    assert "link.yaml: there is no such file" in capsys.readouterr().out


def test_several_files_to_python(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    conf = tmp_path / "flat-1.2.yaml"
    conf.write_bytes(FLAT.read_bytes())
    out = tmp_path / "new" / "modules"
    assert main(["translate", str(conf), str(RANK), "--to", "python", "-o", str(out)]) == 0
    assert capsys.readouterr().out.startswith("2 of 2 translated\n")
    assert sorted(path.name for path in out.iterdir()) == ["abacus_rank.py", "flat_1_2.py"]


MODULES = {
    "模型": "模型",
    "特征": "特征",
    "résumé": "résumé",
    "2020-rank": "net_2020_rank",
    "2020_rank": "net_2020_rank_2",
    "a-b": "a_b_3",
    "a.b": "a_b_4",
    "a_b": "a_b",
    "a_b_2": "a_b_2",
    "class": "net_class",
    "None": "net_None",
    "paddle": "net_paddle",
    "numpy": "net_numpy",
    "random": "net_random",
    "match": "match",
    "---": "net_",
    "__init__": "init__",
    "\udcff": "net_",
}


def test_modules_can_be_imported_and_shadow_nothing() -> None:
    names = sorted(MODULES)
    found = file_names([f"in/{name}.yaml" for name in names], ".py")
    assert len(set(found)) == len(found)
    for name, path in zip(names, found, strict=True):
        module = path.removeprefix("in/").removesuffix(".py")
        assert module.isidentifier()
        assert not keyword.iskeyword(module)
        assert module not in sys.stdlib_module_names
        assert unicodedata.normalize("NFKC", module) == module
        assert module.startswith(MODULES[name].removesuffix("_3").removesuffix("_4"))
    exact = {"模型", "特征", "class", "None", "paddle", "numpy", "random", "match", "a_b_2"}
    assert {f"in/{MODULES[name]}.py" for name in exact} <= set(found)


@pytest.mark.parametrize(
    ("sources", "named"),
    [
        (["a.yaml", "a.yml", "b/a.yaml", "a.conf"], ["a", "a_2", "b/a", "a_3"]),
        (["a.yaml", "a.yml", "a_2.yaml"], ["a", "a_3", "a_2"]),
        (["模型.yaml", "class.yaml", "2020-x.yaml"], ["模型", "class", "2020-x"]),
    ],
)
def test_files_of_one_name_are_numbered(sources: list[str], named: list[str]) -> None:
    assert file_names(sources, ".yaml") == [f"{name}.yaml" for name in named]


def test_what_paddle_requires_is_not_shadowed() -> None:
    required = {
        re.split(r"[^\w-]", line)[0].lower().replace("-", "_")
        for line in metadata.requires("paddlepaddle") or ()
    }
    imported = {
        module
        for module, owners in metadata.packages_distributions().items()
        if not module.startswith("_")
        and {owner.lower().replace("-", "_") for owner in owners} & {*required, "paddlepaddle"}
    }
    assert {"paddle", "numpy", "google"} <= imported
    for module in imported:
        assert file_names([f"{module}.yaml"], ".py") == [f"net_{module}.py"]


def test_translated_modules_build_their_nets(tmp_path: Path) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    for name in ("paddle", "模型", "class", "2020-rank", "2020_rank"):
        (folder / f"{name}.yaml").write_bytes(RANK.read_bytes())
    assert main(["translate", str(folder), "--to", "python", "-o", str(out)]) == 0
    written = sorted(path.stem for path in out.iterdir())
    assert written == ["net_2020_rank", "net_2020_rank_2", "net_class", "net_paddle", "模型"]
    code = "\n".join(f"import {name}; {name}.Net(prefix={name!r})" for name in written)
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=out, env=environment(), capture_output=True, check=False
    )
    assert ran.returncode == 0, ran.stderr.decode()


def test_warnings_of_many_files_are_told(
    confs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (confs / "inner" / "bad.yaml").write_text("init_range: x\nrown: 1.5\n<<: {x: 1}\n")
    assert main(["translate", str(confs), "-o", str(tmp_path / "specs")]) == 2
    printed = capsys.readouterr()
    codes = re.findall(r"^(\S+):\d+: .*warning \[([a-z-]+)\]: ", printed.err, re.MULTILINE)
    assert codes == [
        (f"{confs}/rank.yaml", "bias-row-in-rown"),
        (f"{confs}/inner/bad.yaml", "merge-key"),
        (f"{confs}/inner/flat-1.yml", "bias-reading"),
    ]
    assert printed.out.count(", 1 warning)\n") == 2
    assert main(["translate", str(confs), "-o", str(tmp_path / "o"), "--format", "json"]) == 2
    printed = capsys.readouterr()
    assert printed.err == ""
    assert "merge-key" in json.loads(printed.out)[1]["warnings"][0]


def test_a_file_that_is_named_twice_is_translated_once(
    confs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (confs / "inner" / "bad.yaml").unlink()
    (confs / "other.yaml").symlink_to("rank.yaml")
    (tmp_path / "door").symlink_to(confs)
    names = [confs, confs / "rank.yaml", tmp_path / "door", confs / "inner" / ".." / "rank.yaml"]
    out = tmp_path / "out"
    assert main(["translate", *map(str, names), "-o", str(out)]) == 0
    assert capsys.readouterr().out.startswith("3 of 3 translated\n")
    written = sorted(str(path.relative_to(out)) for path in out.rglob("*.yaml"))
    assert written == ["inner/flat-1.yaml", "other.yaml", "rank.yaml"]


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
    assert main(["translate", str(FLAT), str(other), "-o", str(out)]) == 0
    assert capsys.readouterr().out.startswith("2 of 2 translated\n")
    assert load_spec(out / "flat.yaml") == load_conf(FLAT)
    assert load_spec(out / "flat_2.yaml") == load_conf(RANK)


def test_output_inside_the_input_folder(confs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (confs / "inner" / "bad.yaml").unlink()
    for _ in range(2):  # the second run does not read what the first wrote
        assert main(["translate", str(confs), "-o", str(confs / "out")]) == 0
        assert "2 of 2 translated" in capsys.readouterr().out
    assert main(["translate", str(confs), "-o", str(confs)]) == 2
    assert "this file is the input" in capsys.readouterr().out
    assert (confs / "rank.yaml").read_bytes() == RANK.read_bytes()


def test_no_input_is_written_over_whoever_reads_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A conf's output may have the name of another input, or of one that another includes."""
    old = {
        "flat.conf": FLAT.read_text(),
        "flat.yaml": RANK.read_text(),
        "bad.conf": FLAT.read_text(),
        "bad.yaml": "rown: 0\n",
        "section.yaml": RANK.read_text(),
        "section.conf": "plugins: {dnn_plugin: section.yaml}\n",
        "lost.yaml": "param: []\n",
        "lost.conf": FLAT.read_text(),
        "broken.conf": "plugins: {dnn_plugin: lost.yaml}\n",
    }
    for name, text in old.items():
        (tmp_path / name).write_text(text)
    included = {"section.yaml", "lost.yaml"}
    named = [str(tmp_path / name) for name in old if name not in included]
    assert main(["translate", *named, "-o", str(tmp_path)]) == 2
    out = capsys.readouterr().out
    assert out.count("this file is the input; name another for the output\n") == 4
    assert {name: (tmp_path / name).read_text() for name in old} == old
    assert load_spec(tmp_path / "flat_2.yaml") == load_conf(RANK)


def test_a_folder_that_may_not_be_listed_is_told(tmp_path: Path) -> None:
    """Root may list any, so this runs as nobody where it can."""
    shut = tmp_path / "in" / "shut"
    shut.mkdir(parents=True)
    (tmp_path / "in" / "flat.yaml").write_bytes(FLAT.read_bytes())
    code = (
        "import os, sys\n"
        "from paddle_init.cli.batch import gathered\n"
        "if os.getuid() == 0: os.setuid(65534)\n"
        "print([each.relative for each in gathered(['in'], 'out')])\n"
    )
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(folder.stat().st_mode | 0o055)
    shut.chmod(0o700 if os.getuid() == 0 else 0)
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        check=False,
    )
    shut.chmod(0o700)
    assert ran.stdout.decode() == "['shut', 'flat.yaml']\n", ran.stderr


def test_a_name_with_a_line_end_stays_on_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    conf, long = tmp_path / "a\nb.yaml", tmp_path / "longer_name.yaml"
    for path in (conf, long):
        path.write_bytes(FLAT.read_bytes())
    assert main(["translate", str(conf), str(long), "-o", str(tmp_path / "out")]) == 0
    first, second = capsys.readouterr().out.splitlines()[1:]
    assert first.index(f"{tmp_path}/out/") == second.index(f"{tmp_path}/out/")
    assert main(["translate", str(conf), str(long), "-o", str(tmp_path)]) == 2
    told = capsys.readouterr().out.splitlines()
    assert sum("b.yaml: this file is the input" in line and r"a\nb" in line for line in told) == 1


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
    out = capsys.readouterr().out
    assert "0 of 2 translated" in out
    assert f"        {tmp_path / 'file'}: this is a file; name a folder\n" in out

"""The example repository: its workflow and its hooks do what they say, on a copy."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml
from support.command_line import ROOT, environment

EXAMPLE = ROOT / "docs" / "examples" / "ci"
WORKFLOW = ".github/workflows/parity.yml"
COMMANDS = {"paddle-init": "paddle_init", "pytest": "pytest"}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns("build", "__pycache__", ".pytest_cache")
    return Path(shutil.copytree(EXAMPLE, tmp_path / "confs repository", ignore=ignored))


def _steps(folder: Path) -> Iterator[dict[str, Any]]:
    workflow = yaml.safe_load((folder / WORKFLOW).read_text("utf-8"))
    (job,) = workflow["jobs"].values()
    for step in job["steps"]:
        if "run" in step and not step["run"].startswith("pip install "):
            yield step


def _run(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    """Run a command as GitHub does, with this checkout in the place of what pip installs."""
    scripts = folder.parent / "scripts"
    scripts.mkdir(exist_ok=True)
    for name, module in COMMANDS.items():
        script = scripts / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {module} "$@"\n')
        script.chmod(0o755)
    changes = {
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTEST_ADDOPTS": "-p paddle_init.testing.plugin",
        "GITHUB_WORKSPACE": str(folder),
    }
    return subprocess.run(
        ["bash", "-e", "-c", command],
        cwd=folder,
        env=environment(**changes),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def _workflow(folder: Path) -> dict[str, subprocess.CompletedProcess[str]]:
    return {step.get("name", ""): _run(folder, step["run"]) for step in _steps(folder)}


def test_the_workflow_passes_and_leaves_its_results(copy: Path) -> None:
    for name, ran in _workflow(copy).items():
        assert ran.returncode == 0, (name, ran.stdout, ran.stderr)
    written = {path.relative_to(copy).as_posix() for path in copy.glob("build/*/*")}
    assert written == {
        "build/specs/rank.yaml",
        "build/specs/recall.yaml",
        "build/junit/rank.xml",
        "build/junit/recall.xml",
        "build/junit/pytest.xml",
    }
    for name in ("rank", "recall"):
        assert (copy / "specs" / f"{name}.yaml").read_text() == (
            copy / "build" / "specs" / f"{name}.yaml"
        ).read_text()


def test_a_conf_that_moves_away_from_its_spec_fails_the_workflow(copy: Path) -> None:
    conf = copy / "confs" / "rank.yaml"
    conf.write_text(conf.read_text().replace("coln: 1, init_range: 1", "coln: 1, init_range: 0.5"))
    ran = _workflow(copy)
    assert [name for name, each in ran.items() if each.returncode] == [
        "Specs start where their confs do, told on the lines of the pull request",
        "Tests",
    ]
    told = ran["Specs start where their confs do, told on the lines of the pull request"].stdout
    errors = [line for line in told.splitlines() if line.startswith("::error ")]
    place = "::error file=confs/rank.yaml,line=7,title="
    assert [line.partition("::The")[0] for line in errors] == [
        f"{place}fc2_w%3A scale",
        f"{place}fc2_w.bias%3A scale",
    ]
    top = ET.parse(copy / "build" / "junit" / "rank.xml").getroot()
    assert top.get("failures") == "2"
    tests = ran["Tests"].stdout
    assert "ParityError: 2 of 4 parameters are worse than stream; the worst is scale." in tests
    assert "fc2_w: left.std 0.017609018126512478 -> 0.008804509063256239" in tests


def test_a_conf_that_is_none_fails_the_first_step(copy: Path) -> None:
    (copy / "confs" / "new.yaml").write_text("param: []\n")
    ran = _run(copy, next(_steps(copy))["run"])
    assert ran.returncode == 2
    assert "failed  confs/new.yaml" in ran.stdout


def test_a_repository_without_confs_passes_no_step(copy: Path) -> None:
    shutil.rmtree(copy / "confs")
    (copy / "confs").mkdir()
    failed = [name for name, ran in _workflow(copy).items() if ran.returncode]
    assert failed == [step["name"] for step in _steps(copy)]


def test_the_hooks_pass_and_fail_with_the_confs(copy: Path) -> None:
    config = yaml.safe_load((copy / ".pre-commit-config.yaml").read_text("utf-8"))
    (local,) = config["repos"]
    assert local["repo"] == "local"
    for hook in local["hooks"]:
        assert {"id", "name", "entry", "language", "files"} <= hook.keys()
        ran = _run(copy, hook["entry"])
        assert ran.returncode == 0, (hook, ran.stdout, ran.stderr)
    conf = copy / "confs" / "rank.yaml"
    conf.write_text(conf.read_text().replace("rown: 129", "rown: 128"))
    assert [_run(copy, hook["entry"]).returncode for hook in local["hooks"]] == [2, 1]


def test_every_conf_of_the_example_has_its_spec_and_its_snapshot() -> None:
    names = {path.stem for path in EXAMPLE.glob("confs/*")}
    assert {path.stem for path in EXAMPLE.glob("specs/*")} == names
    assert {path.stem for path in EXAMPLE.glob("tests/snapshots/*")} == names

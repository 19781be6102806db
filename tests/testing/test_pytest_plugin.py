"""The pytest plugin, in a pytest of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.command_line import CONFIGS, environment

PLUGIN = ("-p", "paddle_init.testing.plugin")
RANK = "checks/test_rank.py::test_rank"
TEST = """
import paddle_init

def test_rank(parity):
    found = parity("rank.yaml", level="scale")
    parity.snapshot(found, "snapshots/rank.json")

def test_same(parity):
    parity("rank.yaml", "rank.yaml", level="rounding")
"""


def _pytest(folder: Path, *args: str) -> tuple[int, str]:
    """Run pytest without the plugins that happen to be installed."""
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *PLUGIN, *args],
        cwd=folder,
        env=environment(PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", PYTEST_ADDOPTS="", CI=""),
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    return ran.returncode, ran.stdout + ran.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "rank.yaml").write_bytes((CONFIGS / "abacus_rank.yaml").read_bytes())
    inner = tmp_path / "checks"
    inner.mkdir()
    (inner / "test_rank.py").write_text(TEST)
    return tmp_path


def test_from_no_snapshot_to_a_change(folder: Path) -> None:
    stored = folder / "checks" / "snapshots" / "rank.json"
    code, out = _pytest(folder)
    assert (code, stored.exists()) == (1, False)
    assert "there is no such snapshot; run pytest with --parity-update to write it" in out
    assert "ParityError: 4 of 4 parameters are worse than rounding; the worst is stream." in out
    assert "asserting.py" not in out, "a traceback ends in the test's own line"

    code, out = _pytest(folder, RANK, "--parity-update")
    assert code == 0
    assert out.count(f"parity: wrote {stored}") == 1
    assert json.loads(stored.read_text())["left"] == "abacus: rank.yaml"
    code, out = _pytest(folder, RANK)
    assert (code, "parity: wrote" in out) == (0, False)

    conf = folder / "rank.yaml"
    conf.write_text(conf.read_text().replace("rown: 129", "rown: 65").replace("128", "64"))
    code, out = _pytest(folder, RANK)
    assert code == 1
    assert "fc1_b: shape[0] 128 -> 64" in out
    assert "fc2_w: left was std = init_range * global_init_range / sqrt(rown) = 1 * 0.2" in out


def test_workers_of_xdist_write_snapshots_too(folder: Path) -> None:
    pytest.importorskip("xdist")
    code, out = _pytest(folder, "-p", "xdist.plugin", "-n", "2", RANK, "--parity-update")
    assert code == 0
    assert out.count("parity: wrote ") == 1
    assert (folder / "checks" / "snapshots" / "rank.json").exists()


def test_the_plugin_imports_nothing_before_it_is_used(tmp_path: Path) -> None:
    (tmp_path / "test_none.py").write_text(
        "import sys\n"
        "def test_none():\n"
        "    ours = {name for name in sys.modules if name.startswith('paddle_init')}\n"
        "    assert ours == {'paddle_init', 'paddle_init.lazy', 'paddle_init.testing', "
        "'paddle_init.testing.plugin'}\n"
        "    assert not {'numpy', 'yaml', 'click', 'rich', 'paddle'} & set(sys.modules)\n"
    )
    code, out = _pytest(tmp_path, "-q")
    assert code == 0, out


def test_the_flag_is_in_pytests_help(tmp_path: Path) -> None:
    assert os.linesep.join(["paddle-init:", "  --parity-update"]) in _pytest(tmp_path, "--help")[1]

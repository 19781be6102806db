"""The wheel that users get: built, installed and looked into."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARTS = ("paddle_init", "abacus_compat", "setup.cfg", "pyproject.toml", "README.md", "LICENSE")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tmp_path_factory.mktemp("source")
    for part in PARTS:
        if (ROOT / part).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / part, source / part, ignore=ignored)
        else:
            shutil.copy(ROOT / part, source / part)
    target = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(target), str(source)]
    subprocess.run(pip, check=True)
    return next(target.glob("*.whl"))


def test_every_file_of_both_packages_is_in_the_wheel(wheel: Path) -> None:
    expected = {
        path.relative_to(ROOT).as_posix()
        for package in ("paddle_init", "abacus_compat")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"paddle_init/py.typed", "abacus_compat/py.typed"} <= expected
    assert expected == {name for name in names if ".dist-info/" not in name}


def test_the_installed_wheel_runs(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(target)]
    subprocess.run([*pip, str(wheel)], check=True)
    code = (
        "import paddle_init, abacus_compat;"
        "print(paddle_init.__file__, abacus_compat.__file__, paddle_init.__version__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(target)},
    )
    assert done.stdout.count(str(target)) == 2
    # pytest finds the plugin by the wheel's entry point.
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--fixtures", "-p", "no:cacheprovider"],
        check=False,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(target), "PYTEST_ADDOPTS": ""},
    )
    assert "parity -- site/paddle_init/testing/plugin.py:" in done.stdout

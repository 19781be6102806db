"""What the tests test: this checkout, whatever copy is installed beside it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from command_line import environment

import abacus_compat
import paddle_init

ROOT = Path(__file__).parents[1]
PACKAGES = (ROOT / "paddle_init" / "__init__.py", ROOT / "abacus_compat" / "__init__.py")


def test_modules_come_from_the_checkout() -> None:
    assert (Path(paddle_init.__file__), Path(abacus_compat.__file__)) == PACKAGES


@pytest.mark.parametrize("env", [None, environment()], ids=["inherited", "command line"])
def test_processes_that_tests_start_run_the_checkout(
    tmp_path: Path, env: dict[str, str] | None
) -> None:
    code = "import paddle_init, abacus_compat; print(paddle_init.__file__, abacus_compat.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, check=True
    )
    assert done.stdout.decode().split() == list(map(str, PACKAGES))

"""What the tests test: this checkout, whatever copy is installed beside it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import meets_paddle
from support.command_line import environment

import abacus_compat
import paddle_init

ROOT = Path(__file__).parents[2]
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import paddle\n", True),
        ("from paddle.nn import Linear\n", True),
        ('NET = """\nimport paddle\n"""\n', True),
        ("from paddle_init import (\n    dump_spec,\n    sample,\n)\n", True),
        ("def test():\n    from paddle_init.streams import Stream\n", True),
        ("from support.paddle_graph import fresh_names\n", True),
        ("import paddle_init\nfrom paddle_init import dump_spec\n", False),
    ],
)
def test_a_test_that_meets_paddle_is_known_by_its_imports(
    text: str, expected: bool, tmp_path: Path
) -> None:
    (tmp_path / "test_new.py").write_text(text, "utf-8")
    assert meets_paddle(tmp_path / "test_new.py") is expected

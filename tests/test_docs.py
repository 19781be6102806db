"""Every command and every line of code in the documents runs, and prints what stands there.

After a change that is meant, PADDLE_INIT_UPDATE_DOCS=1 pytest tests/test_docs.py writes the new
output into the documents.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#|mailto:)(?P<target>[^)#]+)")
UPDATE = bool(os.environ.get("PADDLE_INIT_UPDATE_DOCS"))


def _blocks(path: Path, kind: str) -> list[str]:
    return [m["body"] for m in BLOCK.finditer(path.read_text("utf-8")) if m["kind"] == kind]


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _run(command: str) -> str:
    scripts = Path(sys.executable).parent
    environment = os.environ | {
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "80",
        "PYTHONIOENCODING": "utf-8",
    }
    ours = re.sub(r"^paddle-init\b", f"{sys.executable} -m paddle_init", command)
    done = subprocess.run(
        ours, shell=True, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


CONSOLE = [path for path in DOCUMENTS if _blocks(path, "console")]
PYTHON = [path for path in DOCUMENTS if _blocks(path, "python")]


@pytest.mark.parametrize("path", CONSOLE, ids=_name)
def test_commands_print_what_the_document_shows(path: Path) -> None:
    text = path.read_text("utf-8")
    for body in _blocks(path, "console"):
        shown = re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]
        printed = "".join(
            f"$ {command}\n{_run(command)}" for command in (part.split("\n")[0] for part in shown)
        )
        if UPDATE:
            text = text.replace(f"```console\n{body}```", f"```console\n{printed}```")
            path.write_text(text, "utf-8")
        else:
            assert body == printed


@pytest.mark.parametrize("path", PYTHON, ids=_name)
def test_code_runs(path: Path) -> None:
    for body in _blocks(path, "python"):
        done = subprocess.run(
            [sys.executable, "-c", body], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{body}\n{done.stderr}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=_name)
def test_links_lead_somewhere(path: Path) -> None:
    for match in LINK.finditer(path.read_text("utf-8")):
        assert (path.parent / match["target"]).exists(), match["target"]


def test_the_chinese_readme_has_the_same_commands_and_code() -> None:
    english, chinese = ROOT / "README.md", ROOT / "docs" / "README.zh-CN.md"
    for kind in ("console", "python", "bash"):
        assert _blocks(chinese, kind) == _blocks(english, kind)


def test_the_readmes_shell_commands_are_those_of_ci() -> None:
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    for command in _blocks(ROOT / "README.md", "bash"):
        assert command.strip() in script

"""Every command and every line of code in the documents runs, and prints what stands there.

After a change that is meant, PADDLE_INIT_UPDATE_DOCS=1 pytest tests/project/test_docs.py writes
the new output into the documents.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import zip_longest
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#|mailto:)(?P<target>[^)#]+)")
UPDATE = bool(os.environ.get("PADDLE_INIT_UPDATE_DOCS"))


def _blocks(path: Path, kind: str) -> list[str]:
    return [m["body"] for m in BLOCK.finditer(path.read_text("utf-8")) if m["kind"] == kind]


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _run(command: str, cwd: Path = ROOT, check: bool = False) -> str:
    scripts = Path(sys.executable).parent
    environment = os.environ | {
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "80",
        "PYTHONIOENCODING": "utf-8",
        "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))),
    }
    ours = re.sub(r"^paddle-init\b", f"{sys.executable} -m paddle_init", command)
    done = subprocess.run(
        ours, shell=True, cwd=cwd, env=environment, capture_output=True, text=True, check=check
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


# Pages in English alone: what is generated, and what belongs to an example.
ENGLISH_ALONE = {"commands.md", "api.md", "fidelity_table.md"}
PAGES = [ROOT / "README.md"] + [
    path
    for path in DOCUMENTS
    if path.parent == ROOT / "docs"
    and not path.name.endswith(".zh-CN.md")
    and path.name not in ENGLISH_ALONE
]


def _twin(page: Path) -> Path:
    return ROOT / "docs" / f"{page.stem}.zh-CN.md"


# A Chinese page has the code of its English one, which runs; only its reports may be in Chinese.
ENGLISH = [path for path in DOCUMENTS if not path.name.endswith(".zh-CN.md")]
IN_CHINESE = " --lang zh"
CONSOLE = [
    (path, body)
    for path in DOCUMENTS
    for body in _blocks(path, "console")
    if path in ENGLISH or IN_CHINESE in body
]
PYTHON, BASH = ([path for path in ENGLISH if _blocks(path, kind)] for kind in ("python", "bash"))


def _commands(body: str) -> list[str]:
    return [part.split("\n")[0] for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]]


@pytest.mark.parametrize(
    ("path", "body"), CONSOLE, ids=lambda part: _name(part) if isinstance(part, Path) else ""
)
def test_commands_print_what_the_document_shows(path: Path, body: str) -> None:
    printed = "".join(f"$ {command}\n{_run(command)}" for command in _commands(body))
    if UPDATE:
        for page in filter(Path.exists, {path, _twin(path)}):
            text = page.read_text("utf-8")
            text = text.replace(f"```console\n{body}```", f"```console\n{printed}```")
            page.write_text(text, "utf-8")
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


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_the_chinese_twin_has_the_same_code_and_the_same_parts(page: Path) -> None:
    """Texts in ```text blocks are prose and may be translated."""
    english, chinese = page.read_text("utf-8"), _twin(page).read_text("utf-8")
    for kind in ("bash", "python", "yaml"):
        assert _blocks(_twin(page), kind) == _blocks(page, kind)
    for ours, theirs in zip_longest(_blocks(page, "console"), _blocks(_twin(page), "console")):
        if IN_CHINESE in theirs:
            assert _commands(theirs.replace(IN_CHINESE, "")) == _commands(ours)
        else:
            assert theirs == ours
    assert _outline(chinese) == _outline(english)


def _outline(text: str) -> list[str]:
    """Return the marks of headings, table rows and list items, in their order."""
    return re.findall(r"^(?:#+ |\||- |\d+\. )", BLOCK.sub("", text), re.MULTILINE)


def test_every_chinese_page_has_its_english_one() -> None:
    pages = {_twin(page) for page in PAGES}
    assert set((ROOT / "docs").rglob("*.zh-CN.md")) == pages


@pytest.mark.parametrize("language", ["", ".zh-CN"])
def test_the_index_links_every_page(language: str) -> None:
    links = LINK.findall((ROOT / "docs" / f"index{language}.md").read_text("utf-8"))
    pages = {page for page in PAGES if page.stem not in ("README", "index")}
    names = {_twin(page).name for page in pages} if language else {page.name for page in pages}
    assert names | ENGLISH_ALONE <= set(links)


@pytest.mark.parametrize("path", BASH, ids=_name)
def test_shell_commands_run(path: Path, tmp_path: Path) -> None:
    """In a folder that holds configs/; what is no command of ours is CI's, or run by hand."""
    (tmp_path / "configs").symlink_to(ROOT / "configs")
    for body in _blocks(path, "bash"):
        for command in body.replace("\\\n", " ").splitlines():
            if command.startswith("paddle-init "):
                _run(command, tmp_path, check=True)


def test_the_readmes_shell_commands_are_those_of_ci() -> None:
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    for command in _blocks(ROOT / "README.md", "bash"):
        assert command.strip() in script


HAN = r"[\u4e00-\u9fff]"
MADE_OF_SIGNS = re.compile(r"`[^`]*`|\]\([^)]*\)")


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_chinese_pages_have_chinese_punctuation_and_lead_to_chinese_pages(page: Path) -> None:
    text = _twin(page).read_text("utf-8")
    prose = MADE_OF_SIGNS.sub("", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S))
    assert re.findall(rf".*(?:{HAN}[,;:!?(]|[,;:!?)]{HAN}).*", prose) == []
    _, _, below = text.partition("\n[English](")
    for match in LINK.finditer(below.partition("\n")[2]):
        target = _twin(page).parent / match["target"]
        twin = target.with_name(f"{target.stem}.zh-CN.md")
        assert target.suffix != ".md" or not twin.exists(), match["target"]

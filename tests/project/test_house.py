"""How the house is built: who may name a framework, who may import whom, and what stays light."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("paddle_init", "abacus_compat")
NAMES = {"abacus", "paddle", "torch"}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for each in PACKAGES for path in (ROOT / each).rglob("*.py")}
TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in MODULES.items()}

ROOMS = ("paddle_init.frameworks.abacus", "paddle_init.frameworks.paddle", "abacus_compat")

# Where code may still name a framework, with the number of times.
NAMED = {
    # the scheme's kind, and its public function
    "paddle_init.schemes": 1,
    "paddle_init.schemes.towers": 1,
    # the framework that everything is brought to
    "paddle_init.frameworks.registry": 1,
    # `as_paddle`, `as_abacus`
    "paddle_init.frameworks.transfer": 2,
}


def test_a_framework_is_named_in_its_own_room_alone() -> None:
    found = {}
    for name, tree in TREES.items():
        inside = name.startswith(ROOMS)
        literals = [n for n in ast.walk(tree) if isinstance(n, ast.Constant) and n.value in NAMES]
        if literals and not inside:
            found[name] = len(literals)
    assert found == NAMED


def test_paddle_is_imported_in_its_own_room_alone() -> None:
    for name, tree in TREES.items():
        found = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
        paddles = [node for node in found if "paddle" in roots(node)]
        assert name.startswith("paddle_init.frameworks.paddle.") or not paddles, name


def roots(node: ast.Import | ast.ImportFrom) -> set[str]:
    names = (
        [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
    )
    return {name.partition(".")[0] for name in names}


def imported(name: str, *, deep: bool) -> set[str]:
    """Return the modules that one imports: when it is imported itself, or `deep`, ever."""
    found: set[str] = set()

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            return
        if isinstance(node, (ast.FunctionDef, ast.Lambda)) and not deep:
            return
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                target = full if full in MODULES else node.module
                while target in MODULES:
                    if target != name and not name.startswith(f"{target}."):
                        found.add(target)
                    target = target.rpartition(".")[0]
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(TREES[name])
    return found


def circles(graph: dict[str, set[str]]) -> Iterator[set[str]]:
    """Yield the sets of modules that reach each other."""
    reached = {name: reach(graph, name) for name in graph}
    seen: set[str] = set()
    for name in graph:
        if name in reached[name] and name not in seen:
            circle = {other for other in reached[name] if name in reached[other]}
            seen |= circle
            yield circle


def reach(graph: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for name in graph[waiting.pop()] - found:
            found.add(name)
            waiting.append(name)
    return found


def test_no_module_imports_one_that_needs_it() -> None:
    assert list(circles({name: imported(name, deep=False) for name in MODULES})) == []


# As docs/how-it-is-built.md lists them: each folder may import those before it.
FOLDERS = re.findall(
    r"`(\w+)/`",
    "\n".join(
        line.split("|")[1]
        for line in (ROOT / "docs" / "how-it-is-built.md").read_text("utf-8").splitlines()
        if line.startswith("| `")
    ),
)


def folder(module: str) -> str:
    package, _, rest = module.partition(".")
    return package if package == "abacus_compat" else rest.partition(".")[0]


def test_folders_import_those_above_them_alone() -> None:
    folders = {folder(name) for name, path in MODULES.items() if path.parent.parent != ROOT}
    assert set(FOLDERS) == folders | {"abacus_compat"}
    places = {name: place for place, name in enumerate(FOLDERS)}
    upwards = {
        (name, other)
        for name in MODULES
        for other in imported(name, deep=False)
        if places.get(folder(other), -1) > places.get(folder(name), -1)
    }
    assert {
        pair for pair in upwards if pair[0] not in ("paddle_init", "paddle_init.__main__")
    } == set()


def test_a_framework_s_own_folder_is_imported_by_name_alone() -> None:
    own = ("paddle_init.frameworks.abacus", "paddle_init.frameworks.paddle")
    importing = {
        name
        for name in MODULES
        if name.startswith("paddle_init.frameworks.") and not name.startswith(own)
        for other in imported(name, deep=False)
        if other.startswith(own)
    }
    assert importing == set()


def test_nothing_imports_the_command_line() -> None:
    importing = {
        name
        for name in MODULES
        for other in imported(name, deep=True)
        if other.startswith("paddle_init.cli") and not name.startswith("paddle_init.cli")
    }
    assert importing <= {"paddle_init.__main__"}


def test_the_package_knows_abacus_compat_by_name_alone() -> None:
    importing = {
        name
        for name in MODULES
        for other in imported(name, deep=True)
        if other.startswith("abacus_compat") and not name.startswith("abacus_compat")
    }
    assert importing == set()


CONF = ROOT / "configs" / "params_only.yaml"
LIGHT = {
    "report": ["report", str(CONF)],
    "translate": ["translate", str(CONF), "--to", "python"],
    "sample": ["sample", str(CONF), "--seed", "1", "-o", "weights.npz"],
}


@pytest.mark.parametrize("command", LIGHT)
def test_these_commands_start_without_heavy_libraries(command: str, tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from paddle_init.cli.main import main\n"
        f"code = main({LIGHT[command]!r})\n"
        "heavy = {'scipy', 'cattrs', 'paddle', 'torch', 'matplotlib'} & sys.modules.keys()\n"
        "print('heavy:', *sorted(heavy), file=sys.stderr)\n"
        "sys.exit(code)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stderr.splitlines()[-1] == "heavy:"

"""What every test shares."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.browser import Page

# what a test starts in a process of its own is this checkout too, not an installed copy
TESTS = Path(__file__).parent
ROOT = TESTS.parent
os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, (str(ROOT), str(TESTS), os.environ.get("PYTHONPATH")))
)
# hundreds of commands would compile the packages anew, each for itself
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


OWN = re.compile(r"file:.*\.html|data:,")


@pytest.fixture(scope="module")
def _opened_page() -> Iterator[Page]:
    from support.browser import chromium

    with chromium() as opened:
        yield opened


@pytest.fixture
def page(_opened_page: Page) -> Iterator[Page]:
    """A browser's page; no test may leave an error on its console or ask for anything else."""
    yield _opened_page
    problems, requests = _opened_page.problems[:], _opened_page.requests[:]
    _opened_page.problems.clear()
    _opened_page.requests.clear()
    assert problems == []
    assert [each for each in requests if not OWN.fullmatch(each)] == []


@pytest.fixture(params=[1280, 390])
def width(request: pytest.FixtureRequest, page: Page) -> int:
    """The page's width, of a desk and of a phone."""
    page.size(request.param)
    return int(request.param)


IMPORTED = re.compile(r"^\s*(?:from|import) ([\w.]+)(?: import (\([^)]*\)|.*))?", re.MULTILINE)
# what draws as a framework does, or asks Paddle; also in a text that a test writes to a file
MEETS_PADDLE = re.compile(
    r"(paddle|paddle_init\.(frameworks|initialize|read_net|sample|sampling|streams))(\..*)?"
)


@cache
def meets_paddle(path: Path) -> bool:
    """Tell whether a test file, or a file of support/ that it imports, meets Paddle."""
    files = [path]
    for file in files:
        for name, members in IMPORTED.findall(file.read_text("utf-8")):
            names = [name, *(f"{name}.{member}" for member in re.findall(r"\w+", members))]
            if any(map(MEETS_PADDLE.fullmatch, names)):
                return True
            helpers = (TESTS / f"{each.replace('.', '/')}.py" for each in names)
            files += [each for each in helpers if each not in files and each.exists()]
    return False


def pytest_itemcollected(item: pytest.Item) -> None:
    if meets_paddle(item.path):
        item.add_marker("paddle")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    newer = {item for item in items if item.get_closest_marker("paddle_3")}
    if newer:
        import paddle

        if paddle.__version__[0] < "3":
            config.hook.pytest_deselected(items=list(newer))
            items[:] = [item for item in items if item not in newer]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    if os.environ.get("CI") and skipped:
        terminalreporter.section("CI skips no test", sep="!")
        for report in skipped:
            terminalreporter.write_line(f"skipped: {report.nodeid} {report.longrepr}")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED

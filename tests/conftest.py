"""What every test shares."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from browser import Page

# what a test starts in a process of its own is this checkout too, not an installed copy
ROOT = Path(__file__).parents[1]
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
# hundreds of commands would compile the packages anew, each for itself
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


OWN = re.compile(r"file:.*\.html|data:,")


@pytest.fixture(scope="module")
def _opened_page() -> Iterator[Page]:
    from browser import chromium

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

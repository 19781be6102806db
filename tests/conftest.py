"""What every test shares."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

# what a test starts in a process of its own is this checkout too, not an installed copy
ROOT = Path(__file__).parents[1]
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))


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

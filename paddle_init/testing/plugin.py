"""The pytest plugin: the fixture ``parity`` and the flag ``--parity-update``.

Nothing else of paddle_init is imported before a test uses the fixture.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import os

    from paddle_init.frameworks.resolving import SpecLike
    from paddle_init.parity.records import Level, Report

WRITTEN = "parity_snapshot"


class Parity:
    """What a test does with reports; relative snapshot paths start at the test's own file."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._request = request

    def __call__(
        self,
        left: SpecLike,
        right: SpecLike | None = None,
        level: Level | str = "rounding",
        **settings: Any,
    ) -> Report:
        """Require parity; see `paddle_init.testing.assert_parity`."""
        __tracebackhide__ = True
        from paddle_init.testing import assert_parity

        return assert_parity(left, right, level, **settings)

    def snapshot(self, report: Report, path: str | os.PathLike[str]) -> None:
        """Require that `report` says what the JSON report at `path` says.

        With ``--parity-update`` the file is written instead. See
        `paddle_init.testing.assert_snapshot`.
        """
        __tracebackhide__ = True
        from paddle_init.testing import assert_snapshot, write_snapshot

        place = Path(self._request.path).parent / path
        config = self._request.config
        if not config.getoption("parity_update"):
            assert_snapshot(report, place)
        elif write_snapshot(report, place, config.rootpath):
            self._request.node.user_properties.append((WRITTEN, str(place)))


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("paddle-init")
    group.addoption(
        "--parity-update",
        action="store_true",
        help="write the snapshots of parity.snapshot(...) as the reports are now",
    )


@pytest.fixture
def parity(request: pytest.FixtureRequest) -> Parity:
    """Parity of initializations: ``parity(left, right)`` and ``parity.snapshot(report, path)``."""
    return Parity(request)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for reports in list(terminalreporter.stats.values()):
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                if name == WRITTEN and report.when == "call":
                    terminalreporter.write_line(f"parity: wrote {value}")

"""Parity in tests: assertions that say what to do, and reports kept as snapshots.

Under pytest the plugin `paddle_init.testing.plugin` adds a fixture `parity` with both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddle_init.lazy import lazily

if TYPE_CHECKING:
    from paddle_init.testing.assertions import ParityError, assert_parity
    from paddle_init.testing.snapshots import SnapshotError, assert_snapshot, write_snapshot

__all__ = ["ParityError", "SnapshotError", "assert_parity", "assert_snapshot", "write_snapshot"]

__getattr__ = lazily(
    __name__,
    {
        "ParityError": "assertions",
        "SnapshotError": "snapshots",
        "assert_parity": "assertions",
        "assert_snapshot": "snapshots",
        "write_snapshot": "snapshots",
    },
)


def __dir__() -> list[str]:
    return __all__

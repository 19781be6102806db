"""The command line, run as a user runs it: in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["CONFIGS", "ROOT", "paddle_init", "started"]

ROOT = Path(__file__).parent.parent
CONFIGS = ROOT / "configs"
COMMAND = [sys.executable, "-m", "paddle_init"]


def environment(**changes: str) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("COLUMNS", "NO_COLOR", "PADDLE_INIT_DEBUG", "PYTHONIOENCODING")
    }
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    return kept | {"PYTHONPATH": path} | changes


def paddle_init(
    *args: object, cwd: Path | None = None, **changes: str
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; keywords are environment variables."""
    return subprocess.run(
        [*COMMAND, *map(str, args)],
        cwd=cwd,
        env=environment(**changes),
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        check=False,
        timeout=120,
    )


def started(*args: object, **settings: object) -> subprocess.Popen[bytes]:
    """Start a command and return while it runs."""
    return subprocess.Popen([*COMMAND, *map(str, args)], env=environment(), **settings)  # type: ignore[call-overload,no-any-return]

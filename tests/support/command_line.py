"""The command line, run as a user runs it: in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

__all__ = ["CONFIGS", "ROOT", "deaf", "paddle_init", "running", "started"]

ROOT = Path(__file__).parents[2]
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


def started(
    *args: object, command: Sequence[str] = COMMAND, **settings: object
) -> subprocess.Popen[bytes]:
    """Start a command that SIGINT interrupts, and return while it runs."""
    options = {"env": environment(), "preexec_fn": interruptible, **settings}
    return subprocess.Popen([*command, *map(str, args)], **options)  # type: ignore[call-overload,no-any-return]


def interruptible() -> None:
    """Let SIGINT interrupt this process, also where the tests run with SIGINT ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def deaf() -> None:
    """Ignore SIGINT, as a shell lets a job in the background do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def running(command: subprocess.Popen[bytes]) -> bool:
    """Wait until a command has its signal handlers, so that it is at work; False where it ends."""
    while command.poll() is None:
        for line in Path(f"/proc/{command.pid}/status").read_text().splitlines():
            if line.startswith("SigCgt:") and int(line.split()[1], 16) >> (signal.SIGTERM - 1) & 1:
                return True
        time.sleep(0.01)
    return False

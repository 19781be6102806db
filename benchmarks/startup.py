"""How fast `paddle-init report` starts: `python -m benchmarks.startup [rounds]`.

Prints the median of the report's time over that of ``python -c "import numpy, yaml"``, which any
tool that reads confs has to pay. Both run in turn, so that a busy machine slows both. Goal: 2.5.
Python may keep what it compiled, as it does of an installed package.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

__all__ = ["GOAL", "main"]

GOAL = 2.5
ROOT = Path(__file__).parent.parent
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
COMMANDS = {
    "import numpy, yaml": [sys.executable, "-c", "import numpy, yaml"],
    "paddle-init report": [
        sys.executable,
        "-m",
        "paddle_init",
        "report",
        "configs/abacus_rank.yaml",
    ],
    "paddle-init --help": [sys.executable, "-m", "paddle_init", "--help"],
}


def main(rounds: int = 21) -> float:
    """Print medians and ratios over `rounds` runs of each; return the report's ratio."""
    seconds: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for number in range(rounds + 1):
        for name, command in COMMANDS.items():
            took = _run(command)
            if number:  # the first round fills the disk cache
                seconds[name].append(took)
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    base, report, _ = medians.values()
    for name, median in medians.items():
        print(f"{name:20} {1000 * median:6.0f} ms  {median / base:5.2f}")
    print(f"ratio {report / base:.2f} (goal: at most {GOAL})")
    return report / base


def _run(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])) > GOAL)

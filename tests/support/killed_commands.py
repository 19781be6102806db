"""A command killed again and again: ``python killed_commands.py FILE TRIALS ARGUMENT..``.

Each trial puts an old text into FILE and forks, so that the command starts at once. The first
TRIALS are killed at random times; then come trials that end at each line of the code that writes.
Prints what is in FILE after each: "old" or the text itself, as a list in JSON.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

from paddle_init import output_files
from paddle_init.cli.main import main

OLD = "old"


def trials(path: Path, arguments: list[str], number: int) -> Iterator[str]:
    """Yield what `path` holds after each trial."""
    rng = random.Random(20260103)
    main(arguments)  # imports what the children then have
    start = time.perf_counter()
    _forked(path, arguments)
    seconds = time.perf_counter() - start
    for _ in range(number):
        _forked(path, arguments, after=rng.uniform(0, 1.2 * seconds))
        yield path.read_text("utf-8")
    for line in count(1):
        killed = _forked(path, arguments, line=line)
        yield path.read_text("utf-8")
        if not killed:
            return


def _forked(path: Path, arguments: list[str], after: float = 60, line: int = 0) -> bool:
    """Run the command in a child; return whether it was killed."""
    path.write_text(OLD, "utf-8")
    child = os.fork()
    if child == 0:
        if line:
            sys.settrace(_killer(line))
        os._exit(main(arguments))
    end = time.perf_counter() + after
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.perf_counter() > end:
            os.kill(child, signal.SIGKILL)
        time.sleep(1e-4)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status):
        assert os.WEXITSTATUS(status) == 0
        return False
    return True


def _killer(line: int) -> Any:
    lines = count(1)

    def trace(frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename != output_files.__file__:
            return None
        if event == "line" and next(lines) == line:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace

    return trace


if __name__ == "__main__":
    file, number, *rest = sys.argv[1:]
    json.dump(list(trials(Path(file), rest, int(number))), sys.stdout)

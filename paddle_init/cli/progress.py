"""A progress bar on stderr, for a person at a terminal who has waited a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

__all__ = ["progress_bar"]

PATIENCE = 1.0


@contextmanager
def progress_bar(total: int, unit: str) -> Iterator[Callable[[int], None] | None]:
    """Yield what takes the number of further units done; None where nobody would see a bar."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    with ExitStack() as stack:
        start, done = time.monotonic(), 0
        show: Callable[[int], object] | None = None

        def advance(count: int) -> None:
            nonlocal done, show
            done += count
            if show is None:
                if time.monotonic() - start < PATIENCE:
                    return
                show = _bar(stack, total, unit)
            show(done)

        yield advance


def _bar(stack: ExitStack, total: int, unit: str) -> Callable[[int], object]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} % of {task.total:,} " + unit),
        TimeRemainingColumn(),
    )
    bar = stack.enter_context(Progress(*columns, console=Console(stderr=True), transient=True))
    task = bar.add_task("", total=total)
    return lambda done: bar.update(task, completed=done)

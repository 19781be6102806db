"""Several threads that take numbered blocks of one stream and finish them in order."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

__all__ = ["Turns", "in_threads"]


class Turns:
    """Lets the holders of numbered blocks pass in the order of the numbers."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._next = 0
        self.stopped = False

    def wait(self, number: int) -> bool:
        """Return when every lower number has passed; False if the work was stopped."""
        with self._condition:
            self._condition.wait_for(lambda: self.stopped or self._next == number)
            return not self.stopped

    def passed(self) -> None:
        """Let the next number go on."""
        with self._condition:
            self._next += 1
            self._condition.notify_all()

    def stop(self) -> None:
        """Send every thread home."""
        with self._condition:
            self.stopped = True
            self._condition.notify_all()


def in_threads(work: Callable[[Turns], None], threads: int) -> None:
    """Run work(turns) in so many threads; on an error or an interrupt stop all, then raise."""
    turns = Turns()

    def guarded() -> None:
        try:
            work(turns)
        except BaseException:
            turns.stop()
            raise

    with ThreadPoolExecutor(threads, thread_name_prefix="stream") as pool:
        futures = [pool.submit(guarded) for _ in range(threads)]
        try:
            for future in futures:
                future.result()
        except BaseException:
            turns.stop()
            raise

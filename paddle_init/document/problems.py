"""Errors of a file, gathered and told together: one line each, in line order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from paddle_init.errors import Notice, PaddleInitError, Source
from paddle_init.printable import clipped, printable

__all__ = ["DocumentError", "Problem", "carrying"]


@dataclass(frozen=True)
class Problem:
    """One thing wrong in a file: what was found, what is allowed, and where."""

    message: str
    source: Source | None = None

    def __str__(self) -> str:
        told = f"{self.source}: {self.message}" if self.source else self.message
        return printable(clipped(told))


class DocumentError(PaddleInitError, ValueError):
    """A file cannot be read as what it should be; says everything that is wrong with it.

    Parameters
    ----------
    problems : Problem or iterable of Problem
        At least one. They are kept file by file, in the order in which the files first
        appear, and within a file by line.

    Attributes
    ----------
    problems : tuple of Problem
    notices : tuple of Notice
        What was warned about until then.
    """

    problems: tuple[Problem, ...]
    notices: tuple[Notice, ...] = ()

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        found = (problems,) if isinstance(problems, Problem) else tuple(problems)
        self.problems = _in_line_order(found)
        super().__init__(str(self))

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))


@contextmanager
def carrying(notices: tuple[Notice, ...]) -> Iterator[None]:
    """Give what is warned about already to an error on the way, before its own notices."""
    try:
        yield
    except DocumentError as error:
        error.notices = (*notices, *error.notices)
        raise


def _in_line_order(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    files: dict[str, int] = {}
    for problem in problems:
        files.setdefault(problem.source.file if problem.source else "", len(files))

    def position(problem: Problem) -> tuple[int, int]:
        source = problem.source
        return (files[source.file], source.line) if source else (files[""], 0)

    return tuple(sorted(problems, key=position))

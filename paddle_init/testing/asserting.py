"""Two sides that a test wants to start from the same place."""

from __future__ import annotations

import os
import shlex
from typing import Any

from paddle_init.errors import PaddleInitError
from paddle_init.parity import Level, Report, report, resolve
from paddle_init.parity.gating import gated
from paddle_init.parity.places import places
from paddle_init.parity.resolving import SpecLike
from paddle_init.testing.failure_text import failure_text

__all__ = ["ParityError", "assert_parity"]


class ParityError(PaddleInitError, AssertionError):
    """Two sides are further apart than a test allows; `report` holds every parameter."""

    def __init__(self, message: str, report: Report) -> None:
        super().__init__(message)
        self.report = report


def assert_parity(
    left: SpecLike,
    right: SpecLike | None = None,
    level: Level | str = "rounding",
    **settings: Any,
) -> Report:
    """Require that no parameter is further apart than `level`.

    Parameters
    ----------
    left, right
        What `paddle_init.report` takes: paths of confs and net specs, or net specs. Without
        `right` the towers' FC rule stands there.
    level : Level or str
        The worst level that passes: "identical", "rounding", "stream", "scale", "distribution" or
        "structure". "stream" asks for equal distributions alone. What is not known, as a
        user's own distribution or a parameter that may be a bias, counts as
        "distribution". What compares nothing passes at no level.
    **settings
        Further arguments of `paddle_init.report`, such as `init_range`.

    Returns
    -------
    Report
        Whose levels are `level` or better.

    Raises
    ------
    ParityError
        An AssertionError: the worst parameters first, with why, where and what to write instead.
    ValueError
        `level` is none.
    DocumentError, SpecError
        As `paddle_init.report`.
    """
    __tracebackhide__ = True
    limit = Level(level)
    here, *others = resolve(left, *([] if right is None else [right]))
    made = report(here, *others, **settings)
    held = gated(made)
    if held.worst > limit or not held.parameters:
        known = places(here, *others)
        raise ParityError(failure_text(held, limit, known, _command(left, right, settings)), made)
    return made


def _command(left: SpecLike, right: SpecLike | None, settings: dict[str, Any]) -> str | None:
    """Return the command that prints the whole report, where there is one."""
    sides = [left] if right is None else [left, right]
    if settings or not all(isinstance(side, (str, os.PathLike)) for side in sides):
        return None
    told = " --against ".join(shlex.quote(str(side)) for side in sides)
    return f"paddle-init report {told}"

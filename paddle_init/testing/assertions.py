"""Two sides that a test wants to start from the same place."""

from __future__ import annotations

import math
import os
import shlex
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from paddle_init.errors import PaddleInitError, Source
from paddle_init.frameworks.resolving import SpecLike, resolve
from paddle_init.languages import listed
from paddle_init.parity import sentences as advice
from paddle_init.parity.building import report
from paddle_init.parity.gating import Group, gated, grouped
from paddle_init.parity.page import answer
from paddle_init.parity.records import Comparison, Level, Report, place, places
from paddle_init.texts import printable, short

SHOWN_GROUPS = 5
LONGEST_VALUE = 600
COLUMNS = 96
LABEL = 8
ONE_STREAM = (
    'Give both sides a stream with the same engine and seed, or accept level="stream": single '
    "values are then left to chance."
)


def failure_text(
    report: Report, limit: Level, known: Mapping[str, Source], command: str | None
) -> str:
    """Write what is worse than `limit`, at most five kinds of it, or that nothing was compared.

    Parameters
    ----------
    known : dict of str to Source
        Where parameters are written; see `places`.
    command : str, optional
        What prints the whole report.
    """
    if not report.parameters:
        return "\n".join([answer(report), *_sides(report), "", advice.COMPARE_SOMETHING()])
    apart = [each for each in report.parameters if each.level > limit]
    head = _head(apart, len(report.parameters), limit)
    lines = [f"{head}; the worst is {report.worst}.", *_sides(report)]
    groups = sorted(grouped(apart), key=_badness, reverse=True)
    for group in groups[:SHOWN_GROUPS]:
        lines += ["", *_group(group, known)]
    if len(groups) > SHOWN_GROUPS:
        lines += ["", f"... and {sum(len(group.names) for group in groups[SHOWN_GROUPS:])} more."]
    whole = command or (
        "print(paddle_init.parity.as_text(paddle_init.report(...))) with the same arguments"
    )
    return "\n".join([*lines, "", f"All of them: {printable(whole)}"])


def _head(apart: list[Comparison], total: int, limit: Level) -> str:
    unknown = sum(not each.known for each in apart)
    head = f"{len(apart)} of {total} parameters {'are' if len(apart) != 1 else 'is'}"
    if unknown == len(apart):
        return f"{head} not known, which counts as worse than {limit}"
    return f"{head} worse than {limit}{f', {unknown} of them not known' if unknown else ''}"


def _sides(report: Report) -> Iterator[str]:
    yield from _labelled("left", report.left, indent=0)
    yield from _labelled("right", report.right, indent=0)


def _badness(group: Group) -> tuple[int, float]:
    ratio = group.first.std_ratio
    return group.first.level.rank, math.inf if not ratio else abs(math.log(ratio))


def _group(group: Group, known: Mapping[str, Source]) -> Iterator[str]:
    first = group.first
    shape = " x ".join(map(str, first.shape))
    ratio = f", right std / left std = {short(first.std_ratio)}" if first.std_ratio else ""
    level = first.level if first.known else f"not known, counts as {first.level}"
    names = listed([_clipped(name, 80) for name in group.names])
    yield f"{names} ({first.role} {shape}): {level}{ratio}"
    source = place(first, known)
    if source:
        yield from _labelled("where", source.place)
    yield from _labelled("why", first.explanation)
    advice = first.advice or (ONE_STREAM if first.level is Level.STREAM else None)
    if advice:
        yield f"  {'do':{LABEL}}{_clipped(advice, LONGEST_VALUE)}"  # one line, to be copied


def _labelled(label: str, text: str, indent: int = 2) -> Iterator[str]:
    wide = COLUMNS - indent - LABEL
    content = _clipped(text, LONGEST_VALUE)
    parts = textwrap.wrap(content, wide, break_long_words=False, break_on_hyphens=False)
    for name, part in zip([label, *[""] * (len(parts) - 1)], parts, strict=True):
        yield f"{'':{indent}}{name:{LABEL}}{part}"


def _clipped(text: str, longest: int) -> str:
    shown = " ".join(map(printable, text.split("\n")))
    return shown if len(shown) <= longest else f"{shown[:longest]}..."


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

"""Annotations on the lines of a pull request, as GitHub Actions reads them from a step's output."""

from __future__ import annotations

import os
from collections.abc import Iterator

from paddle_init.checks.records import Suite, Verdict
from paddle_init.errors import Source
from paddle_init.printable import printable

__all__ = ["as_github"]

COMMANDS = ((Verdict.FAILED, "error"), (Verdict.WARNED, "warning"))


def as_github(suite: Suite, root: str | os.PathLike[str] | None = None) -> str:
    """Write the answer, then a workflow command for every check that did not pass.

    Failures come first: of a step's annotations GitHub shows ten errors and ten warnings. The
    suite's notices become ``notice`` commands where they have a place to stand at.

    Parameters
    ----------
    root : path, optional
        The repository, which GitHub takes paths from; the current folder by default.

    Source: "Workflow commands for GitHub Actions",.
    """
    lines = [suite.answer, *_commands(suite, os.path.realpath(root or os.curdir))]
    return "".join(f"{line}\n" for line in lines)


def _commands(suite: Suite, root: str) -> Iterator[str]:
    for verdict, command in COMMANDS:
        for check in suite.checks:
            if check.verdict is verdict:
                title = f"{check.name}: {check.kind}"
                yield _command(command, title, check.details, check.source, root)
    for notice in suite.notices:
        if notice.source:
            yield _command("notice", notice.code, notice.message, notice.source, root)


def _command(name: str, title: str, message: str, source: Source | None, root: str) -> str:
    place: dict[str, str] = {}
    if source:
        place = {"file": _inside(source.file, root)}
        if source.line:
            place["line"] = str(source.line)
    properties = {**place, "title": title}.items()
    told = ",".join(f"{key}={_property(value)}" for key, value in properties)
    return f"::{name} {told}::{_data(message)}"


def _inside(file: str, root: str) -> str:
    """Return a path from `root`, with slashes; a file outside of it keeps its own."""
    path = os.path.relpath(os.path.realpath(file), root)
    outside = path == os.pardir or path.startswith(os.pardir + os.sep)
    return (file if outside else path).replace(os.sep, "/")


def _data(text: str) -> str:
    return "%0A".join(printable(line).replace("%", "%25") for line in text.split("\n"))


def _property(text: str) -> str:
    return _data(printable(text)).replace(":", "%3A").replace(",", "%2C")

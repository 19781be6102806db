"""What a command checked, in no format's words."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from xml.etree import ElementTree as ET

from paddle_init.errors import Notice, Source
from paddle_init.texts import inert, printable


class Verdict(Enum):
    """How a check came out."""

    PASSED = "passed"
    WARNED = "warned"
    FAILED = "failed"


@dataclass(frozen=True)
class Check:
    """One thing that was checked, such as a parameter.

    Parameters
    ----------
    name
        As the user wrote it; may hold any character.
    kind
        The kind of result in a word, such as a parity level.
    details
        What was found, why, and what to do; may have several lines.
    source
        Where the checked thing is written, or None.
    """

    name: str
    verdict: Verdict
    kind: str
    details: str
    source: Source | None = None


def nothing(details: str) -> Check:
    """Return the check of a run that had nothing to check: it fails."""
    return Check("nothing to check", Verdict.FAILED, "nothing", details)


@dataclass(frozen=True)
class Suite:
    """All that one run checked.

    Parameters
    ----------
    name
        The command.
    answer
        The result as a sentence, without texts from files.
    properties
        Names and values that say what was checked, the subject first.
    """

    name: str
    answer: str
    properties: tuple[tuple[str, str], ...]
    checks: tuple[Check, ...]
    notices: tuple[Notice, ...] = ()

    def count(self, verdict: Verdict) -> int:
        """Return how many checks came out so."""
        return sum(check.verdict is verdict for check in self.checks)


def as_junit(suite: Suite) -> str:
    """Write a test case for every check, as an XML document in ASCII.

    A check that only warned passes, with its details as output. Characters that XML cannot hold
    are written as escapes such as ``\\x1b``.

    Source: the schema that Jenkins publishes, junit-10.xsd.
    """
    failures, total = str(suite.count(Verdict.FAILED)), str(len(suite.checks))
    counts = {"tests": total, "failures": failures, "errors": "0", "time": "0"}
    top = ET.Element("testsuites", {"name": suite.name, **counts})
    inner = ET.SubElement(top, "testsuite", {"name": suite.name, **counts, "skipped": "0"})
    properties = ET.SubElement(inner, "properties")
    for name, value in suite.properties:
        ET.SubElement(properties, "property", {"name": name, "value": printable(value)})
    subject = printable(suite.properties[0][1]) if suite.properties else suite.name
    for check in suite.checks:
        _case(inner, check, subject)
    told = "\n".join([suite.answer, *map(str, suite.notices)])
    ET.SubElement(inner, "system-out").text = _text(told)
    ET.indent(top)
    xml = ET.tostring(top, encoding="us-ascii").decode("ascii")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{xml}\n'


def _case(suite: ET.Element, check: Check, subject: str) -> None:
    names = {"classname": subject, "name": printable(check.name), "time": "0"}
    case = ET.SubElement(suite, "testcase", names)
    details = f"{check.source.place}\n" if check.source else ""
    details = _text(details + check.details)
    if check.verdict is Verdict.FAILED:
        said = {"type": check.kind, "message": printable(check.details.split("\n")[0])}
        ET.SubElement(case, "failure", said).text = details
    else:
        ET.SubElement(case, "system-out").text = f"{check.kind}\n{details}"


def _text(text: str) -> str:
    return "\n".join(inert(printable(line)) for line in text.split("\n"))


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

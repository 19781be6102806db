"""JUnit's XML, which CI systems show as a list of tests."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from paddle_init.checks.records import Check, Suite, Verdict
from paddle_init.printable import inert, printable

__all__ = ["as_junit"]


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

"""A kind of result that the package does not know: a page, a dict and checks give every format."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from paddle_init.errors import Source
from paddle_init.json_values import json_text
from paddle_init.languages import Language, Sentence
from paddle_init.results import html, markdown, text
from paddle_init.results.checks import Check, Suite, Verdict, as_github, as_junit
from paddle_init.results.page import WORDS, Code, Column, Entry, Mark, Page, Row, Table
from paddle_init.results.provenance import Provenance

ANSWER = Sentence("{count} parameters hold NaN.", "{count} 个参数含有 NaN。")
WEIGHTS = Sentence("weights", "权重")
FOUND = Sentence("found", "发现")
MANY = Sentence("{count} NaN", "{count} 个 NaN")
VERSIONS = Provenance("lint weights.npz", {"numpy": "2.0"})


@dataclass(frozen=True)
class Lint:
    """How many NaN each parameter holds."""

    weights: str
    counts: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def page(result: Lint) -> Page:
    columns = (Column(WORDS.PARAMETER()), Column(FOUND(), "level-column"))
    rows = [
        Row((Code(name), Mark(MANY(count=count), "fails", "red")), sort=[name, count])
        for name, count in result.counts.items()
    ]
    facts = (Entry(WEIGHTS(), result.weights),)
    table = Table(WORDS.PARAMETERS(), columns, rows)
    return Page("lint", ANSWER(count=len(rows)), facts, (table,))


def as_checks(result: Lint) -> Suite:
    place = Source(result.weights, 0)
    checks = [
        Check(name, Verdict.FAILED if count else Verdict.PASSED, "nan", MANY(count=count), place)
        for name, count in result.counts.items()
    ]
    return Suite("lint", page(result).headline, (("weights", result.weights),), tuple(checks))


LINT = Lint("weights.npz", {"fc1_w": 3, "fc|2": 1})


def test_text() -> None:
    assert text.as_text(page(LINT)) == (
        "2 parameters hold NaN.\n"
        "weights  weights.npz\n"
        "\n"
        "parameter  found\n"
        "fc1_w      3 NaN\n"
        "fc|2       1 NaN\n"
    )


def test_markdown_in_chinese() -> None:
    assert markdown.as_markdown(page(LINT), "zh", VERSIONS) == (
        "# 2 个参数含有 NaN。\n\n- **权重** weights.npz\n\n## 参数\n\n"
        "| 参数 | 发现 |\n| --- | --- |\n| `fc1_w` | 3 个 NaN |\n"
        "| <code>fc&#124;2</code> | 1 个 NaN |\n"
        "\n## 如何重现\n\n```sh\nlint weights.npz\n```\n\n## 版本\n\nnumpy `2.0`\n"
    )


@pytest.mark.parametrize("language", ["en", "zh"])
def test_html(language: Language) -> None:
    found = html.as_html(page(LINT), language, VERSIONS)
    assert f"<title>{ANSWER(count=2).translated(language)}</title>" in found
    assert '<span class="level fails"><span lang="en">3 NaN</span>' in found
    assert found.count("<tbody>") == 2


def test_formats_for_programs() -> None:
    assert json.loads(json_text(LINT.to_dict()))["counts"] == {"fc1_w": 3, "fc|2": 1}
    assert ET.fromstring(as_junit(as_checks(LINT))).get("failures") == "2"
    assert "::error file=weights.npz,title=fc|2%3A nan::1 NaN\n" in as_github(as_checks(LINT))

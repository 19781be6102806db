"""The Markdown form, through a parser: tables are tables, and data is text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from support.parity_specs import ABACUS, RANK

from paddle_init.parity.building import report
from paddle_init.parity.page import as_markdown
from paddle_init.results.markdown import code, fenced, prose, table
from paddle_init.results.provenance import Provenance
from paddle_init.schemes import normal
from paddle_init.specs import Draw, NetSpec
from paddle_init.texts import printable

MADE_BY = Provenance("paddle-init report 'a b.yaml'", {"numpy": "2.0", "Python": "3.11"})
PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
NAMES = [
    "a|b",
    "a\\|b",
    "`a`",
    "``a",
    " a ",
    "*a*_b_",
    "<script>x</script>",
    "&lt;",
    "a\nb",
    "[x](y)",
    "#1 @you",
    "w" * 500,
]
texts = st.text(st.sampled_from("ab|\\`*_~[]()<>&#$ \n!-:1."), min_size=1, max_size=12)


def visible(markdown: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", PARSER.render(markdown)))


def cells(markdown: str) -> Iterator[list[str]]:
    for row in re.findall(r"<tr>(.*?)</tr>", PARSER.render(markdown), re.DOTALL):
        found = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        yield [unescape(re.sub(r"<[^>]*>", "", cell)) for cell in found]


def test_a_report_in_markdown() -> None:
    lines = as_markdown(report(RANK), made_by=MADE_BY).splitlines()
    assert lines[0] == "# No: 3 of 4 parameters start elsewhere (scale 3)."
    assert "| `fc1_b` | bias | 128 | `scale` | std 0.2 | std 0.01155 | 0.057735 |" in lines
    assert "### `fc1_b` (bias 128): `scale`" in lines
    assert (
        "- **do** In Paddle, write initializer=paddle.nn.initializer.Normal(mean=0.0, std=0.2)."
        in lines
    )
    assert lines[-7:] == [
        "```sh",
        "paddle-init report 'a b.yaml'",
        "```",
        "",
        "## Versions",
        "",
        "numpy `2.0`, Python `3.11`",
    ]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_table_is_one(language: str) -> None:
    head, *rows = cells(as_markdown(report(RANK), made_by=MADE_BY, language=language))  # type: ignore[arg-type]
    assert len(head) == 7
    assert [row[0] for row in rows] == ["fc1_w", "fc1_b", "fc2_w", "fc2_w.bias"]


def test_names_are_text_in_tables_headings_and_sentences() -> None:
    spec = NetSpec("abacus", tuple(Draw(n, (3 + i, 4), ABACUS) for i, n in enumerate(NAMES)))
    only_there = [f"{name}!" for name in NAMES[:3]]
    draws = (Draw(name, (3, 5 + i), normal(0, 1)) for i, name in enumerate(only_there))
    other = NetSpec("paddle", tuple(draws))
    text = as_markdown(report(spec, other), made_by=MADE_BY)
    _, *rows = cells(text)
    shown = [row[0].strip(" ") for row in rows]
    assert shown == [printable(name).strip(" ") for name in [*NAMES, *only_there]]
    rendered = PARSER.render(text)
    headings = re.findall(r"<h3>(.*?)</h3>", rendered)
    assert len(headings) == len(rows)
    assert "<script" not in rendered
    assert not re.search("<(a|em|img|del)[ >]", rendered)
    assert "Only abacus has it; Paddle has a|b!, a\\|b!, `a`!." in visible(text)


def test_of_many_the_worst_are_shown() -> None:
    draws = tuple(Draw(f"w{i}", (3 + i, 4), normal(0, 1)) for i in range(99))
    text = as_markdown(report(NetSpec("paddle", draws)), made_by=MADE_BY)
    assert text.count("\n### ") == 30
    assert "69 more rows compare no worse; --format json has every parameter." in text


@given(texts)
def test_code_shows_its_text(text: str) -> None:
    assert visible(f"x {code(text)} y").strip("\n") == f"x {printable(text)} y"


@given(texts)
def test_prose_shows_its_text(text: str) -> None:
    rendered = PARSER.render(f"- **x** {prose(text)} y")
    assert not re.search(r"<(?!/?(ul|li|strong|br)>)", rendered)
    lines = unescape(re.sub("<br>", "\n", rendered.partition("</strong>")[2].partition("</li>")[0]))
    shown = text.replace("##[", "##\\x5b")  # a command to CI runners; see texts.printable
    assert lines == f" {shown} y"


@given(st.lists(texts, min_size=1, max_size=3))
def test_a_cell_is_a_cell(row: list[str]) -> None:
    text = "\n".join(table(["h"] * len(row), [list(map(code, row)), list(map(prose, row))]))
    _, codes, proses = cells(text)
    assert [cell.strip(" ") for cell in codes] == [printable(each).strip(" ") for each in row]
    assert len(proses) == len(row)


def test_a_command_cannot_leave_its_block() -> None:
    text = fenced("paddle-init report '```\n# x'")
    assert text.splitlines()[0] == "````sh"
    assert PARSER.render(text).count("<pre>") == 1
    assert "<h1>" not in PARSER.render(text)

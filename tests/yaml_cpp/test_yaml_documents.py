"""Whole documents against a real yaml-cpp: the same tree, or a refusal.

Where the two differ, it is by a refusal of ours, for a reason that docs/yaml_cpp.md gives.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from support.yaml_cases import DEPARTURES, DOCUMENTS, SECTION, unlike_cpp
from support.yaml_trees import agree, ours, refused, theirs, tree

from abacus_compat.yaml_cpp import DocumentError, parse_document
from paddle_init.texts import printable
from paddle_init.yaml_cpp import quoted
from paddle_init.yaml_cpp.departures import without_idle_tabs
from paddle_init.yaml_cpp.events import LOADER


def test_every_listed_document_reads_as_in_cpp() -> None:
    assert len(set(DOCUMENTS)) >= 150
    answers = zip(DOCUMENTS, map(ours, DOCUMENTS), theirs(DOCUMENTS), strict=True)
    assert [answer for answer in answers if not agree(*answer[1:])] == []
    assert sum(not refused(ours(document)) for document in DOCUMENTS) >= 100


@pytest.mark.parametrize("reason", DEPARTURES)
def test_departures_are_refusals_of_ours_alone(reason: str) -> None:
    documents = DEPARTURES[reason]
    answers = zip(documents, map(ours, documents), theirs(documents), strict=True)
    for document, mine, cpp in answers:
        assert refused(mine), document
        assert not refused(cpp), document


def test_every_departure_has_its_row_in_the_docs() -> None:
    page = Path(__file__).parents[2] / "docs" / "yaml_cpp.md"
    table = page.read_text(encoding="utf-8").split("## Departures")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ([^|]+?) \| ", table, re.MULTILINE)
    assert rows == ["What", *DEPARTURES]


TOKENS = [
    *[b"a", b"b", b"1", b"~", b"x y", b"0.2", b"null", b"\xe4\xb8\xad", b"\xd6\xd0", b"\xd6\\"],
    *[b"\n", b"\n  ", b"\n    ", b"\r\n", b" ", b"  ", b"\t", b"# c\n", b" #"],
    *[b": ", b":", b"k: ", b"- ", b"-", b"? ", b"?", b"[", b"]", b"{", b"}", b",", b", "],
    *[b'"', b"'", b'"q"', b"'s'", b"''", b"\\", b"\\n", b"\\x41", b"|\n", b"|-\n", b">\n", b"|2\n"],
    *[b"&a ", b"*a", b"*a ", b"!", b"!!str ", b"!x ", b"<<: ", b"%", b"---", b"\n---\n", b"..."],
]  # fmt: skip


def mangled(seed: int, count: int) -> list[bytes]:
    """Confs with bytes inserted, removed, repeated or cut off, and token soup."""
    source = random.Random(seed)
    documents = []
    for _ in range(count):
        if source.random() < 0.3:
            documents.append(b"".join(source.choices(TOKENS, k=source.randint(1, 9))))
            continue
        document = source.choice([SECTION, *DOCUMENTS])[:600]
        for _ in range(source.randint(1, 3)):
            place, other = source.randint(0, len(document)), source.randint(0, len(document))
            inserted = source.choice([source.choice(TOKENS), document[other : other + 9]])
            skipped = source.choice([0, 0, 1, 4])
            document = document[:place] + inserted + document[place + skipped :]
        documents.append(document[: source.choice([None, None, None, place])])
    return documents


def test_mangled_documents_read_as_in_cpp_or_are_refused() -> None:
    documents = mangled(20260101, 10_000)
    assert unlike_cpp(documents) == []
    assert sum(not refused(ours(document)) for document in documents[:1000]) > 200


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(st.sampled_from(TOKENS), max_size=14).map(b"".join), min_size=30))
def test_any_document_reads_as_in_cpp_or_is_refused(documents: list[bytes]) -> None:
    assert unlike_cpp(documents) == []


def test_without_libyaml_the_same_trees_but_for_tabs(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [*DOCUMENTS, *mangled(7, 1000)]
    fast = list(map(ours, documents))
    monkeypatch.setattr("paddle_init.yaml_cpp.events.LOADER", yaml.SafeLoader)
    assert unlike_cpp(documents) == []
    slow = list(map(ours, documents))
    stricter = [
        document
        for document, mine, pure in zip(documents, fast, slow, strict=True)
        if refused(pure) and not refused(mine)
    ]
    assert 0 < len(stricter) < 0.05 * len(documents)
    assert all(b"\t" in document for document in stricter), stricter


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1))
def test_quoted_texts_read_back_in_cpp(texts: list[str]) -> None:
    documents = [f"k: {quoted(text)}\n".encode() for text in texts]
    expected = [b"{'1:k'%d:%s}" % (len(data), data) for data in map(str.encode, texts)]
    assert theirs(documents) == expected
    assert list(map(ours, documents)) == expected


def test_quoted_texts_are_safe_to_show() -> None:
    texts = ["a\u202eb\u2066", "##[error]x", "\u200b\U000e0001", "\x85\u2028::error::", 'a\\"é全😀']
    for text in texts:
        assert printable(quoted(text)) == quoted(text)
        assert yaml.safe_load(quoted(text)) == text
    assert quoted(texts[-1]) == '"a\\\\\\"é全😀"'


def test_pyyaml_itself_is_left_alone() -> None:
    assert tree(parse_document("a: 1e-3\nb: yes\na: 2").root) == b"{'1:a'4:1e-3'1:b'3:yes}"
    assert yaml.safe_load("a: 1e-3\nb: yes\na: 2") == {"a": 2, "b": True}
    assert yaml.safe_load("695e0514") == "695e0514"


@pytest.mark.parametrize("loader", [LOADER, yaml.SafeLoader])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\n\tb: 2", "2: a tab where YAML takes none, as at the start of a line; write blanks"),
        (
            "a: [1]\n\tb: 2",
            "2: a tab where YAML takes none, as at the start of a line; write blanks",
        ),
        ("a: @b", "1: a text cannot start with '@'; put it in quotes"),
        ("a: `b", "1: a text cannot start with '`'; put it in quotes"),
        ('a: "\\ud800"', "1: found invalid Unicode character escape code"),
        ('a: "\\U00110000"', "1: found invalid Unicode character escape code"),
    ],
)
def test_what_a_parser_does_not_name_is_named(
    monkeypatch: pytest.MonkeyPatch, loader: type[yaml.SafeLoader], text: str, said: str
) -> None:
    monkeypatch.setattr("paddle_init.yaml_cpp.events.LOADER", loader)
    with pytest.raises(DocumentError) as caught:
        parse_document(text, "conf.yaml")
    assert str(caught.value).startswith(f"conf.yaml:{said}")


def test_tabs_that_separate_nothing_are_read_where_yaml_cpp_reads_them() -> None:
    source = random.Random(20260103)
    lines = [
        *[
            b"a: b",
            b"a: 'b",
            b"  c'",
            b"k:",
            b"  - [x]",
            b"- {y: z}",
            b"  j: [x, y]",
            b"  q",
            b"  a]",
        ],
        *[
            b"c: [x,",
            b"  y,",
            b"  z]",
            b"  w}",
            b"- d: {e: f,",
            b"",
            b"\t",
            b"\t# c",
            b" \t",
            b"\t\r",
            b"# c",
            b"  # c",
            b'k: "s"',
            b"k: 's'",
            b"x # c",
        ],
        *[b'"a #b": c', b"a: |", b"  d", b"- a: [b]", b"a: [x,", b" y]", b"b: }", b"- 'a' # c"],
    ]
    documents = [b"\n".join(source.choices(lines, k=source.randint(2, 7))) for _ in range(15_000)]
    tabbed = [text for text in documents if without_idle_tabs(text.decode()) != text.decode()]
    assert unlike_cpp(tabbed) == []
    assert sum(not refused(ours(document)) for document in tabbed) > 200


def test_a_syntax_error_says_where() -> None:
    with pytest.raises(DocumentError) as caught:
        parse_document("a: 1\nb: [2,\n", "conf.yaml")
    assert str(caught.value) == (
        "conf.yaml:3: did not find expected node content (while parsing a flow node)"
    )

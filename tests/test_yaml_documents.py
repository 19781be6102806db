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
from yaml_trees import agree, ours, refused, theirs, tree

from abacus_compat.yaml_cpp import DocumentError, parse_document
from paddle_init.texts import printable
from paddle_init.yaml_cpp import quoted
from paddle_init.yaml_cpp.departures import without_idle_tabs
from paddle_init.yaml_cpp.events import LOADER

SECTION = b"""global_init_range: 0.2
param:
  - name: fc1_w
    rown: 300
    coln: 128
    init_range: 1e-3
    scale_by_rown: true
  - {name: fc1_b, rown: 1, coln: 128, init_range: "1", scale_by_rown: 'no'}
layer:
  - class: NeuralLayer
    a_input: [show_input, bias_input]
    b_input: [fc1_w, fc1_b]
"""
SCALARS = [
    b"", b" ", b"\n\n", b"# only a comment", b"a", b"~", b"null", b"Null", b"nULL", b"''",
    b'""', b"a: ~", b"a:", b"a: ''", b"a: null # c", b"a: !!str null", b"a: 'null'", b"a: # c",
    b"a: #c\n  b", b"a: b#c", b"a: b #c", b"a: 'b'#c", b"a: 'it''s'",
    b'a: "\\x41\\u4e2d\\U0001f600\\t\\n\\\\\\"\\/"', b'a: "\\q"', b"a: 'b' c",
    b'a: "b\n  c\n\n  d"', b"a: 'b\n  c'", b'a: "b\\\n   c"', b"a: b\n  c\n\n  d",
    b"a: |\n  b\n   c\n\n  d\n", b"a: |-\n  b\n\n", b"a: |+\n  b\n\nc: d", b"a: |2\n   b\n",
    b"a: 1e-3", b"a: 1:30", b"a: a:b:c", b"a: - b", b"a: -b", b"a: ?b", b"a: @b", b"a: `b",
    b"a: %b", b"a: b%", b"a: ,b", b"a: b: c", b"a: [b", b"a: b]", b"a: }b", b"a: \xe4\xb8\xad",
    b"\xe4\xb8\xad: a", b"a: \xc2\xa0", b"a: http://b/c?d=e#f", b'"\\ud800"', b'"\\ud83d\\ude00"',
    b'"\\U00110000"', b'"\\Uffffffff"', b'"\\ufffe"',
]  # fmt: skip
MAPPINGS = [
    b"a: 1\nb: 2\n", b"a: 1\na: 2\n", b"'a': 1\na: 2\n", b"a : 1", b"a:1", b"a: 1\n b: 2",
    b"  a: 1\n  b: 2\n", b"a:\n  b:\n    c: 1\n  d: 2\n", b"a:\n b: 1\n  c: 2",
    b"a:\n  b: 1\n c: 2", b"a:\n- 1\n- 2\n", b"a:\n  - 1\n  - 2\nb: 3", b"a: 1\n- 2",
    b"a: b\n- c", b"<<: {a: 1}\nb: 2", b"- &x {a: 1}\n- <<: *x\n  b: 2", b"1: a\ntrue: b\n",
    b'"a b": 1', b"a b: 1", b"a: {b: 1, c: {d: 2}}", b"{a: 1,\n b: 2}", b"{a: 1, }", b"{}",
    b"{ }", b'{"a":1}', b"{a: , b: }", b"{a: 1", b"{a: 1}}", b"{a:[1]}", b"{a\n  : 1}",
    b"{a: 1, a: 2}",
    b"a: 1\n\n\n# c\n\nb: 2", b"a:\t1\n", b"a: 1\t\n", b"a:\n\tb: 1", b"a:\n  b: 1\n\tc: 2",
    b"\t", b"\t# c\na: 1", b"a:\n\t\n  b: 1", b"a: [1]\n\t\n  \t\nb: 2",
    b"a: [b,\n  c]\n\t# d\ne: f",
    b"- {a: 1}\n\t\n- 2", b"a: 1 # c\n\t# d\nb: 2", b"a: '1'\n\t\nb: \"2\"\r\n\t\r\nc: 3",
    b"a: 1\n\t\nb: 2", b"a: 1\n  \t# c\nb: 2", b"a: 1\n\t# c\nb: 2", b"a: b]\n\t# c\nc: 2",
    b"a: |\n  b\n  \t\nc: 1",
    b"a: 'b\n\t# c'", b"a: \"b # c\n\t\n  d\"", b"a: b\n  - [c]\n\t\nd: 1",
    b"a: 1 \n b", b"x" * 1024 + b": 1", b"x" * 1025 + b": 1",
]  # fmt: skip
SEQUENCES = [
    b"- 1\n- 2", b"-\n- 2", b"- - 1\n  - 2\n- 3", b"-  a: 1\n   b: 2\n", b"-1", b"- a\n -b",
    b"- a\n - b", b"- a: 1\n b: 2", b"-\n  a: 1\n-\n  - 2", b"[1, 2]", b"[1, 2, ]", b"[1,2]",
    b"[1, [2, 3], {a: b}]", b"[a b, c-d]", b"[a?]", b"[a ?b]", b"[?a]", b"[a: 1]", b"[1\n, 2]",
    b"[1, 2", b"[1 2]]", b"[]", b"[\n]", b"[a, # c\n b]", b"[a,# c\n b]", b"[-, a]", b"[- a]",
    b"['a','b']", b"a: [1,\n2]", b"[" * 498 + b"]" * 498, b"[" * 500 + b"]" * 500,
    b"- " * 498 + b"1", b"- " * 499 + b"1",
]  # fmt: skip
STREAMS = [
    b"---\na: 1\n", b"--- a", b"--- {a: 1}", b"a: 1\n---\nb: 2\n", b"a: 1\n---\n]",
    b"a: 1\n...\n", b"a: 1\n...\n]", b"---\n---\na", b"%YAML 1.2\n---\na: 1",
    b"%YAML 1.1\n---\na: 1", b"%YAML 3.0\n---\na", b"%YAML 1.2#\n---\na", b"a: 1\n--- # c\nb",
    b"# c\n---\na", b"a\n--",
]  # fmt: skip
ANCHORS = [
    b"- &a 1\n- *a", b"- *a", b"- &a 1\n- &a 2\n- *a", b"a: &x {b: 1}\nc: *x", b"&a b: *a",
    b"- &a b\n- *a : c", b"- &a b\n- *a: c", b"- &a x\n e", b"- &a\n- *a", b"&a &b c",
    b"- !!str &a 1\n- *a", b"- &a !!str 1\n- *a", b"- ! 1", b"- !x 1", b"!!map {a: 1}",
    b"- & a", b"- * a", b"&a b\n\t", b"- &a !!b!c d", b"&a !b c", b"a: &x 1\nb: &y [*x, *x]\nc: *y",
]  # fmt: skip
LINE_ENDS = [
    b"a: 1\r\nb: 2\r\n", b"a: 'b\r\n  c'\r\n", b"a: |\r\n  b\r\n  c\r\n", b"\xef\xbb\xbfa: 1",
    b"a:\r\n  - 1\r\n", SECTION, SECTION.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + SECTION,
    SECTION.decode().encode("utf-16"), SECTION.decode().encode("utf-16-be"),
    SECTION.decode().encode("utf-32"), SECTION + "# 全连接层\n".encode("gbk"),
    SECTION.replace(b"fc1", "第一层".encode("gbk")), "a: 誠\nb: [誠]".encode("gbk"),
    "a: [註]".encode("gbk"), 'a: "許"'.encode("gbk"), 'a: "許功蓋"'.encode("big5"),
]  # fmt: skip
DOCUMENTS = [*SCALARS, *MAPPINGS, *SEQUENCES, *STREAMS, *ANCHORS, *LINE_ENDS]

# Read by yaml-cpp, refused by us; by the first column of the table in docs/yaml_cpp.md.
DEPARTURES: dict[str, list[bytes]] = {
    "Control characters": [b"a: \x00b", b"a: \x04", b"a: b\x7f", b"\x01: a"],
    "Line ends other than LF and CRLF": [
        *[b"a: 1\r", "a: 1\x85".encode(), "a: 1\u2028# b".encode()],
    ],
    "A byte-order mark inside the file": ["a: 1\n\ufeffb: 2".encode()],
    "Bytes that no encoding has": [b"a: \xff", b"a: \x80", "a: 中".encode("utf-16")[:-1]],
    "A backslash or bracket inside a character": [b'a: "\xd6\\t"'],
    "Escapes in a file that is not Unicode": [b'a: "\\u4e2d"\nb: \xd6\xd0'],
    "A file cut off in the middle": [b"a: 1\nb", b"a: '", b'"', b"-\n-b"],
    "Punctuation out of place": [
        *[b",", b": a", b"- a\n|", b"[, 1]", b"{a:}", b"[: a]", b"..."],
    ],
    "Text after the document's end": [
        *[b" a: 1\nb: 2", b"- 1\na: 2", b"{a: 1} b", b"--- a\n... b", b"a: {b: 1}\n{c: 2}"],
    ],
    "Tabs before the first text of a line": [b"\ta", b"a: |\n  \tb"],
    "Directives": [b"%TAG ! a\n---\nb", b"%a\n---\nb", b"%YAML 1.2 # a\n---\nb"],
    "Keys after a question mark": [b"? a\n: b", b"? a", b"{? a : b}"],
    "Keys that are no texts": [b"[a]: b", b"{a: b}: c", b"~: a", b"null: a"],
    "Keys without a colon between braces": [b"{a}", b"{a, b: c}", b"{a:1}", b"{a: [b], c}"],
    "Names with punctuation": [b"- &a: b\n- *a: ", b"- &a. b", b"- !a.b c", b"- !<a> b"],
    "An anchor or a tag without a text": [b"- !", b"- !!str", b"a: !!str\nb: c"],
    "Several lines after an anchor or a tag": [b"- &a b\n   c", b"&a |\n b", b"- &a\n  b"],
    "Folded texts": [b"a: >\n  b\n", b"a: >+\n  b\n\nc: d"],
    "A literal text on a line of its own": [b"-\n|"],
    "Escapes that differ": [b'"\\N"', b'"\\_"', b'"\\\'"'],
    "Quotes that close after an empty line": [b"'a\n\n'", b'"a\n\n  "'],
    "Nesting": [b"[" * 499 + b"]" * 499],
}


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
    page = Path(__file__).parent.parent / "docs" / "yaml_cpp.md"
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


def unlike_cpp(documents: list[bytes]) -> list[tuple[bytes, bytes, bytes]]:
    """Documents in which we read something that yaml-cpp does not."""
    answers = zip(documents, map(ours, documents), theirs(documents), strict=True)
    return [answer for answer in answers if not refused(answer[1]) and answer[1] != answer[2]]


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

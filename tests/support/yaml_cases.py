"""YAML that PyYAML and yaml-cpp read differently."""

from __future__ import annotations

from support.yaml_trees import ours, refused, theirs

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


def unlike_cpp(documents: list[bytes]) -> list[tuple[bytes, bytes, bytes]]:
    """Documents in which we read something that yaml-cpp does not."""
    answers = zip(documents, map(ours, documents), theirs(documents), strict=True)
    return [answer for answer in answers if not refused(answer[1]) and answer[1] != answer[2]]

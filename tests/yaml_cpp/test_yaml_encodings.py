"""Bytes to text: detection, an encoding by name, and the same answer in every locale."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from support.yaml_trees import theirs, tree

from abacus_compat.yaml_cpp import Document, DocumentError, Mapping, parse_document

CONF = "init_range: 1\nname: 第一层\nlist: [全连接, 'a']\n"
EXPECTED = tree(parse_document(CONF).root)

ENCODED = {
    "utf-8": CONF.encode(),
    "utf-8 with a mark": CONF.encode("utf-8-sig"),
    "utf-8 with CRLF": CONF.replace("\n", "\r\n").encode(),
    "utf-16 with a mark": CONF.encode("utf-16"),
    "utf-16-le": CONF.encode("utf-16-le"),
    "utf-16-be": CONF.encode("utf-16-be"),
    "utf-16-be with a mark": b"\xfe\xff" + CONF.encode("utf-16-be"),
    "utf-32 with a mark": CONF.encode("utf-32"),
    "utf-32-le": CONF.encode("utf-32-le"),
    "utf-32-be": CONF.encode("utf-32-be"),
    "utf-32-be with a mark": b"\0\0\xfe\xff" + CONF.encode("utf-32-be"),
}


@pytest.mark.parametrize("form", ENCODED)
def test_an_encoding_changes_neither_our_tree_nor_yaml_cpps(form: str) -> None:
    read = parse_document(ENCODED[form])
    assert tree(read.root) == EXPECTED
    assert read.notices == ()
    assert theirs([ENCODED[form]]) == [EXPECTED]


def test_gbk_is_read_as_gb18030_with_a_notice() -> None:
    read = parse_document(b"# \xb5\xda\xd2\xbb\xb2\xe3\n" + CONF.encode("gbk"), "conf.yaml")
    assert tree(read.root) == EXPECTED
    (notice,) = read.notices
    assert str(notice) == (
        "conf.yaml:1: warning [encoding]: byte 0xb5 is not UTF-8 (invalid start byte); "
        "the file is read as GB18030"
    )


@pytest.mark.parametrize("encoding", ["gbk", "GB18030", "big5", "utf-8", "utf-16", "shift_jis"])
def test_an_encoding_by_name_needs_no_notice(encoding: str) -> None:
    text = CONF if encoding != "shift_jis" else "name: 表\n"
    text = text if encoding != "big5" else "name: 許功蓋\n"
    read = parse_document(text.encode(encoding), encoding=encoding)
    assert tree(read.root) == tree(parse_document(text).root)
    assert read.notices == ()


def value_of(read: Document, key: str = "a") -> bytes:
    assert isinstance(read.root, Mapping)
    return tree(read.root.entries[key])


def test_a_second_byte_that_is_punctuation_is_read_as_cpp_reads_bytes() -> None:
    assert "註".encode("gbk").endswith(b"]")
    assert value_of(parse_document("a: 註".encode("gbk"))) == tree(parse_document("註").root)
    assert value_of(parse_document("a: ['註']".encode("gbk"))) == tree(parse_document("[註]").root)
    with pytest.raises(DocumentError, match="splits a character of this text"):
        parse_document("a: [註".encode("gbk"))
    with pytest.raises(DocumentError, match="splits a character of this text"):
        parse_document(b'a: "\xd6\\t"')


@pytest.mark.parametrize("escape", [r"\u4e2d", r"\xe9", r"\U0001f600"])
def test_an_escape_in_a_gbk_file_is_refused(escape: str) -> None:
    parse_document(f'# 中\na: "{escape} b"')
    parse_document('# 中\na: "\\x41"'.encode("gbk"))
    with pytest.raises(DocumentError, match=r"^conf:2: an escape gives UTF-8"):
        parse_document(f'# 中\na: "{escape} b"'.encode("gbk"), "conf")
    with pytest.raises(DocumentError, match=r"conf:2: '\\\\U0010ffd6' is not allowed"):
        parse_document('a: "中"\nb: "\\U0010ffd6"'.encode("gbk"), "conf")


REFUSED = [
    (b"a: \xff", None, "byte 0xff is not UTF-8 (invalid start byte)"),
    (b"a: \xff", "gbk", "byte 0xff is not GBK (incomplete multibyte sequence)"),
    (CONF.encode(), "ascii", "byte 0xe7 is not ASCII (ordinal not in range(128))"),
    (CONF.encode("utf-16")[:-1], None, "byte 0x0a is not UTF-16-LE (truncated data)"),
    (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", None, "a zero byte: is this a binary file?"),
    (b"PK\3\4\0\0", None, "this is a weight file (.npz), where a YAML file is expected"),
    (b"a: \0", None, "a zero byte: is this a binary file?"),
    (b"a: \x1b[0m", None, "'\\x1b' is not allowed in a YAML file"),
    (b"a: 1\rb: 2\r", None, "a carriage return without a line feed, which C++ does not take as"),
    ("a: 1\u2028b: 2".encode(), None, "U+2028 (line separator), which C++ does not take as a"),
    ("a: 1\x85b: 2".encode(), None, "U+0085 (next line), which C++ does not take as a line's end"),
    ("a: 1\n\ufeffb: 2".encode(), None, "a byte-order mark inside the file, which C++ takes as"),
    (b"a", "no-such", "'no-such' is no text encoding; name one, such as utf-8, gb18030"),
    (b"a: 1", "cp500", "cp500 does not extend ASCII, so C++ reads no conf in it; name another"),
    (b"a: 1", "utf-7", "utf-7 does not extend ASCII, so C++ reads no conf in it; name another"),
    (b"a", "hex", "'hex' is no text encoding; name one, such as utf-8, gb18030 or utf-16"),
]


@pytest.mark.parametrize(("data", "encoding", "message"), REFUSED)
def test_refuses(data: bytes, encoding: str | None, message: str) -> None:
    with pytest.raises(DocumentError) as caught:
        parse_document(data, encoding=encoding)
    assert any(problem.message.startswith(message) for problem in caught.value.problems)


def test_the_line_of_a_bad_byte() -> None:
    with pytest.raises(DocumentError, match=r"^conf:3: byte 0xff is not ASCII"):
        parse_document(b"a: 1\nb: 2\nc: \xff", "conf", encoding="ascii")


@pytest.mark.parametrize("locale", ["C", "POSIX", "C.UTF-8", "zh_CN.GBK"])
def test_the_locale_changes_nothing(locale: str) -> None:
    program = (
        "import sys; from abacus_compat.yaml_cpp import parse_document\n"
        "read = parse_document(sys.stdin.buffer.read())\n"
        "print(ascii([*read.root.items()]), len(read.notices))"
    )
    environment = {**os.environ, "LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    results = [
        subprocess.run(
            [sys.executable, "-c", program],
            input=CONF.encode(encoding),
            env=environment,
            capture_output=True,
            check=True,
        ).stdout
        for encoding in ("utf-8", "gbk")
    ]
    expected = ascii([*parse_document(CONF).root.items()])
    assert results == [f"{expected} {notices}\n".encode() for notices in (0, 1)]

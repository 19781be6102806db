"""What a document says of itself: lines, notices, and everything wrong at once."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from abacus_compat.yaml_cpp import Mapping, Scalar, Sequence, parse_document, read_document
from paddle_init.errors import Notice, PaddleInitError, Source, SpecError
from paddle_init.yaml_cpp import (
    DocumentError,
    FolderInPlaceOfFileError,
    ForbiddenFileError,
    MissingFileError,
    NoRegularFileError,
    Problem,
    UnreadableFileError,
)
from paddle_init.yaml_cpp.fields import Fields, boolean, double, integer, text

CONF = """# a conf
global_init_range: 0.2

param:
  - name: fc1_w
    rown:
      300
  - {name: fc1_b,
     rown: 1}
"""


def mapping(text: str) -> Mapping:
    root = parse_document(text, "conf.yaml").root
    assert isinstance(root, Mapping)
    return root


def test_every_node_and_key_knows_its_line() -> None:
    root = mapping(CONF)
    assert root.source("global_init_range") == Source("conf.yaml", 2, "global_init_range")
    assert root.source("missing") == Source("conf.yaml", 2, "missing")
    params = root.get("param")
    assert isinstance(params, Sequence)
    assert [param.line for param in params] == [5, 8]
    first, second = params
    assert isinstance(first, Mapping)
    assert isinstance(second, Mapping)
    assert first.source("rown").line == 6
    assert first.entries["rown"].source() == Source("conf.yaml", 7)
    assert second.source("rown").line == 9


def test_where_a_node_stands_is_not_part_of_its_value() -> None:
    moved = parse_document("\n\n" + CONF.replace("\n", "\r\n"), "other.yaml").root
    assert moved == mapping(CONF)
    assert moved != mapping(CONF.replace("300", "301"))


def test_a_mapping_is_read_by_key() -> None:
    root = mapping("b: 1\na: [x]\n")
    assert list(root) == ["b", "a"]
    assert len(root) == 2
    assert "a" in root
    assert "x" not in root
    assert root.get("x") is None
    assert dict(root.items()) == root.entries


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "nothing"),
        ("~", "nothing"),
        ("''", "an empty text"),
        ("!!str ~", "a text"),
        ("a", "a text"),
        ("[a]", "a list"),
        ("[]", "an empty list"),
        ("a: b", "a mapping"),
        ("{}", "an empty mapping"),
    ],
)
def test_kinds_in_words(text: str, kind: str) -> None:
    assert parse_document(text).root.kind == kind


NOTICES = {
    "a: 1\nb: 2\na: 3\n": [
        "conf.yaml:3: a: warning [duplicate-key]: the key is on line 1 too; as in C++, line 1 is "
        "taken and line 3 ignored"
    ],
    "a: 1\n'a': 2\n\"a\": 3\n": [
        "conf.yaml:2: a: warning [duplicate-key]: the key is on line 1 too; as in C++, line 1 is "
        "taken and line 2 ignored",
        "conf.yaml:3: a: warning [duplicate-key]: the key is on line 1 too; as in C++, line 1 is "
        "taken and line 3 ignored",
    ],
    "x: &x {a: 1}\ny:\n  <<: *x\n  b: 2\n": [
        "conf.yaml:3: <<: warning [merge-key]: C++ does not merge: to it, the keys that are named "
        "here are not there"
    ],
    "a: 1\n---\nb: 2\n---\nc: 3\n": [
        "conf.yaml:2: warning [second-document]: a second document starts here; C++ reads the "
        "first alone"
    ],
    "a: 1\n---\n]": [
        "conf.yaml:2: warning [second-document]: a second document starts here; C++ reads the "
        "first alone"
    ],
    "a: 1\n---\n": [
        "conf.yaml:2: warning [second-document]: a second document starts here; C++ reads the "
        "first alone"
    ],
    "a: 1\n...\n": [],
    "a: {a: 1}\nb: [a, a]\n": [],
}


@pytest.mark.parametrize("text", NOTICES)
def test_notices(text: str) -> None:
    assert list(map(str, parse_document(text, "conf.yaml").notices)) == NOTICES[text]


def test_notices_are_in_line_order() -> None:
    text = "a: {b: 1,\n b: 2}\nc:\n  d: 1\n  d: 2\na: 1\n"
    lines = [notice.source and notice.source.line for notice in parse_document(text).notices]
    assert lines == [2, 5, 6]


def test_a_hundred_notices_of_a_kind_are_told_and_the_others_counted() -> None:
    notices = parse_document("a: 1\n" * 1102, "conf.yaml").notices
    assert [notice.source.line for notice in notices if notice.source] == [*range(2, 102), 0]
    assert str(notices[-1]) == ("conf.yaml: warning [duplicate-key]: 1,001 more of these")
    assert len(parse_document("a: 1\n" * 101).notices) == 100


def test_the_first_of_two_keys_counts() -> None:
    assert mapping("a: 1\na: 2\n").get("a") == Scalar("1", False, "", 0)


@pytest.mark.parametrize(
    ("name", "error", "builtin", "said"),
    [
        ("missing.yaml", MissingFileError, FileNotFoundError, "there is no such file"),
        (".", FolderInPlaceOfFileError, IsADirectoryError, "this is a folder; name a file"),
        ("a/b.yaml", UnreadableFileError, OSError, "the file cannot be read: Not a directory"),
        ("x" * 999, UnreadableFileError, OSError, "the file cannot be read: File name too long"),
    ],
)
def test_a_file_that_cannot_be_had(
    tmp_path: Path, name: str, error: type[DocumentError], builtin: type[OSError], said: str
) -> None:
    (tmp_path / "a").write_text("")
    with pytest.raises(error) as caught:
        read_document(tmp_path / name)
    assert str(caught.value) == f"{tmp_path / name}: {said}"
    for base in (builtin, DocumentError, PaddleInitError, ValueError):
        assert isinstance(caught.value, base)


@pytest.fixture
def no_files(tmp_path: Path) -> Iterator[dict[str, Path]]:
    """What has a path and is no file; nobody writes to the pipe."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        named = {name: tmp_path / name for name in ("pipe", "link", "socket")}
        yield named | {"device": Path("/dev/zero"), "nothing": Path("/dev/null")}


def test_what_is_no_regular_file_is_refused_at_once(no_files: dict[str, Path]) -> None:
    for path in no_files.values():
        with pytest.raises(NoRegularFileError) as caught:
            read_document(path)
        said = "this is a pipe, a socket or a device; name a file"
        assert str(caught.value) == f"{path}: {said}"
        assert isinstance(caught.value, OSError)


def test_a_file_without_permission(tmp_path: Path) -> None:
    path = tmp_path / "secret.yaml"
    path.write_text("a: 1")
    path.chmod(0)
    with without_privileges(), pytest.raises(ForbiddenFileError) as caught:
        read_document(path)
    assert str(caught.value) == f"{path}: there is no permission to read this file"
    assert isinstance(caught.value, PermissionError)


@contextlib.contextmanager
def without_privileges() -> Iterator[None]:
    """Root may read everything: become nobody for a while."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)


def test_a_file_is_named_as_it_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "conf.yaml"
    path.write_text(CONF)
    read = read_document(path)
    assert (read.file, read.root.source().file) == (str(path), str(path))


def test_problems_are_told_together_in_line_order() -> None:
    error = DocumentError(
        [
            Problem("missing", Source("b.yaml", 9, "rown")),
            Problem("expected a list", Source("b.yaml", 2, "param")),
            Problem("the file as a whole", Source("a.yaml", 0)),
            Problem("again", Source("b.yaml", 2, "layer")),
        ]
    )
    assert str(error) == (
        "b.yaml:2: param: expected a list\n"
        "b.yaml:2: layer: again\n"
        "b.yaml:9: rown: missing\n"
        "a.yaml: the file as a whole"
    )
    assert error.problems[0].message == "expected a list"
    assert str(DocumentError(Problem("no place"))) == "no place"


UNPRINTABLE, SHOWN = "权重\x1b[2J\u202e\n'b'", "权重\\x1b[2J\\u202e\\n'b'"


@pytest.mark.parametrize(
    "said",
    [
        Problem(UNPRINTABLE),
        DocumentError(Problem(UNPRINTABLE)),
        SpecError(UNPRINTABLE),
        Source(UNPRINTABLE, 0),
        Source("conf", 1, UNPRINTABLE),
        Notice("code", UNPRINTABLE),
    ],
    ids=lambda said: type(said).__name__,
)
def test_what_a_terminal_would_obey_is_escaped(said: object) -> None:
    assert SHOWN in str(said)
    assert str(said).isprintable()


def test_a_message_says_what_belongs_where_nothing_stands() -> None:
    root = mapping("double:\nint: ~\nbool: ''\ntext: [a]\n")
    problems: list[Problem] = []
    fields = Fields(root, "it", problems)
    for key, read in (("double", double), ("int", integer), ("bool", boolean), ("text", text)):
        assert fields.required(key, read) is None
    assert [problem.message for problem in problems] == [
        "it: expected a number, found nothing",
        "it: expected an integer, found nothing",
        "it: expected true or false, found an empty text",
        "it: expected a text, found a list",
    ]


def test_a_message_is_kept_as_it_is() -> None:
    assert SpecError(UNPRINTABLE).message == Problem(UNPRINTABLE).message == UNPRINTABLE

"""Hostile files are refused, in bounded time and memory; time grows linearly."""

from __future__ import annotations

import contextlib
import gc
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from abacus_compat import parse_conf
from abacus_compat.yaml_cpp import (
    MAX_ALIASED,
    MAX_BYTES,
    MAX_DEPTH,
    DocumentError,
    Scalar,
    ScalarError,
    Sequence,
    as_bool,
    as_double,
    as_float,
    as_int,
    parse_document,
    read_document,
)
from paddle_init.yaml_cpp.encodings import decode

SECTION = (
    "{global_init_range: 1, param: [{name: w, rown: 3, coln: 2, init_range: 1, scale_by_rown: y}],"
    " layer: [{name: fc, class: NeuralLayer, a_input: x, b_input: w, act_func: relu}]}"
)


def refusal(document: str | bytes) -> str:
    with pytest.raises(DocumentError) as caught:
        parse_document(document, "conf")
    return str(caught.value)


def bomb(width: int, levels: int) -> str:
    lines = [f"- &a0 [{', '.join('x' * width)}]"]
    lines += [
        f"- &a{level} [{', '.join([f'*a{level - 1}'] * width)}]" for level in range(1, levels)
    ]
    return "\n".join(lines)


def test_a_file_over_the_limit_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    with path.open("wb") as stream:
        stream.truncate(100 * MAX_BYTES)
    tracemalloc.start()
    with pytest.raises(DocumentError) as caught:
        read_document(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert str(caught.value) == f"{path}: larger than 64 MiB, the most that is read"
    assert peak < 3 * MAX_BYTES


def test_the_limit_itself_is_read() -> None:
    assert len(decode(b"a" * MAX_BYTES, "conf").text) == MAX_BYTES
    with pytest.raises(DocumentError, match="larger than 64 MiB"):
        decode(b"a" * (MAX_BYTES + 1), "conf")


def test_aliases_are_their_anchors_nodes_up_to_a_bound() -> None:
    read = parse_document(bomb(10, 5))
    assert isinstance(read.root, Sequence)
    assert refusal(bomb(10, 6)) == f"conf:6: aliases stand for over {MAX_ALIASED:,} values"


@pytest.mark.parametrize("levels", [9, 100, 1000])
def test_an_alias_bomb_is_refused_at_once(levels: int) -> None:
    start = time.perf_counter()
    assert "aliases stand for over" in refusal(bomb(10, levels))
    assert time.perf_counter() - start < 5


def test_a_large_anchor_is_not_counted_again_for_every_alias() -> None:
    many = f"- &a [{', '.join('x' * 900)}]\n" + "- *a\n" * 1000
    start = time.perf_counter()
    read = parse_document(many)
    assert isinstance(read.root, Sequence)
    assert read.root.items[0] is read.root.items[1000]
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize(
    "document",
    [
        "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1),
        "{a: " * (MAX_DEPTH + 1) + "}" * (MAX_DEPTH + 1),
        "- " * (MAX_DEPTH + 1) + "1",
        "- " * 20_000,
    ],
)
def test_nesting_over_the_limit_is_refused(document: str) -> None:
    assert refusal(document) == f"conf:1: nested over {MAX_DEPTH} deep"


def test_nesting_to_the_limit_is_read() -> None:
    assert parse_document("[" * MAX_DEPTH + "1" + "]" * MAX_DEPTH).notices == ()


def test_an_alias_does_not_nest_past_the_limit() -> None:
    half = "[" * 300 + "x" + "]" * 300
    deep = f"- &a {half}\n- " + "[" * 198 + "*a" + "]" * 198
    assert refusal(deep) == f"conf:2: with the alias *a nested over {MAX_DEPTH} deep"
    parse_document(f"- &a {half}\n- " + "[" * 197 + "*a" + "]" * 197)


@pytest.mark.parametrize("document", ["&a [*a]", "&a {b: *a}", "&a\n- b: [*a]"])
def test_an_anchor_that_refers_to_itself_is_refused(document: str) -> None:
    assert "the alias *a stands inside its own anchor" in refusal(document)


def test_a_name_given_away_inside_its_anchor_is_the_inner_one() -> None:
    read = parse_document("- &a [&a 1]\n- *a")
    assert isinstance(read.root, Sequence)
    assert read.root.items[1] == Scalar("1", False, "", 0)


def test_an_alias_without_anchor_is_refused() -> None:
    assert refusal("a: 1\nb: *c") == "conf:2: no anchor &c stands before the alias *c"


def test_a_name_given_to_a_larger_node_counts_as_that() -> None:
    large = f"- &a x\n- *a\n- &a [{', '.join('x' * 999)}]\n"
    parse_document(large + "- *a\n" * 999)
    assert refusal(large + "- *a\n" * 1000).startswith("conf:1003: aliases stand for over")


REPEATED = {
    "parameters": "- {name: w, rown: 3, init_range: 1e-3}\n",
    "keys": "a: 1\n",
    "anchors": "- &a 1\n- *a\n",
    "question marks": "- a? # ?\n",
    "empty lines": "\n",
    "blank comments": "  # a\n",
}


@pytest.mark.parametrize("unit", REPEATED)
def test_time_grows_linearly(unit: str) -> None:
    small, large = ((REPEATED[unit] * count).encode() for count in (2_000, 16_000))
    assert best_of_three(large) < 8 * 3 * best_of_three(small) + 0.01


def best_of_three(document: bytes) -> float:
    times = []
    for _ in range(3):
        start = time.process_time()
        parse_document(document)
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("rown", ["3", "x"])
def test_reading_leaves_the_collector_as_it_was_and_nothing_to_it(enabled: bool, rown: str) -> None:
    text = SECTION.replace("rown: 3", f"rown: {rown}")
    gc.collect()
    before = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        with contextlib.suppress(DocumentError):
            parse_conf(text)
        assert gc.isenabled() is enabled
        gc.disable()
        gc.collect()
        with contextlib.suppress(DocumentError):
            parse_conf(text)
        assert gc.collect() == 0
    finally:
        (gc.enable if before else gc.disable)()


LONG = {
    "digits": "9" * 200_000,
    "digits and a letter": "9" * 200_000 + "x",
    "digits after a zero": "0" + "9" * 200_000 + "x",
    "digits after a point": "." + "9" * 200_000 + "e",
    "hexadecimal": "0x" + "f" * 200_000,
    "octal": "0" + "7" * 200_000,
    "an exponent": "1e" + "9" * 200_000,
    "underscores": "1" + "_1" * 100_000,
    "colons": "1" + ":1" * 100_000 + "x",
    "blanks": "9" + " " * 200_000 + "x",
}


@pytest.mark.parametrize("form", LONG)
@pytest.mark.parametrize("read", [as_double, as_float, as_int, as_bool])
def test_a_long_scalar_is_read_or_refused_at_once(read: Callable[[str], float], form: str) -> None:
    start = time.process_time()
    with pytest.raises(ScalarError) as caught:
        read(LONG[form])
    assert time.process_time() - start < 1
    assert len(str(caught.value)) < 250


def test_a_message_about_a_name_of_a_megabyte_is_short() -> None:
    name = "n" * 1_000_000
    values = "coln: 1, init_range: 0, scale_by_rown: y}"
    text = f"global_init_range: 1\nparam:\n- {{name: {name}, rown: 0, {values}\n"
    with pytest.raises(DocumentError) as caught:
        parse_conf(text, "c.yaml")
    assert len(str(caught.value)) < 2100
    assert str(caught.value).startswith("c.yaml:3: rown: parameter nnn")
    assert str(caught.value).endswith("expected an integer of at least 1, found 0")
    notices = parse_conf(text.replace("rown: 0", "rown: 1"), "c.yaml").notices
    assert {notice.code for notice in notices} == {"roles-unknown", "zero-scale"}
    assert all(len(str(notice)) < 2100 for notice in notices)


def test_a_document_with_more_values_than_any_conf_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("paddle_init.yaml_cpp.events.MAX_EVENTS", 1000)
    parse_document("- a\n" * 998)
    said = "conf: more than 1,000 texts, lists and mappings, the most that is read"
    assert refusal("- a\n" * 999) == said


HOSTILE = {
    "empty lines in quotes": b'"' + b"\n" * 1_000_000 + b'"',
    "escapes": b'"' + b"\\\\" * 500_000 + b'"',
    "blanks before a tab": b"- &a b" + b"\n \r\n" * 200_000 + b"\t",
    "tabs on empty lines": b"\t\n" * 500_000,
    "brackets and tabs": b"]\n\t\n" * 250_000,
    "a tab and blanks": b"\t\n" + b" " * 500_000 + b"\t" + b" " * 500_000 + b"x",
    "a tab and a mapping left open": b"\t\n- {" + b"a: " * 300_000 + b"x]",
    "a tab and a list of many lines": b"\t\na: [\n" + b"b,\n" * 300_000,
    "a tab and signs that are no comments": b"\t\n" + b"a #" * 300_000 + b"'",
    "a tab and bars": b"\t\n" + b"|" * 500_000 + b"0" * 500_000 + b"x",
    "directives": b"%YAML 1.2\n" * 50_000,
    "comments before a directive": b"# a\n" * 200_000 + b"%a",
    "question marks in brackets": b"[" + b"a, " * 60_000 + b"?",
    "a long key": b"a" * 2_000_000 + b": 1",
    "a long number": b"9" * 2_000_000,
    "open brackets in a mapping": b"a: [" * 400,
    "anchors": b"- &a\n" * 60_000,
    "quotes": b"'" * 1_000_001,
    "open brackets": b"[" * 1_000_000,
}


@pytest.mark.parametrize("form", HOSTILE)
def test_a_hostile_megabyte_is_read_or_refused_in_seconds(form: str) -> None:
    start = time.process_time()
    with contextlib.suppress(DocumentError):
        parse_document(HOSTILE[form])
    assert time.process_time() - start < 10

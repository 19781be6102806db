"""Values that users of YAML readers reported as misread, each in a conf."""

from __future__ import annotations

import re

import pytest
import yaml

from abacus_compat import ConfError, parse_conf
from paddle_init.schemes import Abacus
from paddle_init.specs import Draw
from paddle_init.yaml_cpp import DocumentError

CONF = """\
global_init_range: 0.2
param:
  - name: w
    rown: 300
    coln: 128
    init_range: 1
    scale_by_rown: true
"""
NUMBER = "expected a number such as 0.2 or 1e-3, found"
TRUTH = "expected true, yes, on, y, false, no, off or n, in lower, Capitalized or UPPER case, found"


def conf(line: str) -> str:
    """The conf with the line of one key replaced."""
    key, _ = line.split(": ", 1)
    return re.sub(rf"(?<= ){key}: .*", line, CONF)


def drawn(text: str) -> Draw:
    (draw,) = parse_conf(text).draws
    return draw


READ = {
    "init_range: 1e-3": Draw("w", (300, 128), Abacus(0.001, 0.2, True)),
    "init_range: 1E-3": Draw("w", (300, 128), Abacus(0.001, 0.2, True)),
    "init_range: 1e3": Draw("w", (300, 128), Abacus(1000.0, 0.2, True)),
    "name: 695e0514": Draw("695e0514", (300, 128), Abacus(1.0, 0.2, True)),
    'scale_by_rown: "no"': Draw("w", (300, 128), Abacus(1.0, 0.2, False)),
    'rown: "7"': Draw("w", (7, 128), Abacus(1.0, 0.2, True)),
    "rown: 0x10": Draw("w", (16, 128), Abacus(1.0, 0.2, True)),
    "init_range: 1e-400": Draw("w", (300, 128), Abacus(0.0, 0.2, True)),
}
REFUSED = {
    "init_range: 695e0514": "'695e0514' is beyond the largest double, 1.8e308",
    "init_range: 1e400": "'1e400' is beyond the largest double, 1.8e308",
    "init_range: 1:30.5": f"{NUMBER} '1:30.5' (C++ reads no base-60 numbers)",
    "init_range: 0x10": f"{NUMBER} '0x10' (C++ reads no hexadecimal number here)",
    "scale_by_rown: 0": f"{TRUTH} '0'",
    "scale_by_rown: yEs": f"{TRUTH} 'yEs'",
    "rown: 1.0": "expected an integer, found '1.0'",
    "rown: 1e3": "expected an integer, found '1e3'",
    "rown: 1:30": "expected an integer, found '1:30' (C++ reads no base-60 numbers)",
    "rown: 1_000": "expected an integer, found '1_000' (C++ reads no underscores between digits)",
}


@pytest.mark.parametrize("line", READ)
def test_reads(line: str) -> None:
    assert drawn(conf(line)) == READ[line]


@pytest.mark.parametrize("line", REFUSED)
def test_refuses(line: str) -> None:
    key = line.split(":")[0]
    with pytest.raises(ConfError) as caught:
        parse_conf(conf(line), "c.yaml")
    (problem,) = caught.value.problems
    assert problem.source is not None
    assert problem.source.key == key
    assert problem.message == f"parameter w: {REFUSED[line]}"


def test_a_range_that_is_too_small_is_a_zero_scale() -> None:
    notices = parse_conf(conf("init_range: 1e-400")).notices
    assert ("zero-scale", "w") in [(notice.code, notice.parameter) for notice in notices]


@pytest.mark.parametrize(
    "data",
    [b"\xef\xbb\xbf" + CONF.encode(), CONF.replace("\n", "\r\n").encode()],
    ids=["byte-order mark", "CRLF"],
)
def test_files_that_differ_in_their_form_alone_are_the_same_spec(data: bytes) -> None:
    assert parse_conf(data) == parse_conf(CONF)
    assert parse_conf(data).notices == parse_conf(CONF).notices


def test_lines_that_end_in_a_carriage_return_alone_are_refused() -> None:
    with pytest.raises(DocumentError, match=r"^c\.yaml:1: a carriage return without a line feed"):
        parse_conf(CONF.replace("\n", "\r"), "c.yaml")


def test_everybody_elses_yaml_is_as_before() -> None:
    text = "a: 1e-3\nb: 695e0514\nc: yes\nd: 1:30\ne: 1_000\nf: 0x10\nf: 010\n"
    before = yaml.safe_load(text)
    parse_conf(CONF)
    assert yaml.safe_load(text) == before == {
        "a": "1e-3", "b": "695e0514", "c": True, "d": 90, "e": 1000, "f": 8,
    }  # fmt: skip

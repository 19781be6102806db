"""Names of a conf that are no identifiers, clash, or try to become code."""

from __future__ import annotations

import ast
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import paddle
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.generated import ABACUS, imported, whole
from support.paddle_graph import fresh_names

from paddle_init.errors import Notice, Source
from paddle_init.frameworks.paddle.module import python_module
from paddle_init.frameworks.paddle.module_source import Identifiers, escaped, literal
from paddle_init.specs import Draw, Input, Layer, NetSpec

INJECTION = '"]; __import__("os").abort() #'


def chain(first: str, second: str, outside: str, *, text: str = "") -> NetSpec:
    """Two layers whose parameters, outputs and input have these names."""
    source = Source(f"{text or first}.yaml", 3)
    return NetSpec(
        "abacus",
        draws=(Draw(first, (4, 3), ABACUS, source), Draw(second, (3, 2), ABACUS, source)),
        tensors=(whole(first, "weight", (4, 3)), whole(second, "weight", (3, 2))),
        layers=(
            Layer(first, first, (Input(outside, 4),), first, None, "relu"),
            Layer(second, second, (Input(first, 3),), second, None, "tanh"),
        ),
        notices=(Notice(text or "code", text or "message", text or None),),
        origin=text or None,
    )


def skeleton(source: str) -> list[str]:
    """The kinds of a module's syntax nodes, in order: what remains when names are forgotten."""
    return [type(node).__name__ for node in ast.walk(ast.parse(source))]


BENIGN = skeleton(python_module(chain("a", "b", "x")))

PAIRS = [
    ("fc 1", "fc-1"),
    ("fc.1", "fc_1"),
    ("class", "None"),
    ("self", "paddle"),
    ("nn", "Net"),
    ("train", "forward"),
    ("create_parameter", "parameters"),
    ("Normal", "RowBlocks"),
    ("A_STD", "a"),
    ("attrs", "prefix"),
    ("3", "_"),
    ("__class__", "__"),
    ("fi", "\ufb01"),
    ("\u212b", "\u00c5"),
    ("第一层", "第二层"),
    ('"', '""""'),
    ("'", "\\"),
    ("\n", "\r\n"),
    ("\x00", "\x85"),
    ("\u2028", "\u202e"),
    ("\ud800", "\x1b[2J"),
    (INJECTION, f'"""\n{INJECTION}'),
    ("\\" + INJECTION, "{x}"),
    ("#coding: utf-7", "# ruff: noqa"),
    ("w" * 300, "w " * 200),
]


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=[ascii(pair) for pair in PAIRS])
def test_awkward_names_run(first: str, second: str, tmp_path: Path) -> None:
    spec = chain(first, second, f"{first}{second}")
    module = imported(spec, tmp_path)
    assert list(module.param_attrs()) == [first, second]
    with fresh_names():
        net = module.Net(None)
    w1, w2 = (parameter.numpy() for parameter in net.parameters())
    x = np.ones((2, 4), "float32")
    expected = np.tanh(np.maximum(x @ w1, 0) @ w2)
    np.testing.assert_allclose(net(paddle.to_tensor(x)).numpy(), expected, rtol=1e-5)
    assert isinstance(net.state_dict(), dict)
    assert net.training


texts = st.text(min_size=1, max_size=30)


@settings(max_examples=150, deadline=None)
@given(first=texts, second=texts, outside=texts, text=texts)
def test_no_text_becomes_code(first: str, second: str, outside: str, text: str) -> None:
    assume(first != second)
    source = python_module(chain(first, second, outside, text=text))
    assert skeleton(source) == BENIGN
    source.encode("utf-8")


@settings(max_examples=50, deadline=None)
@given(text=texts)
def test_the_reason_for_no_layer_stays_text(text: str) -> None:
    spec = replace(chain("a", "b", "x"), skipped_layers=(text,))
    plain = replace(chain("a", "b", "x"), skipped_layers=("bn",))
    assert skeleton(python_module(spec)) == skeleton(python_module(plain))


@given(text=st.text())
def test_literals_read_back(text: str) -> None:
    assert ast.literal_eval(literal(text)) == text
    assert escaped(text).isprintable()


@given(names=st.lists(st.text(), unique=True, max_size=20))
def test_identifiers_are_valid_and_differ(names: list[str]) -> None:
    identifiers = Identifiers(("self",))
    found = [identifiers.new(name) for name in names]
    # the names as Python's own parser sees them
    parsed = [ast.parse(f"{name} = 0").body[0].targets[0].id for name in found]
    assert len({*parsed, "self"}) == len(names) + 1


def test_an_identifier_reads_like_its_name() -> None:
    identifiers = Identifiers(("fc1",))
    found = [
        identifiers.new(name) for name in ("fc1", "fc.2", "fc_2", "3", "if", "_private", "层1")
    ]
    assert found == ["fc1_2", "fc_2", "fc_2_2", "p_3", "p_if", "private", "层1"]


def test_many_names_that_read_alike_take_linear_time() -> None:
    """10,000 take 0.04 s; 30 s where each counts up from 2."""
    identifiers = Identifiers()
    start = time.process_time()
    found = [identifiers.new("fc") for _ in range(10_000)]
    assert time.process_time() - start < 5
    assert found[:2] + found[-1:] == ["fc", "fc_2", "fc_10000"]

"""The forms of a report: JSON for programs, text for readers."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from typing import Any

import pytest
from support.bilingual import without_title
from support.parity_specs import ABACUS, FLAT, RANK, one_weight

from paddle_init.errors import Source
from paddle_init.parity.building import report
from paddle_init.parity.page import as_json, as_text
from paddle_init.parity.records import Drawn, Level, Report
from paddle_init.schemes import constant, normal, paddle_fc, truncated_normal, uniform
from paddle_init.specs import Draw, NetSpec, RowBlock, Tensor

SIDE_KEYS = [
    "distribution",
    "mean",
    "std",
    "low",
    "high",
    "blocks",
    "formula",
    "source",
    "engine",
]


def test_the_json_form_has_every_key_of_its_schema() -> None:
    form = json.loads(as_json(report(RANK)))
    assert list(form) == [
        "schema",
        "left",
        "right",
        "parameters",
        "not_compared",
        "warnings",
        "summary",
    ]
    assert form["schema"] == 1
    for parameter in form["parameters"]:
        assert list(parameter) == [
            "name",
            "shape",
            "role",
            "level",
            "left",
            "right",
            "std_ratio",
            "max_ulp",
            "differing",
            "explanation",
            "advice",
            "partner",
            "known",
            "causes",
        ]
        assert list(parameter["left"]) == list(parameter["right"]) == SIDE_KEYS
    assert [list(warning) for warning in form["warnings"]] == [
        ["code", "message", "parameter"] for _ in form["warnings"]
    ]
    assert form["summary"] == {
        "counts": {
            "identical": 0,
            "rounding": 0,
            "stream": 1,
            "scale": 3,
            "distribution": 0,
            "structure": 0,
        },
        "worst": "scale",
        "not_known": 0,
    }


def test_one_parameter_in_json_word_for_word() -> None:
    spec = one_weight(ABACUS)
    spec = replace(spec, draws=(replace(spec.draws[0], source=Source("net.yaml", 7, "param[0]")),))
    form = report(spec).to_dict()
    assert form["left"] == "abacus: a net spec"
    assert form["right"] == "paddle: FC rule of the towers, init_range 0.2 / fan_in ** 0.5"
    (found,) = form["parameters"]
    assert found["shape"] == [300, 128]
    assert (found["level"], found["std_ratio"], found["advice"]) == ("stream", 1.0, None)
    assert found["left"] == {
        "distribution": "normal",
        "mean": 0.0,
        "std": 0.011547005383792514,
        "low": None,
        "high": None,
        "blocks": None,
        "formula": "std = init_range * global_init_range / sqrt(rown) = 1 * 0.2 / sqrt(300)"
        " = 0.011547005383792514",
        "source": {"file": "net.yaml", "line": 7},
        "engine": "minstd_rand0",
    }
    assert found["right"]["source"] is None


def sides(form: Any) -> list[Any]:
    return [parameter[side] for parameter in form["parameters"] for side in ("left", "right")]


def test_numbers_without_meaning_are_null() -> None:
    other = Draw("w", (300, 128), uniform(-1, 2))
    cut = Draw("v", (300, 128), truncated_normal(0, 1))
    ones = Draw("u", (300, 128), constant(3))
    form = report(NetSpec("paddle", (other, cut, ones))).to_dict()
    numbers = [[side[key] for key in SIDE_KEYS[:5]] for side in sides(form)[::2]]
    assert numbers == [
        ["uniform", 0.5, 0.8660254037844387, -1.0, 2.0],
        ["truncated_normal", 0.0, 1.0, -2.0, 2.0],
        ["constant", 3.0, 0.0, None, None],
    ]
    assert sides(form)[4]["engine"] is None


def test_structure_has_no_sides() -> None:
    right = NetSpec("paddle", (Draw("v", (2, 3), normal(0, 1)),))
    form = report(one_weight(ABACUS), right).to_dict()
    assert sides(form) == [None] * 4
    assert [(p["name"], p["shape"], p["level"]) for p in form["parameters"]] == [
        ("w", [300, 128], "structure"),
        ("v", [2, 3], "structure"),
    ]


def test_blocks_in_json() -> None:
    draws = Draw("a", (1, 8), ABACUS), Draw("b", (2, 8), constant(1))
    rows = RowBlock("a", 0, 1), RowBlock("b", 0, 2)
    spec = NetSpec("abacus", draws, (Tensor("a", "weight", (3, 8), rows),))
    left = sides(report(spec).to_dict())[0]
    assert [left[key] for key in SIDE_KEYS[:5]] == ["blocks", None, None, None, None]
    assert [part["rows"] for part in left["blocks"]] == [[0, 1], [1, 3]]
    assert [part["distribution"] for part in left["blocks"]] == ["normal", "constant"]
    assert [part["std"] for part in left["blocks"]] == [0.2, 0.0]


@pytest.mark.parametrize("std", [0.1, 5e-324, 1.7976931348623157e308, 1 / 3, 0.0])
def test_floats_read_back_to_the_same_double_and_none_is_infinite(std: float) -> None:
    def refuse(name: str) -> None:
        pytest.fail(f"{name} in the JSON form")

    text = as_json(report(one_weight(normal(0, std), "paddle")))
    left = sides(json.loads(text, parse_constant=refuse))[0]
    assert struct.pack("<d", left["std"]) == struct.pack("<d", std)


def test_json_is_ascii_whatever_the_names() -> None:
    draw = Draw("全连接\x1b\U0001f600", (3, 4), ABACUS)
    text = as_json(report(NetSpec("abacus", (draw,))))
    assert text.isascii()
    assert json.loads(text)["parameters"][0]["name"] == draw.name


@pytest.mark.parametrize(
    ("made", "first"),
    [
        (
            report(one_weight(ABACUS)),
            "Yes, in distribution: its one parameter is drawn alike; single values differ or are",
        ),
        (report(RANK), "No: 3 of 4 parameters start elsewhere (scale 3)."),
        (report(FLAT), "No: 1 of 2 parameters start elsewhere (distribution 1)."),
        (
            report(one_weight(constant(1), "paddle"), one_weight(constant(1), "paddle")),
            "Yes, bit for bit: its one parameter is identical.",
        ),
        (
            report(one_weight(normal(0, 0)), one_weight(constant(0), "paddle")),
            "Yes, up to rounding: its one parameter is equal but for the last bits.",
        ),
        (Report("a", "b", ()), "Nothing to compare: neither side has a parameter."),
    ],
)
def test_the_first_line_answers(made: Report, first: str) -> None:
    assert as_text(made, width=86).splitlines()[0] == first


def test_the_first_line_is_no_yes_where_no_role_is_known() -> None:
    def first(spec: NetSpec) -> str:
        return as_text(report(spec), width=300).splitlines()[0]

    alike = [Draw(name, shape, ABACUS) for name, shape in (("w", (300, 128)), ("b", (1, 128)))]
    assert first(NetSpec("abacus", tuple(alike))) == (
        "Not known: as weights all 2 parameters are drawn alike, but nothing says which is a bias."
    )
    assert first(NetSpec("abacus", tuple(alike[1:]))) == (
        "Not known: as weights its one parameter is drawn alike, but nothing says which is a bias."
    )
    # the towers draw b in another way only if it is a weight
    assert first(NetSpec("abacus", (alike[0], replace(alike[1], scheme=normal(0, 1))))) == (
        "Not known: 1 of 2 parameters cannot be compared, because the distribution of at least one "
        "side is not known; the others are alike as weights, but nothing says which is a bias."
    )
    assert first(NetSpec("abacus", (replace(alike[0], scheme=normal(0, 1)), alike[1]))) == (
        "No: 1 of 2 parameters start elsewhere (scale 1)."
    )


def test_the_first_line_where_no_layer_is_fully_connected() -> None:
    draw = Draw("w", (3, 4), ABACUS)
    other = Tensor("w", "other", (3, 4), (RowBlock("w", 0, 3),))
    text = as_text(report(NetSpec("abacus", (draw,), (other,))))
    assert text.startswith("Nothing to compare: no parameter belongs to a fully connected layer.")
    assert "Not compared: parameters of no fully connected layer" in text


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("spec", [RANK, FLAT])
def test_text_keeps_to_its_width_and_is_plain(spec: NetSpec, width: int) -> None:
    text = as_text(report(spec), width=width)
    assert without_title(text).isascii()
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= width
    assert not any(line != line.rstrip() for line in text.splitlines())


def test_text_has_formulas_sources_reasons_and_advice() -> None:
    source = Source("net.yaml", 7)
    spec = replace(RANK, draws=tuple(replace(draw, source=source) for draw in RANK.draws))
    text = " ".join(as_text(report(spec), notes=True).split())
    for part in (
        "left abacus: a net spec right paddle: FC rule of the towers",
        "fc1_b 128 scale std 0.2 std 0.01155 0.057735",
        "fc1_b (bias 128): scale left std = init_range * global_init_range / sqrt(rown) = "
        "1 * 0.2 / sqrt(1) = 0.2 (net.yaml:7)",
        "why The bias is drawn 17.3 times narrower",
        "do In Paddle, write initializer=paddle.nn.initializer.Normal(mean=0.0, std=0.2).",
        "Warnings formula-in-document the formula printed in the document "
        "abacus与paddle的参数初始化方式 multiplies",
    ):
        assert part in text


def test_colors_only_where_they_are_asked_for() -> None:
    colored = as_text(report(RANK), color=True)
    assert "\x1b[" in colored
    assert "\x1b" not in as_text(report(RANK))


def test_names_are_shown_as_text() -> None:
    names = ["[bold]w[/bold]", "w\x1b[31m", "w\nx", "全连接", "w\u202ex", ":smile:"]
    spec = NetSpec("abacus", tuple(Draw(name, (3, 4), ABACUS) for name in names))
    spec = replace(
        spec,
        draws=tuple(replace(draw, shape=(3 + i, 4)) for i, draw in enumerate(spec.draws)),
        tensors=(),
    )
    for color in (False, True):
        text = as_text(report(spec), color=color)
        for shown in ("[bold]w[/bold]", "w\\x1b[31m", "w\\nx", "全连接", "w\\u202ex", ":smile:"):
            assert text.count(shown) >= 2  # in the table and over the details
            assert f"{shown} (weight" in text.replace("\x1b[1m", "").replace("\x1b[0m", "")


def test_parameters_that_compare_alike_are_told_once() -> None:
    spec = NetSpec("abacus", tuple(Draw(f"w{i}", (3, 4), ABACUS) for i in range(5000)))
    text = as_text(report(spec))
    assert len(text.splitlines()) < 40
    assert "w0 and 4999 more  3 x 4  stream" in text
    assert "w0, w1, w2 and 4997 more (weight 3 x 4): stream" in text


def test_of_many_kinds_the_worst_are_shown() -> None:
    draws = [Draw(f"w{i}", (3 + i, 4), paddle_fc(0.2)) for i in range(100)]
    draws[70] = replace(draws[70], scheme=normal(0, 9))
    text = as_text(report(NetSpec("paddle", tuple(draws))))
    assert "w70 (weight 73 x 4): scale" in text
    assert "w28 (weight" in text
    assert "w29 (weight" not in text
    assert "70 more rows compare no worse; --format json has every parameter." in text


def test_warnings_of_one_code_are_cut() -> None:
    draws = tuple(Draw(f"w{i}", (3, 4), normal(0, 0)) for i in range(10))
    text = as_text(report(NetSpec("paddle", draws)))
    assert text.count("is drawn with std 0 on the left") == 3
    assert "7 more; --format json has them all" in text


def test_drawn_values_are_told() -> None:
    made = report(one_weight(ABACUS), drawn=lambda *_: Drawn(Level.ROUNDING, 1, 2048))
    assert "values  2048 differ, by at most 1 ULP" in as_text(made)

"""What reports say: explanations, advice and warnings, word for word where it matters."""

from __future__ import annotations

import numpy as np
import pytest
from support.parity_specs import ABACUS, FLAT, RANK, one_bias, one_weight, whole

from abacus_compat import parse_conf
from paddle_init.errors import Notice
from paddle_init.languages import listed
from paddle_init.parity.building import counterpart, report
from paddle_init.parity.records import Comparison, Report
from paddle_init.schemes import (
    Scheme,
    abacus,
    constant,
    normal,
    paddle_fc,
    truncated_normal,
    uniform,
)
from paddle_init.specs import Draw, Input, Layer, NetSpec, RowBlock, Seeding, Tensor
from paddle_init.specs.wording import apart, times
from paddle_init.texts import printable


def only(left: NetSpec, right: NetSpec | None = None, name: str | None = None) -> Comparison:
    parameters = {item.name: item for item in report(left, right).parameters}
    return parameters[name] if name else next(iter(parameters.values()))


def test_the_bias_of_a_narrower_tower() -> None:
    found = only(RANK, name="fc1_b")
    assert found.explanation == (
        "The bias is drawn 17.3 times narrower in Paddle (std 0.01155 against 0.2), because abacus "
        "treats the bias as a parameter with rown = 1, while Paddle divides init_range by "
        "sqrt(fan_in) = sqrt(300)."
    )
    assert found.advice == (
        "In Paddle, write initializer=paddle.nn.initializer.Normal(mean=0.0, std=0.2)."
    )


@pytest.mark.parametrize(
    ("left", "right", "parts"),
    [
        (
            one_weight(ABACUS),
            None,
            [
                "Both draw Normal(mean 0, std 0.011547), the same to the last bit of float32.",
                "abacus draws with minstd_rand0, Paddle with mt19937_64",
            ],
        ),
        (
            one_weight(ABACUS),
            one_weight(ABACUS),
            ["not compared: no seed is given for the left and the right"],
        ),
        (
            one_weight(ABACUS, stream=Seeding("minstd_rand0", seed=1)),
            one_weight(ABACUS, stream=Seeding("minstd_rand0", seed=2)),
            ["but not the same values: the streams are seeded or used in different ways."],
        ),
        (
            one_weight(abacus(1, 0.2, False)),
            None,
            [
                "17.3 times narrower",
                "abacus does not divide by sqrt(rown) (scale_by_rown is false)",
                "Paddle divides by sqrt(fan_in) = sqrt(300)",
            ],
        ),
        (
            one_weight(abacus(2, 0.2, True)),
            None,
            ["abacus has init_range * global_init_range = 2 * 0.2 = 0.4, Paddle init_range = 0.2"],
        ),
        (
            one_weight(abacus(2, 0.2, False)),
            None,
            ["34.6 times", "2 * 0.2 = 0.4, Paddle init_range = 0.2; and abacus does not divide"],
        ),
        # The same two, the other way round.
        (
            one_weight(paddle_fc(0.2), "paddle"),
            one_weight(abacus(1, 0.2, False)),
            ["17.3 times wider in abacus", "abacus does not divide by sqrt(rown)"],
        ),
        (
            one_weight(abacus(0, 0.2, True)),
            None,
            ["is drawn with std 0.01155 in Paddle and 0 in abacus", "0 * 0.2 = 0"],
        ),
        (
            one_weight(normal(0, 0.1), "paddle"),
            one_weight(normal(1, 0.1), "paddle"),
            ["The means differ: 0 on the left, 1 on the right."],
        ),
        (
            one_weight(normal(0, 0.13)),
            one_weight(normal(0, 0.13), "paddle", "float64"),
            ["Both draw Normal"],
        ),
        (
            one_weight(normal(0, 0.13), "abacus", "float64"),
            one_weight(normal(0, 0.13), "paddle", "float64"),
            ["as float32 for float64 tensors too: Normal(mean 0, std 0.12999999523162842)."],
        ),
        (
            one_weight(normal(0, 0.1)),
            one_weight(normal(0, 0.1 * (1 + 2**-24)), "paddle"),
            ["the numbers differ by less than float32's eps (1.2e-07), that is by rounding"],
        ),
        (
            one_weight(constant(1), "paddle"),
            one_weight(constant(2), "paddle"),
            ["Every element is 1 on the left and 2 on the right."],
        ),
        (
            one_weight(constant(1), "paddle"),
            one_weight(constant(1), "paddle"),
            ["Every element is 1 on both sides; nothing is drawn."],
        ),
        (
            one_weight(abacus(0, 1, True)),
            one_weight(constant(0), "paddle"),
            ["a zero on both sides; the sign of the zeros may differ"],
        ),
        (
            one_weight(truncated_normal(0, 1), "paddle"),
            one_weight(truncated_normal(0, 1, -1, 1), "paddle"),
            [
                "is drawn 1.63 times narrower on the right (std 0.5396 against 0.8796).",
                "Normal(mean 0, std 1) cut at -2 and 2 (narrowed to std 0.879626) on the left; ",
                "Normal(mean 0, std 1) cut at -1 and 1 (narrowed to std 0.53956) on the right.",
            ],
        ),
        # Cutoffs that make no difference to the std are named all the same.
        (
            one_weight(truncated_normal(0, 1, -20, 20), "paddle"),
            one_weight(truncated_normal(0, 1, -30, 30), "paddle"),
            ["Normal(mean 0, std 1) cut at -20 and 20 on the left; ", "cut at -30 and 30 on the r"],
        ),
        (
            one_weight(normal(0, 0.1), "paddle"),
            one_weight(truncated_normal(0, 0.1, -0.2, 0.2), "paddle"),
            ["cut at -0.2 and 0.2 (narrowed to std 0.0879626) is drawn on the right"],
        ),
        # One side alone is cut: its mean moves, too.
        (
            one_weight(truncated_normal(0, 1, -1, 1), "paddle"),
            one_weight(truncated_normal(0, 1, 0, 1), "paddle"),
            ["The means differ: 0 on the left, 0.4599 on the right."],
        ),
        # The numbers are those of the arithmetic.
        (
            one_weight(abacus(3, float(np.float32(0.1)), False), arithmetic="float32"),
            None,
            ["= 3 * 0.10000000149011612 = 0.30000001192092896, Paddle"],
        ),
    ],
)
def test_explanations_name_the_cause(
    left: NetSpec, right: NetSpec | None, parts: list[str]
) -> None:
    explanation = only(left, right).explanation
    assert [part for part in parts if part not in explanation] == [], explanation


def test_a_cause_that_no_digit_shows_is_none() -> None:
    left = one_bias(abacus(3, 0.1, True), abacus(3, 0.1, True))
    made = {item.name: item for item in report(left, init_range=0.3).parameters}
    assert str(made["w"].level) == "stream"
    assert "because abacus treats the bias as a parameter with rown = 1" in made["b"].explanation
    more = {item.name: item for item in report(left, init_range=0.31).parameters}
    for name in ("w", "b"):
        assert "init_range * global_init_range = 3 * 0.1 = 0.3" in more[name].explanation


@pytest.mark.parametrize(("rows", "named"), [(101, True), (10**12 + 1, False)])
def test_a_bias_row_that_no_digit_shows_is_no_cause(rows: int, named: bool) -> None:
    draw = Draw("w", (rows, 8), abacus(1, 0.2, True))
    tensors = (
        Tensor("w", "weight", (rows - 1, 8), (RowBlock("w", 0, rows - 1),)),
        Tensor("b", "bias", (8,), (RowBlock("w", rows - 1, rows),)),
    )
    explanation = only(NetSpec("abacus", (draw,), tensors)).explanation
    assert ("counts the bias row" in explanation) is named
    twice = report(NetSpec("abacus", (draw,), tensors), init_range=0.4).parameters[0].explanation
    assert "Paddle init_range = 0.4" in twice
    assert ("counts the bias row" in twice) is named


def test_stds_that_differ_by_rounding_are_not_told_beside_means_that_differ() -> None:
    up = float(np.nextafter(np.float32(0.1), np.float32(1)))
    found = only(one_weight(normal(0, 0.1), "paddle"), one_weight(normal(1, up), "paddle"))
    assert found.explanation == "The means differ: 0 on the left, 1 on the right."


def test_float32_numbers_are_the_cause_where_they_are() -> None:
    left = one_weight(abacus(3, 0.1, True), "abacus", "float64")
    right = one_weight(paddle_fc(0.3), "paddle", "float64")
    explanation = only(left, right).explanation
    assert "because" not in explanation
    assert "as float32 for float64 tensors too" in explanation


def test_the_float32_system_has_no_engine_to_name() -> None:
    dialect = one_weight(ABACUS, arithmetic="float32")
    for left, right, name in (
        (dialect, None, "abacus"),
        (dialect, one_weight(ABACUS), "the left"),
        (dialect, dialect, "the left and the right"),
    ):
        found = only(left, right)
        assert found.left is not None
        assert found.left.engine is None
        assert (
            f"Single values were not compared: the float32 system that {name} stands for draws "
            "with a library of its own, which no seed reproduces."
        ) in found.explanation
        assert "minstd_rand0" not in found.explanation
    found = only(one_weight(ABACUS, arithmetic="float32", stream=Seeding("mt19937", seed=7)))
    assert found.left is not None
    assert found.left.engine == "mt19937"


def test_a_folded_bias_row_is_named_in_weight_and_bias() -> None:
    for name in ("fc2_w", "fc2_w.bias"):
        explanation = only(RANK, name=name).explanation
        assert "0.39 % wider" in explanation
        assert "rown = 129 in abacus counts the bias row" in explanation
        assert "fan_in = 128 in Paddle does not" in explanation


def test_a_constant_bias_follows_the_document() -> None:
    found = only(FLAT, name="b")
    assert found.explanation == (
        "Every element is 1 in abacus, as the document reads its bias; "
        "Normal(mean 0, std 0.011547) is drawn in Paddle."
    )


def two_blocks() -> NetSpec:
    draws = Draw("a", (100, 8), ABACUS), Draw("b", (200, 8), abacus(0.5, 0.2, True))
    rows = RowBlock("a", 0, 100), RowBlock("b", 0, 200)
    return NetSpec("abacus", draws, (Tensor("a", "weight", (300, 8), rows),))


def test_rows_that_differ_have_a_line_of_their_own() -> None:
    first, second = only(two_blocks()).explanation.split("\n")
    assert first.startswith("Rows [0, 100): The weight is drawn 1.73 times narrower in Paddle")
    assert "divides by these rows' own sqrt(rown) = sqrt(100)" in first
    assert second.startswith("Rows [100, 300): The weight is drawn 1.63 times wider in Paddle")


def test_many_kinds_of_rows_are_told_by_the_worst() -> None:
    draws = tuple(Draw(f"w{i}", (10, 8), normal(0, 1 + i)) for i in range(20))
    rows = tuple(RowBlock(draw.name, 0, 10) for draw in draws)
    spec = NetSpec("abacus", draws, (Tensor("w0", "weight", (200, 8), rows),))
    lines = only(spec).explanation.split("\n")
    assert len(lines) == 5
    assert lines[-1] == "16 more groups of rows differ no more than these."


@pytest.mark.parametrize(
    ("scheme", "code"),
    [
        (normal(0.5, 0.1), "Normal(mean=0.5, std=0.1)"),
        (uniform(-0.1, 0.3), "Uniform(low=-0.1, high=0.3)"),
        pytest.param(
            truncated_normal(0, 0.1, -1, 1),
            "TruncatedNormal(mean=0.0, std=0.1, a=-1.0, b=1.0)",
            marks=pytest.mark.paddle_3,
        ),
        (constant(3), "Constant(value=3.0)"),
        (normal(0, 0), "Constant(value=0.0)"),
    ],
)
def test_advice_is_code_that_paddle_takes(scheme: Scheme, code: str) -> None:
    advice = only(one_weight(scheme), one_weight(paddle_fc(0.7), "paddle")).advice
    assert advice == f"In Paddle, write initializer=paddle.nn.initializer.{code}."
    reverse = only(one_weight(paddle_fc(0.7), "paddle"), one_weight(scheme)).advice
    assert reverse == advice


@pytest.mark.parametrize(
    "scheme",
    [
        normal(0.5, 0.1),
        uniform(-0.1, 0.3),
        pytest.param(truncated_normal(0, 0.1, -1, 1), marks=pytest.mark.paddle_3),
        constant(3),
    ],
)
def test_advice_runs_in_paddle(scheme: Scheme) -> None:
    import paddle

    advice = only(one_weight(scheme), one_weight(paddle_fc(0.7), "paddle")).advice or ""
    code = advice.removeprefix("In Paddle, write initializer=").removesuffix(".")
    made = eval(code, {"paddle": paddle})
    weight = paddle.create_parameter([300, 128], "float32", default_initializer=made)
    assert np.isfinite(weight.numpy()).all()


def test_advice_for_rows_and_for_abacus() -> None:
    assert "paddle_init.param_attrs(spec)" in (only(two_blocks()).advice or "")
    found = only(one_weight(ABACUS), one_weight(abacus(1, 0.2, False)))
    assert found.advice == "Let the right draw Normal(mean 0, std 0.011547005383792514)."
    assert only(one_weight(ABACUS)).advice is None


def codes(made: Report) -> list[str]:
    return [notice.code for notice in made.warnings]


def message(made: Report, code: str) -> str:
    (found,) = (notice.message for notice in made.warnings if notice.code == code)
    return found


def test_warnings_of_a_net_with_every_trap() -> None:
    made = report(RANK)
    assert codes(made) == [
        "formula-in-document",
        "mean-in-document",
        "bias-reading",
        "bias-row-in-rown",
    ]
    assert "fc1_w (300 times), fc2_w (129 times)" in message(made, "formula-in-document")
    assert "fc1_b, fc2_w.bias" in message(made, "bias-reading")
    row = message(made, "bias-row-in-rown")
    assert "sqrt(129) = 11.3578" in row
    assert "sqrt(128) = 11.3137" in row


def test_a_flat_conf_is_told_the_other_reading() -> None:
    made = report(FLAT)
    assert "bias-row-in-rown" not in codes(made)
    told = message(made, "bias-reading")
    assert "is the constant 1, as the document abacus与paddle的参数初始化方式 reads it" in told
    assert "std 0.2" in told


def test_no_scale_by_rown_no_formula_in_document() -> None:
    assert "formula-in-document" not in codes(report(one_weight(abacus(1, 0.2, False))))
    assert codes(report(one_weight(normal(0, 1), "paddle"))) == []


def test_zero_scales_are_told_on_either_side() -> None:
    left = report(one_bias(ABACUS, abacus(0, 0.2, True)))
    (found,) = (notice for notice in left.warnings if notice.code == "zero-scale")
    assert found.parameter == "b"
    assert "in training" not in found.message
    right = report(one_weight(ABACUS), init_range=0)
    assert "stay equal in training" in message(right, "zero-scale")


def test_a_zero_bias_is_no_harm() -> None:
    made = report(one_bias(ABACUS, abacus(0, 0.2, True)))
    assert message(made, "zero-scale") == (
        "b is drawn with std 0 in abacus: its elements start equal."
    )


def unlabelled(*names: str, **settings: object) -> NetSpec:
    shapes = {"fc1_w": (300, 128), "fc1_b": (1, 128), "fc2_w": (128, 1)}
    draws = tuple(Draw(name, shapes[name], ABACUS) for name in names)
    return NetSpec("abacus", draws, **settings)  # type: ignore[arg-type]


def test_without_layers_no_role_is_known() -> None:
    made = report(unlabelled("fc1_w", "fc1_b", "fc2_w"))
    assert [str(item.level) for item in made.parameters] == ["stream"] * 3
    assert "no-bias" not in codes(made)
    assert message(made, "roles-unknown") == (
        "the spec names no bias and no layers, so nothing says which parameter is a bias: fc1_b "
        "with rown = 1 may be one. The towers divide a bias by sqrt(fan_in) of its layer."
    )
    assert "roles-unknown" not in codes(report(unlabelled("fc1_w", "fc2_w")))
    assert "roles-unknown" not in codes(report(RANK))
    both = unlabelled("fc1_w", "fc1_b")
    assert "roles-unknown" not in codes(report(both, both))
    assert "roles-unknown" in codes(report(counterpart(RANK), both))


def test_the_readers_words_of_roles_stand() -> None:
    told = Notice("roles-unknown", "the conf names no layers")
    made = report(unlabelled("fc1_w", "fc1_b", notices=(told,)))
    assert message(made, "roles-unknown") == "the conf names no layers"


def test_parameters_of_no_layer_are_held_to_no_rule() -> None:
    spec = parse_conf(
        "{global_init_range: 0.2, param: [{name: w, rown: 3, coln: 2, init_range: 1,"
        " scale_by_rown: y}, {name: old, rown: 3, coln: 2, init_range: 9, scale_by_rown: y}],"
        " layer: [{name: fc, class: NeuralLayer, a_input: x, b_input: w, act_func: relu}]}"
    )
    for right in (None, counterpart(spec)):
        made = report(spec, right)
        assert [(item.name, str(item.level)) for item in made.parameters] == [("w", "stream")]
        assert [(each.name, each.side) for each in made.not_compared] == [("old", "left")]
        assert [n.parameter for n in made.warnings if n.code == "no-bias"] == ["w"]


def test_layers_that_are_no_fc_layers_and_weights_without_bias() -> None:
    draw = Draw("w", (4, 8), ABACUS)
    layer = Layer("fc", "fc", (Input("x", 4),), "w", None, "relu")
    spec = NetSpec(
        "abacus", (draw,), (whole(draw),), layers=(layer,), skipped_layers=("bn", "concat")
    )
    made = report(spec)
    assert "2 layers are not fully connected and were passed over: bn, concat" in message(
        made, "skipped-layers"
    )
    assert "no bias belongs to w; in Paddle that is bias_attr=False" in message(made, "no-bias")


def test_what_the_reader_warned_about_is_carried_through_once() -> None:
    notices = (
        Notice("duplicate-key", "the key rown stands twice", "w"),
        Notice("no-bias", "layer fc has no bias_input", "w"),
        Notice("zero-scale", "the reader's words", "w"),
    )
    made = report(one_weight(abacus(0, 1, True), notices=notices))
    assert codes(made).count("no-bias") == 1
    assert message(made, "no-bias") == "layer fc has no bias_input"
    assert "drawn with std 0" in message(made, "zero-scale")
    assert "the key rown stands twice" in message(made, "duplicate-key")


@pytest.mark.parametrize(
    ("left", "right", "shown"),
    [
        (0.2, 0.0115470, ("0.2", "0.01155")),
        (0.13, 0.12999999523162842, ("0.13", "0.129999995")),
        (1.0, 1.0 + 2**-52, ("1", "1.0000000000000002")),
    ],
)
def test_numbers_that_differ_never_look_alike(
    left: float, right: float, shown: tuple[str, str]
) -> None:
    assert apart(left, right) == shown


@pytest.mark.parametrize(
    ("ratio", "shown"),
    [
        (17.32, "17.3 times wider"),
        (1 / 17.32, "17.3 times narrower"),
        (1.05, "5 % wider"),
        (0.9961, "0.39 % narrower"),
        (1 + 2**-20, "9.5e-05 % wider"),
    ],
)
def test_ratios_in_words(ratio: float, shown: str) -> None:
    assert times(ratio) == shown


def test_lists_are_cut() -> None:
    assert listed(["a", "b", "c"]) == "a, b, c"
    assert listed(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("全连接_w", "全连接_w"),
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("a\u202eb\u200b", "a\\u202eb\\u200b"),
        ("\udc80", "\\udc80"),
    ],
)
def test_control_and_format_characters_are_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_a_notice_shows_what_its_json_form_has() -> None:
    told = Notice("roles-unknown", "the conf names no layers", about="roles")
    shown = "Notice(code='roles-unknown', message='the conf names no layers', parameter=None"
    assert repr(told) == f"{shown}, source=None)"

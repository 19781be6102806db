"""What is not known is never counted as different, and passes no gate; given values are known."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.parity_specs import ABACUS, whole

from paddle_init.cli.main import main
from paddle_init.distributions import Given, Unknown
from paddle_init.languages import translated
from paddle_init.parity.building import report
from paddle_init.parity.gating import fails
from paddle_init.parity.page import answer, as_checks, as_html, as_markdown, as_text
from paddle_init.parity.records import Comparison, Level
from paddle_init.results.checks import as_github, as_junit
from paddle_init.schemes import Fixed, Scheme, constant, normal
from paddle_init.schemes.fixed import given
from paddle_init.specs import Draw, NetSpec, Overwrite, RowBlock, Tensor
from paddle_init.specs.mapping import Pairing
from paddle_init.specs.yaml_form import dump_spec
from paddle_init.testing import ParityError, assert_parity, assert_snapshot, write_snapshot

N = normal(0, 0.1)
OWN = Fixed(Unknown("a function of its own"))


def net(*schemes: Scheme, shape: tuple[int, ...] = (8, 4)) -> NetSpec:
    return NetSpec("paddle", tuple(Draw(f"w{i}", shape, each) for i, each in enumerate(schemes)))


def only(left: NetSpec, right: NetSpec) -> Comparison:
    (item,) = report(left, right).parameters
    return item


@pytest.mark.parametrize(
    ("left", "right", "english", "chinese"),
    [
        (
            net(N, OWN),
            net(N, N),
            "Not known: 1 of 2 parameters cannot be compared, because the distribution of at "
            "least one side is not known; no difference was found in the others.",
            "无法判定：2 个参数中有 1 个",
        ),
        (
            net(OWN, OWN),
            net(OWN, OWN),
            "Not known: 2 of 2 parameters cannot be compared, because the distribution of at "
            "least one side is not known.",
            "无法判定：2 个参数中有 2 个",
        ),
        (
            net(N, OWN, N),
            net(normal(0, 1), N, N),
            "No: 1 of 3 parameters start elsewhere (scale 1); 1 not known.",
            "否：3 个参数中有 1 个起点不同（scale 1）；1 个无法判定。",
        ),
        (
            net(N, OWN, N),
            net(constant(1), N, normal(0, 1)),
            "No: 2 of 3 parameters start elsewhere (distribution 1, scale 1); 1 not known.",
            "1 个无法判定。",
        ),
    ],
)
def test_the_first_line(left: NetSpec, right: NetSpec, english: str, chinese: str) -> None:
    for sides in ((left, right), (right, left)):
        made = report(*sides)
        assert answer(made) == english
        assert chinese in translated(answer(made), "zh")
        assert fails(made, Level.STREAM)
        assert fails(made, Level.DISTRIBUTION)
        assert as_text(made, width=200).startswith(english)


def test_roles_that_are_not_known_are_told_with_it() -> None:
    rows = NetSpec("abacus", (Draw("w", (300, 8), ABACUS), Draw("b", (1, 8), ABACUS)))
    alike = Draw("w", (300, 8), normal(0, 0.2 / 300**0.5))
    right = NetSpec("paddle", (alike, Draw("b", (1, 8), OWN)))
    assert str(answer(report(rows, right))).endswith(
        "the others are alike as weights, but nothing says which is a bias."
    )


def test_a_block_that_is_not_known_leaves_its_parameter_not_known() -> None:
    draws = Draw("a", (3, 4), N), Draw("b", (5, 4), OWN)
    blocks = RowBlock("a", 0, 3), RowBlock("b", 0, 5)
    left = NetSpec("paddle", draws, (Tensor("w0", "weight", (8, 4), blocks),))
    item = only(left, net(N))
    assert (item.known, item.level) == (False, Level.DISTRIBUTION)
    assert "Rows [3, 8): Not known: what the left draws is not known" in item.explanation
    assert str(answer(report(left, net(N)))).startswith("Not known: 1 of 1 parameters")


def test_a_number_that_overflows_is_known_to_differ() -> None:
    item = only(net(normal(0, 1e40)), net(normal(0, 1e30)))
    assert (item.known, item.level) == (True, Level.DISTRIBUTION)


def test_a_missing_partner_is_known() -> None:
    made = report(net(OWN), NetSpec("paddle", ()))
    assert [(p.known, p.level) for p in made.parameters] == [(True, Level.STRUCTURE)]


def test_every_form_says_it() -> None:
    made = report(net(N, OWN), net(N, N))
    form = made.to_dict()
    assert [p["known"] for p in form["parameters"]] == [True, False]
    assert [p["level"] for p in form["parameters"]] == ["stream", "distribution"]
    assert form["summary"]["not_known"] == 1
    assert form["summary"]["counts"]["distribution"] == 1
    assert "w1 (weight 8 x 4): not known" in as_text(made)
    assert "w1（权重 8 x 4）：无法判定" in as_text(made, language="zh", width=200)
    assert "| `w1` | weight | 8 x 4 | not known |" in as_markdown(made)
    page = as_html(made)
    assert 'class="level not-known"' in page
    assert 'value="not-known"' in page
    assert "无法判定" in page
    suite = as_checks(made)
    assert suite.checks[0].kind == "not known"
    assert suite.checks[0].details.startswith("Not known, which counts as distribution here.\n")
    assert "Not known, which counts as distribution here." in as_junit(suite)
    assert as_github(suite).startswith("Not known: 1 of 2 parameters")
    for text in (as_text(made), as_markdown(made), page, as_junit(suite)):
        assert "No: " not in text


def test_a_failed_assertion_says_it() -> None:
    with pytest.raises(ParityError) as caught:
        assert_parity(net(N, OWN), net(N, N), "stream")
    first, *rest = str(caught.value).split("\n")
    assert first == (
        "1 of 2 parameters is not known, which counts as worse than stream; "
        "the worst is distribution."
    )
    assert "w1 (weight 8 x 4): not known, counts as distribution" in rest
    with pytest.raises(ParityError, match="2 of 2 parameters are worse than stream, 1 of them not"):
        assert_parity(net(normal(0, 1), OWN), net(N, N), "stream")


def test_a_snapshot_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "parity.json"
    write_snapshot(report(net(OWN), net(N)), path)
    assert_snapshot(report(net(OWN), net(N)), path)
    with pytest.raises(AssertionError, match="w0: known False -> True"):
        assert_snapshot(report(net(constant(1)), net(N)), path)


@pytest.mark.parametrize("level", ["rounding", "stream", "scale", "distribution"])
def test_no_gate_passes_it(level: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = []
    for name, spec in (("left", net(N, OWN)), ("right", net(N, N))):
        names.append(str(tmp_path / f"{name}.yaml"))
        Path(names[-1]).write_text(dump_spec(spec))
    command = ["report", names[0], "--against", names[1]]
    assert main(command) == 0
    assert main([*command, "--fail-on", level]) == 1
    assert main([*command, "--fail-on", "structure"]) == 0
    out = capsys.readouterr().out
    assert "Not known: 1 of 2 parameters" in out
    assert main([*command, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["parameters"][1]["known"] is False


TABLE = np.arange(1.0, 33.0).reshape(8, 4)
UP = np.nextafter(TABLE.astype(np.float32), np.float32(99))


@pytest.mark.parametrize(
    ("left", "right", "level"),
    [
        (given(TABLE), given(TABLE), Level.IDENTICAL),
        (given(TABLE), given(TABLE.astype(np.float32)), Level.IDENTICAL),
        (given(TABLE / 3), given((TABLE / 3).astype(np.float32)), Level.IDENTICAL),
        (given(TABLE), given(UP), Level.ROUNDING),
        (given(TABLE), given(TABLE + 1), Level.DISTRIBUTION),
        (given(np.ones((8, 4))), constant(1), Level.IDENTICAL),
        (given(np.ones((8, 4))), constant(2), Level.DISTRIBUTION),
        (given(-np.zeros((8, 4))), constant(0), Level.ROUNDING),
        (given(TABLE), N, Level.DISTRIBUTION),
    ],
)
def test_given_values_are_known(left: Scheme, right: Scheme, level: Level) -> None:
    for sides in ((left, right), (right, left)):
        item = only(net(sides[0]), net(sides[1]))
        assert item.known
        assert item.explanation
        assert item.level is level
        assert item.std_ratio is None


def test_given_values_of_a_half_type_are_compared_in_it() -> None:
    def half(scheme: Scheme) -> NetSpec:
        draw = Draw("w", (8, 4), scheme)
        return NetSpec("paddle", (draw,), (whole(draw, dtype="bfloat16"),))

    assert only(half(given(TABLE)), half(given(TABLE + 0.5))).level is Level.DISTRIBUTION
    assert only(half(given(TABLE)), half(given(TABLE + 2**-9))).level is Level.IDENTICAL


def test_given_rows_meet_blocks() -> None:
    draws = Draw("a", (3, 4), given(TABLE[:3])), Draw("b", (5, 4), given(TABLE[3:]))
    blocks = RowBlock("a", 0, 3), RowBlock("b", 0, 5)
    left = NetSpec("paddle", draws, (Tensor("w0", "weight", (8, 4), blocks),))
    assert only(left, net(given(TABLE))).level is Level.IDENTICAL
    other = TABLE.copy()
    other[4, 1] += 1
    item = only(left, net(given(other)))
    assert item.level is Level.DISTRIBUTION
    assert "Rows [3, 8): 1 of 20 given values differ." in item.explanation


SEVENS = np.full((8, 4), 7.0)
SEVENS[3] = 0


def table(scheme: Scheme, *set_to: Overwrite, dtype: str = "float32") -> NetSpec:
    draw = Draw("t", (8, 4), scheme)
    tensor = replace(whole(draw, dtype=dtype), overwritten=set_to)
    return NetSpec("paddle", (draw,), (tensor,))


PADDING = Overwrite(12, 4)


def test_a_padding_row_of_one_side_is_a_difference() -> None:
    padded, plain = table(N, PADDING), table(N)
    for sides, where in (((padded, plain), "left"), ((plain, padded), "right")):
        item = only(*sides)
        assert (item.level, item.known, item.std_ratio) == (Level.DISTRIBUTION, True, 1.0)
        assert item.explanation.startswith(
            "4 elements are set after the draw and differ (rows [3, 4)): "
        )
        assert f"0 on the {where}" in item.explanation
        assert "padding_idx" in str(item.advice)
        side: Any = getattr(item, where)
        assert side.formula.endswith("; then 4 elements are set to 0")
    assert only(padded, padded).level is Level.STREAM


@pytest.mark.parametrize(
    ("left", "right", "level"),
    [
        # the same elements, written in two ways
        (table(N, PADDING), table(N, Overwrite(12, 2), Overwrite(14, 2)), Level.STREAM),
        (table(N, Overwrite(0, 3, 1, 9.0), PADDING), table(N, PADDING), Level.DISTRIBUTION),
        # the last one counts
        (table(N, Overwrite(12, 4, 1, 5.0), PADDING), table(N, PADDING), Level.STREAM),
        (table(N, PADDING, Overwrite(13, 1, 1, 5.0)), table(N, PADDING), Level.DISTRIBUTION),
        (table(N, Overwrite(0, 4, 5, 1.0)), table(N, Overwrite(0, 4, 5, 2.0)), Level.DISTRIBUTION),
        # set to what is there already
        (table(constant(0), PADDING), table(constant(0)), Level.IDENTICAL),
        (table(given(TABLE), Overwrite(5, 1, 1, 6.0)), table(given(TABLE)), Level.IDENTICAL),
        (table(constant(1), PADDING), table(constant(1)), Level.DISTRIBUTION),
        (table(constant(7), PADDING), table(given(SEVENS)), Level.IDENTICAL),
        (table(constant(7)), table(given(SEVENS)), Level.DISTRIBUTION),
        (table(constant(7)), table(given(SEVENS), Overwrite(12, 4, 1, 7.0)), Level.IDENTICAL),
        # equal after rounding to the dtype
        (table(N, Overwrite(3, 1, 1, 0.1)), table(N, Overwrite(3, 1, 1, float(np.float32(0.1)))),
         Level.STREAM),
        (table(N, PADDING), table(normal(0, 0.2), PADDING), Level.SCALE),
        (table(N, PADDING), table(normal(0, 0.2)), Level.DISTRIBUTION),
    ],
)  # fmt: skip
def test_elements_that_are_set(left: NetSpec, right: NetSpec, level: Level) -> None:
    assert only(left, right).level is level
    assert only(right, left).level is level


@pytest.mark.parametrize(
    "set_to",
    [
        Overwrite(12, 4, 1, 5.0),
        Overwrite(1, 8, 4, 5.0),
        Overwrite(0, 4, 5, 5.0),
        Overwrite(2, 9, 3, 5.0),
        Overwrite(3, 2, 1, 5.0),
        Overwrite(31, 1, 1, 5.0),
        Overwrite(0, 32, 1, 5.0),
    ],
)
def test_elements_stay_set_where_a_tensor_is_split_or_turned(set_to: Overwrite) -> None:
    values = TABLE.copy().reshape(-1)
    values[set_to.start : set_to.stop : set_to.step] = set_to.value
    wanted = values.reshape(8, 4)
    one = table(given(TABLE), set_to)
    turned = NetSpec("paddle", (Draw("t", (4, 8), given(wanted.T)),))
    for sides in ((one, turned), (turned, one)):
        made = report(*sides, mapping=[Pairing(("t",), ("t",), transposed=True)])
        assert made.worst is Level.IDENTICAL
    wrong = NetSpec("paddle", (Draw("t", (4, 8), given(TABLE.T)),))
    made = report(one, wrong, mapping=[Pairing(("t",), ("t",), transposed=True)])
    assert made.worst is Level.DISTRIBUTION
    parts = {"a": wanted[:1], "b": wanted[1:4], "c": wanted[4:]}
    split = NetSpec("paddle", tuple(Draw(k, v.shape, given(v)) for k, v in parts.items()))
    mapping = [Pairing(("t",), ("a", "b", "c"))]
    assert report(one, split, mapping=mapping).worst is Level.IDENTICAL


def test_a_diagonal_is_told_by_its_first_element() -> None:
    item = only(table(N, Overwrite(0, 4, 5, 1.0)), table(N))
    told = "4 elements are set after the draw and differ (the first at [0, 0]): 1 on the left and "
    assert told in item.explanation


def test_elements_are_not_said_to_differ_from_what_is_not_known() -> None:
    """The user's own initializer may set the same elements, or draw them."""
    for sides in ((table(N, PADDING), table(OWN)), (table(OWN, PADDING), table(OWN))):
        for item in (only(*sides), only(*reversed(sides))):
            assert (item.level, item.known) == (Level.DISTRIBUTION, False)
            assert item.explanation.startswith("Not known: ")
            assert "set after the draw" not in item.explanation
            assert "padding_idx" not in str(item.advice)
    both = only(table(OWN, PADDING), table(OWN, replace(PADDING, value=1.0)))
    assert not both.known
    assert "4 elements are set after the draw and differ" in both.explanation


def test_given_has_a_family_of_its_own() -> None:
    item = only(net(given(TABLE)), net(N))
    assert item.left is not None
    assert item.left.distribution == Given.family
    assert "given values" in as_text(report(net(given(TABLE)), net(N)))
    assert "Assign(...) with the 32 values" in str(only(net(given(TABLE)), net(N)).advice)

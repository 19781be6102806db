"""Causes of a difference in scale: factors whose product is the ratio, each true of the specs."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.parity_specs import ABACUS, one_weight, whole

from paddle_init.languages import translated
from paddle_init.parity.building import report
from paddle_init.parity.page import as_json
from paddle_init.parity.records import Cause, Comparison, Level
from paddle_init.schemes import (
    Scheme,
    abacus,
    constant,
    constant_variance,
    kaiming_normal,
    normal,
    paddle_fc,
    truncated_normal,
    uniform,
    variance_scaling,
    xavier_normal,
    xavier_uniform,
)
from paddle_init.specs import Draw, NetSpec, RowBlock, Tensor
from paddle_init.specs.mapping import Pairing


def causes_of(left: NetSpec, right: NetSpec | None = None) -> dict[str, tuple[Cause, ...]]:
    return {item.name: item.causes for item in report(left, right).parameters}


def factors(cause: Cause) -> dict[str, float]:
    return {each.code: each.factor for each in cause.factors}


def explained(item: Comparison) -> None:
    """Require that the product of every cause's factors is its ratio."""
    for cause in item.causes:
        product = math.prod(each.factor for each in cause.factors)
        assert cause.factors
        assert abs(product - cause.ratio) <= 1e-9 * abs(cause.ratio)
        codes = [each.code for each in cause.factors]
        assert len(codes) == len(set(codes))


def stacked(*rowns: int, folded: bool = True, width: int = 4) -> NetSpec:
    """An abacus weight of blocks of draws, the first of which ends in the bias row."""
    draws = tuple(Draw(f"w{i}", (rown, width), ABACUS) for i, rown in enumerate(rowns))
    taken = [rown - (folded and i == 0) for i, rown in enumerate(rowns)]
    blocks = tuple(RowBlock(f"w{i}", 0, rows) for i, rows in enumerate(taken))
    tensors = [Tensor("w", "weight", (sum(taken), width), blocks)]
    if folded:
        rows = (RowBlock("w0", rowns[0] - 1, rowns[0]),)
        tensors.append(Tensor("b", "bias", (width,), rows, bias_of=("w",)))
    return NetSpec("abacus", draws, tuple(tensors))


def test_a_folded_block_is_explained_by_its_own_rows_first() -> None:
    made = report(stacked(101, 900)).parameters
    weight, bias = made
    assert [cause.rows for cause in weight.causes] == [(0, 100), (100, 1000)]
    first, second = map(factors, weight.causes)
    assert first.keys() == {"bias-row", "own-rows"}
    assert first["bias-row"] == pytest.approx(math.sqrt(101 / 100), rel=1e-12)
    assert first["own-rows"] == pytest.approx(math.sqrt(100 / 1000), rel=1e-12)
    assert second == {"own-rows": pytest.approx(math.sqrt(900 / 1000), rel=1e-12)}
    assert [cause.rows for cause in bias.causes] == [None]
    assert factors(bias.causes[0]) == first
    for item in made:
        explained(item)
    told = bias.explanation
    assert "narrower in Paddle (std 0.006325 against 0.0199), because abacus divides by" in told
    assert "A smaller effect works the other way: rown = 101 in abacus counts the bias row" in told
    assert "另有较小的相反作用" in translated(told, "zh")


def test_the_json_form_of_causes() -> None:
    form = json.loads(as_json(report(stacked(101, 900))))
    (part, _) = form["parameters"][0]["causes"]
    assert list(part) == ["rows", "ratio", "factors"]
    assert part["rows"] == [0, 100]
    assert part["ratio"] == (0.2 / 1000**0.5) / (0.2 / math.sqrt(101))
    assert [list(each) for each in part["factors"]] == [["code", "factor"]] * 2
    assert form["parameters"][1]["causes"][0]["rows"] is None


def test_rows_that_differ_alike_are_one_cause() -> None:
    made = report(stacked(50, 50, 900, folded=False)).parameters[0]
    assert [cause.rows for cause in made.causes] == [(0, 100), (100, 1000)]
    same = report(stacked(50, 50, folded=False)).parameters[0]
    assert [cause.rows for cause in same.causes] == [None]
    partly = one_weight(normal(0, 0.1), "paddle")
    mixed = NetSpec(
        "paddle",
        (Draw("a", (100, 128), normal(0, 0.1)), Draw("b", (200, 128), normal(0, 0.3))),
        (Tensor("w", "weight", (300, 128), (RowBlock("a", 0, 100), RowBlock("b", 0, 200))),),
    )
    (item,) = report(partly, mixed).parameters
    assert [cause.rows for cause in item.causes] == [(100, 300)]


@pytest.mark.parametrize(
    ("left", "right", "wanted"),
    [
        (one_weight(abacus(2, 0.2, True)), None, {"range": 0.5}),
        (one_weight(abacus(1, 0.2, False)), None, {"undivided": 300**-0.5}),
        (
            one_weight(abacus(2, 0.2, False)),
            None,
            {"range": 0.5, "undivided": 300**-0.5},
        ),
        (
            one_weight(abacus(1, 0.2, False)),
            one_weight(ABACUS),
            {"undivided": 300**-0.5},
        ),
        (
            one_weight(paddle_fc(0.2), "paddle"),
            one_weight(paddle_fc(0.2, 150), "paddle"),
            {"fan": math.sqrt(300 / 150)},
        ),
        (
            one_weight(paddle_fc(1), "paddle"),
            one_weight(xavier_normal(), "paddle"),
            {"fan": math.sqrt(300 / 214)},
        ),
        (
            one_weight(paddle_fc(1), "paddle"),
            one_weight(kaiming_normal(), "paddle"),
            {"range": math.sqrt(2)},
        ),
        (
            one_weight(xavier_uniform(), "paddle"),
            one_weight(xavier_uniform(3, "fan_in"), "paddle"),
            {"range": 3, "fan": math.sqrt(214 / 300)},
        ),
        (
            one_weight(variance_scaling(1, "fan_in", "truncated_normal"), "paddle"),
            one_weight(variance_scaling(1, "fan_out", "truncated_normal"), "paddle"),
            {"fan": math.sqrt(300 / 128)},
        ),
        (
            one_weight(normal(0, 0.1), "paddle"),
            one_weight(normal(0, 0.3), "paddle"),
            {"unexplained": 3},
        ),
        (one_weight(ABACUS), one_weight(normal(0, 0.1), "paddle"), {"unexplained": 8.660254037844}),
        (
            one_weight(uniform(-1, 1), "paddle"),
            one_weight(uniform(-1, 2), "paddle"),
            {"unexplained": 1.5, "mean": 1},
        ),
        (one_weight(normal(0, 1), "paddle"), one_weight(normal(1, 1), "paddle"), {"mean": 1}),
        (
            one_weight(truncated_normal(0, 1, -20, 20), "paddle"),
            one_weight(truncated_normal(0, 1, -30, 30), "paddle"),
            {"cutoffs": 1},
        ),
    ],
)
def test_factors_of_known_rules(
    left: NetSpec, right: NetSpec | None, wanted: dict[str, float]
) -> None:
    (item,) = report(left, right).parameters
    (cause,) = item.causes
    assert factors(cause) == pytest.approx(wanted, rel=1e-12)
    assert cause.ratio == item.std_ratio
    explained(item)
    assert ("unexplained" in item.explanation) is ("unexplained" in wanted)


@pytest.mark.parametrize(
    ("left", "right"),
    [(ABACUS, ABACUS), (constant(1), constant(2)), (abacus(0, 1, True), ABACUS)],
)
def test_what_has_no_ratio_has_no_cause(left: Scheme, right: Scheme) -> None:
    (item,) = report(one_weight(left), one_weight(right)).parameters
    assert item.causes == ()


def test_a_range_of_0_is_a_factor() -> None:
    (item,) = report(one_weight(ABACUS), one_weight(abacus(0, 0.2, True))).parameters
    assert [(c.ratio, factors(c)) for c in item.causes] == [(0.0, {"range": 0.0})]


def test_rules_that_divide_by_one_number_name_no_count() -> None:
    """A bias row counted on one side and a fan_in of its own on the other are the same divisor."""
    draw = Draw("w", (101, 8), ABACUS)
    tensors = (
        Tensor("w", "weight", (100, 8), (RowBlock("w", 0, 100),)),
        Tensor("b", "bias", (8,), (RowBlock("w", 100, 101),)),
    )
    left = NetSpec("abacus", (draw,), tensors)
    right = NetSpec(
        "paddle", (Draw("w", (100, 8), paddle_fc(0.4, 101)), Draw("b", (8,), paddle_fc(0.4, 101)))
    )
    for item in report(left, right).parameters:
        assert [factors(cause) for cause in item.causes] == [{"range": 2.0}]
        assert "bias row" not in item.explanation


@pytest.mark.parametrize("own", [2, 11, 64])
def test_what_two_counts_come_to_is_said_once(own: int) -> None:
    """Against the layer's 20 inputs each departs, but what is divided by is 1 and `own`."""
    w, b = Draw("w", (20, 4), ABACUS), Draw("b", (1, 4), ABACUS)
    left = NetSpec("abacus", (w, b), (whole(w), whole(b, "bias", (4,))))
    right = NetSpec(
        "paddle", (Draw("w", (20, 4), paddle_fc(0.2)), Draw("b", (4,), paddle_fc(0.2, own)))
    )
    for sides in ((left, right), (right, left)):
        _, item = report(*sides).parameters
        (cause,) = item.causes
        assert factors(cause).keys() == {"bias-rown", "fan"}
        explained(item)
        assert item.explanation.endswith(
            "because abacus treats the bias as a parameter with rown = 1, while Paddle divides "
            f"init_range by sqrt(fan_in) = sqrt({own})."
        )


def test_a_transposed_side_keeps_its_own_fan() -> None:
    left = NetSpec("paddle", (Draw("w", (3, 2), paddle_fc(0.2)),))
    right = NetSpec("paddle", (Draw("w", (2, 3), paddle_fc(0.2)),))
    mapping = [Pairing(("w",), ("w",), transposed=True)]
    (item,) = report(left, right, mapping=mapping).parameters
    assert [factors(cause) for cause in item.causes] == [{"fan": pytest.approx(math.sqrt(3 / 2))}]


@dataclass(frozen=True)
class Pair:
    """Two specs of one layer, and what was put into them."""

    left: NetSpec
    right: NetSpec


RANGES = st.sampled_from([0.01, 0.1, 0.2, 0.25, 1.0, 1.5, 2.0, 3.7, 1e-3, 40.0])
ARITHMETICS = st.sampled_from(["float64", "float64", "float32"])
FORMS = st.sampled_from(["normal", "uniform", "truncated_normal"])
MODES = st.sampled_from(["fan_in", "fan_out", "fan_avg", "fan_geo_avg", "fan_quad_avg"])


@st.composite
def confs(draw: Any, rows: int, width: int) -> NetSpec:
    """abacus: whole or in blocks, the bias folded, alone or missing, divided or not."""
    parts = [rows]
    if rows > 3 and draw(st.booleans()):
        cut = draw(st.integers(1, rows - 1))
        parts = [cut, rows - cut]
    kind = draw(st.sampled_from(["none", "row", "alone"]))
    tail = draw(st.integers(0, len(parts) - 1)) if kind == "row" else -1
    made, blocks = [], []
    for i, part in enumerate(parts):
        scheme = abacus(draw(RANGES), draw(RANGES), draw(st.booleans()))
        made.append(Draw(f"w{i}", (part + (i == tail), width), scheme))
        blocks.append(RowBlock(f"w{i}", 0, part))
    tensors = [Tensor("w", "weight", (rows, width), tuple(blocks))]
    if kind == "row":
        held = (RowBlock(f"w{tail}", parts[tail], parts[tail] + 1),)
        tensors.append(Tensor("b", "bias", (width,), held, bias_of=("w",)))
    if kind == "alone":
        made.append(Draw("b", (1, width), abacus(draw(RANGES), draw(RANGES), draw(st.booleans()))))
        tensors.append(
            Tensor("b", "bias", (width,), (RowBlock("b", 0, 1),), bias_of=("w",)),
        )
    return NetSpec("abacus", tuple(made), tuple(tensors), arithmetic=draw(ARITHMETICS))


@st.composite
def nets(draw: Any, rows: int, width: int) -> NetSpec:
    """Paddle: towers' rule, its own fan_in, gains and modes, numbers alone."""

    def scheme(fan_in: int | None) -> Scheme:
        own = draw(st.one_of(st.none(), st.integers(1, 50)))
        kind = draw(st.sampled_from(["fc", "fc", "variance", "constant", "numbers"]))
        if kind == "fc":
            return paddle_fc(draw(RANGES), own or fan_in)
        if kind == "variance":
            outs = {"fan_out": width} if fan_in else {}
            return variance_scaling(draw(RANGES), draw(MODES), draw(FORMS), own or fan_in, **outs)
        if kind == "constant":
            form = draw(st.sampled_from(["normal", "uniform"]))
            return constant_variance("relu", draw(RANGES), form, own or fan_in)
        return normal(draw(st.sampled_from([0.0, 0.0, 0.5])), draw(RANGES))

    weight, bias = Draw("w", (rows, width), scheme(None)), Draw("b", (width,), scheme(rows))
    return NetSpec("paddle", (weight, bias), (whole(weight), whole(bias, "bias")))


@st.composite
def comparisons(draw: Any) -> Pair:
    rows, width = draw(st.integers(1, 40)), draw(st.integers(1, 6))
    side = st.one_of(confs(rows, width), nets(rows, width))
    return Pair(draw(side), draw(side))


DIRECTIONS = {"wider": 1, "narrower": -1}


@settings(max_examples=150, deadline=None, derandomize=True)
@given(comparisons())
def test_causes_of_generated_pairs(pair: Pair) -> None:
    made = report(pair.left, pair.right)
    for item in made.parameters:
        if item.level is Level.SCALE:
            assert item.causes
        explained(item)
        lines = item.explanation.split("\n")
        for cause in item.causes:
            rows = cause.rows or (0, item.shape[0])
            left, right = (_std_of(side, item.name, rows[0]) for side in (pair.left, pair.right))
            assert cause.ratio == pytest.approx(right / left, rel=1e-12)
            for each in cause.factors:
                _true(each.code, each.factor, item.name, rows[0], pair)
            (line,) = [one for one in lines if len(lines) == 1 or f"[{rows[0]}, " in one] or [""]
            fact = line.partition("because")[0]
            said = [way for word, way in DIRECTIONS.items() if f" {word} " in fact]
            if abs(cause.ratio - 1) > 1e-6 and said:
                assert said == [1 if cause.ratio > 1 else -1]
            assert ("unexplained" in line) <= ("unexplained" in factors(cause))


def _held(spec: NetSpec, name: str, row: int) -> Draw:
    """The draw that fills a row of a tensor."""
    for block in spec.tensor_by_name[name].blocks:
        if len(spec.tensor_by_name[name].shape) == 1 or row < block.rows:
            return spec.draw_by_name[block.draw]
        row -= block.rows
    raise AssertionError


def _std_of(spec: NetSpec, name: str, row: int) -> float:
    drawn: Any = spec.drawn(_held(spec, name, row).name)
    if drawn.family == "truncated_normal":
        return float(drawn.std * 0.87962566103423978)
    return float(drawn.std)


def _true(code: str, factor: float, name: str, row: int, pair: Pair) -> None:
    """Compute a factor anew from the specs, in another way: put it back on one side alone."""
    terms = [_term(code, spec, _held(spec, name, row), name) for spec in (pair.left, pair.right)]
    if code in ("mean", "cutoffs", "rounded-numbers", "unexplained"):
        assert code == "unexplained" or factor == 1.0
        return
    assert factor == pytest.approx(terms[1] / terms[0], rel=1e-7), code


def _term(code: str, spec: NetSpec, draw: Draw, name: str) -> float:
    """How many times as large a side's std is because of what a code says of it."""
    fan_in = spec.tensor_by_name["w"].shape[0]
    scheme: Any = draw.scheme
    std = float(getattr(spec.drawn(draw.name), "std", math.nan))
    if scheme.kind == "abacus":
        plain = replace(scheme, scale_by_rown=False)
        rown = draw.shape[0]
        folded = rown - max(
            (b.stop for b in spec.tensor_by_name["w"].blocks if b.draw == draw.name), default=rown
        )
        blocks = len(spec.tensor_by_name["w"].blocks)
        if code == "range":
            return float(plain.init_range * plain.global_init_range)
        if code == "float32-arithmetic":
            return std / float(scheme(draw.shape, "float64").std)
        if code == "undivided":
            return math.sqrt(fan_in) if not scheme.scale_by_rown else 1.0
        if not scheme.scale_by_rown:
            return 1.0
        if code == "bias-rown":
            return math.sqrt(fan_in) if draw.name == "b" else 1.0
        if draw.name == "b":
            return 1.0
        if code == "bias-row":
            return math.sqrt((rown - folded) / rown)
        if code == "own-rows":
            return math.sqrt(fan_in / (rown - folded)) if blocks > 1 else 1.0
        if code == "count":
            return math.sqrt(fan_in / (rown - folded)) if blocks == 1 else 1.0
        return 1.0
    value = float(getattr(scheme, "init_range", getattr(scheme, "gain", math.nan)))
    if code == "range":
        return value
    if code == "fan":
        drawn = _std_of(spec, name, 0)
        return drawn / (value / math.sqrt(fan_in))
    return 1.0


def test_float32_arithmetic_is_a_factor() -> None:
    left = one_weight(abacus(0.7, 0.3, True), arithmetic="float32")
    (item,) = report(left, init_range=0.42).parameters
    (cause,) = item.causes
    std = float(np.float32(0.7) * np.float32(0.3) / np.sqrt(np.float32(300)))
    assert factors(cause)["float32-arithmetic"] == pytest.approx(
        (0.7 * 0.3 / math.sqrt(300)) / std, rel=1e-14
    )
    assert factors(cause)["float32-arithmetic"] != 1
    explained(item)


ROOTS = re.compile(
    r"(the left|abacus|Paddle) divides by sqrt\(\w+\) = sqrt\(([\d.]+)\), "
    r"(the right|abacus|Paddle) by sqrt\(\w+\) = sqrt\(([\d.]+)\)"
)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(comparisons())
def test_clauses_on_roots_have_the_direction_of_their_numbers(pair: Pair) -> None:
    for item in report(pair.left, pair.right).parameters:
        for line in item.explanation.split("\n"):
            fact, _, why = line.partition(" because ")
            because, _, against = why.partition(" works the other way: ")
            ratio = 1 if " wider " in fact else -1
            for part, way in ((because, ratio), (against, -ratio)):
                for _, here, _, there in ROOTS.findall(part):
                    assert way == (1 if float(here) > float(there) else -1), line

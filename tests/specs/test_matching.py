"""Two sides matched: by mapping, by name, by order and shape; near misses and planted faults."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.parity_specs import ABACUS, RANK, whole
from support.steps import steps

from paddle_init import Draw, NetSpec, RowBlock, Tensor
from paddle_init.errors import SpecError
from paddle_init.parity.advising import Candidates, near_misses
from paddle_init.parity.building import counterpart, report
from paddle_init.parity.records import Comparison, Level
from paddle_init.schemes import Scheme, constant, normal, paddle_fc, xavier_uniform
from paddle_init.specs.mapping import Pairing, dump_mapping, load_mapping, parse_mapping
from paddle_init.specs.matching import matched, pairings
from paddle_init.yaml_cpp import DocumentError

N = normal(0, 0.1)


def net(*parameters: tuple[str, tuple[int, ...], Scheme], framework: str = "paddle") -> NetSpec:
    return NetSpec(framework, tuple(Draw(*parameter) for parameter in parameters))


def found(*sides: NetSpec, **settings: Any) -> dict[str, Comparison]:
    return {item.name: item for item in report(*sides, **settings).parameters}


def codes(*sides: NetSpec, **settings: Any) -> list[str]:
    return [notice.code for notice in report(*sides, **settings).warnings]


def renamed(spec: NetSpec, names: dict[str, str]) -> NetSpec:
    tensors = (
        replace(t, name=names[t.name], bias_of=t.bias_of and tuple(names[n] for n in t.bias_of))
        for t in spec.tensors
    )
    return replace(spec, tensors=tuple(tensors))


PADDLE_NAMES = {
    "fc1_w": "fcs.0.weight",
    "fc1_b": "fcs.0.bias",
    "fc2_w": "fcs.1.weight",
    "fc2_w.bias": "fcs.1.bias",
}


def test_other_names_are_matched_by_role_and_shape_and_told() -> None:
    right = renamed(counterpart(RANK), PADDLE_NAMES)
    made = report(RANK, right)
    assert {item.name: item.partner for item in made.parameters} == PADDLE_NAMES
    assert [item.level for item in made.parameters] == [
        item.level for item in report(RANK).parameters
    ]
    (notice,) = [notice for notice in made.warnings if notice.code == "matched-by-order"]
    assert "fc1_w = fcs.0.weight, fc1_b = fcs.0.bias" in notice.message


def test_a_mapping_says_it_and_nothing_is_told() -> None:
    right = renamed(counterpart(RANK), PADDLE_NAMES)
    made = report(RANK, right, mapping=PADDLE_NAMES)
    assert {item.name: item.partner for item in made.parameters} == PADDLE_NAMES
    assert "matched-by-order" not in [notice.code for notice in made.warnings]


def test_equal_names_go_before_shapes() -> None:
    left = net(("a", (3, 4), N), ("b", (3, 4), normal(0, 0.2)))
    right = net(("b", (3, 4), normal(0, 0.2)), ("c", (3, 4), N))
    items = found(left, right)
    assert {name: (item.partner, item.level) for name, item in items.items()} == {
        "a": ("c", Level.STREAM),
        "b": (None, Level.STREAM),
    }


def test_a_mapping_goes_before_names() -> None:
    left = net(("a", (3, 4), N), ("b", (3, 4), normal(0, 0.2)))
    right = net(("a", (3, 4), normal(0, 0.2)), ("b", (3, 4), N))
    assert {item.level for item in found(left, right).values()} == {Level.SCALE}
    crossed = found(left, right, mapping={"a": "b", "b": "a"})
    assert {item.level for item in crossed.values()} == {Level.STREAM}


def test_an_unmatched_name_never_meets_another_partner() -> None:
    left = net(("a", (3, 4), N))
    right = net(("a", (4, 5), N), ("b", (3, 4), N))
    items = found(left, right, mapping={"a": "b"})
    assert {name: item.level for name, item in items.items()} == {
        "a": Level.STREAM,
        "a (right)": Level.STRUCTURE,
    }


def test_more_on_one_side_are_not_guessed() -> None:
    left = net(("a", (4, 4), N), ("b", (4, 4), N))
    items = found(left, net(("c", (4, 4), N)))
    assert "transposed" not in items["a"].explanation
    assert {item.level for item in items.values()} == {Level.STRUCTURE}
    assert "c there has its shape, but which is which" in items["a"].explanation
    assert "a, b there has its shape" in items["c"].explanation


@pytest.mark.parametrize("name", ["w", "other"])
def test_a_transposed_shape_is_a_near_miss(name: str) -> None:
    left, right = net(("w", (3, 2), N)), net((name, (2, 3), N))
    item = found(left, right)["w"]
    assert item.level is Level.STRUCTURE
    assert f"{name} there has its shape transposed" in item.explanation
    assert "torch's [out, in]" in item.explanation
    stated = found(left, right, mapping=[Pairing(("w",), (name,), transposed=True)])["w"]
    assert (stated.level, stated.shape) == (Level.STREAM, (3, 2))


def test_a_transposed_weight_keeps_its_own_fans() -> None:
    left, right = net(("w", (3, 2), xavier_uniform())), net(("w", (2, 3), paddle_fc(0.2)))
    item = found(left, right, mapping=[Pairing(("w",), ("w",), transposed=True)])["w"]
    assert item.right is not None
    assert item.right.std == 0.2 / 2**0.5
    assert item.right.formula.endswith("= 0.2 / 2 ** 0.5 = 0.1414213562373095")


def test_a_transposed_weights_values_are_not_compared_in_the_wrong_order() -> None:
    asked: list[str] = []

    def drawn(left: NetSpec, right: NetSpec, name: str) -> None:
        asked.append(name)

    sides = net(("w", (3, 3), N), ("v", (3, 2), N)), net(("w", (3, 3), N), ("v", (3, 2), N))
    report(*sides, mapping=[Pairing(("w",), ("w",), transposed=True)], drawn=drawn)
    assert asked == ["v"]


def test_a_square_weights_layout_is_told_or_stated() -> None:
    left, right = net(("w", (3, 3), N)), net(("w", (3, 3), N))
    assert codes(left, right) == ["square-layout"]
    for transposed in (True, False):
        mapping = [Pairing(("w",), ("w",), transposed)]
        assert codes(left, right, mapping=mapping) == []
    assert codes(net(("w", (1, 1), N)), net(("w", (1, 1), N))) == []


STACKED = net(("w", (300, 8), N))
PARTS = net(("user", (100, 8), N), ("item", (200, 8), normal(0, 0.2)))


def test_a_stacked_weight_is_a_near_miss_and_a_mapping_takes_it_apart() -> None:
    item = found(STACKED, PARTS)["w"]
    assert item.level is Level.STRUCTURE
    assert "w [300, 8] looks like a stack of rows: user, item." in item.explanation
    assert "looks like a stack" in found(PARTS, STACKED)["w"].explanation
    assert "looks like" not in found(PARTS, net(("w", (299, 8), N)))["w"].explanation
    odd = net(("a", (7, 8), N), ("b", (5, 9), N), ("c", (9, 8), N), ("d", (290, 8), N))
    assert "a stack of rows" not in found(STACKED, odd)["w"].explanation
    odd = net(("a", (7, 8), N), ("c", (9, 8), N), ("b", (3, 8), N), ("d", (288, 8), N))
    assert "looks like a stack of rows: c, b, d." in found(STACKED, odd)["w"].explanation
    for sides, pairing in (
        ((STACKED, PARTS), Pairing(("w",), ("user", "item"))),
        ((PARTS, STACKED), Pairing(("user", "item"), ("w",))),
    ):
        items = found(*sides, mapping=[pairing])
        assert {name: (item.level, item.shape) for name, item in items.items()} == {
            "user": (Level.STREAM, (100, 8)),
            "item": (Level.SCALE, (200, 8)),
        }


FOLDED = net(("w", (129, 1), ABACUS), framework="abacus")
UNFOLDED = net(("fc.weight", (128, 1), paddle_fc(0.2)), ("fc.bias", (1,), paddle_fc(0.2, 128)))


def test_a_bias_stays_with_its_weight_whatever_is_renamed_split_or_turned() -> None:
    bias = ("b", (8,), N)
    right = net(("w", (300, 8), N), bias)
    assert matched(net(("v", (300, 8), N), ("c", (8,), N)), right).right.pairs == (("v", "c"),)
    split = matched(PARTS, right, [Pairing(("user", "item"), ("w",))]).right
    assert split.pairs == (("user", "b"), ("item", "b"))
    turned = Pairing(("w",), ("w",), transposed=True)
    torch = net(("w", (8, 300), N), bias)
    assert matched(right, torch, [turned]).right.pairs == (("w", "b"),)
    other = net(("w", (8, 300), N), ("b", (300,), N))
    assert other.pairs
    assert matched(net(("w", (300, 8), N)), other, [turned]).right.pairs == ()


def test_a_folded_bias_row_is_a_near_miss_and_a_mapping_takes_it_off() -> None:
    items = found(FOLDED, UNFOLDED)
    told = "w [129, 1] looks like a weight with its bias row: fc.weight, fc.bias."
    assert told in items["w"].explanation
    split = found(FOLDED, UNFOLDED, mapping=[Pairing(("w",), ("fc.weight", "fc.bias"))])
    assert {name: (item.role, item.level) for name, item in split.items()} == {
        "fc.weight": ("weight", Level.SCALE),
        "fc.bias": ("bias", Level.SCALE),
    }
    assert split["fc.bias"].std_ratio == (0.2 / 128**0.5) / (0.2 / math.sqrt(129))
    assert "counts the bias row that is folded into the weight" in split["fc.bias"].explanation


@pytest.mark.parametrize("work", ["matched", "near misses"])
def test_work_is_linear_in_the_parameters(work: str) -> None:
    """Four times the parameters: 4 times the steps, and 16 times where they were quadratic."""

    def counted(count: int) -> int:
        left = net(*((f"w{i}", (8, 3 + i % 7), N) for i in range(count)))
        right = net(*((f"v{i}", (3 + i % 7, 8), N) for i in range(count)))
        if work == "matched":
            return steps(lambda: matched(left, left))
        told = near_misses(left.tensors[0], Candidates(right.tensors))
        assert "v0, v7, v14 and " in " ".join(told)
        return steps(lambda: all_near_misses(left, right))

    assert counted(2000) < 5 * counted(500)


@pytest.mark.parametrize("columns", [1, 2])
def test_near_misses_are_linear_in_distinct_shapes_too(columns: int) -> None:
    """Stacks of neighbours of one width, where no two shapes are equal."""

    def counted(count: int) -> int:
        left = net(*((f"w{i}", (8 + 3 * i, 8 + i % columns), N) for i in range(count)))
        right = net(*((f"v{i}", (7 + 5 * i, 8), N) for i in range(count)))
        assert any(all_near_misses(left, right))
        return steps(lambda: all_near_misses(left, right))

    assert counted(2000) < 6 * counted(500)


def all_near_misses(left: NetSpec, right: NetSpec) -> list[str]:
    others = Candidates(right.tensors)
    return [" ".join(near_misses(tensor, others)) for tensor in left.tensors]


def test_one_row_more_is_a_near_miss() -> None:
    sides = net(("w", (129, 4), N)), net(("w", (128, 4), N))
    for pair in (sides, sides[::-1]):
        told = "w [129, 4] has one row more than w [128, 4]: its bias, perhaps, folded in."
        assert told in found(*pair)["w"].explanation


def test_parameters_of_other_layers_are_shown_and_not_compared() -> None:
    norm = Draw("norm.weight", (128,), constant(1))
    right = counterpart(RANK)
    right = replace(
        right, draws=(*right.draws, norm), tensors=(*right.tensors, whole(norm, "other"))
    )
    made = report(RANK, right)
    assert [(each.name, each.side, each.shape) for each in made.not_compared] == [
        ("norm.weight", "right", (128,))
    ]
    assert made.parameters == report(RANK, counterpart(RANK)).parameters
    both = report(right, right)
    assert both.not_compared == ()
    assert both.parameters[-1].level is Level.IDENTICAL
    assert [each.side for each in report(right).not_compared] == ["left"]


def test_an_order_that_differs_is_told_for_one_framework() -> None:
    a, b = ("a", (3, 4), N), ("b", (4, 5), N)
    assert codes(net(a, b), net(b, a)) == ["draw-order"]
    assert codes(net(a, b), net(a, b)) == []
    assert "draw-order" not in codes(net(a, b, framework="abacus"), net(b, a))
    constants = (
        net(("a", (3, 4), N), ("c", (5, 6), constant(0))),
        net(("c", (5, 6), constant(0)), ("a", (3, 4), N)),
    )
    assert "draw-order" not in codes(*constants)


WEIGHT, BIAS = Draw("w", (300, 128), normal(0, 0.2 / 300**0.5)), Draw("b", (128,), normal(0, 0.2))
TRUTH = NetSpec("paddle", (WEIGHT, BIAS))


def faulty(weight: float = 0.2 / 300**0.5, bias: float = 0.2) -> NetSpec:
    return NetSpec(
        "paddle",
        (replace(WEIGHT, scheme=normal(0, weight)), replace(BIAS, scheme=normal(0, bias))),
    )


@pytest.mark.parametrize(
    ("right", "name", "said"),
    [
        (faulty(bias=0.2 / 300**0.5), "b", "the right had divided by the weight's sqrt(300)"),
        (
            faulty(weight=0.2 / 128**0.5),
            "w",
            "the right had divided by sqrt(fan_out) = sqrt(128) in place of sqrt(fan_in) = "
            "sqrt(300)",
        ),
        (
            faulty(weight=0.2 / 301**0.5),
            "w",
            "the right had counted a bias row, sqrt(301), and the left sqrt(300)",
        ),
        (
            faulty(weight=0.2 / 300**0.5 * 0.87962566103423978),
            "w",
            "the right had cut at 2 stds without widening the normal first",
        ),
    ],
    ids=["bias-scale", "swapped-fans", "folded-row", "narrowed"],
)
def test_planted_faults_are_named(right: NetSpec, name: str, said: str) -> None:
    items = found(TRUTH, right)
    assert {key: item.level for key, item in items.items() if key != name} == {
        key: Level.STREAM for key in items if key != name
    }
    assert items[name].level is Level.SCALE
    assert f"as if {said}" in items[name].explanation
    mirrored = found(right, TRUTH)[name]
    assert (
        f"as if {said.replace('right', 'LEFT').replace('left', 'right')}".replace("LEFT", "left")
        in mirrored.explanation
    )


def test_a_ratio_of_no_known_fault_has_no_hint() -> None:
    assert "as if" not in found(TRUTH, faulty(weight=0.1))["w"].explanation


TEXT = """paddle_init_mapping: 1
pairs:
  - {left: fc1_w, right: fcs.0.weight}
  - {left: [user_w, item_w], right: merge.weight}
  - {left: fc2_w, right: [head.weight, head.bias]}
  - {left: torch_w, right: "a weight", transposed: true}
"""


def test_a_mapping_file_is_read_and_written(tmp_path: Path) -> None:
    pairs = (
        Pairing(("fc1_w",), ("fcs.0.weight",)),
        Pairing(("user_w", "item_w"), ("merge.weight",)),
        Pairing(("fc2_w",), ("head.weight", "head.bias")),
        Pairing(("torch_w",), ("a weight",), transposed=True),
    )
    path = tmp_path / "names.yaml"
    path.write_text(TEXT)
    assert load_mapping(path) == load_mapping(str(path)) == pairs
    assert dump_mapping(pairs) == TEXT
    assert parse_mapping(dump_mapping([])) == ()
    source = load_mapping(path)[1].source
    assert source is not None
    assert source.line == 4


def test_a_matching_is_a_first_mapping() -> None:
    matching = matched(RANK, renamed(counterpart(RANK), PADDLE_NAMES))
    assert load_mapping(pairings(matching)) == load_mapping(PADDLE_NAMES)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pairs: []", "the key paddle_init_mapping is missing"),
        ("paddle_init_mapping: 2\npairs: []", "format 2 is not known; this version reads 1"),
        ("paddle_init_mapping: 1\npairs: 3", "m.yaml:2: pairs: mapping: expected a list"),
        ("paddle_init_mapping: 1\npairs:\n  - {left: a}", "the key right is missing"),
        (
            "paddle_init_mapping: 1\npairs:\n  - {left: [a, b], right: [c, d]}",
            "several names on one side at most",
        ),
        (
            "paddle_init_mapping: 1\npairs:\n  - {left: a, right: [c, d], transposed: true}",
            "only one parameter against one",
        ),
        ("paddle_init_mapping: 1\npairs:\n  - {left: a, rihgt: b}", "did you mean right?"),
    ],
)
def test_bad_mappings_are_refused_by_line(text: str, said: str) -> None:
    with pytest.raises(DocumentError) as error:
        parse_mapping(text, "m.yaml")
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("pairing", "said"),
    [
        (Pairing(("no",), ("user",)), "the left has no parameter 'no'; its parameters: w"),
        (Pairing(("w",), ("no",)), "the right has no parameter 'no'; its parameters: user, item"),
        (Pairing(("w",), ("user",), True), "w [300, 8] and user [100, 8] are not each other's"),
        (
            Pairing(("w",), ("item", "item", "user")),
            "w [300, 8] is not item [200, 8] and item [200, 8] and user [100, 8] under each other",
        ),
    ],
)
def test_pairings_that_do_not_fit_are_refused(pairing: Pairing, said: str) -> None:
    with pytest.raises(SpecError) as error:
        report(STACKED, PARTS, mapping=[pairing])
    assert said in str(error.value)


def test_a_name_is_paired_once() -> None:
    twice = [Pairing(("a",), ("x",)), Pairing(("a",), ("y",))]
    sides = net(("a", (3, 4), N)), net(("x", (3, 4), N), ("y", (3, 4), N))
    with pytest.raises(SpecError, match="'a' is paired twice on the left"):
        report(*sides, mapping=twice)


def test_a_blockwise_tensor_is_split_across_its_draws() -> None:
    draws = (Draw("a", (3, 4), N), Draw("b", (5, 4), constant(1)))
    blocks = (RowBlock("a", 0, 3), RowBlock("b", 1, 4))
    left = NetSpec("abacus", draws, (Tensor("w", "weight", (6, 4), blocks),))
    right = net(("x", (2, 4), N), ("y", (4, 4), constant(1)))
    split = matched(left, right, [Pairing(("w",), ("x", "y"))]).left
    assert [tensor.blocks for tensor in split.tensors] == [
        (RowBlock("a", 0, 2),),
        (RowBlock("a", 2, 3), RowBlock("b", 1, 4)),
    ]

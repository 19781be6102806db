"""A bias goes with its weight's layer on both sides, whatever the names, order and depth."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.parity_specs import whole

from paddle_init import Draw, NetSpec, Tensor
from paddle_init.cli.main import main
from paddle_init.parity.building import report
from paddle_init.parity.records import Level
from paddle_init.schemes import normal
from paddle_init.specs.mapping import Pairing, Prefixes, load_mapping, prefixes
from paddle_init.specs.matching import Matching, matched
from paddle_init.specs.net import owned_by_name
from paddle_init.specs.yaml_form import dump_spec
from paddle_init.verification import Verdict, verify
from paddle_init.verification.arrays import as_spec
from paddle_init.verification.page import as_text
from paddle_init.weight_files.reading import load_weights
from paddle_init.weight_files.weights import Weights

N = normal(0, 0.1)


def layered(*layers: tuple[str, tuple[int, int], str | None], framework: str = "paddle") -> NetSpec:
    """Weights with their biases right behind them; a layer without one says so by None."""
    return built(*((name, shape, () if bias is None else (bias,)) for name, shape, bias in layers))


def built(*layers: tuple[str, tuple[int, int], tuple[str, ...]]) -> NetSpec:
    draws: list[Draw] = []
    tensors: list[Tensor] = []
    for name, shape, biases in layers:
        draws.append(Draw(name, shape, N))
        tensors.append(whole(draws[-1]))
        for bias in biases:
            draws.append(Draw(bias, (shape[1],), N))
            tensors.append(replace(whole(draws[-1], "bias"), bias_of=(name,)))
    return NetSpec("paddle", tuple(draws), tuple(tensors))


def pairs(matching: Matching) -> dict[str, str]:
    """The right's own name by the left's, of all that was matched."""
    return {
        name: matching.own_names.get(name, name)
        for name in matching.left.tensor_by_name
        if name in matching.right.tensor_by_name
    }


def codes(matching: Matching) -> list[str]:
    return [notice.code for notice in matching.notices]


LEFT = layered(("w1", (32, 16), None), ("w2", (16, 16), "b2"))
RIGHT = layered(("0.weight", (32, 16), "0.bias"), ("2.weight", (16, 16), None))


def test_biases_of_different_layers_are_no_partners(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = report(LEFT, RIGHT)
    assert {item.name: item.level for item in made.parameters} == {
        "w1": Level.STREAM,
        "w2": Level.STREAM,
        "b2": Level.STRUCTURE,
        "0.bias": Level.STRUCTURE,
    }
    explanation = made.parameters[2].explanation
    assert "nothing says that it is the bias of the same layer" in explanation
    names = []
    for name, spec in (("left", LEFT), ("right", RIGHT)):
        names.append(str(tmp_path / f"{name}.yaml"))
        Path(names[-1]).write_text(dump_spec(spec))
    assert main(["report", names[0], "--against", names[1], "--fail-on", "scale"]) == 1
    assert "No: 2 of 4 parameters start elsewhere (structure 2)." in capsys.readouterr().out


def test_equal_names_on_other_layers_are_no_partners() -> None:
    right = layered(("w1", (32, 16), "b2"), ("w2", (16, 16), None))
    for other in (right, layered(("0.w", (32, 16), "b2"), ("2.w", (16, 16), None))):
        made = report(LEFT, other)
        assert [item.level for item in made.parameters].count(Level.STRUCTURE) == 2
        (notice,) = [n for n in made.warnings if n.code == "bias-of-other-layer"]
        assert "b2: a bias of this name belongs to different layers" in notice.message
    stated = report(LEFT, right, mapping=[Pairing(("b2",), ("b2",))])
    assert stated.worst is Level.STREAM


@pytest.mark.parametrize(
    ("left", "right", "found"),
    [
        # equal layers, biases on some: by order, and each bias by its layer
        (
            layered(("a", (8, 8), "ab"), ("b", (8, 8), None), ("c", (8, 8), "cb")),
            layered(("x", (8, 8), None), ("y", (8, 8), "yb"), ("z", (8, 8), "zb")),
            {"a": "x", "b": "y", "c": "z", "cb": "zb"},
        ),
        # one bias each, on different ones of equal layers
        (
            layered(("a", (8, 8), "ab"), ("b", (8, 8), None)),
            layered(("x", (8, 8), None), ("y", (8, 8), "yb")),
            {"a": "x", "b": "y"},
        ),
        # nets of other depth: what cannot be told stays without partner, biases too
        (
            layered(("a", (8, 8), "ab"), ("b", (8, 8), "bb"), ("c", (8, 4), "cb")),
            layered(("x", (8, 8), "xb"), ("z", (8, 4), "zb")),
            {"c": "z", "cb": "zb"},
        ),
        # as many biases as on the other side, and fewer weights
        (
            layered(("a", (8, 8), "ab"), ("b", (8, 8), None), ("c", (8, 8), "cb")),
            layered(("x", (8, 8), "xb"), ("y", (8, 8), "yb")),
            {},
        ),
        # the names of two weights are crossed; the rest is not guessed by an order that is none
        (
            layered(*((name, (8, 8), None) for name in "abcd")),
            layered(*((name, (8, 8), None) for name in "cxay")),
            {"a": "a", "c": "c"},
        ),
        # some names are equal
        (
            layered(("a", (8, 8), "ab"), ("b", (8, 8), "bb"), ("c", (8, 8), "cb")),
            layered(("x", (8, 8), "xb"), ("b", (8, 8), "yb"), ("z", (8, 8), "zb")),
            {"a": "x", "ab": "xb", "b": "b", "bb": "yb", "c": "z", "cb": "zb"},
        ),
        # biases named alike say which weights belong together where the order does not
        (
            layered(("a", (8, 8), "p"), ("b", (8, 8), "q"), ("c", (8, 8), "r")),
            layered(("x", (8, 8), "p"), ("z", (8, 8), "r")),
            {"a": "x", "p": "p", "c": "z", "r": "r"},
        ),
        # a bias whose weight has no partner has none
        (
            layered(("a", (8, 4), "ab")),
            layered(("x", (9, 4), "xb")),
            {},
        ),
        # but of equal names it has
        (
            layered(("a", (8, 4), "bias")),
            layered(("x", (9, 4), "bias")),
            {"bias": "bias"},
        ),
        # two biases of one layer: which is which is not known
        (
            built(("a", (8, 4), ("p", "q"))),
            built(("x", (8, 4), ("r", "s"))),
            {"a": "x"},
        ),
        (
            built(("a", (8, 4), ("p", "q"))),
            built(("x", (8, 4), ("p", "s"))),
            {"a": "x", "p": "p", "q": "s"},
        ),
    ],
)  # fmt: skip
def test_members_of_the_kind(left: NetSpec, right: NetSpec, found: dict[str, str]) -> None:
    assert pairs(matched(left, right)) == found
    assert pairs(matched(right, left)) == {there: here for here, there in found.items()}


def test_a_shared_bias_goes_with_each_of_its_weights() -> None:
    def shared(*names: str, owners: int = 2) -> NetSpec:
        first, second, bias = names
        draws = Draw(first, (8, 4), N), Draw(second, (6, 4), N), Draw(bias, (4,), N)
        held = replace(whole(draws[2], "bias"), bias_of=(first, second)[:owners])
        return NetSpec("paddle", draws, (*map(whole, draws[:2]), held))

    assert pairs(matched(shared("a", "b", "c"), shared("x", "y", "z")))["c"] == "z"
    assert pairs(matched(shared("a", "b", "c"), shared("x", "y", "z", owners=1)))["c"] == "z"
    apart = layered(("x", (8, 4), "xb"), ("y", (6, 4), "yb"))
    found = matched(shared("a", "b", "c"), apart)
    assert set(pairs(found)) <= {"a", "b", "c"}
    assert report(shared("a", "b", "c"), apart).worst is Level.STRUCTURE


def test_a_normalization_is_matched_by_what_its_parameters_are_called() -> None:
    def norm(layer: str, *leaves: str) -> NetSpec:
        draws = [Draw(f"{layer}.{leaf}", (8,), N) for leaf in leaves]
        return NetSpec("paddle", tuple(draws), tuple(whole(draw, "other") for draw in draws))

    turned = matched(norm("bn", "weight", "bias"), norm("norm", "bias", "weight"))
    assert pairs(turned) == {"bn.weight": "norm.weight", "bn.bias": "norm.bias"}
    assert pairs(matched(norm("bn", "weight"), norm("norm", "bias"))) == {}
    other = matched(norm("bn", "weight"), norm("norm", "scale"))
    assert pairs(other) == {"bn.weight": "norm.scale"}


def test_a_bias_without_a_known_weight_is_matched_by_order_and_told() -> None:
    lone = NetSpec("paddle", (draw := Draw("b", (4,), N),), (whole(draw, "bias"),))
    found = matched(lone, layered(("x", (8, 4), "xb")))
    assert pairs(found) == {"b": "xb"}
    assert codes(found) == ["matched-by-order"]


@pytest.mark.parametrize(
    ("left", "right", "found"),
    [
        (["fc.w", "fc.b"], ["_layers.fc.w", "_layers.fc.b"], ("", "_layers.")),
        (["_layers.fc.w"], ["fc.w", "other"], ("_layers.", "")),
        (["_layers.fc.w", "_layers.g"], ["fc.w", "h"], ("_layers.", "")),
        (["_layers._layers.a"], ["_layers.a"], ("_layers._layers.", "_layers.")),
        (["_layers.a"], ["_layers.a"], ("", "")),
        (["_layers.a", "b"], ["a", "b"], ("", "")),
        (["_layers.a"], ["net.a"], ("_layers.", "net.")),
        (["a", "b"], ["net.a", "net.b", "epoch"], ("", "net.")),
        (["net.a", "net.b"], ["a", "b"], ("net.", "")),
        (["a"], ["net.a", "ema.a"], ("", "")),
        (["a", "b"], ["net.a", "net.c"], ("", "")),
        (["a", "b"], ["net.a", "net.b", "b"], ("", "")),
        ([], ["a"], ("", "")),
        (["a"], [], ("", "")),
    ],
)
def test_prefixes(left: list[str], right: list[str], found: tuple[str, str]) -> None:
    assert prefixes(left, right) == Prefixes(*found)
    assert prefixes(right, left) == Prefixes(*found[::-1])


def wrapped(spec: NetSpec, prefix: str) -> NetSpec:
    tensors = (
        replace(t, name=prefix + t.name, bias_of=t.bias_of and tuple(prefix + n for n in t.bias_of))
        for t in spec.tensors
    )
    return replace(spec, tensors=tuple(tensors))


@pytest.mark.parametrize("prefix", ["_layers.", "net."])
def test_a_prefix_of_all_names_is_told_and_no_guess(prefix: str) -> None:
    for sides in ((RIGHT, wrapped(RIGHT, prefix)), (wrapped(RIGHT, prefix), RIGHT)):
        made = report(*sides)
        assert made.worst is Level.STREAM
        told = [notice for notice in made.warnings if notice.code != "square-layout"]
        assert [notice.code for notice in told] == ["name-prefix"]
        assert repr(prefix) in told[0].message


def test_aliases_are_names() -> None:
    tied = replace(RIGHT.tensors[0], aliases=("head.weight",))
    left = replace(RIGHT, tensors=(tied, *RIGHT.tensors[1:]))
    right = layered(("head.weight", (32, 16), "0.bias"), ("2.weight", (16, 16), None))
    assert pairs(matched(left, right))["0.weight"] == "head.weight"
    assert pairs(matched(right, left))["head.weight"] == "0.weight"


NAMES = st.sampled_from(["a", "b", "c", "d", "e", "f", "g"])


@st.composite
def side(draw: Any) -> NetSpec:
    shapes = st.sampled_from([(4, 4), (6, 4), (4, 6)])
    layer = st.tuples(NAMES, shapes, st.booleans())
    layers = draw(st.lists(layer, min_size=1, max_size=5, unique_by=lambda each: each[0]))
    biases = draw(st.permutations([f"{name}b" for name in "abcdefg"]))
    made = [
        (name, shape, biases[i] if has else None) for i, (name, shape, has) in enumerate(layers)
    ]
    return layered(*made)


@settings(max_examples=500, deadline=None, derandomize=True)
@given(side(), side())
def test_no_bias_is_ever_matched_across_layers(left: NetSpec, right: NetSpec) -> None:
    found = matched(left, right)
    matched_pairs = pairs(found)
    assert len(set(matched_pairs.values())) == len(matched_pairs)
    guessed = {here for here, there in matched_pairs.items() if here != there}
    assert ("matched-by-order" in codes(found)) is bool(guessed)
    for here, there in matched_pairs.items():
        ours, theirs = left.tensor_by_name[here], right.tensor_by_name[there]
        assert ours.role == theirs.role
        if here != there:
            assert ours.shape == theirs.shape
        if ours.role == "bias":
            (owner,), (other,) = ours.bias_of or (), theirs.bias_of or ()
            partner = matched_pairs.get(owner)
            assert partner == other or (partner is None and other not in matched_pairs.values())
    for bias in left.tensors:
        if bias.role == "bias" and bias.name not in matched_pairs:
            (owner,) = bias.bias_of or ()
            partner = matched_pairs.get(owner)
            beside = {b for w, b in right.pairs if w == partner}
            assert not any(right.tensor_by_name[b].shape == bias.shape for b in beside)


def test_a_bias_takes_the_weight_beside_it() -> None:
    names = ("fc1.bias", (4,)), ("fc1.weight", (4, 4)), ("fc2.bias", (4,)), ("fc2.weight", (4, 4))
    draws = [Draw(name, shape, N) for name, shape in names]
    roles = ("bias", "weight", "bias", "weight")
    tensors = owned_by_name(map(whole, draws, roles))
    assert NetSpec("paddle", tuple(draws), tensors).pairs == (
        ("fc1.weight", "fc1.bias"),
        ("fc2.weight", "fc2.bias"),
    )


def test_a_bias_of_several_names_is_that_of_each_layer() -> None:
    draws = Draw("a.w", (4, 4), N), Draw("a.b", (4,), N), Draw("c.w", (6, 4), N)
    bias = replace(whole(draws[1], "bias"), aliases=("c.b",))
    tensors = owned_by_name((whole(draws[0]), bias, whole(draws[2])))
    assert NetSpec("paddle", draws, tensors).pairs == (("a.w", "a.b"), ("c.w", "a.b"))


def saved(path: Path, **arrays: tuple[int, ...]) -> str:
    rng = np.random.default_rng(7)
    np.savez(path, **{k: rng.normal(0, 0.1, s).astype("f4") for k, s in arrays.items()})  # type: ignore[arg-type]
    return str(path)


def test_a_mapping_is_written_from_a_weight_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = tmp_path / "net.yaml"
    spec.write_text(dump_spec(RIGHT))
    weights = saved(tmp_path / "w.npz", **{"l1/w": (32, 16), "l1/b": (16,), "l2/w": (16, 16)})
    names = str(tmp_path / "names.yaml")
    assert main(["verify", weights, str(spec)]) == 1
    out = capsys.readouterr().out
    assert out.startswith("Not known: no names match: ")
    assert "translate SPEC --to mapping --against" in " ".join(out.split())
    command = ["translate", str(spec), "--to", "mapping", "--against", weights, "-o", names]
    assert main(command) == 0
    assert "matched-by-order" in capsys.readouterr().err
    assert [(p.left, p.right) for p in load_mapping(names)] == [
        (("0.weight",), ("l1/w",)),
        (("0.bias",), ("l1/b",)),
        (("2.weight",), ("l2/w",)),
    ]
    assert main(["verify", weights, str(spec), "--mapping", names]) == 0
    refused = [*command[:-1], weights]
    assert main(refused) == 2
    assert load_weights(weights)


def test_what_a_weight_file_does_not_decide_is_left_out_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = tmp_path / "net.yaml"
    net = layered(("a", (8, 8), "ab"), ("b", (8, 8), None), ("c", (8, 4), None))
    spec.write_text(dump_spec(net))
    shapes = {"x": (8, 8), "xb": (8,), "y": (8, 8), "z": (8, 8), "last": (8, 4), "step": ()}
    weights = saved(tmp_path / "w.npz", **shapes)
    assert main(["translate", str(spec), "--to", "mapping", "--against", weights]) == 0
    out, err = capsys.readouterr()
    assert out == (
        "paddle_init_mapping: 1\n"
        "pairs:\n"
        "  - {left: c, right: last}\n"
        "# no partner: a, b on the left and x, y, z on the right (weight 8 x 8): it is not known "
        "which of them belong together\n"
        "# no partner: ab on the left and xb on the right (bias 8): it is not known which of them "
        "belong together\n"
        "# no parameters: step\n"
    )
    assert "no partner: a, b on the left and x, y, z on the right" in err


def test_a_normalization_in_a_file_is_known_by_its_statistics() -> None:
    shapes = {"n.weight": (8,), "n.bias": (8,), "n._mean": (8,), "n._variance": (8,), "f.w": (3, 8)}
    loaders = {name: lambda s=shape: np.zeros(s, "f4") for name, shape in shapes.items()}
    made, left_out = as_spec(Weights("file", loaders), layered(("w", (3, 8), "b")))  # type: ignore[arg-type]
    assert {t.name: t.role for t in made.tensors} == {
        "n.weight": "other",
        "n.bias": "other",
        "f.w": "weight",
    }
    assert left_out == ("n._mean", "n._variance")


def test_names_that_do_not_match_are_not_known() -> None:
    arrays = {"x": np.zeros((32, 16), "f4"), "y": np.zeros((16,), "f4")}
    made = verify(arrays, RIGHT)
    assert as_text(made).startswith("Not known: no names match: ")
    assert as_text(made, language="zh").startswith("无法判定：没有相同的名称")
    assert {p.verdict for p in made.parameters} == {Verdict.MISSING, Verdict.UNEXPECTED}
    assert not made.passed
    (finding,) = made.findings
    assert finding.code == "names"
    # of a file that holds nothing, and of one that lacks some, everything is known
    assert as_text(verify({}, RIGHT)).startswith("No: 3 of 3 parameters")
    assert as_text(verify({"0.weight": np.zeros((32, 16), "f4")}, RIGHT)).startswith("No: 3 of 3")


@pytest.mark.parametrize("prefix", ["_layers.", "net."])
def test_weights_behind_a_prefix_are_verified(prefix: str) -> None:
    rng = np.random.default_rng(7)
    arrays = {t.name: rng.normal(0, 0.1, t.shape).astype("f4") for t in RIGHT.tensors}
    behind = {prefix + name: array for name, array in arrays.items()}
    for weights, spec in ((behind, RIGHT), (arrays, wrapped(RIGHT, prefix))):
        made = verify(weights, spec)
        assert made.passed
        assert [finding.code for finding in made.findings] == ["prefix"]
    mapped = verify(behind, RIGHT, mapping={"0.weight": f"{prefix}0.weight"})
    assert mapped.passed

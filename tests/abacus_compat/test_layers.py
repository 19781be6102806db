"""The layers' graph: weights, biases, blocks, sharing, and the widths that follow."""

from __future__ import annotations

import pytest

from abacus_compat import ConfError, parse_conf
from abacus_compat.layers import Equation, solve
from paddle_init.errors import Notice
from paddle_init.specs import Input, NetSpec, Tensor


def conf(params: dict[str, tuple[int, int]], layers: list[str]) -> str:
    """A section, one line an item; a layer is written ``name(a, a) = b, b``."""
    lines = ["global_init_range: 0.2", "param:"]
    for name, (rown, coln) in params.items():
        values = f"rown: {rown}, coln: {coln}, init_range: 1, scale_by_rown: true"
        lines.append(f"  - {{name: {name}, {values}}}")
    lines.append("layer:")
    for layer in layers:
        head, b_inputs = layer.split(" = ")
        name, a_inputs = head.rstrip(")").split("(")
        values = f"a_input: [{a_inputs}], b_input: [{b_inputs}], act_func: relu"
        lines.append(f"  - {{name: {name}, class: NeuralLayer, {values}}}")
    return "\n".join(lines) + "\n"


def shown(tensor: Tensor) -> str:
    blocks = " ".join(f"{block.draw}[{block.start}:{block.stop}]" for block in tensor.blocks)
    return f"{tensor.role} {tensor.name} {list(tensor.shape)} {blocks}"


def told(spec: NetSpec, code: str) -> list[Notice]:
    return [notice for notice in spec.notices if notice.code == code]


CUTS = {
    "own bias last": (
        {"w": (5, 2), "b": (1, 2)},
        "fc(x, bias_input) = w, b",
        ["weight w [5, 2] w[0:5]", "bias b [2] b[0:1]"],
    ),
    "own bias first": (
        {"w": (5, 2), "b": (1, 2)},
        "fc(bias_input, x) = b, w",
        ["weight w [5, 2] w[0:5]", "bias b [2] b[0:1]"],
    ),
    "own bias between blocks": (
        {"v": (3, 2), "b": (1, 2), "w": (5, 2)},
        "fc(x, bias_input, y) = v, b, w",
        ["weight v [8, 2] v[0:3] w[0:5]", "bias b [2] b[0:1]"],
    ),
    "folded last": (
        {"w": (6, 2)},
        "fc(x, bias_input) = w",
        ["weight w [5, 2] w[0:5]", "bias w.bias [2] w[5:6]"],
    ),
    "folded first": (
        {"w": (6, 2)},
        "fc(bias_input, x) = w",
        ["weight w [5, 2] w[1:6]", "bias w.bias [2] w[0:1]"],
    ),
    "folded in the middle": (
        {"u": (4, 3), "w": (6, 2)},
        ["pre(p) = u", "fc(pre, bias_input, x) = w"],
        [
            "weight u [4, 3] u[0:4]",
            "weight w [5, 2] w[0:3] w[4:6]",
            "bias w.bias [2] w[3:4]",
        ],
    ),
    "folded into the second block": (
        {"v": (3, 2), "w": (6, 2)},
        "fc(x, bias_input) = v, w",
        ["weight v [8, 2] v[0:3] w[0:5]", "bias w.bias [2] w[5:6]"],
    ),
    "folded at the head of the first block": (
        {"v": (3, 2), "w": (6, 2)},
        "fc(bias_input, x) = v, w",
        ["weight v [8, 2] v[1:3] w[0:6]", "bias v.bias [2] v[0:1]"],
    ),
    "blocks": (
        {"u": (1, 2), "v": (3, 2), "w": (6, 2)},
        "fc(x, y, z) = u, v, w",
        ["weight u [10, 2] u[0:1] v[0:3] w[0:6]"],
    ),
    "no bias": ({"w": (5, 2)}, "fc(x) = w", ["weight w [5, 2] w[0:5]"]),
    "a weight of one row": (
        {"w": (1, 2), "b": (1, 2)},
        "fc(x, bias_input) = w, b",
        ["weight w [1, 2] w[0:1]", "bias b [2] b[0:1]"],
    ),
    "in the order of the layers, not of the draws": (
        {"b": (1, 2), "v": (2, 1), "w": (5, 2)},
        ["fc(x, bias_input) = w, b", "out(fc) = v"],
        ["weight w [5, 2] w[0:5]", "bias b [2] b[0:1]", "weight v [2, 1] v[0:2]"],
    ),
    "shared weight, two biases": (
        {"w": (5, 2), "b": (1, 2), "c": (1, 2)},
        ["p(x, bias_input) = w, b", "q(y, bias_input) = w, c"],
        ["weight w [5, 2] w[0:5]", "bias b [2] b[0:1]", "bias c [2] c[0:1]"],
    ),
    "shared, folded": (
        {"w": (6, 2)},
        ["p(x, bias_input) = w", "q(y, bias_input) = w"],
        ["weight w [5, 2] w[0:5]", "bias w.bias [2] w[5:6]"],
    ),
    "shared bias": (
        {"v": (5, 2), "w": (5, 2), "b": (1, 2)},
        ["p(x, bias_input) = v, b", "q(y, bias_input) = w, b"],
        ["weight v [5, 2] v[0:5]", "bias b [2] b[0:1]", "weight w [5, 2] w[0:5]"],
    ),
    "unused": (
        {"u": (7, 7), "w": (5, 2)},
        "fc(x) = w",
        ["weight w [5, 2] w[0:5]", "other u [7, 7] u[0:7]"],
    ),
    "ones alone": (
        {"b": (1, 2), "w": (2, 1)},
        ["ones(bias_input) = b", "fc(ones) = w"],
        ["weight w [2, 1] w[0:2]", "other b [1, 2] b[0:1]"],
    ),
}


@pytest.mark.parametrize(("params", "layers", "expected"), CUTS.values(), ids=CUTS)
def test_tensors(
    params: dict[str, tuple[int, int]], layers: str | list[str], expected: list[str]
) -> None:
    spec = parse_conf(conf(params, [layers] if isinstance(layers, str) else layers))
    assert [shown(tensor) for tensor in spec.tensors] == expected
    assert [draw.name for draw in spec.draws] == list(params)


def test_a_folded_row_counts_in_the_scale() -> None:
    spec = parse_conf(conf({"w": (6, 2)}, ["fc(x, bias_input) = w"]))
    weight, bias = map(spec.distribution, spec.tensors)
    assert weight == bias == spec.drawn("w")
    (notice,) = told(spec, "bias-row-in-rown")
    assert notice.parameter == "w"
    assert notice.message == (
        "one of the 6 rows of w is the bias of layer fc; abacus's rown counts it, "
        "Paddle's fan_in does not"
    )


def test_notices() -> None:
    spec = parse_conf(
        conf(
            {"w": (5, 2), "v": (2, 1), "u": (3, 3)},
            ["p(x) = w", "q(y) = w", "out(p) = v"],
        )
    )
    assert [(notice.code, notice.parameter) for notice in spec.notices] == [
        ("shared-parameter", "w"),
        ("unused-parameter", "u"),
        ("no-bias", "w"),
        ("no-bias", "w"),
        ("unused-output", None),
        ("no-bias", "v"),
    ]
    assert told(spec, "shared-parameter")[0].message == (
        "w is used by the layers p, q: give them one Paddle parameter"
    )


def ranged(text: str, **ranges: str) -> str:
    """A conf with another init_range for some parameters."""
    for name, value in ranges.items():
        head, tail = text.split(f"{{name: {name}, rown", 1)
        text = (
            f"{head}{{name: {name}, rown{tail.replace('init_range: 1', f'init_range: {value}', 1)}"
        )
    return text


def test_a_scale_of_zero_is_told_of_what_it_is_the_scale_of() -> None:
    params = {"w": (5, 2), "b": (1, 2), "v": (3, 1), "u": (3, 3)}
    text = conf(params, ["p(x, bias_input) = w, b", "q(p, bias_input) = v"])
    spec = parse_conf(ranged(text, **dict.fromkeys(params, "0")))
    start = "init_range * global_init_range comes to a scale of 0: "
    assert {one.parameter: one.message for one in told(spec, "zero-scale")} == {
        "w": f"{start}every weight starts at 0",
        "b": f"{start}the bias starts at 0",
        "v": f"{start}every weight, and the bias in it, starts at 0",
        "u": f"{start}every element starts at 0",
    }
    bare = parse_conf(ranged(text.split("layer:")[0], b="0"))
    assert told(bare, "zero-scale")[0].message == f"{start}every element starts at 0"


@pytest.mark.parametrize(
    ("value", "code", "part"),
    [
        ("1e40", "overflow", "86 % of the elements overflow float32 to inf; Paddle has no such"),
        ("1e38", None, ""),
        ("1e39", "overflow", "9 % of the elements overflow float32 to inf"),
        ("1e-44", None, ""),
        ("5e-45", "underflow", "below the smallest float32, 1.4e-45: every element rounds to 0"),
        ("1e-60", "underflow", "comes to a scale of 2e-61, below"),
    ],
)
@pytest.mark.parametrize("layers", [[], ["fc(x, bias_input) = w, b"]])
def test_scales_beyond_float32_are_told(
    value: str, code: str | None, part: str, layers: list[str]
) -> None:
    text = conf({"w": (5, 2), "b": (1, 2)}, layers)
    if not layers:
        text = text.replace("layer:\n", "")
    found = parse_conf(ranged(text, b=value)).notices
    notices = [notice for notice in found if notice.code in ("overflow", "underflow", "zero-scale")]
    assert [(notice.code, notice.parameter) for notice in notices] == (
        [(code, "b")] if code else []
    )
    for notice in notices:
        assert part in notice.message
        assert ("Paddle has no such std" in notice.message) is (value == "1e40")


def test_ones_alone_are_no_layer() -> None:
    spec = parse_conf(conf({"b": (1, 2), "w": (2, 1)}, ["ones(bias_input) = b", "fc(ones) = w"]))
    assert [layer.name for layer in spec.layers] == ["fc"]
    assert spec.skipped_layers == ("ones",)
    assert [notice.code for notice in spec.notices] == ["skipped-layers", "no-bias"]
    assert spec.notices[0].message == (
        "passed over, as they are no fully connected layers with a weight: "
        "ones (NeuralLayer, line 6); what they draw is kept, parameter by parameter"
    )


def test_a_parameter_of_a_skipped_layer_is_not_unused() -> None:
    text = conf({"w": (5, 2), "v": (5, 5), "u": (5, 5)}, ["fc(x) = w"])
    text += "  - {name: mul, class: MultiplicationLayer, b_input: [v], scale: u}\n"
    spec = parse_conf(text)
    assert not told(spec, "unused-parameter")
    assert [(tensor.name, tensor.role) for tensor in spec.tensors] == [
        ("w", "weight"),
        ("v", "other"),
        ("u", "other"),
    ]
    assert [notice.parameter for notice in told(spec, "no-bias")] == ["w"]


def test_outputs_are_known_by_name_and_by_output() -> None:
    layers = [
        "{name: p, output: p_out, class: NeuralLayer, a_input: x, b_input: w, act_func: relu}",
        "{output: {name: q}, class: NeuralLayer, a_input: [p_out], b_input: w, act_func: relu}",
        "{name: r, class: NeuralLayer, a_input: [p, q], b_input: v, act_func: relu}",
    ]
    text = conf({"w": (2, 2), "v": (4, 1)}, []) + "".join(f"  - {layer}\n" for layer in layers)
    spec = parse_conf(text)
    assert [(layer.name, layer.output) for layer in spec.layers] == [
        ("p", "p_out"),
        ("q", "q"),
        ("r", "r"),
    ]
    assert spec.layers[1].inputs == (Input("p_out", 2),)
    assert spec.layers[2].inputs == (Input("p_out", 2), Input("q", 2))


def test_the_output_of_a_skipped_layer_is_an_input_like_any_from_outside() -> None:
    text = conf({"w": (9, 2)}, ["fc(cat, x) = w"])
    text = text.replace("layer:\n", "layer:\n  - {name: cat, class: ColConcatenationLayer}\n")
    with pytest.raises(ConfError, match="the widths of cat, x do not follow"):
        parse_conf(text)
    spec = parse_conf(text, widths={"cat": 5})
    assert spec.layers[0].inputs == (Input("cat", 5), Input("x", 4))


WIDTHS = {
    "one unknown": (["x y"], [[9]], {"y": 4}, {"x": 5}),
    "one name twice": (["x x"], [[8]], {}, {"x": 4}),
    "one name twice, odd": (["x x"], [[9]], {}, {}),
    "one parameter each": (["x y"], [[2, 3]], {}, {"x": 2, "y": 3}),
    "one parameter each, one contradicted": (["x y z"], [[2, 3, 4]], {"y": 4}, {}),
    "after a common edge": (["k l x y"], [[7, 2, 3]], {"k": 3, "l": 4}, {"x": 2, "y": 3}),
    "before a common edge": (["x y k l"], [[2, 3, 7]], {"k": 3, "l": 4}, {"x": 2, "y": 3}),
    "between common edges": (["k x y l"], [[3, 1, 2, 4]], {"k": 3, "l": 4}, {"x": 1, "y": 2}),
    "undetermined": (["x y"], [[9]], {}, {}),
    "learned earlier": (["x", "x y"], [[4], [9]], {}, {"x": 4, "y": 5}),
    "learned later": (["x y", "x"], [[9], [4]], {}, {"x": 4, "y": 5}),
    "sums before pairs": (["x y", "x"], [[4, 5], [3]], {}, {"x": 3, "y": 6}),
    "along a chain": (
        ["a b", "b c", "c d", "d"],
        [[3], [5], [7], [4]],
        {},
        {"d": 4, "c": 3, "b": 2, "a": 1},
    ),
    "too narrow": (["x y"], [[4]], {"y": 4}, {}),
}


@pytest.mark.parametrize(("names", "rows", "known", "found"), WIDTHS.values(), ids=WIDTHS)
def test_widths(
    names: list[str], rows: list[list[int]], known: dict[str, int], found: dict[str, int]
) -> None:
    equations = [
        Equation(tuple(line.split()), tuple(each)) for line, each in zip(names, rows, strict=True)
    ]
    assert solve(equations, known) == known | found


def test_widths_from_outside() -> None:
    text = conf({"w": (31, 2)}, ["fc(x, bias_input, y) = w"])
    with pytest.raises(ConfError) as caught:
        parse_conf(text)
    assert str(caught.value) == (
        "<text>:5: a_input: layer fc: the widths of x, y do not follow from b_input's 31 rows; "
        "give all but one: widths={'x': ...}, or vec_input: [{name: x, dim: ...}] in the conf"
    )
    given = parse_conf(text, widths={"x": 10})
    assert given.layers[0].inputs == (Input("x", 10), Input("y", 20))
    assert shown(given.tensors[1]) == "bias w.bias [2] w[10:11]"
    declared = parse_conf(f"vec_input: [{{name: y, dim: 20}}, {{dim: z}}, 3]\n{text}")
    assert declared == given
    assert parse_conf(f"vec_input: [{{name: y, dim: 7}}]\n{text}", widths={"y": 20}) == given


@pytest.mark.parametrize(
    ("widths", "message"),
    [
        ({"z": 3}, "widths: no layer reads 'z' from outside; inputs from outside: x"),
        ({"bias_input": 1}, "no layer reads 'bias_input' from outside"),
        ({"fc": 2}, "no layer reads 'fc' from outside"),
        ({"x": 0}, "widths: 'x' must be an integer of at least 1, got 0"),
        ({"x": "3"}, "widths: 'x' must be an integer of at least 1, got '3'"),
        ({"x": 2.0}, "widths: 'x' must be an integer of at least 1, got 2.0"),
        ({"x": 4}, r"a_input \(x 4, bias_input 1\) do not add up to the rows of b_input \(w 6\)"),
    ],
)
def test_widths_that_are_refused(widths: dict[str, int], message: str) -> None:
    text = conf({"w": (6, 2), "v": (2, 2)}, ["fc(x, bias_input) = w", "out(fc) = v"])
    with pytest.raises(ConfError, match=message):
        parse_conf(text, widths=widths)

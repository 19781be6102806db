"""Confs that are refused: what, where, what was found, what is allowed; all of it at once."""

from __future__ import annotations

import pytest

from abacus_compat import AbacusCompatError, ConfError, parse_conf
from paddle_init.errors import PaddleInitError
from paddle_init.yaml_cpp import DocumentError

SECTION = """\
global_init_range: 0.2
param:
  - name: w
    rown: 5
    coln: 2
    init_range: 1
    scale_by_rown: true
  - name: b
    rown: 1
    coln: 2
    init_range: 1
    scale_by_rown: true
layer:
  - name: fc
    class: NeuralLayer
    a_input: [x, bias_input]
    b_input: [w, b]
    act_func: relu
  - name: out
    class: NeuralLayer
    a_input: fc
    b_input: v
    act_func: linear
vec_input: []
"""
SECTION = SECTION.replace(
    "layer:", "  - {name: v, rown: 2, coln: 1, init_range: 1, scale_by_rown: no}\nlayer:"
)

# what is replaced, by what, the message after "c.yaml:"
CHANGED = {
    "no global_init_range": (
        "global_init_range: 0.2",
        "global_range: 0.2",
        "1: global_range: the plugin section: the key global_init_range is missing, and "
        "global_range is not known; did you mean global_init_range?",
    ),
    "no param": (
        "param:",
        "params:",
        "2: params: the plugin section: the key param is missing, and params is not known; "
        "did you mean param?",
    ),
    "no name": (
        "name: w",
        "nam: w",
        "3: nam: param[0]: the key name is missing, and nam is not known; did you mean name?\n"
        "c.yaml:18: b_input: layer fc: there is no parameter 'w'; parameters: b, v",
    ),
    "no rown": (
        "rown: 5",
        "rows: 5",
        "4: rows: parameter w: the key rown is missing, and rows is not known; did you mean rown?",
    ),
    "no rown at all": ("    rown: 5\n", "", "3: parameter w: the key rown is missing"),
    "no coln": ("    coln: 2\n", "", "3: parameter w: the key coln is missing"),
    "no init_range": ("    init_range: 1\n", "", "3: parameter w: the key init_range is missing"),
    "no scale_by_rown": (
        "    scale_by_rown: true\n",
        "",
        "3: parameter w: the key scale_by_rown is missing",
    ),
    "no class": ("    class: NeuralLayer\n", "", "15: layer[0]: the key class is missing"),
    "no a_input": (
        "    a_input: [x, bias_input]\n",
        "",
        "15: layer fc: the key a_input is missing",
    ),
    "no b_input": ("    b_input: [w, b]\n", "", "15: layer fc: the key b_input is missing"),
    "no act_func": ("    act_func: relu\n", "", "15: layer fc: the key act_func is missing"),
    "no layer name": (
        "name: out",
        "nam: out",
        "20: nam: layer[1]: the key name is missing, and nam is not known; did you mean name?",
    ),
    "rown 0": ("rown: 5", "rown: 0", "4: rown: parameter w: {} of at least 1, found 0"),
    "coln -2": ("coln: 2", "coln: -2", "5: coln: parameter w: {} of at least 1, found -2"),
    "rown 1.0": ("rown: 5", "rown: 5.0", "4: rown: parameter w: {}, found '5.0'"),
    "rown 1e3": ("rown: 5", "rown: 1e3", "4: rown: parameter w: {}, found '1e3'"),
    "rown empty": ("rown: 5", "rown:", "4: rown: parameter w: {}, found nothing"),
    "rown a list": ("rown: 5", "rown: [5]", "4: rown: parameter w: {}, found a list"),
    "init_range negative": (
        "init_range: 1",
        "init_range: -0.5",
        "6: init_range: parameter w: expected a finite number of 0 or more, found -0.5",
    ),
    "init_range not finite": (
        "init_range: 1",
        "init_range: .inf",
        "6: init_range: parameter w: expected a finite number of 0 or more, found .inf",
    ),
    "global_init_range not a number": (
        "0.2",
        ".nan",
        "1: global_init_range: the plugin section: "
        "expected a finite number of 0 or more, found .nan",
    ),
    "init_range too large": (
        "init_range: 1",
        "init_range: 1e400",
        "6: init_range: parameter w: '1e400' is beyond the largest double, 1.8e308",
    ),
    "init_range a mapping": (
        "init_range: 1",
        "init_range: {of: 1}",
        "6: init_range: parameter w: expected a number, found a mapping",
    ),
    "scale_by_rown 1": (
        "scale_by_rown: true",
        "scale_by_rown: 1",
        "7: scale_by_rown: parameter w: expected true, yes, on, y, false, no, off or n, "
        "in lower, Capitalized or UPPER case, found '1'",
    ),
    "too many weights": (
        "rown: 5\n    coln: 2",
        "rown: 65536\n    coln: 32768",
        "4: rown: parameter w: rown 65536 * coln 32768 = 2147483648 is over 2147483647: "
        "C++ leaves undefined what abacus does then",
    ),
    "a name twice": (
        "name: b",
        "name: w",
        "8: name: param[1]: the parameter on line 3 is named 'w' too\n"
        "c.yaml:18: b_input: layer fc: there is no parameter 'b'; parameters: w, v",
    ),
    "a name that is empty": (
        "name: w",
        "name: ''",
        "3: name: param[0]: expected a name, found an empty text\n"
        "c.yaml:18: b_input: layer fc: there is no parameter 'w'; parameters: b, v",
    ),
    "param a mapping": (
        "param:\n",
        "param: {a: 1}\nold:\n",
        "2: param: the plugin section: expected a list, found a mapping",
    ),
    "param empty": (
        "param:\n",
        "param: []\nold:\n",
        "2: param: the plugin section: there is no parameter",
    ),
    "a parameter that is a list": (
        "  - {name: v,",
        "  - [v]\n  - {name: v,",
        "13: param[2]: expected a mapping, found a list",
    ),
    "layer a text": (
        "layer:\n",
        "layer: {fc: 1}\nold:\n",
        "14: layer: the plugin section: expected a list, found a mapping",
    ),
    "a layer that is a list": (
        "layer:\n",
        "layer:\n  - [fc]\n",
        "15: layer[0]: expected a mapping, found a list",
    ),
    "a_input empty": (
        "[x, bias_input]",
        "[]",
        "17: a_input: layer fc: expected a name or a list of names, found an empty list",
    ),
    "a_input with a hole": (
        "[x, bias_input]",
        "[x, ~]",
        "17: a_input: layer fc: expected a name, found nothing",
    ),
    "b_input unknown": (
        "[w, b]",
        "[w, c]",
        "18: b_input: layer fc: there is no parameter 'c'; parameters: w, b, v",
    ),
    "b_input an output": (
        "b_input: v",
        "b_input: fc",
        "23: b_input: layer out: there is no parameter 'fc'; parameters: w, b, v",
    ),
    "a_input a later output": (
        "[x, bias_input]",
        "[out, bias_input]",
        "17: a_input: layer fc: 'out' is given by a layer that does not come earlier, "
        "on line 20; move that layer up",
    ),
    "a_input its own output": (
        "a_input: fc",
        "a_input: out",
        "22: a_input: layer out: 'out' is given by a layer that does not come earlier, "
        "on line 20; move that layer up",
    ),
    "a_input a parameter": (
        "[x, bias_input]",
        "[w, bias_input]",
        "17: a_input: layer fc: 'w' is a parameter; parameters stand under b_input",
    ),
    "two bias_inputs": (
        "[x, bias_input]",
        "[bias_input, x, bias_input]",
        "17: a_input: layer fc: bias_input stands here more than once, but a layer has one bias; "
        "leave one out",
    ),
    "a parameter twice": (
        "[w, b]",
        "[w, b, w]",
        "18: b_input: layer fc: 'w' stands here 2 times; Paddle cannot tie rows of one parameter",
    ),
    "columns that differ": (
        "[w, b]",
        "[w, v]",
        "18: b_input: layer fc: stacked parameters need one coln; found w 2, v 1",
    ),
    "rows that do not add up": (
        "a_input: fc",
        "a_input: [fc, bias_input]",
        "22: a_input: layer out: the columns of a_input (fc 2, bias_input 1) do not add up to "
        "the rows of b_input (v 2)",
    ),
    "no row left for an input": (
        "a_input: fc",
        "a_input: [fc, y]",
        "22: a_input: layer out: the columns of a_input (fc 2, y unknown) do not add up to "
        "the rows of b_input (v 2)",
    ),
    "an undetermined split": (
        "[x, bias_input]",
        "[x, y, z, bias_input]",
        "17: a_input: layer fc: the widths of x, y, z do not follow from b_input's 6 rows; "
        "give all but one: widths={'x': ...}, or vec_input: [{name: x, dim: ...}] in the conf",
    ),
    "an output twice": (
        "name: out",
        "name: fc",
        "20: name: layer fc: the layer on line 15 gives 'fc' too; rename one",
    ),
    "an output named bias_input": (
        "name: out",
        "name: bias_input",
        "20: name: layer bias_input: bias_input is abacus's own column of ones; "
        "give the layer another name",
    ),
    "shared with other rows": (
        "    a_input: fc\n    b_input: v",
        "    a_input: [x, y]\n    b_input: [w, b]",
        "23: b_input: layer out: layer fc uses w with other rows beside it; "
        "Paddle shares whole parameters",
    ),
    "the name of a folded bias is taken": (
        "name: b",
        "name: w.bias",
        "18: b_input: layer fc: there is no parameter 'b'; parameters: w, w.bias, v",
    ),
}


def test_a_parameter_whose_name_is_refused_is_read_all_the_same() -> None:
    values = "coln: 1, init_range: 1, scale_by_rown: n"
    text = f"""global_init_range: 1
param:
- {{name: w, rown: 2, {values}}}
- {{name: w, rown: 0, {values}}}
- {{rown: 1:30, coln: x, init_range: -1}}
- {{name: v, rown: 46341, coln: 46341, init_range: .nan, scale_by_rown: n}}
- {{name: "", rown: 46341, coln: 46341, init_range: 1, scale_by_rown: n}}
"""
    with pytest.raises(ConfError) as caught:
        parse_conf(text, "c.yaml")
    found = [(p.source.line, p.source.key) for p in caught.value.problems if p.source]
    assert found == [
        (4, "name"),
        (4, "rown"),
        (5, ""),
        (5, "rown"),
        (5, "coln"),
        (5, "init_range"),
        (5, ""),
        (6, "init_range"),
        (6, "rown"),
        (7, "name"),
        (7, "rown"),
    ]


def test_a_stack_of_more_rows_than_an_int_counts() -> None:
    values = "coln: 1, init_range: 1, scale_by_rown: n"
    text = f"""global_init_range: 1
param:
- {{name: w, rown: 2147483647, {values}}}
- {{name: b, rown: 1, {values}}}
layer:
- {{name: fc, class: NeuralLayer, a_input: [x, bias_input], b_input: [w, b], act_func: relu}}
"""
    with pytest.raises(ConfError) as caught:
        parse_conf(text, "c.yaml")
    assert str(caught.value) == (
        "c.yaml:6: b_input: layer fc: the parameters stack to 2147483648 rows, over 2147483647, "
        "the most of C++'s int"
    )


@pytest.mark.parametrize(("old", "new", "message"), CHANGED.values(), ids=CHANGED)
def test_one_thing_wrong(old: str, new: str, message: str) -> None:
    assert old in SECTION
    with pytest.raises(ConfError) as caught:
        parse_conf(SECTION.replace(old, new, 1), "c.yaml")
    assert str(caught.value) == f"c.yaml:{message}".replace("{}", "expected an integer")


def test_nothing_wrong() -> None:
    assert len(parse_conf(SECTION, "c.yaml").layers) == 2


def test_the_name_of_a_folded_bias_is_taken() -> None:
    text = SECTION.replace("name: b", "name: w.bias").replace("[w, b]", "w")
    with pytest.raises(ConfError) as caught:
        parse_conf(text, "c.yaml")
    assert str(caught.value) == (
        "c.yaml:18: b_input: layer fc: the bias row of w takes the name w.bias; "
        "rename the parameter of that name"
    )


FORMS = (
    "one parameter's values (init_range, rown, ...), a plugin section (global_init_range, "
    "param, layer), or a training conf with plugins"
)
WHOLE = {
    "empty": ("", f"1: expected {FORMS}; found nothing"),
    "comments alone": ("# nothing\n", f"1: expected {FORMS}; found nothing"),
    "a list": ("- w\n- b\n", f"1: expected {FORMS}; found a list"),
    "another mapping": ("a: 1\nb: 2\n", f"1: expected {FORMS}; found the keys a, b"),
    "an empty mapping": ("{}", f"1: expected {FORMS}; found an empty mapping"),
    "plugins without dnn_plugin": (
        "x: 1\nplugins: {other: 1}\n",
        "2: plugins: expected a mapping with dnn_plugin, a section or the path of one",
    ),
    "plugins empty": (
        "plugins:\n",
        "1: plugins: expected a mapping with dnn_plugin, a section or the path of one",
    ),
    "dnn_plugin a list": (
        "plugins:\n  dnn_plugin: [a]\n",
        "2: dnn_plugin: expected a section or the path of one, found a list",
    ),
    "dnn_plugin empty": (
        "plugins:\n  dnn_plugin:\n",
        "2: dnn_plugin: expected a section or the path of one, found nothing",
    ),
    "flat, all missing but one": (
        "rown: 3",
        "1: the parameter: the key global_init_range is missing\n"
        "c.yaml:1: the parameter: the key coln is missing\n"
        "c.yaml:1: the parameter: the key init_range is missing\n"
        "c.yaml:1: the parameter: the key scale_by_rown is missing",
    ),
    "scale that overflows": (
        "{init_range: 1e200, global_init_range: 1e200, scale_by_rown: y, rown: 1, coln: 1}",
        "1: init_range: parameter weight: abacus: the scale 1e+200 * 1e+200 overflows float64",
    ),
}


@pytest.mark.parametrize(("text", "message"), WHOLE.values(), ids=WHOLE)
def test_a_whole_file_is_wrong(text: str, message: str) -> None:
    with pytest.raises(ConfError) as caught:
        parse_conf(text, "c.yaml")
    assert str(caught.value) == f"c.yaml:{message}"


def test_every_error_is_told_in_line_order() -> None:
    text = SECTION
    for old, new in (
        ("[w, b]", "[w, c]"),
        ("a_input: fc", "a_input: [fc, y]"),
        ("rown: 5", "rown: 5.5"),
        ("global_init_range: 0.2", "global_init_range: 1_0"),
        ("scale_by_rown: no", "scale_by_rown: 0"),
        ("act_func: linear", "act: linear"),
    ):
        text = text.replace(old, new)
    with pytest.raises(ConfError) as caught:
        parse_conf(text, "c.yaml")
    assert [problem.source.line for problem in caught.value.problems if problem.source] == [
        1,
        4,
        13,
        18,
        20,
    ]
    assert str(caught.value).count("\n") == 4


def test_float32_has_bounds_of_its_own() -> None:
    text = "{init_range: %s, global_init_range: 1e3, scale_by_rown: y, rown: 4, coln: 1}"
    assert parse_conf(text % "1e37").draws
    with pytest.raises(ConfError, match="overflows float32"):
        parse_conf(text % "1e37", arithmetic="float32")
    with pytest.raises(ConfError, match=r"beyond the largest float, 3\.4e38"):
        parse_conf(text % "1e39", arithmetic="float32")


@pytest.mark.parametrize("range_", ["0", "-0", "0.0", "1e-400"])
@pytest.mark.parametrize("other", ["1", "1e-320"])
def test_a_zero_range_is_a_warning(range_: str, other: str) -> None:
    for one, two in ((range_, other), (other, range_), ("1e-320", "1e-320")):
        spec = parse_conf(
            f"{{init_range: {one}, global_init_range: {two}, scale_by_rown: y, rown: 4, coln: 1}}"
        )
        assert [notice.code for notice in spec.notices] == ["bias-reading", "zero-scale"]
        assert spec.notices[1].message == (
            "init_range * global_init_range comes to a scale of 0: every weight starts at 0"
        )


def test_errors_can_be_caught_as_a_whole() -> None:
    for kind in (AbacusCompatError, ConfError, DocumentError, PaddleInitError, ValueError):
        with pytest.raises(kind):
            parse_conf("")

"""Misspelled names and keys of confs are told, and sound confs are left alone."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from support.confs import random_conf

from abacus_compat import ConfError, load_conf, parse_conf
from paddle_init.errors import Notice
from paddle_init.specs import NetSpec
from paddle_init.texts import slip

CODES = {
    "misspelled-input",
    "unused-output",
    "misspelled-class",
    "misspelled-activation",
    "misspelled-key",
}
CONFS = sorted(Path("configs").glob("*.yaml"))


def conf(params: dict[str, tuple[int, int]], layers: list[str], rest: str = "") -> str:
    """A section, one line an item; a layer is written ``name(a, a) = b, b; activation``."""
    lines = ["global_init_range: 0.2", "param:"]
    for name, (rown, coln) in params.items():
        values = f"rown: {rown}, coln: {coln}, init_range: 1, scale_by_rown: true"
        lines.append(f"  - {{name: {name}, {values}}}")
    lines.append("layer:")
    for layer in layers:
        head, tail = layer.split(" = ")
        b_inputs, _, activation = tail.partition("; ")
        name, a_inputs = head.rstrip(")").split("(")
        values = f"a_input: [{a_inputs}], b_input: [{b_inputs}], act_func: {activation or 'relu'}"
        lines.append(f"  - {{name: {name}, class: NeuralLayer, {values}}}")
    return "\n".join(lines) + "\n" + rest


def told(spec: NetSpec) -> list[Notice]:
    return [notice for notice in spec.notices if notice.code in CODES]


DNN = {"w1": (20, 8), "b1": (1, 8), "w2": (8, 6), "b2": (1, 6), "w3": (6, 1), "b3": (1, 1)}
DNN_LAYERS = [
    "fc_one(x, bias_input) = w1, b1",
    "fc_two(fc_one, bias_input) = w2, b2",
    "fc_out(fc_two, bias_input) = w3, b3; linear",
]
WIDTHS = "vec_input:\n  - {name: x, dim: 20}\n"
DEEP_FM = {"w1": (20, 8), "w2": (8, 8), "wide": (20, 1), "wo": (9, 1)}

# in the net's conf: what is replaced, by what; the code, the line of the notice, words in it
TYPOS = {
    "an input, one letter too many": ("(fc_two", "(fc_twoo", "misspelled-input", 12, "fc_two"),
    "an input, a digit too many": ("(fc_one", "(fc_one1", "misspelled-input", 11, "fc_one"),
    "an input, other case": ("(fc_one", "(FC_one", "misspelled-input", 11, "fc_one"),
    "an input, no separator": ("(fc_one", "(fcone", "misspelled-input", 11, "fc_one"),
    "an input, two letters swapped": ("(fc_two", "(fc_wto", "misspelled-input", 12, "fc_two"),
    "the column of ones": (
        "(fc_two, bias_input",
        "(fc_two, bias_inpt",
        "misspelled-input",
        12,
        "bias_input",
    ),
    "the column of ones, first layer": (
        "(x, bias_input",
        "(x, bais_input",
        "misspelled-input",
        10,
        "bias_input",
    ),
    "the column of ones, in one word": (
        "(fc_two, bias_input",
        "(fc_two, BiasInput",
        "misspelled-input",
        12,
        "bias_input",
    ),
    "another name altogether": ("(fc_two", "(dense", "unused-output", 11, "fc_two"),
}


def dnn() -> str:
    return conf(DNN, DNN_LAYERS, WIDTHS)


@pytest.mark.parametrize("typo", TYPOS)
def test_a_misspelled_input(typo: str) -> None:
    old, new, code, line, meant = TYPOS[typo]
    layers = [layer.replace(old, new) for layer in DNN_LAYERS]
    assert layers != DNN_LAYERS
    (notice,) = told(parse_conf(conf(DNN, layers, WIDTHS)))
    assert notice.code == code
    assert notice.source is not None
    assert notice.source.line == line
    assert meant in notice.message
    if code == "misspelled-input":
        assert f"did you mean {meant}" in notice.message
        wrong = new.strip("(").split(", ")[-1]
        assert wrong in notice.message


def test_a_declared_input_that_is_misspelled_where_it_is_read() -> None:
    text = conf({"w": (20, 1)}, ["fc(slot) = w"], "vec_input:\n  - {name: slots, dim: 20}\n")
    (notice,) = told(parse_conf(text))
    assert notice.code == "misspelled-input"
    assert "did you mean slots?" in notice.message


def test_an_output_that_another_layer_reads_rightly() -> None:
    params = {"w1": (20, 8), "w2": (8, 8), "w3": (8, 8), "wo": (16, 1)}
    layers = [
        "hidden(x) = w1",
        "left(hidden) = w2",
        "right(hiden) = w3",
        "out(left, right) = wo; linear",
    ]
    (notice,) = told(parse_conf(conf(params, layers)))
    assert notice.code == "misspelled-input"
    assert "reads hiden" in notice.message
    assert "did you mean hidden (line 8)?" in notice.message


@pytest.mark.parametrize("name", ["fc1_nb", "FC1_BN", "fc1bn", "fc1_bbn"])
def test_a_misspelled_output_of_another_class(name: str) -> None:
    """Its width is not known, but a slip of the pen is seen all the same."""
    text = conf(DNN, [DNN_LAYERS[0], f"fc_two({name}, bias_input) = w2, b2", DNN_LAYERS[2]])
    norm = "  - {name: bn, class: BatchNormalizationLayer, input: fc_one, output: fc1_bn}\n"
    lines = text.splitlines(keepends=True)
    (notice,) = told(parse_conf("".join([*lines[:10], norm, *lines[10:]])))
    assert notice.code == "misspelled-input"
    assert f"layer fc_two reads {name}" in notice.message
    assert "did you mean fc1_bn (line 11)?" in notice.message
    assert notice.source is not None
    assert notice.source.line == 12


def test_an_output_that_nobody_reads() -> None:
    params = {"w1": (20, 8), "w2": (8, 8), "w3": (8, 1)}
    layers = ["fc1(x) = w1", "fc2(fc1) = w2", "fc3(fc1) = w3; linear"]
    (notice,) = told(parse_conf(conf(params, layers)))
    assert (notice.code, "fc2" in notice.message) == ("unused-output", True)


SOUND = {
    "two towers": conf(
        {"w1": (8, 4), "w2": (8, 4), "w3": (8, 1)},
        ["tower1(user1) = w1", "tower2(user2) = w2", "top(tower1, tower2) = w3; linear"],
    ),
    "two towers with an output each": conf(
        {"u1": (8, 4), "u2": (4, 4), "i1": (9, 4), "i2": (4, 4)},
        [
            "user_fc(user_emb) = u1",
            "user_vec(user_fc) = u2; tanh",
            "item_fc(item_emb) = i1",
            "item_vec(item_fc) = i2; tanh",
        ],
    ),
    "two towers of relu": conf(
        {"u1": (8, 4), "u2": (4, 4), "i1": (4, 4), "i2": (4, 4)},
        ["user1(u) = u1", "user2(user1) = u2", "item1(i) = i1", "item2(item1) = i2"],
    ),
    "tasks of other widths": conf(
        {"w": (20, 8), "rank": (8, 1), "class": (8, 10), "dwell": (8, 3)},
        [
            "base(x) = w",
            "rank_out(base) = rank; sigmoid",
            "class_out(base) = class; linear",
            "dwell_out(base) = dwell; linear",
        ],
    ),
    "inputs of like names": conf(
        {"a": (3, 4), "b": (3, 4), "c": (3, 4), "d": (3, 4), "o": (16, 1)},
        [
            "f1(x1) = a",
            "f10(x10) = b",
            "f2(x2) = c",
            "f20(show_input) = d",
            "out(f1, f10, f2, f20) = o; linear",
        ],
    ),
    "raw inputs beside layers of like names": conf(
        {"a": (3, 4), "b": (3, 4), "o": (14, 1)},
        ["users(user) = a", "items(item) = b", "out(users, items, user, item) = o; linear"],
        "vec_input:\n  - {name: user, dim: 3}\n  - {name: item, dim: 3}\n",
    ),
    "a wide input named for the position bias": conf(
        {"a": (3, 4), "p": (20, 1), "o": (5, 1)},
        ["fc(x) = a", "pos(bias_inputs) = p", "out(fc, pos) = o; linear"],
    ),
    "an output that another key names": conf(
        {"w1": (20, 8), "w2": (8, 8), "w3": (8, 1)},
        ["fc1(x) = w1", "fc2(fc1) = w2", "fc3(fc1) = w3; linear"],
        "loss: {inputs: [{name: fc2}, fc3]}\n",
    ),
    "outputs of other classes": conf(
        {"e1": (9, 4), "e2": (9, 4), "t1": (4, 1), "t2": (4, 1)},
        ["expert1(x1) = e1", "expert2(x2) = e2", "ctr(mix1) = t1", "cvr(mix2) = t2"],
    ).replace(
        "  - {name: ctr",
        "  - {class: MixLayer, name: mix, input: [expert1, expert2], output: mix1}\n"
        "  - {class: MixLayer, name: mixes, input: [expert1, expert2]}\n"
        "  - {name: ctr",
    ),
    "deep and wide": conf(
        DEEP_FM, ["d1(x) = w1", "d2(d1) = w2", "w(x) = wide; linear", "o(d2, w) = wo; linear"]
    ),
}


@pytest.mark.parametrize("name", SOUND)
def test_sound_confs_are_left_alone(name: str) -> None:
    assert told(parse_conf(SOUND[name])) == []


def test_keys_that_abacus_has_are_left_alone() -> None:
    extra = "learning_rate: 5e-6\noptimizer: adam\nsummary: []\nl2_reg: 0\ninit_mean: 0\n"
    assert told(parse_conf(dnn() + extra)) == []


@pytest.mark.parametrize("path", CONFS, ids=lambda path: path.name)
def test_the_examples_are_left_alone(path: Path) -> None:
    assert told(load_conf(path)) == []


def test_generated_confs_have_no_misspelled_names() -> None:
    rng = random.Random(20)
    for _ in range(300):
        found = {notice.code for notice in told(parse_conf(random_conf(rng)))}
        assert found <= {"unused-output"}


WORDS = {
    "class": ("class: NeuralLayer", "class: NeuralLayr", "misspelled-class", "NeuralLayer"),
    "activation": ("act_func: linear", "act_func: linaer", "misspelled-activation", "linear"),
    "list of layers": ("layer:", "layers:", "misspelled-key", "layer"),
    "declared widths": ("vec_input:", "vec_inpt:", "misspelled-key", "vec_input"),
}


@pytest.mark.parametrize("word", WORDS)
def test_words_that_would_be_passed_over(word: str) -> None:
    old, new, code, meant = WORDS[word]
    notices = told(parse_conf(dnn().replace(old, new, 1)))
    notice = next(notice for notice in notices if notice.code == code)
    assert f"did you mean {meant}?" in notice.message
    assert notice.source is not None
    assert (
        new.split(": ")[-1].strip(":")
        in dnn().replace(old, new, 1).splitlines()[notice.source.line - 1]
    )


# what is replaced in the net's conf, and the whole error
KEYS = {
    "init_range: 1, ": (
        "init_rnge: 1, ",
        "c.yaml:3: init_rnge: parameter w1: the key init_range is missing, and init_rnge is not "
        "known; did you mean init_range?",
    ),
    "global_init_range:": (
        "globl_init_range:",
        "c.yaml:1: globl_init_range: the plugin section: the key global_init_range is missing, "
        "and globl_init_range is not known; did you mean global_init_range?",
    ),
    "scale_by_rown:": (
        "scale_by_rwon:",
        "c.yaml:3: scale_by_rwon: parameter w1: the key scale_by_rown is missing, and "
        "scale_by_rwon is not known; did you mean scale_by_rown?",
    ),
    "act_func:": (
        "act_fun:",
        "c.yaml:10: act_fun: layer fc_one: the key act_func is missing, and act_fun is not known; "
        "did you mean act_func?",
    ),
    "a_input:": (
        "a_inputs:",
        "c.yaml:10: a_inputs: layer fc_one: the key a_input is missing, and a_inputs is not "
        "known; did you mean a_input?",
    ),
    "b_input: [w1,": (
        "b_input: [w11,",
        "c.yaml:10: b_input: layer fc_one: there is no parameter 'w11'; parameters: w1, b1, w2, "
        "b2, w3, b3; did you mean w1?",
    ),
}


@pytest.mark.parametrize("old", KEYS)
def test_a_missing_key_names_the_misspelled_one(old: str) -> None:
    new, message = KEYS[old]
    with pytest.raises(ConfError) as error:
        parse_conf(dnn().replace(old, new, 1), "c.yaml")
    assert str(error.value) == message


def test_a_flat_conf_names_its_misspelled_key() -> None:
    flat = "init_range: 1\nglobal_init_range: 0.2\nscale_by_rwon: true\nrown: 3\ncoln: 2\n"
    with pytest.raises(ConfError, match=r"c.yaml:3: scale_by_rwon: .*did you mean scale_by_rown"):
        parse_conf(flat, "c.yaml")


def test_a_training_conf_names_its_misspelled_key() -> None:
    with pytest.raises(ConfError, match=r"c.yaml:2: plugin: .*did you mean plugins by plugin"):
        parse_conf("mode: 1\nplugin:\n  dnn_plugin: {}\n", "c.yaml")
    with pytest.raises(ConfError, match=r"c.yaml:2: dnn_plugn: .*did you mean dnn_plugin"):
        parse_conf("plugins:\n  dnn_plugn: {}\n", "c.yaml")


def test_widths_that_do_not_follow_because_of_a_misspelled_input() -> None:
    text = conf(DNN | {"w2": (9, 6)}, [DNN_LAYERS[0], "fc_two(fc_oen, bias_inptu) = w2"])
    with pytest.raises(ConfError) as error:
        parse_conf(text)
    assert "did you mean fc_one by fc_oen?" in str(error.value)
    assert "did you mean bias_input by bias_inptu?" in str(error.value)


@pytest.mark.parametrize(
    ("word", "name", "expected"),
    [
        ("hiden", "hidden", True),
        ("hiddden", "hidden", True),
        ("hdiden", "hidden", True),
        ("Hidden", "hidden", True),
        ("fc-2", "fc_2", True),
        ("hidden", "hidden", False),
        ("hiddens", "hidden", False),
        ("fc1", "fc10", False),
        ("fc1", "fc2", False),
        ("user_a", "user_b", False),
        ("x", "X", False),
    ],
)
def test_slips(word: str, name: str, expected: bool) -> None:
    assert slip(word, name) is expected
    assert slip(name, word) is expected

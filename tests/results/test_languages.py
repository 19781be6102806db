"""Both languages: every sentence in each, nothing of one within the other."""

from __future__ import annotations

import ast
import copy
import json
import pickle
import pkgutil
import re
import string
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console
from support.bilingual import CJK, ENGLISH, check_page_in_both, without_title
from support.command_line import CONFIGS, ROOT
from support.command_line import paddle_init as run
from support.parity_specs import ABACUS, FLAT, RANK, one_bias, one_weight, whole

import abacus_compat
import paddle_init
from abacus_compat import load_conf
from paddle_init.errors import Notice
from paddle_init.frameworks.paddle.nets.sentences import CHANGED_AFTER
from paddle_init.frameworks.sentences import OF_DRAW
from paddle_init.languages import Message, Sentence, joined, listed, translated
from paddle_init.parity.building import report
from paddle_init.parity.page import as_html, as_markdown, as_text
from paddle_init.parity.records import Drawn, Level, Report
from paddle_init.results.console import Prose
from paddle_init.schemes import (
    Scheme,
    abacus,
    constant,
    normal,
    paddle_fc,
    truncated_normal,
    uniform,
    variance_scaling,
)
from paddle_init.schemes.fixed import given, unknown
from paddle_init.specs import Draw, Input, Layer, NetSpec, Overwrite, RowBlock, Seeding, Tensor

CATALOGUES = [
    import_module(module.name)
    for package in (paddle_init, abacus_compat)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not module.name.endswith("__main__")
]
NORMAL = normal(0, 1)


def sentences() -> Iterator[tuple[str, Sentence]]:
    """Every sentence that some module or class of the packages holds, wherever that is."""
    seen: set[int] = set()
    for catalogue in CATALOGUES:
        yield from sentences_in(catalogue.__name__, vars(catalogue), seen)


def sentences_in(place: str, value: object, seen: set[int]) -> Iterator[tuple[str, Sentence]]:
    if isinstance(value, Sentence):
        if id(value) not in seen:
            seen.add(id(value))
            yield place, value
    elif isinstance(value, Mapping):
        for key, each in list(value.items()):
            words = " ".join(sorted(map(str, key))) if isinstance(key, frozenset) else key
            yield from sentences_in(f"{place}.{words}", each, seen)
    elif isinstance(value, list | tuple):
        for index, each in enumerate(value):
            yield from sentences_in(f"{place}[{index}]", each, seen)
    elif isinstance(value, set | frozenset):
        assert not any(isinstance(each, Sentence) for each in value)  # no order to name them by
    elif isinstance(value, type) and value.__module__.startswith(("paddle_init", "abacus_compat")):
        if id(value) not in seen:
            seen.add(id(value))
            yield from sentences_in(place, vars(value), seen)
    elif isinstance(value, Message):
        yield from sentences_in(place, value.sentence, seen)


SENTENCES = dict(sentences())


def places(text: str) -> set[str]:
    fields = (field for _, field, _, _ in string.Formatter().parse(text) if field is not None)
    return {field.removesuffix(".capital") for field in fields}


def test_the_catalogues_are_found() -> None:
    assert len(SENTENCES) > 470


# Chinese needs no word between these values; `draw` is the name of a field.
BY_THEIR_VALUES = (OF_DRAW, CHANGED_AFTER)


@pytest.mark.parametrize("name", SENTENCES)
def test_a_sentence_is_there_in_both_languages(name: str) -> None:
    sentence = SENTENCES[name]
    assert places(sentence.zh) <= places(sentence.en)
    # What Python or Paddle says of an error is in English.
    assert places(sentence.en) - places(sentence.zh) <= {"reason", "error"}
    words = re.sub(r"\{[^}]*\}", "", sentence.en)
    if re.search("[A-Za-z]{2}", words) and sentence not in BY_THEIR_VALUES:
        assert re.search(CJK, sentence.zh)
    assert not re.search(CJK, sentence.en)
    assert not ENGLISH.search(sentence.zh)


@pytest.mark.parametrize("name", SENTENCES)
def test_chinese_has_its_own_punctuation(name: str) -> None:
    beside = f"(?:{CJK}|[{{}}])"
    ascii_marks = f"{beside}[,;:!?](?! )|[,;:!?]{beside}|{CJK}\\(|\\({CJK}"
    assert not re.search(ascii_marks, SENTENCES[name].zh)


BIAS = Sentence("the bias", "偏置")
DRAWN = Sentence("{what.capital} is drawn as {name}.", "{what}抽取为 {name}。")


def test_a_message_is_its_english_and_knows_its_chinese() -> None:
    message = DRAWN(what=BIAS(), name="{w}")
    assert message == "The bias is drawn as {w}."
    assert json.loads(json.dumps(message)) == message
    assert translated(message, "en") == message
    for same in (message, copy.deepcopy(message), pickle.loads(pickle.dumps(message))):
        assert translated(same, "zh") == "偏置抽取为 {w}。"
    assert translated("fc1_w", "zh") == "fc1_w"


def test_joined_and_listed_speak_both() -> None:
    message = joined(Sentence("{a}; {b}", "{a}；{b}"), [BIAS(), "w", BIAS()])
    assert (message, translated(message, "zh")) == ("the bias; w; the bias", "偏置；w；偏置")
    four = listed(["a", "b", "c", "d"])
    assert (four, translated(four, "zh")) == ("a, b, c and 1 more", "a、b、c 及另外 1 个")
    assert listed([]) == ""


SAYING = {
    "Notice": 1,
    "self.notice": 1,
    "Unknown": 0,
    "CannotDrawError": 0,
    "Alternative": 1,
    "Relayout": 1,
    "Suspect": 1,
}
"""What takes a text that a report or a verification may show, and at which place."""


def texts_made() -> Iterator[tuple[str, ast.expr]]:
    for package in ("paddle_init", "abacus_compat"):
        for path in sorted((ROOT / package).rglob("*.py")):
            if path.parent.name == "identification":  # no part of a report
                continue
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
                if isinstance(node, ast.Call) and called in SAYING:
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", node.args[SAYING[called]]


def test_what_a_report_may_show_is_a_sentence() -> None:
    found = dict(texts_made())
    assert len(found) > 40
    texts = (ast.Constant, ast.JoinedStr, ast.BinOp)
    bare = [ast.unparse(said) for place, said in found.items() if isinstance(said, texts)]
    assert [text for text in bare if "paddle_version" not in text] == []


def two_blocks() -> NetSpec:
    draws = Draw("a", (100, 8), ABACUS), Draw("b", (200, 8), abacus(0.5, 0.2, True))
    rows = RowBlock("a", 0, 100), RowBlock("b", 0, 200)
    return NetSpec("abacus", draws, (Tensor("a", "weight", (300, 8), rows),))


def many_blocks() -> NetSpec:
    draws = tuple(Draw(f"w{i}", (10, 8), normal(0, 1 + i)) for i in range(20))
    rows = tuple(RowBlock(draw.name, 0, 10) for draw in draws)
    return NetSpec("abacus", draws, (Tensor("w0", "weight", (200, 8), rows),))


def layers() -> NetSpec:
    draw = Draw("w", (4, 8), ABACUS)
    layer = Layer("fc", "fc", (Input("x", 4),), "w", None, "relu")
    spec = NetSpec("abacus", (draw,), (whole(draw),), layers=(layer,))
    return NetSpec(
        "abacus", (draw,), (whole(draw),), layers=spec.layers, skipped_layers=("bn", "concat")
    )


def renamed(name: str, shape: tuple[int, ...]) -> NetSpec:
    return NetSpec("paddle", (Draw(name, shape, normal(0, 1)),))


def many_weights(count: int) -> NetSpec:
    return NetSpec("paddle", tuple(Draw(f"w{i}", (3 + i, 4), normal(0, 0)) for i in range(count)))


def three_weights(
    names: str,
    *shapes: tuple[int, int],
    scheme: Scheme = NORMAL,
    stream: Seeding | None = None,
) -> NetSpec:
    pairs = zip(names, shapes or [(8, 9)] * 3, strict=True)
    draws = tuple(Draw(name, shape, scheme) for name, shape in pairs)
    return NetSpec("paddle", draws, stream=stream)


def odd_rows() -> NetSpec:
    draw = Draw("w", (9, 4), ABACUS)
    held = Tensor("w", "weight", (4, 4), (RowBlock("w", 0, 4),))
    again = Tensor("v", "weight", (4, 4), (RowBlock("w", 2, 6),))
    return NetSpec("abacus", (draw,), (held, again))


def norm() -> NetSpec:
    draw = Draw("scale", (8,), constant(1))
    return NetSpec("paddle", (draw,), (whole(draw, "other"),))


def mixed(*schemes: Scheme) -> NetSpec:
    return NetSpec("paddle", tuple(Draw(f"w{i}", (2, 1), s) for i, s in enumerate(schemes)))


def padded(*at: int) -> NetSpec:
    draw = Draw("t", (300, 128), NORMAL)
    held = replace(whole(draw), overwritten=(Overwrite(*at),) if at else ())
    return NetSpec("paddle", (draw,), (held,))


def layer_of(prefix: str) -> NetSpec:
    draws = Draw(f"{prefix}a", (3, 4), NORMAL), Draw(f"{prefix}b", (4,), NORMAL)
    return NetSpec("paddle", draws)


def two_layers(first: str, second: str) -> NetSpec:
    """The bias b is the first one's."""
    shapes = {"w1": (3, 4), "w2": (4, 4)}
    weights = [Draw(name, shapes[name], NORMAL) for name in (first, second)]
    bias = Draw("b", (4,), NORMAL)
    tensors = (*map(whole, weights), replace(whole(bias, "bias"), bias_of=(first,)))
    return NetSpec("paddle", (*weights, bias), tensors)


def folded_block(rows: int = 100) -> NetSpec:
    draws = Draw("a", (rows, 8), ABACUS), Draw("b", (201 - rows, 8), ABACUS)
    top, end = min(rows, 100), 200 - min(rows, 100)
    blocks = RowBlock("a", 0, top), RowBlock("b", 0, end)
    held = [Tensor("w", "weight", (200, 8), blocks)]
    row = RowBlock("a", 100, 101) if rows > 100 else RowBlock("b", 100, 101)
    held.append(Tensor("c", "bias", (8,), (row,), bias_of=("w",)))
    return NetSpec("abacus", draws, tuple(held))


LONE_BIAS = Draw("b", (8,), constant(0))
REPORTS = {
    "rank": report(RANK),
    "rank in float32": report(load_conf(CONFIGS / "abacus_rank.yaml", arithmetic="float32")),
    "flat": report(FLAT),
    "flat conf": report(load_conf(CONFIGS / "flat.yaml")),
    "two blocks": report(two_blocks()),
    "many blocks": report(many_blocks()),
    "layers": report(layers()),
    "zeros": report(one_bias(abacus(0, 0.2, True), abacus(0, 0.2, True)), init_range=0),
    "undivided": report(one_weight(abacus(2, 0.2, False))),
    "abacus twice": report(one_weight(ABACUS), one_weight(abacus(1, 0.2, False))),
    "other roots": report(one_weight(ABACUS), one_weight(abacus(2, 0.2, True))),
    "seeded": report(
        one_weight(ABACUS, stream=Seeding("minstd_rand0", seed=1)),
        one_weight(ABACUS, stream=Seeding("minstd_rand0", seed=2)),
    ),
    "no seeds": report(one_weight(ABACUS), one_weight(ABACUS)),
    "means": report(one_weight(normal(0, 0.1)), one_weight(normal(1, 0.1), "paddle")),
    "float64": report(
        one_weight(normal(0, 0.13), "abacus", "float64"),
        one_weight(normal(0, 0.13), "paddle", "float64"),
    ),
    "eps": report(one_weight(normal(0, 0.1)), one_weight(normal(0, 0.1 * (1 + 2**-24)), "paddle")),
    "constants": report(one_weight(constant(1)), one_weight(constant(2), "paddle")),
    "equal constants": report(one_weight(constant(1)), one_weight(constant(1), "paddle")),
    "near constants": report(
        one_weight(constant(1)), one_weight(constant(1 + 2**-23), "paddle", "float32")
    ),
    "two dtypes": report(one_weight(constant(1)), one_weight(constant(1), "paddle", "float64")),
    "signed zeros": report(one_weight(abacus(0, 1, True)), one_weight(constant(0), "paddle")),
    "families": report(one_weight(uniform(-1, 1)), one_weight(truncated_normal(0, 1), "paddle")),
    "cuts": report(
        one_weight(truncated_normal(0, 1), "paddle"),
        one_weight(truncated_normal(0, 1, -1, 1), "paddle"),
    ),
    "overflow": report(one_weight(normal(0, 1e300)), one_weight(constant(1e300), "paddle")),
    "no partner": report(one_weight(ABACUS), renamed("v", (3, 4))),
    "nothing there": report(one_weight(ABACUS), NetSpec("paddle", ())),
    "transposed": report(one_weight(ABACUS), renamed("w", (128, 300))),
    "no weight": report(NetSpec("paddle", (LONE_BIAS,), (whole(LONE_BIAS, "bias"),))),
    "no fan_in": report(NetSpec("paddle", (LONE_BIAS,), (whole(LONE_BIAS, "weight"),))),
    "no rows": report(renamed("w", (0, 4)), renamed("w", (0, 4))),
    "drawn": report(one_weight(ABACUS), drawn=lambda *_: Drawn(Level.ROUNDING, 1, 2048)),
    "many": report(many_weights(99)),
    "matched by order": report(one_weight(normal(0, 1), "paddle"), renamed("v", (300, 128))),
    "square": report(renamed("w", (8, 8)), renamed("w", (8, 8))),
    "draw order": report(three_weights("abc"), three_weights("cab")),
    "same shapes there": report(renamed("a", (8, 9)), three_weights("xyz")),
    "a stack there": report(renamed("a", (9, 4)), three_weights("xyz", (4, 2), (4, 5), (8, 3))),
    "a bias row there": report(renamed("a", (5, 4)), renamed("b", (4, 4))),
    "swapped fans": report(
        one_weight(normal(0, 300**-0.5), "paddle"), one_weight(normal(0, 128**-0.5))
    ),
    "bias row counted": report(
        one_weight(normal(0, 300**-0.5)), one_weight(normal(0, 301**-0.5), "paddle")
    ),
    "really drawn": report(
        one_weight(ABACUS, stream=Seeding("mt19937_64", seed=1)),
        one_weight(paddle_fc(0.2), "paddle", stream=Seeding("mt19937_64", seed=1)),
    ),
    "really drawn apart": report(
        one_weight(ABACUS, stream=Seeding("minstd_rand0", seed=1)),
        one_weight(paddle_fc(0.2), "paddle", stream=Seeding("mt19937_64", seed=1)),
    ),
    "not drawn": report(
        one_weight(uniform(-1, 1), stream=Seeding("minstd_rand0", seed=1)),
        one_weight(uniform(-1, 1), "paddle", stream=Seeding("mt19937_64", seed=1)),
    ),
    "roles unknown": report(NetSpec("abacus", (Draw("r", (1, 8), ABACUS),))),
    "overflow and underflow": report(
        three_weights("abc", scheme=normal(0, 1e39)), three_weights("abc", scheme=normal(0, 1e-46))
    ),
    "no such std": report(one_weight(normal(0, 1e39)), one_weight(ABACUS, "paddle")),
    "repeats": report(
        three_weights("abc", stream=Seeding("mt19937_64", op_seed=7)), three_weights("abc")
    ),
    "rows unused and tied": report(odd_rows()),
    "other layers": report(norm(), three_weights("abc")),
    "only other layers": report(norm(), NetSpec("paddle", ())),
    "nothing": Report("a", "b", ()),
    "not known": report(one_weight(unknown("?")), one_weight(NORMAL)),
    "not known beside others": report(mixed(unknown("?"), NORMAL), mixed(NORMAL, NORMAL)),
    "not known beside differences": report(mixed(unknown("?"), NORMAL), mixed(NORMAL, constant(1))),
    "given": report(mixed(given([1.0, 2.0]), NORMAL), mixed(given([1.0, 3.0]), given([1.0, 2.0]))),
    "given alike": report(
        mixed(given([1.0, 2.0]), given([1.0, 2.0])),
        mixed(given([1.0, 2.0]), given([1.0, 2.0 + 2**-51])),
    ),
    "set after": report(padded(0, 128), padded()),
    "set apart": report(padded(3, 2), padded()),
    "prefixes": report(layer_of("_layers."), layer_of("")),
    "prefixes on the right": report(layer_of(""), layer_of("net.")),
    "a bias of another layer": report(two_layers("w1", "w2"), two_layers("w2", "w1")),
    "unexplained beside causes": report(
        one_weight(ABACUS), one_weight(variance_scaling(0.3, "fan_out"), "paddle")
    ),
    "against the ratio": report(folded_block()),
    "counted row": report(folded_block(), folded_block(101)),
    "a scale in float32": report(
        one_weight(abacus(1e-45, 0.5, False), arithmetic="float32"),
        one_weight(abacus(1e-45, 3, False), arithmetic="float64"),
    ),
    "paddle fc": report(one_weight(paddle_fc(0.7), "paddle"), one_weight(ABACUS)),
}


@pytest.mark.parametrize("name", REPORTS)
def test_a_chinese_report_has_no_english_sentence(name: str) -> None:
    made = REPORTS[name]
    for text in (as_text(made, width=2000, language="zh"), as_markdown(made, language="zh")):
        assert ENGLISH.findall(text) == []
        assert re.search(CJK, text)


@pytest.mark.parametrize("name", REPORTS)
def test_an_english_report_has_no_chinese(name: str) -> None:
    made = REPORTS[name]
    for text in (as_text(made), as_markdown(made)):
        assert not re.search(CJK, without_title(text))


@pytest.mark.parametrize("name", REPORTS)
def test_a_page_says_everything_twice(name: str) -> None:
    check_page_in_both(as_html(REPORTS[name]))


CONF = "rown: 3\ncoln: 4\ninit_range: 1\nglobal_init_range: 1\nscale_by_rown: true\n"
READ = {
    "duplicate-key": CONF + "rown: 5\n",
    "merge-key": CONF + "<<: {a: 1}\n",
    "second-document": CONF + "---\na: 1\n",
    "skipped-keys": CONF + "learning_rate: 1\n",
    "encoding": CONF + "# 权重\n",
}


@pytest.mark.parametrize("code", READ)
def test_what_reading_a_conf_warns_of_is_translated(code: str, tmp_path: Path) -> None:
    path = tmp_path / "conf.yaml"
    path.write_bytes(READ[code].encode("gb18030"))
    notices = load_conf(path).notices
    (found,) = [notice for notice in notices if notice.code == code]
    said = translated(found.message, "zh")
    assert re.search(CJK, said)
    assert not ENGLISH.search(said)


def test_every_warning_of_every_example_is_translated() -> None:
    for path in sorted(CONFIGS.glob("*.yaml")):
        for notice in report(path).warnings:
            assert isinstance(notice, Notice)
            assert re.search(CJK, translated(notice.message, "zh")), notice


def test_the_command_speaks_chinese() -> None:
    done = run("report", CONFIGS / "abacus_rank.yaml", "--lang", "zh")
    assert done.returncode == 0
    assert done.stdout.startswith("否：4 个参数中有 3 个起点不同（scale 3）。\n")


@pytest.mark.parametrize("width", [40, 57, 80])
def test_chinese_lines_keep_to_the_width_and_begin_with_no_closing_mark(width: int) -> None:
    for made in (REPORTS["rank"], REPORTS["many blocks"], REPORTS["square"]):
        text = as_text(made, width=width, language="zh")
        for line in text.splitlines():
            assert cell_len(line) <= width
            assert not re.match(r"\s*[，。；：、）]", line)
        wide = as_text(made, width=1000, language="zh")
        assert re.sub(r"\s", "", text).count("fc2_w") == re.sub(r"\s", "", wide).count("fc2_w")


def test_chinese_breaks_between_characters() -> None:
    text = Prose("文档印出的公式是乘 sqrt(rown)，而代码是除（见上）。" + "w" * 30)
    lines = [line.plain for line in text.wrap(Console(), 20)]
    assert lines == [
        "文档印出的公式是乘",
        "sqrt(rown)，而代码是",
        "除（见上）。",
        "w" * 20,
        "w" * 10,
    ]


def test_a_text_needs_no_templates() -> None:
    code = (
        "import sys; from paddle_init.cli.main import main; "
        f"main(['report', {str(CONFIGS / 'flat.yaml')!r}]); "
        "sys.exit(bool({'jinja2', 'importlib.metadata'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_json_is_one_in_every_language() -> None:
    done = run("report", CONFIGS / "flat.yaml", "--lang", "zh", "--format", "json")
    assert done.returncode == 2
    assert "--lang is for text, markdown, html; json is one in every language." in done.stderr

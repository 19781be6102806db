"""What commands write, and where: formats, gates, quiet, and names that no log may obey."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import numpy as np
import pytest
from support.command_line import CONFIGS, paddle_init, started

from paddle_init import report
from paddle_init.cli.main import main
from paddle_init.parity.page import as_html, as_markdown, as_text
from paddle_init.schemes import abacus, normal
from paddle_init.specs import Draw, NetSpec
from paddle_init.texts import inert, printable

RANK = str(CONFIGS / "abacus_rank.yaml")
DEEP = "64," * 20 + "1"
RULE = abacus(1, 0.2, True)


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("weights") / "start.npz"
    assert main(["sample", RANK, "--seed", "3", "-o", str(path), "-q"]) == 0
    return str(path)


READERS = ("text", "markdown", "html")
CHECKED = (*READERS, "json", "junit")
FORMS = {
    "report": (CHECKED, [RANK]),
    "verify": (CHECKED, ["WEIGHTS", RANK, "--seed", "3"]),
    "propagate": ((*READERS, "json", "png", "svg"), ["9,8,7", "-a", "relu", "--no-measure"]),
    "identify": (("text", "json"), ["WEIGHTS", "--ahead", "0"]),
    "gain": (("text", "json", "png", "svg"), ["relu", "tanh"]),
    "averages": (("text", "json", "png", "svg"), ["30", "20"]),
}
SUFFIXES = {
    "text": ("", ".txt"),
    "markdown": (".md", ".markdown"),
    "html": (".html", ".HTM"),
    "json": (".json",),
    "junit": (".xml",),
    "png": (".png",),
    "svg": (".svg", ".SVG"),
}


def form_of(data: bytes) -> str:
    starts = {
        b"\x89PNG": "png",
        b"<!doctype html>": "html",
        b"{": "json",
        b"[": "json",
        b"# ": "markdown",
    }
    for start, form in starts.items():
        if data.startswith(start):
            return form
    if data.startswith(b"<?xml"):
        return "svg" if b"<svg" in data else "junit"
    return "text"


def arguments(command: str, weights: str) -> list[str]:
    return [command, *(weights if each == "WEIGHTS" else each for each in FORMS[command][1])]


@pytest.mark.parametrize("command", FORMS)
def test_the_suffix_decides(command: str, weights: str, tmp_path: Path) -> None:
    for form in FORMS[command][0]:
        for suffix in SUFFIXES[form]:
            out = tmp_path / f"out{suffix}"
            assert main([*arguments(command, weights), "-o", str(out)]) == 0
            assert form_of(out.read_bytes()) == form, suffix


@pytest.mark.parametrize("command", FORMS)
def test_an_explicit_format_wins(command: str, weights: str, tmp_path: Path) -> None:
    out = tmp_path / "out.html"
    for form in FORMS[command][0]:
        assert main([*arguments(command, weights), "--format", form, "-o", str(out)]) == 0
        assert form_of(out.read_bytes()) == form


@pytest.mark.parametrize("command", FORMS)
def test_a_suffix_of_no_format_is_refused(
    command: str, weights: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    others = {suffix for form, each in SUFFIXES.items() for suffix in each if suffix} - {
        suffix for form in FORMS[command][0] for suffix in SUFFIXES[form]
    }
    for suffix in (*others, ".pngg", ".yaml", "."):
        out = tmp_path / f"out{suffix}"
        assert main([*arguments(command, weights), "-o", str(out)]) == 2
        told = capsys.readouterr()
        assert told.out == ""
        error = told.err.splitlines()[-1]
        for form in FORMS[command][0]:
            assert all(each.lower() in error for each in SUFFIXES[form])
        assert not out.exists()


@pytest.mark.parametrize("command", FORMS)
def test_stdout_is_text(command: str, weights: str, capsys: pytest.CaptureFixture[str]) -> None:
    for output in ([], ["-o", "-"], ["-o", "/dev/stdout"]):
        assert main([*arguments(command, weights), *output]) == 0
        assert form_of(capsys.readouterr().out.encode()) == "text"


def test_stdout_by_its_name_is_added_to(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("before\n")
    with log.open("a") as file:
        run = started("averages", "3", "2", "-o", "/dev/stdout", stdout=file)
        assert run.wait(60) == 0
    assert log.read_text().startswith("before\nm = 3, n = 2")


TARGETS = {
    "": "paddle_init: 1",
    ".yaml": "paddle_init: 1",
    ".yml": "paddle_init: 1",
    ".txt": "paddle_init: 1",
    ".py": '"""Initial weights',
    ".conf": "global_init_range:",
}


@pytest.mark.parametrize("suffix", TARGETS)
def test_a_translation_is_what_the_suffix_names(suffix: str, tmp_path: Path) -> None:
    out = tmp_path / f"net{suffix}"
    assert main(["translate", RANK, "-o", str(out)]) == 0
    assert out.read_text("utf-8").startswith(TARGETS[suffix])
    assert main(["translate", RANK, "-o", str(out), "--to", "python"]) == 0
    assert out.read_text("utf-8").startswith(TARGETS[".py"])


@pytest.mark.parametrize(
    "command", [["translate", RANK], ["sample", RANK, "--seed", "1"]], ids=lambda each: each[0]
)
def test_an_unknown_suffix_is_refused(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.jsn"
    assert main([*command, "-o", str(out)]) == 2
    known = ".yaml" if command[0] == "translate" else ".npz"
    assert known in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize("encoding", ["gbk", "ascii", "utf-16", "latin-1"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_page_on_stdout_is_in_its_charset(encoding: str, language: str, tmp_path: Path) -> None:
    conf = tmp_path / "conf.yaml"
    conf.write_text(
        "global_init_range: 0.2\nparam:\n"
        "  - {name: 层_w, rown: 30, coln: 8, init_range: 1, scale_by_rown: true}\n",
        "utf-8",
    )
    out = tmp_path / "page.html"
    command = ("report", conf, "--format", "html", "--lang", language)
    assert paddle_init(*command, "-o", out).returncode == 0
    ran = paddle_init(*command, PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    assert '<meta charset="utf-8">' in ran.stdout
    assert "层_w" in html.unescape(ran.stdout)
    foot = re.compile(r"<footer.*", re.DOTALL)  # which holds the command
    assert foot.sub("", ran.stdout) == foot.sub("", out.read_text("utf-8"))


@pytest.mark.parametrize("output", ["-", "out.json", "out.html", "out.xml", "out"])
@pytest.mark.parametrize("language", [None, "zh"])
def test_a_gate_that_fails_says_so(
    output: str,
    language: str | None,
    weights: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if language and output in ("out.json", "out.xml"):
        return
    where = output if output == "-" else str(tmp_path / output)
    rest = ["-q", "-o", where, *(["--lang", language] if language else [])]
    gates = {
        ("report", RANK, "--fail-on", "scale"): "--fail-on scale",
        ("verify", weights, RANK, "--seed", "4"): "--fail-on untested",
        (
            "propagate",
            "64," * 20 + "1",
            "-a",
            "sigmoid",
            "--no-measure",
            "--fail-on",
            "vanishing",
        ): ("--fail-on vanishing"),
    }
    for command, gate in gates.items():
        if command[0] == "propagate" and output == "out.xml":
            continue
        assert main([*command, *rest]) == 1
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith(f"failed ({gate}): ")
        assert bool(re.search("[\u4e00-\u9fff]", line)) == (language == "zh")
    assert main(["report", RANK, "--fail-on", "structure", *rest]) == 0
    assert capsys.readouterr().err == ""


def test_quiet_leaves_the_result_alone(
    weights: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in (
        ["translate", RANK],
        ["sample", RANK, "--seed", "1", "-o", str(tmp_path / "x.npz")],
        ["verify", weights, RANK, "--seed", "3"],
    ):
        assert main(command) == 0
        assert "bias-row-in-rown" in capsys.readouterr().err
        for option in ("-q", "--quiet"):
            assert main([*command, option]) == 0
            assert capsys.readouterr().err == ""
    for form in READERS:
        assert main(["report", RANK, "--format", form]) == 0
        assert "bias-row-in-rown" in capsys.readouterr().out
        assert main(["report", RANK, "--format", form, "-q"]) == 0
        assert "bias-row-in-rown" not in capsys.readouterr().out
    assert main(["report", RANK, "--format", "json", "-q"]) == 0
    assert "bias-row-in-rown" in capsys.readouterr().out
    assert main(["translate", "no such file", "-q"]) == 2
    assert capsys.readouterr().err.startswith("error: ")


NOTES = ("formula-in-document", "mean-in-document", "bias-reading")


def two(left: Draw, right: Draw, framework: str = "abacus") -> str:
    return as_text(report(NetSpec("abacus", (left,)), NetSpec(framework, (right,))))


def test_notes_are_shown_where_they_are_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    for form in READERS:
        for notes, shown in (([], False), (["--notes"], True)):
            assert main(["report", RANK, "--format", form, *notes]) == 0
            out = capsys.readouterr().out
            assert [code in out for code in NOTES] == [shown] * 3
    assert main(["report", RANK, "--format", "json"]) == 0
    codes = [each["code"] for each in json.loads(capsys.readouterr().out)["warnings"]]
    assert [code for code in NOTES if code in codes] == list(NOTES)
    made = report(RANK)
    for write in (as_text, as_markdown, as_html):
        assert "mean-in-document" not in write(made)
        assert "mean-in-document" in write(made, notes=True)


def test_notes_are_shown_where_they_explain_a_difference() -> None:
    by_code = Draw("w", (9, 4), RULE)
    multiplied = Draw("w", (9, 4), normal(0, 0.2 * 3))
    assert "formula-in-document" in two(by_code, multiplied)
    assert "formula-in-document" not in two(by_code, Draw("w", (9, 4), normal(0, 0.2 * 2)))
    assert "mean-in-document" in two(by_code, Draw("w", (9, 4), normal(1, 0.2 / 3)))
    assert "mean-in-document" not in two(by_code, Draw("w", (9, 4), normal(0.5, 0.2 / 3)))
    flat = str(CONFIGS / "flat.yaml")
    assert "bias-reading" in as_text(report(flat))
    assert "bias-reading" not in as_text(report(flat, flat))
    assert "abacus与paddle的参数初始化方式" in as_text(report(flat), width=120)


def test_bias_rows_are_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    conf = tmp_path / "two.yaml"
    params = ("{name: w1, rown: 9, coln: 4, ", "{name: w2, rown: 5, coln: 1, ")
    conf.write_text(
        "global_init_range: 0.2\nparam:\n"
        + "".join(f"  - {each}init_range: 1, scale_by_rown: true}}\n" for each in params)
        + "layer:\n"
        "  - {name: a, class: NeuralLayer, a_input: [x, bias_input], b_input: w1, act_func: relu}\n"
        "  - {name: b, class: NeuralLayer, a_input: [a, bias_input], b_input: w2, "
        "act_func: linear}\n"
    )
    assert main(["translate", str(conf)]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert "bias-row-in-rown" in line
    assert "w1 (rown 9, layer a), w2 (rown 5, layer b)" in line
    for other in ([], ["--against", str(conf)]):
        assert main(["report", str(conf), "--format", "json", *other]) == 0
        warnings = json.loads(capsys.readouterr().out)["warnings"]
        (told,) = (each for each in warnings if each["code"] == "bias-row-in-rown")
        assert "w1 (rown 9, fan_in 8), w2 (rown 5, fan_in 4)" in told["message"]


HOSTILE = [
    "w\n::error file=x.yaml::injected",
    "w\r::error::injected",
    "w\u2028::error::injected",
    "w\u2029::error::injected",
    "w\x85::error::injected",
    "::stop-commands::injected",
    "  ::error::injected",
    "##[error]injected",
    "w\x1b[31m\x1b]0;injected\x07",
    "w\u202einjected\u2066",
    "w\x9b31minjected",
    "a_long_name_of_a_tower_that_wraps " * 2 + "::error file=other.yaml::injected ##[error]x",
    "x" * 70 + "::error::injected",
]
BAD = re.compile(
    r"^\s*::|##\[|[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", re.M
)


@pytest.fixture(scope="module", params=range(len(HOSTILE)))
def hostile(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    name = json.dumps(HOSTILE[request.param])
    (folder / "conf.yaml").write_text(
        "global_init_range: 0.2\nparam:\n"
        f"  - {{name: {name}, rown: 31, coln: 8, init_range: 1, scale_by_rown: true}}\n"
        f'  - {{name: {name[:-1]}2", rown: 8, coln: 4, init_range: 1, scale_by_rown: true}}\n'
        "  - {name: b, rown: 1, coln: 8, init_range: 0, scale_by_rown: true}\n"
        "layer:\n"
        f'  - {{name: {name}, class: NeuralLayer, a_input: [{name[:-1]}_input", bias_input], '
        f"b_input: {name}, act_func: relu}}\n"
        f'  - {{name: {name[:-1]}3", class: OtherLayer}}\n'
    )
    (folder / "net.yaml").write_text(
        "paddle_init: 1\nframework: paddle\ndraws:\n"
        f"  - {{name: {name}, shape: [8, 4], scheme: {{kind: normal, std: 1}}}}\n"
    )
    np.savez(folder / "w.npz", other=np.ones((3, 4), "f4"))
    return folder


def test_names_start_no_command_in_a_log(hostile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    conf, net, arrays = (str(hostile / name) for name in ("conf.yaml", "net.yaml", "w.npz"))
    commands = [
        *(
            ["report", conf, "--notes", "--format", form, *rest]
            for form in (*READERS, "json", "junit")
            for rest in ([], ["--against", net])
        ),
        *(["verify", arrays, conf, "--any-seed", "--format", form] for form in CHECKED),
        ["report", conf, "--lang", "zh"],
        ["translate", conf],
        *(["translate", conf, "--to", target] for target in ("python", "conf", "mapping")),
        ["translate", net, "--to", "mapping", "--against", conf],
        ["translate", conf, conf, "-o", str(hostile / "out")],
        ["sample", conf, "--seed", "1", "-o", str(hostile / "s.npz")],
        ["sample", conf, "--seed", "1", "--format", "json", "-o", str(hostile / "s.npz")],
        ["identify", str(hostile / "s.npz"), "--ahead", "0"],
        ["identify", str(hostile / "s.npz"), "--ahead", "0", "--format", "json"],
        ["report", conf, "--mapping", str(hostile / "none.yaml")],
        ["propagate", conf, "--no-measure"],
    ]
    shown = False
    for command in commands:
        main(command)
        told = capsys.readouterr()
        for text in (told.out, told.err):
            assert not BAD.search(text), (command, BAD.search(text))
        shown |= "injected" in told.out
    assert shown
    main(["report", conf, "--format", "github"])
    for line in capsys.readouterr().out.splitlines():
        assert not re.search(r"##\[|[\x00-\x1f]", line)
        assert not line.lstrip().startswith("::") or line.startswith(("::error file=", "::notice "))


def test_json_keeps_the_names(hostile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(hostile / "conf.yaml"), "--format", "json"]) == 0
    names = {each["name"] for each in json.loads(capsys.readouterr().out)["parameters"]}
    assert names & set(HOSTILE)


def test_a_file_whose_name_is_a_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = "::error title=x::y.yaml"
    Path(name).write_bytes(Path(RANK).read_bytes())
    for command in (["translate", name], ["report", name], ["translate", name, "-o", "out", name]):
        main(command)
        told = capsys.readouterr()
        assert not BAD.search(told.out + told.err)


def test_lines_and_texts() -> None:
    assert inert("  ::error::x") == "  \\x3a:error::x"
    assert inert("a ::error::x") == "a ::error::x"
    assert printable("##[error]\n") == "##\\x5berror]\\n"
    assert printable("全连接 :smile:") == "全连接 :smile:"

"""The command line as a whole: exit codes, messages, streams, and what it imports."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest
from support.command_line import CONFIGS, ROOT, environment, paddle_init, running, started

from abacus_compat import load_conf
from paddle_init import __version__, dump_spec
from paddle_init.cli import outcome
from paddle_init.cli.main import SUMMARIES, main
from paddle_init.cli.main import paddle_init as group
from paddle_init.errors import SpecError
from paddle_init.yaml_cpp import DocumentError

RANK, FLAT = CONFIGS / "abacus_rank.yaml", CONFIGS / "flat.yaml"


def test_report_answers_on_stdout() -> None:
    ran = paddle_init("report", "configs/abacus_rank.yaml", cwd=ROOT)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("No: 3 of 4 parameters start elsewhere (scale 3).\n")
    assert "(configs/abacus_rank.yaml:11)" in ran.stdout
    assert "\x1b" not in ran.stdout


def test_report_as_json() -> None:
    ran = paddle_init("report", RANK, "--format", "json")
    form = json.loads(ran.stdout)
    assert [parameter["level"] for parameter in form["parameters"]] == [
        "stream",
        "scale",
        "scale",
        "scale",
    ]
    assert form["parameters"][1]["left"]["source"] == {"file": str(RANK), "line": 11}


def test_the_init_range_of_the_towers() -> None:
    ran = paddle_init("report", RANK, "--init-range", "1e-1", "--format", "json")
    assert json.loads(ran.stdout)["parameters"][0]["std_ratio"] == 0.5


def test_two_files_against_each_other(tmp_path: Path) -> None:
    spec = tmp_path / "rank.yaml"
    assert paddle_init("translate", RANK, "-o", spec).returncode == 0
    ran = paddle_init("report", RANK, "--against", spec)
    assert ran.returncode == 0
    assert ran.stdout.startswith("Yes, in distribution: all 4 parameters are drawn alike")


@pytest.mark.parametrize(
    ("level", "code"),
    [
        ("rounding", 1),
        ("stream", 1),
        ("scale", 1),
        ("distribution", 0),
        ("structure", 0),
    ],
)
def test_fail_on_a_level(capsys: pytest.CaptureFixture[str], level: str, code: int) -> None:
    assert main(["report", str(RANK), "--fail-on", level]) == code
    assert capsys.readouterr().out.startswith("No: 3 of 4")


SPEC = "paddle_init: 1\nframework: paddle\ndraws:\n"
CONF = "init_range: 1\nglobal_init_range: 0.2\nscale_by_rown: true\nrown: 3\ncoln: 4\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", ["bad.yaml:1", "expected", "found nothing"]),
        ("- 1\n- 2\n", ["bad.yaml:1", "expected", "found a list"]),
        ("\0\0\0", ["bad.yaml:1", "binary"]),
        ("a: [1\n", ["bad.yaml:"]),
        ("a: 1\rb: 2\r", ["bad.yaml:1", "carriage return"]),
        (CONF.replace("rown: 3\n", ""), ["bad.yaml:1", "rown", "missing"]),
        (CONF.replace("rown: 3", "rown: 1.0"), ["bad.yaml:4", "rown", "integer", "'1.0'"]),
        (CONF.replace("rown: 3", "rown: 0"), ["bad.yaml:4", "rown", "1"]),
        (CONF.replace("true", "1"), ["bad.yaml:3", "scale_by_rown", "true", "'1'"]),
        (CONF.replace("0.2", "1e400"), ["bad.yaml:2", "global_init_range", "'1e400'"]),
        (CONF.replace("0.2", "-1"), ["bad.yaml:2", "global_init_range", "-1"]),
        (CONF.replace("rown: 3", "rown: 65536").replace("coln: 4", "coln: 65536"), ["65536"]),
        (SPEC + "  - {name: w, shape: [3, 4]}\n", ["bad.yaml:4", "scheme", "missing"]),
        (
            SPEC + "  - {name: w, shape: [3, 4], scheme: {kind: norm}}\n",
            ["bad.yaml:4", "kind", "'norm'", "normal"],
        ),
        (
            SPEC + "  - {name: w, shape: [3, 4], scheme: {kind: normal, mean: 0, std: -1}}\n",
            ["bad.yaml:4", "std must be 0 or more", "-1"],
        ),
        (SPEC.replace(": 1", ": 2"), ["bad.yaml:1", "format 2", "1"]),
    ],
)
@pytest.mark.parametrize("command", ["report", "translate"])
def test_bad_files_are_told_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, content: str, said: list[str]
) -> None:
    bad, out = tmp_path / "bad.yaml", tmp_path / "out"
    bad.write_bytes(content.encode())
    code = main([command, str(bad), "-o", str(out)])
    printed = capsys.readouterr()
    assert (code, printed.out) == (2, "")
    lines = printed.err.splitlines()
    assert lines
    assert [line for line in lines if not line.startswith("error: ")] == []
    assert [part for part in said if part not in printed.err] == [], printed.err
    assert "Traceback" not in printed.err
    assert list(tmp_path.iterdir()) == [bad]


def test_every_error_is_marked_after_the_warnings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in {
        "conf": CONF.replace("rown: 3", "rown: x") + "<<: {x: 1}\n",
        "section": "<<: {x: 1}\nglobal_init_range: 0.2\nparam: [1, 2]\n",
        "neither": "<<: {x: 1}\n",
        "spec": SPEC + "  - {name: w}\n<<: {x: 1}\n",
    }.items():
        bad = tmp_path / f"{name}.yaml"
        bad.write_text(text)
        for command in ("report", "translate"):
            assert main([command, str(bad)]) == 2
            lines = capsys.readouterr().err.splitlines()
            marked = [line.startswith("error: ") for line in lines]
            assert True in marked, lines
            assert sorted(marked) == marked
            warnings = lines[: marked.index(True)]
            assert any("warning [merge-key]" in line for line in warnings), lines
            assert all("warning [" in line for line in warnings)


def test_an_encoding_that_was_found_is_told_where_the_text_is_no_yaml(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_bytes("名: [".encode("gb18030"))
    assert main(["translate", str(bad)]) == 2
    warning, *errors = capsys.readouterr().err.splitlines()
    assert "warning [encoding]" in warning
    assert errors
    assert all(line.startswith("error: ") for line in errors)


def test_advice_is_what_the_command_line_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = RANK.read_text(encoding="utf-8").replace("show_input,", "show_input, other_input,")
    conf = tmp_path / "inner" / "open.yaml"
    conf.parent.mkdir()
    conf.write_text(text, encoding="utf-8")
    assert main(["translate", str(conf)]) == 2
    assert "give all but one: --width show_input=N, or vec_input: " in capsys.readouterr().err
    with pytest.raises(DocumentError, match=r"widths=\{'show_input': \.\.\.\}, or vec_input: "):
        load_conf(conf)
    assert main(["translate", str(conf), "--width", "no_input=3"]) == 2
    assert "--width: no layer reads 'no_input'" in capsys.readouterr().err
    conf.write_text("plugins: {dnn_plugin: ../flat.yaml}\n")
    assert main(["translate", str(conf)]) == 2
    assert "holds both files with --root\n" in capsys.readouterr().err
    with pytest.raises(DocumentError, match=r"holds both files as root$"):
        load_conf(conf)


@pytest.mark.parametrize("target", ["spec", "python", "mapping"])
def test_a_draw_without_distribution_is_refused_by_every_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], target: str
) -> None:
    spec, out = tmp_path / "spec.yaml", tmp_path / "out"
    spec.write_text(SPEC + "  - {name: b, shape: [4], scheme: {kind: he_normal}}\n")
    said = f"error: {spec}:4: draw b: variance_scaling: the shape [4] does not say its fan_in"
    for command in (["report"], ["translate", "--to", target]):
        assert main([*command, str(spec), "-o", str(out)]) == 2
        assert capsys.readouterr().err.startswith(said)
    assert not out.exists()


def test_standard_input(tmp_path: Path) -> None:
    def run(*args: object, given: bytes = FLAT.read_bytes()) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "paddle_init", *map(str, args)]
        return subprocess.run(
            command, input=given, capture_output=True, env=environment(), check=False, timeout=60
        )

    ran = run("translate", "-")
    assert ran.stdout.decode() == dump_spec(load_conf(FLAT))
    assert ran.stderr.startswith(b"<stdin>:2: warning [bias-reading]")
    assert run("report", "-", "--against", FLAT).stdout.startswith(b"Yes, in distribution")
    assert b"error: <stdin>:1: " in run("report", "-", given=b"- 1").stderr
    assert run("translate", "-", RANK, "--to", "python", "-o", tmp_path).returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["abacus_rank.py", "stdin.py"]
    closed = f'exec "{sys.executable}" -m paddle_init report - <&-'
    ran = subprocess.run(
        ["sh", "-c", closed], env=environment(), capture_output=True, check=False, timeout=60
    )
    assert ran.returncode == 2
    assert b"standard input is closed" in ran.stderr


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([], ["Usage: paddle-init", "Missing command"]),
        (["repotr"], ["No such command 'repotr'"]),
        (["report"], ["Usage: paddle-init report", "Missing argument 'SPEC'"]),
        (["report", "no.yaml"], ["no.yaml", "no such file"]),
        (["report", "."], ["folder"]),
        (["report", FLAT, "--against", "no.yaml"], ["no.yaml", "no such file"]),
        (["report", FLAT, "--frmat", "json"], ["No such option", "--frmat"]),
        (["report", FLAT, "--format", "xml"], ["'xml'", "text", "json"]),
        (["report", FLAT, "--fail-on", "bad"], ["'bad'", "structure"]),
        (["report", FLAT, "--init-range", "1_0"], ["--init-range", "'1_0'"]),
        (["report", FLAT, "--init-range", "nan"], ["--init-range", "'nan'"]),
        (["report", FLAT, "--init-range", ".inf"], ["init_range must be finite"]),
        (["report", FLAT, "--init-range=-1"], ["init_range must be finite and 0 or more, got -1"]),
        (["report", FLAT, "--against", RANK, "--init-range", "1"], ["--init-range", "--against"]),
        (["report", FLAT, "--encoding", "nope"], ["nope"]),
        (["report", FLAT, "--arithmetic", "float16"], ["'float16'", "float32"]),
        (["report", FLAT, "--width", "x"], ["--width", "NAME=N", "'x'"]),
        (["report", FLAT, "--width", "x=0"], ["--width", "NAME=N", "'x=0'"]),
        (["report", "nets.tower:build"], ["nets.tower:build: importing nets.tower failed"]),
        (["report", FLAT, "-o", "no/such/folder/out"], ["there is no folder", "no/such/folder"]),
        (["report", FLAT, "-o", "."], ["folder"]),
        (["report", FLAT, "-o", "out/"], ["folder"]),
        (["report", FLAT, "-o", ""], ["--output", "expected a name, found an empty text"]),
        (["report", ""], ["SPEC", "expected a name, found an empty text"]),
        (["report", FLAT, "--against", ""], ["--against", "an empty text"]),
        (["report", FLAT, "--mapping", ""], ["--mapping", "an empty text"]),
        (["report", FLAT, "--root", ""], ["--root", "an empty text"]),
        (["report", FLAT, "--encoding", ""], ["--encoding", "an empty text"]),
        (["translate", FLAT, "", "-o", "out"], ["SPEC", "an empty text"]),
        (["sample", FLAT, "-o", ""], ["--output", "an empty text"]),
        (["report", "-", "--against", "-"], ["standard input (-) can be read once"]),
        (["report", FLAT, "--width", f"x={'9' * 5000}"], ["--width", "NAME=N"]),
        (["report", FLAT, "--seed", "9" * 5000], ["--seed", "expected an integer"]),
        (["report", FLAT, "--seed-seq", f"1,{'9' * 5000}"], ["--seed-seq", "expected integers"]),
        (["propagate", "3", "--layers", "99999999999", "-a", "relu"], ["--layers"]),
        (["propagate", "3,3", "-a", "relu", "--batch", "9" * 30], ["--batch"]),
        (["report", FLAT, "--engine", "mt19937"], ["give --seed or --seed-seq, or a spec"]),
        (["translate"], ["Missing argument 'SPEC...'"]),
        (["translate", FLAT, "--to", "torch"], ["'torch'", "python"]),
        (["translate", FLAT, RANK], ["several files", "-o"]),
    ],
)
def test_wrong_usage_is_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    args: list[object],
    said: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    code = main([str(arg) for arg in args])
    printed = capsys.readouterr()
    assert (code, printed.out) == (2, "")
    assert [part for part in said if part not in printed.err] == [], printed.err
    assert "Traceback" not in printed.err
    assert not list(tmp_path.iterdir())


def test_a_scheme_that_does_not_fit_its_shape_is_told_by_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = tmp_path / "spec.yaml"
    spec.write_text(SPEC + "  - {name: b, shape: [4], scheme: {kind: paddle_fc, init_range: 1}}\n")
    assert main(["report", str(spec)]) == 2
    assert f"{spec}:4: draw b: paddle_fc: the shape [4] does not say its fan_in" in (
        capsys.readouterr().err
    )


def test_conf_options_are_for_confs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = tmp_path / "spec.yaml"
    main(["translate", str(RANK), "-o", str(spec)])
    capsys.readouterr()
    assert main(["report", str(spec), "--arithmetic", "float32"]) == 2
    assert "arithmetic can be set for abacus confs alone" in capsys.readouterr().err
    assert main(["report", str(RANK), "--against", str(spec), "--arithmetic", "float32"]) == 0
    assert "abacus: " in capsys.readouterr().out


def test_conf_options_reach_the_reader(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["translate", str(RANK), "--arithmetic", "float32", "--storage-order", "C"]) == 0
    written = capsys.readouterr().out
    assert "arithmetic: float32\nstorage_order: C\n" in written
    text = RANK.read_text(encoding="utf-8").replace("show_input,", "show_input, other_input,")
    conf = tmp_path / "open.yaml"
    conf.write_text(text, encoding="utf-8")
    assert main(["translate", str(conf)]) == 2
    assert "show_input" in capsys.readouterr().err
    assert main(["translate", str(conf), "--width", "show_input=200"]) == 0
    gbk = tmp_path / "gbk.yaml"
    gbk.write_bytes("# 全连接\n".encode("gbk") + FLAT.read_bytes().split(b"\n", 1)[1])
    assert main(["translate", str(gbk), "--encoding", "gbk"]) == 0


def test_errors_show_control_characters_as_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(tmp_path / "a\x1b[31mb")]) == 2
    assert "a\\x1b[31mb" in capsys.readouterr().err


def test_every_command_is_listed_and_has_an_example() -> None:
    context = click.Context(group)
    listed = paddle_init("--help").stdout
    for name, summary in SUMMARIES.items():
        command = group.get_command(context, name)
        assert command is not None
        assert name in listed
        assert summary in " ".join(listed.split())
        assert command.get_short_help_str(200) == summary
        assert f"  paddle-init {name} " in command.get_help(click.Context(command))
    assert "  paddle-init report configs/abacus_rank.yaml" in listed


def test_version() -> None:
    assert paddle_init("--version").stdout == f"paddle-init, version {__version__}\n"


@pytest.mark.parametrize(
    ("raised", "code", "said"),
    [
        (SpecError("what is wrong"), 2, "error: what is wrong\n"),
        (click.ClickException("no"), 2, "error: no\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (click.Abort(), 130, "interrupted\n"),
        (MemoryError(), 2, "error: there is not enough memory for this\n"),
        (RuntimeError("oh"), 3, "error: a fault of paddle-init: RuntimeError: oh\n"),
        (OSError(5, "odd"), 3, "error: a fault of paddle-init: OSError: [Errno 5] odd\n"),
    ],
)
def test_exit_codes_and_signal_handlers(
    capsys: pytest.CaptureFixture[str], raised: BaseException, code: int, said: str
) -> None:
    @click.command()
    def failing() -> None:
        raise raised

    before = signal.getsignal(signal.SIGTERM)
    assert outcome.run(failing, []) == code
    assert signal.getsignal(signal.SIGTERM) is before
    told = capsys.readouterr().err
    assert told.lstrip("\n").startswith(said)
    assert "Traceback" not in told


def test_a_fault_of_ours_shows_its_traceback_when_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @click.command()
    def failing() -> None:
        raise RuntimeError("oh")

    monkeypatch.setenv("PADDLE_INIT_DEBUG", "1")
    assert outcome.run(failing, []) == 3
    assert "Traceback (most recent call last)" in capsys.readouterr().err


@pytest.mark.parametrize(
    "changes",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "gbk"},
    ],
)
def test_any_locale_will_do(tmp_path: Path, changes: dict[str, str]) -> None:
    conf = tmp_path / "中文\u2603.yaml"
    text = RANK.read_text(encoding="utf-8").replace("fc1_w", "第一层\u2603")
    conf.write_text(text, encoding="utf-8")
    for form in ("text", "json"):
        ran = paddle_init("report", conf, "--format", form, **changes)
        assert (ran.returncode, ran.stderr) == (0, ""), ran.stderr
        assert "\\u2603" in ran.stdout
    # What a program reads is UTF-8 always: an escape would be another name.
    ran = paddle_init("translate", conf, **changes)
    assert ran.returncode == 0
    assert "第一层\u2603" in ran.stdout


def test_a_closed_pipe_is_no_error() -> None:
    for args in (["report", str(RANK)], ["translate", str(RANK)], ["--help"]):
        read, write = os.pipe()
        os.close(read)
        ran = started(*args, stdout=write, stderr=subprocess.PIPE)
        os.close(write)
        _, err = ran.communicate(timeout=60)
        assert "Traceback" not in err.decode()
        assert b"BrokenPipe" not in err
        assert ran.returncode == 0
        assert b"error" not in err


ANSWERS = [["report", RANK], ["--help"], ["--version"], *([name, "-h"] for name in SUMMARIES)]


@pytest.mark.parametrize("args", ANSWERS, ids=lambda args: f"{args[0]} {args[-1]}"[:20])
def test_a_closed_stdout_is_told(args: list[object]) -> None:
    line = f'exec "{sys.executable}" -m paddle_init "$@" >&-'
    ran = subprocess.run(
        ["sh", "-c", line, "sh", *map(str, args)],
        env=environment(),
        capture_output=True,
        check=False,
        timeout=60,
    )
    said = b"error: standard output is closed: name a file with -o, or open it\n"
    assert (ran.returncode, ran.stderr) == (2, said)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("args", ANSWERS, ids=lambda args: f"{args[0]} {args[-1]}"[:20])
def test_a_full_disk_is_told(args: list[object]) -> None:
    with open("/dev/full", "wb") as full:
        ran = started(*args, stdout=full, stderr=subprocess.PIPE)
        _, err = ran.communicate(timeout=60)
    assert (ran.returncode, err) == (2, b"error: standard output: the disk is full\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_under_a_file_is_told() -> None:
    ran = paddle_init("report", RANK, "-o", "/dev/full")
    assert (ran.returncode, ran.stderr) == (2, "error: /dev/full: the disk is full\n")


def test_no_command_imports_paddle(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from paddle_init.cli.main import main\n"
        "code = main(sys.argv[1:])\n"
        "found = {'paddle', 'numba', 'matplotlib', 'jinja2', 'safetensors'} & set(sys.modules)\n"
        "sys.exit(f'imported {found}' if found else code)\n"
    )
    for args in (
        ["--help"],
        ["report", RANK],
        ["report", FLAT, "--format", "json", "-o", tmp_path / "r.json"],
        ["report", RANK, "--format", "junit"],
        ["report", RANK, "--format", "github"],
        ["translate", RANK],
        ["translate", RANK, "--to", "python"],
        ["translate", RANK, "--to", "conf"],
    ):
        ran = subprocess.run(
            [sys.executable, "-c", code, *map(str, args)],
            env=environment(),
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=60,
        )
        assert ran.returncode == 0, (args, ran.stderr)


def test_help_needs_neither_numpy_nor_yaml() -> None:
    code = (
        "import sys\n"
        "from paddle_init.cli.main import main\n"
        "main(['--help'])\n"
        "sys.exit(str({'numpy', 'yaml', 'rich'} & set(sys.modules)))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, check=False
    )
    assert ran.stderr.decode().strip() == "set()"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_command_leaves_no_file(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    conf = tmp_path / "conf.yaml"
    conf.write_bytes(b"- takes seconds to read\n" * 2_000_000)
    run = started("report", conf, "-o", tmp_path / "out", stderr=subprocess.PIPE)
    assert running(run)
    run.send_signal(number)
    _, err = run.communicate(timeout=60)
    assert run.returncode == code
    assert b"Traceback" not in err
    assert list(tmp_path.iterdir()) == [conf]

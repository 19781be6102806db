"""Output files are whole or not there."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from support import killed_commands
from support.command_line import CONFIGS, environment

from abacus_compat import load_conf
from paddle_init import dump_spec
from paddle_init.cli.main import main
from paddle_init.output_files import OutputError, refuse_input, replacing

RANK = str(CONFIGS / "abacus_rank.yaml")


def write(path: Path | str, data: bytes = b"new") -> None:
    with replacing(str(path)) as file:
        file.write(data)


@pytest.fixture
def umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def test_a_new_file_has_the_usual_permissions(tmp_path: Path, umask: int) -> None:
    path = tmp_path / "out"
    write(path)
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_replaced_file_keeps_its_permissions(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")
    path.chmod(mode)
    write(path)
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_the_old_file_stands_until_the_new_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")
    with replacing(str(path)) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("raised", [ValueError, KeyboardInterrupt, SystemExit, MemoryError])
@pytest.mark.parametrize("old", [None, b"old"])
def test_nothing_is_left_where_writing_fails(
    tmp_path: Path, raised: type[BaseException], old: bytes | None
) -> None:
    path = tmp_path / "out"
    if old is not None:
        path.write_bytes(old)

    def fail_halfway() -> None:
        with replacing(str(path)) as file:
            file.write(b"half")
            raise raised

    with pytest.raises(raised):
        fail_halfway()
    assert [entry.read_bytes() for entry in tmp_path.iterdir()] == ([] if old is None else [old])


def test_a_link_stays_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "target", tmp_path / "link"
    link.symlink_to(target)
    for data in (b"dangling at first", b"then replaced"):
        write(link, data)
        assert link.is_symlink()
        assert target.read_bytes() == data
    assert list((tmp_path / "folder").iterdir()) == [target]


def test_a_pipe_and_a_device_are_written_to(tmp_path: Path) -> None:
    write("/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    write(pipe)
    reader.join(10)
    assert received == [b"new"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_long_names_fit(tmp_path: Path) -> None:
    path = tmp_path / ("名" * 85)
    write(path)
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("missing/out", "there is no folder"),
        ("line\nend/out", "there is no folder"),
        ("file/out", "there is no folder"),
        ("folder", "this is a folder; name a file"),
        ("out/", "this is a folder; name a file"),
        ("", "this is a folder; name a file"),
        ("n" * 300, "cannot be written: File name too long"),
        ("loop", "cannot be written: Too many levels of symbolic links"),
    ],
)
def test_places_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(OutputError, match=said) as caught:
        write(path)
    assert str(caught.value).isprintable()
    assert sorted(tmp_path.rglob("*")) == before


def test_a_file_without_write_permission_is_not_replaced(tmp_path: Path) -> None:
    """Root may write anywhere, so this runs as nobody where it can."""
    path = tmp_path / "folder" / "out"
    path.parent.mkdir()
    path.write_bytes(b"old")
    path.chmod(0o444)
    code = (
        "import os, sys\n"
        "from paddle_init.output_files import replacing\n"
        "if os.getuid() == 0: os.setuid(65534)\n"
        "with replacing(sys.argv[1]) as file: file.write(b'new')\n"
    )
    if os.getuid() == 0:
        for folder in (path.parent, *path.parents[1:4]):
            folder.chmod(folder.stat().st_mode | 0o055)
        path.parent.chmod(0o777)
    ran = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )
    assert "OutputError" in ran.stderr
    assert "there is no permission to write here" in ran.stderr
    assert path.read_bytes() == b"old"


def test_the_input_is_never_the_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    conf = tmp_path / "conf.yaml"
    conf.write_bytes(Path(RANK).read_bytes())
    link = tmp_path / "link.yaml"
    link.symlink_to(conf)
    hard = tmp_path / "hard.yaml"
    hard.hardlink_to(conf)
    text = ["report", "--format", "text"]
    for command in (text, ["translate"], ["translate", "--to", "conf"]):
        for output in (conf, link, hard, tmp_path / "." / "conf.yaml"):
            assert main([*command, str(conf), "-o", str(output)]) == 2
            assert "this file is the input" in capsys.readouterr().err
    assert main([*text, RANK, "--against", str(conf), "-o", str(conf)]) == 2
    assert conf.read_bytes() == Path(RANK).read_bytes()


def test_an_included_file_is_an_input_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    section = tmp_path / "section.yaml"
    section.write_bytes(Path(RANK).read_bytes())
    between, conf = tmp_path / "between.yaml", tmp_path / "train.yaml"
    between.write_text("plugins: {dnn_plugin: section.yaml}\n")
    conf.write_text("plugins: {dnn_plugin: between.yaml}\n")
    for included in (between, section):
        assert main(["report", str(conf), "--format", "text", "-o", str(included)]) == 2
        assert "this file is the input" in capsys.readouterr().err
    refuse_input(str(tmp_path / "new"), {str(section)})


def test_output_to_stdout_by_a_dash(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["translate", RANK, "-o", "-"]) == 0
    assert capsys.readouterr().out.startswith("paddle_init: 1\n")
    assert not Path("-").exists()


@pytest.mark.parametrize("number", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_a_killed_translate_leaves_the_old_file_or_the_new(tmp_path: Path, number: int) -> None:
    """SIGKILL at random times, and at every line of the code that writes."""
    conf, out = tmp_path / "conf.yaml", tmp_path / "out.yaml"
    params = "".join(
        f"  - {{name: w{index}, rown: 3, coln: 2, init_range: 1, scale_by_rown: y}}\n"
        for index in range(5)
    )
    conf.write_text(f"global_init_range: 0.2\nparam:\n{params}")
    ran = subprocess.run(
        [sys.executable, killed_commands.__file__, out, str(number), "translate", conf, "-o", out],
        env=environment(),
        capture_output=True,
        check=True,
    )
    left = json.loads(ran.stdout)
    at_random, by_line = left[:number], left[number:]
    for states in (at_random, by_line):
        assert set(states) == {"old", dump_spec(load_conf(conf))}
    assert by_line.count("old") > 10
    assert sorted(by_line, key=len) == by_line

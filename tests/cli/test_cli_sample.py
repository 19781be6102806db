"""`paddle-init sample`: the file it writes, what it prints, and what it refuses."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from support.command_line import CONFIGS, ROOT, deaf, paddle_init, running, started

from abacus_compat import load_conf
from paddle_init import sample
from paddle_init.cli.main import main

RANK = str(CONFIGS / "abacus_rank.yaml")


def arrays(path: Path) -> dict[str, np.ndarray]:
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


def same(left, right) -> bool:
    return left.keys() == right.keys() and all(np.array_equal(left[n], right[n]) for n in left)


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        (["--seed", "42"], {"seed": 42}),
        (["--seed-seq", "0,1, 2,3"], {"seed_seq": (0, 1, 2, 3)}),
        (["--seed-seq", "-1"], {"seed_seq": (-1,)}),
        (["--seed", "42", "--engine", "mt19937"], {"seed": 42, "engine": "mt19937"}),
        (["--framework", "paddle", "--seed", "7"], {"framework": "paddle", "seed": 7}),
        (["--framework", "paddle", "--op-seed", "-7"], {"framework": "paddle", "op_seed": -7}),
        (
            ["--framework", "paddle", "--seed", "7", "--dtype", "float16"],
            {"framework": "paddle", "seed": 7, "dtype": "float16"},
        ),
    ],
)
def test_it_is_the_twin_of_the_function(tmp_path, capsys, options, settings):
    path = tmp_path / "start.npz"
    assert main(["sample", RANK, *options, "-o", str(path)]) == 0
    assert same(arrays(path), sample(load_conf(RANK), **settings))
    assert f"{path}: 4 tensors, 38657 values, drawn as" in capsys.readouterr().out


def test_how_confs_are_read(tmp_path):
    path = tmp_path / "start.npz"
    options = ["--arithmetic", "float32", "--storage-order", "C"]
    assert main(["sample", RANK, "--seed", "1", *options, "-o", str(path)]) == 0
    spec = load_conf(RANK, arithmetic="float32", storage_order="C")
    assert same(arrays(path), sample(spec, seed=1))


def test_without_a_seed_a_fresh_one_is_printed_and_repeats_the_file(tmp_path, capsys):
    seeds = []
    for name in ("one", "other"):
        path = tmp_path / f"{name}.npz"
        assert main(["sample", RANK, "-o", str(path)]) == 0
        seeds.append(re.search(r"seed (\d+)\)", capsys.readouterr().out)[1])
        assert same(arrays(path), sample(load_conf(RANK), seed=int(seeds[-1])))
    assert seeds[0] != seeds[1]


def test_the_specs_stream_is_a_seed(tmp_path, capsys):
    spec = tmp_path / "spec.yaml"
    spec.write_text(
        "paddle_init: 1\nframework: paddle\nstream: {op_seed: 7}\ndraws:\n"
        "  - {name: a, shape: [2, 3], scheme: {kind: normal, std: 0.1}}\n"
        "  - {name: b, shape: [2, 3], scheme: {kind: normal, std: 0.1}}\n"
    )
    path = tmp_path / "start.npz"
    assert main(["sample", str(spec), "-o", str(path)]) == 0
    told = capsys.readouterr()
    assert "drawn as paddle (mt19937_64, op_seed 7)" in told.out
    assert "warning [identical-layers]" in told.err
    assert "the same bits: a, b." in told.err
    held = arrays(path)
    assert np.array_equal(held["a"], held["b"])


def test_json(tmp_path, capsys):
    path = tmp_path / "start.safetensors"
    options = ["--seed-seq", "0,1,2,3", "--format", "json", "-o", str(path)]
    assert main(["sample", RANK, *options]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "output": str(path),
        "framework": "abacus",
        "engine": "minstd_rand0",
        "seed_seq": [0, 1, 2, 3],
        "values": 38657,
        "tensors": [
            {"name": "fc1_w", "shape": [300, 128], "dtype": "float32"},
            {"name": "fc1_b", "shape": [128], "dtype": "float32"},
            {"name": "fc2_w", "shape": [128, 1], "dtype": "float32"},
            {"name": "fc2_w.bias", "shape": [1], "dtype": "float32"},
        ],
    }


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--seed", "1.5"], "expected an integer, found '1.5'"),
        (["--seed-seq", "1,,2"], "expected integers with commas between, found '1,,2'"),
        (["--seed", "18446744073709551616"], "seed must be in [0, 2**64 - 1]"),
        (["--seed", "1", "--seed-seq", "1"], "exactly one of seed, seed_seq and op_seed"),
        (["--op-seed", "1"], "op_seed is Paddle's; abacus takes seed or seed_seq"),
        (["--framework", "paddle", "--op-seed", "2147483648"], "op_seed must be an int32"),
        (["--framework", "paddle", "--op-seed", "0"], "op_seed 0 means the global generator"),
        (["--engine", "pcg64"], "'pcg64' is not one of 'minstd_rand0'"),
        (["--seed", "1", "--dtype", "float64"], "abacus has float32 alone, not float64"),
        (["--dtype", "int8"], "'int8' is not one of 'float32'"),
    ],
)
def test_bad_input_writes_nothing(tmp_path, capsys, options, said):
    assert main(["sample", RANK, *options, "-o", str(tmp_path / "start.npz")]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("none/start.npz", "there is no folder"),
        ("start.bin", "the name says no format"),
        ("start", "the name says no format"),
        ("-", "the name says no format"),
    ],
)
def test_outputs_that_cannot_be_written(tmp_path, monkeypatch, capsys, output, said):
    monkeypatch.chdir(tmp_path)
    assert main(["sample", RANK, "--seed", "1", "-o", output]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_the_input_is_never_the_output(tmp_path, capsys):
    conf = tmp_path / "conf.npz"
    conf.write_bytes(Path(RANK).read_bytes())
    assert main(["sample", str(conf), "--seed", "1", "-o", str(conf)]) == 2
    assert "this file is the input" in capsys.readouterr().err
    assert conf.read_bytes() == Path(RANK).read_bytes()


def long_spec(folder: Path) -> Path:
    path = folder / "long.yaml"
    path.write_text(
        "paddle_init: 1\nframework: paddle\ndraws:\n"
        "  - {name: w, shape: [200000, 5000], scheme: {kind: normal, std: 0.1}}\n"
    )
    return path


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_it_leaves_no_file(tmp_path, number, code):
    spec, folder = long_spec(tmp_path), tmp_path / "out"
    folder.mkdir()
    process = started("sample", spec, "--seed", "1", "-o", folder / "start.npz")
    while not os.listdir(folder):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    assert process.wait(60) == code
    assert os.listdir(folder) == []


def test_progress_is_shown_on_a_terminal_after_a_second(tmp_path):
    spec, folder = long_spec(tmp_path), tmp_path / "out"
    folder.mkdir()
    ours, theirs = pty.openpty()
    process = started("sample", spec, "--seed", "1", "-o", folder / "start.npz", stderr=theirs)
    os.close(theirs)
    told = b""
    while b"1,000,000,000 values" not in told:
        told += os.read(ours, 4096)
    process.send_signal(signal.SIGINT)
    process.wait(60)
    os.close(ours)


@pytest.mark.parametrize("seconds", [0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7])
def test_a_log_shows_no_progress_and_no_traceback(tmp_path, seconds):
    spec, folder = long_spec(tmp_path), tmp_path / "out"
    folder.mkdir()
    with (tmp_path / "log").open("wb") as log:
        process = started("sample", spec, "--seed", "1", "-o", folder / "start.npz", stderr=log)
        assert running(process)
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    assert (tmp_path / "log").read_text().strip() == "interrupted"
    assert os.listdir(folder) == []


def test_started_with_sigint_ignored_it_goes_on_until_sigterm(tmp_path):
    spec, folder = long_spec(tmp_path), tmp_path / "out"
    folder.mkdir()
    process = started("sample", spec, "--seed", "1", "-o", folder / "x.npz", preexec_fn=deaf)
    while not os.listdir(folder):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.5)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 143
    assert os.listdir(folder) == []


def test_the_tests_of_interrupts_pass_with_sigint_ignored():
    tests = (
        "tests/cli/test_cli_sample.py",
        "tests/cli/test_cli.py",
        "tests/weight_files/test_weight_files.py",
    )
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", *tests, "-k", "interrupted"],
        cwd=ROOT,
        preexec_fn=deaf,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
    assert re.search(r"^[1-9][0-9]* passed, [0-9]+ deselected", ran.stdout, re.MULTILINE)


def test_numbers_that_the_dtype_cannot_hold_are_told(tmp_path):
    spec = tmp_path / "wide.yaml"
    spec.write_text(
        "paddle_init: 1\nframework: paddle\ndraws:\n"
        "  - {name: w, shape: [30, 8], scheme: {kind: normal, std: 60000}}\n"
        "  - {name: v, shape: [30, 8], scheme: {kind: normal, std: 0}}\n"
        "tensors:\n"
        "  - {name: w, role: weight, shape: [30, 8], dtype: float16, "
        "blocks: [{draw: w, rows: [0, 30]}]}\n"
        "  - {name: v, role: weight, shape: [30, 8], blocks: [{draw: v, rows: [0, 30]}]}\n"
    )
    told = paddle_init("sample", spec, "--seed", "1", "-o", tmp_path / "w.npz")
    assert told.returncode == 0
    first, second = told.stderr.splitlines()
    assert "wide.yaml:4: warning [overflow]: w is drawn with std 60000 in Paddle" in first
    assert "27 % of its elements overflow float16 to inf" in first
    assert "[zero-scale]" in second


def test_paddle_is_not_imported(tmp_path):
    told = paddle_init(
        "sample",
        RANK,
        "--seed",
        "1",
        "-o",
        tmp_path / "start.pdparams",
        PYTHONPROFILEIMPORTTIME="1",
    )
    assert told.returncode == 0
    assert not re.search(r"\| +paddle$", told.stderr, re.MULTILINE)

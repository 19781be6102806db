"""Hostile confs are read or refused: no traceback, no hang, no partial file.

The long forms run with ``-m slow``; findings of the fuzzer (tests/support/fuzz_confs.py) stay here.
"""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from support.mangling import mangled

from abacus_compat import load_conf, parse_conf
from paddle_init import parse_spec
from paddle_init.cli.main import main
from paddle_init.yaml_cpp import DocumentError

SECONDS = 1.0


def counts(usual: int, exhaustive: int) -> pytest.MarkDecorator:
    many = pytest.param(exhaustive, marks=pytest.mark.slow)
    return pytest.mark.parametrize("count", [usual, many])


@counts(1_500, 100_000)
def test_mangled_confs_are_read_or_refused(count: int) -> None:
    rng = random.Random(20260101)
    read, problems, slowest = 0, 0, 0.0
    for _ in range(count):
        data = mangled(rng)
        start = time.thread_time()
        try:
            parse_conf(data, "conf.yaml")
            read += 1
        except DocumentError as error:
            for problem in error.problems:
                assert problem.source, data
                assert str(problem).isprintable(), data
            problems += len(error.problems)
        slowest = max(slowest, time.thread_time() - start)
    assert slowest < SECONDS
    assert 0.05 * count < read < 0.8 * count
    assert problems > count / 2


@counts(150, 5_000)
def test_a_mangled_conf_gives_a_whole_file_or_none(
    count: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = random.Random(20260102)
    conf, out = tmp_path / "conf.yaml", tmp_path / "out.yaml"
    written = 0
    for _ in range(count):
        data = mangled(rng)
        conf.write_bytes(data)
        start = time.thread_time()
        code = main(["translate", str(conf), "-o", str(out)])
        assert time.thread_time() - start < SECONDS, data
        printed = capsys.readouterr()
        assert printed.out == ""
        if code == 0:
            assert parse_spec(out.read_text("utf-8")) == load_conf(conf)
            out.unlink()
            written += 1
        else:
            assert code == 2, (data, printed.err)
            assert "error: " in printed.err
        assert list(tmp_path.iterdir()) == [conf]
    assert 0 < written < count

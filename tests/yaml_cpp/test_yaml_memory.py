"""Peak memory and time of the files that cost most, measured in a process of their own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.command_line import environment

from paddle_init.yaml_cpp import MAX_BYTES

MEASURE = """
import sys, time
from pathlib import Path
from paddle_init.yaml_cpp import DocumentError, read_document

def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

before, start = peak(), time.process_time()
try:
    read_document(sys.argv[1])
except DocumentError:
    pass
print(time.process_time() - start, (peak() - before) / 1024)
"""


def repeated(unit: bytes, start: bytes = b"", end: bytes = b"") -> Callable[[int], bytes]:
    return lambda size: start + unit * ((size - len(start) - len(end)) // len(unit)) + end


TEXTS = {
    "empty lines": repeated(b"\n"),
    "comments": repeated(b"# a\n"),
    "blanks": repeated(b" "),
    "tabs on empty lines": repeated(b"\t\n"),
    "one text": repeated(b"a"),
    "one number": repeated(b"9", b"rown: "),
    "quotes": repeated(b"'"),
    "directives": repeated(b"%YAML 1.2\n"),
    "brackets": repeated(b"["),
    "dashes": repeated(b"- "),
    "zeros": repeated(b"\0"),
    "noise": repeated(b"\xf7\x01\xff\x80"),
    "a control character at the end": repeated(b"a", end=b"\1"),
    "GBK": repeated(b"a", b"#\xd6\xd0\n"),
    "aliases": repeated(b"*a,", b"- &a [x]\n- ["),
    "an alias inside its anchor": repeated(b"x", b"&a [", b",*a]"),
}
TREES = {
    "a list": repeated(b"- a\n"),
    "a list in brackets": repeated(b"a,", b"[", b"a]"),
    "nothing": repeated(b"-\n"),
    "empty lists": repeated(b"[],", b"[", b"a]"),
    "mappings": repeated(b"- a: b\n"),
    "one key": repeated(b"a: b\n"),
    "anchors": repeated(b"- &a b\n"),
    "characters of GBK": repeated(b"- \xd6\xd0\n"),
}
sizes = pytest.mark.parametrize("size", [2**21, pytest.param(MAX_BYTES, marks=pytest.mark.slow)])


def measured(path: Path, data: bytes) -> tuple[float, float]:
    """CPU seconds and MiB that reading a file takes."""
    path.write_bytes(data)
    command = [sys.executable, "-c", MEASURE, str(path)]
    ran = subprocess.run(command, env=environment(), capture_output=True, check=True)
    seconds, mebibytes = map(float, ran.stdout.split())
    return seconds, mebibytes


@sizes
@pytest.mark.parametrize("form", TEXTS)
def test_a_file_without_a_tree_takes_ten_times_its_size(
    tmp_path: Path, form: str, size: int
) -> None:
    """Ten for a file that is not in Unicode: each byte is a character of four bytes, twice over."""
    seconds, mebibytes = measured(tmp_path / "conf", TEXTS[form](size))
    assert mebibytes < 8 + 10 * size / 2**20
    assert seconds < 1 + size / 2**20


@sizes
@pytest.mark.parametrize("form", TREES)
def test_a_tree_takes_a_bounded_multiple_of_its_file(tmp_path: Path, form: str, size: int) -> None:
    seconds, mebibytes = measured(tmp_path / "conf", TREES[form](size))
    assert mebibytes < min(8 + 128 * size / 2**20, 3 * 1024)
    assert seconds < 1 + 5 * size / 2**20

"""Compiled references: small C++ programs built against the real libstdc++ and yaml-cpp."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[1] / "cpp"
FLAGS = ("-std=c++17", "-O2", "-ffp-contract=off")


def unavailable(reason: str) -> None:
    """Skip on a user's machine; fail in CI, where every reference must run."""
    if os.environ.get("CI"):
        pytest.fail(f"CI must run this test: {reason}")
    pytest.skip(reason)


@functools.cache
def compiled(name: str, *libraries: str, flags: tuple[str, ...] = FLAGS) -> Path:
    """Build tests/cpp/<name>.cpp once per content and return the program's path."""
    source = SOURCES / f"{name}.cpp"
    compiler = shutil.which("g++")
    if compiler is None:
        unavailable("no g++ on this machine (Debian package g++)")
    links = [f"-l{library}" for library in libraries]
    recipe = " ".join([*flags, *links]).encode() + source.read_bytes()
    digest = hashlib.sha256(recipe).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"paddle-init-reference-{os.getuid()}"
    folder.mkdir(exist_ok=True)
    program = folder / f"{name}-{digest}"
    if not program.exists():
        built = program.with_suffix(f".{os.getpid()}")
        command = [str(compiler), *flags, str(source), "-o", str(built), *links]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode:
            if "yaml-cpp/yaml.h" in result.stderr:
                unavailable("no yaml-cpp headers (Debian package libyaml-cpp-dev)")
            pytest.fail(f"{' '.join(command)}\n{result.stderr}")
        built.rename(program)
    return program


def run(program: Path, *args: object, stdin: bytes = b"", timeout: float = 300) -> bytes:
    """Run a compiled reference and return its standard output."""
    command = [str(program), *map(str, args)]
    return subprocess.run(
        command, input=stdin, capture_output=True, check=True, timeout=timeout
    ).stdout

"""The generated references: up to date, and nothing left out."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from importlib import import_module

import click
import pytest
from support.command_line import ROOT, environment

from paddle_init.cli.main import SUMMARIES, paddle_init

COMMANDS = (ROOT / "docs" / "commands.md").read_text("utf-8")
API = (ROOT / "docs" / "api.md").read_text("utf-8")
MODULES = ("paddle_init", "paddle_init.schemes", "paddle_init.testing", "abacus_compat")
OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")


def test_both_are_what_the_generator_writes_now() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "docs.reference", "--check"],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def _section(text: str, title: str) -> str:
    return text.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


@pytest.mark.parametrize("name", [None, *SUMMARIES])
def test_the_options_of_help_are_those_of_the_page(name: str | None) -> None:
    top = click.Context(paddle_init, info_name="paddle-init", **paddle_init.context_settings)
    command = paddle_init.get_command(top, name) if name else paddle_init
    assert command is not None
    printed = command.get_help(click.Context(command, top, name) if name else top)
    options = printed.split("\nOptions:\n", 1)[1].split("\n\n", 1)[0]
    # An option starts a line of help, two blanks in; what it means may name others.
    offered = {
        found
        for line in re.findall(r"^  (-\S.*)$", options, re.MULTILINE)
        for found in OPTION.findall(line.split("  ")[0])
    }
    page = _section(COMMANDS, f"paddle-init {name}" if name else "paddle-init")
    rows = re.findall(r"^\| `([^`]*)`", page, re.MULTILINE)
    assert {found for row in rows for found in OPTION.findall(row)} == offered
    assert "--help" in offered


def test_every_command_is_documented_and_no_other() -> None:
    titles = re.findall(r"^## paddle-init (.+)$", COMMANDS, re.MULTILINE)
    assert titles == list(SUMMARIES)


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_is_documented_and_no_other(module: str) -> None:
    names = import_module(module).__all__
    section = _section(API, module)
    assert re.findall(r"^### `(.+)`$", section, re.MULTILINE) == names


@pytest.mark.parametrize("module", MODULES)
def test_every_public_function_and_class_says_what_it_does(module: str) -> None:
    home = import_module(module)
    for name in home.__all__:
        found = getattr(home, name)
        if inspect.isfunction(found) or (inspect.isclass(found) and hasattr(found, "__mro__")):
            # A dataclass without a docstring gets its signature for one.
            assert found.__doc__, name
            assert not found.__doc__.startswith(f"{name}("), name

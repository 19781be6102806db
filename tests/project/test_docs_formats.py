"""Every key of a JSON form, every key of a net spec and every code of a notice is in the pages."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abacus_compat import load_conf
from paddle_init import sample
from paddle_init.cli.main import main
from paddle_init.identification.searching import FAMOUS_SEEDS
from paddle_init.schemes.registry import KINDS
from paddle_init.specs.yaml_form import parse_spec
from paddle_init.yaml_cpp import DocumentError

ROOT = Path(__file__).parents[2]
RANK = str(ROOT / "configs" / "abacus_rank.yaml")
LANGUAGES = ("", ".zh-CN")
PAGES = {
    "sample {rank} --seed 7 -o {out}": "exact_values",
    "verify {weights} {rank} --seed 7": "weights",
    "verify {weights} {rank} --any-seed": "weights",
    "verify {weights} {rank} --seed 8": "weights",
    "identify {weights}": "weights",
    "identify {weights} --spec {rank}": "weights",
    "report {rank}": "report",
    "report {rank} --against {flat} --seed 7 --right-seed 7": "report",
    "propagate 30,20,1 -a tanh --no-measure --scheme he_normal": "schemes",
    "propagate {rank} --batch 8": "schemes",
    "gain relu --experiment --repetitions 2 --nodes 8": "schemes",
    "averages 3 4": "schemes",
}


def page(name: str, language: str) -> str:
    return (ROOT / "docs" / f"{name}{language}.md").read_text("utf-8")


def words(text: str) -> set[str]:
    """Return the words that stand in code, between single backquotes."""
    return {word for code in re.findall(r"`([^`\n]+)`", text) for word in re.findall(r"\w+", code)}


def keys(form: Any) -> Iterator[str]:
    if isinstance(form, dict):
        yield from form
    for value in form.values() if isinstance(form, dict) else form:
        if isinstance(value, (dict, list)):
            yield from keys(value)


@pytest.mark.parametrize("command", PAGES)
def test_keys_of_json(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    weights = tmp_path / "start.npz"
    if "{weights}" in command:
        values = sample(load_conf(RANK), seed=7)
        values["fc1_w"][3] = 1
        np.savez(weights, **values)  # type: ignore[arg-type]
    places = {
        "rank": RANK,
        "flat": str(ROOT / "configs" / "flat.yaml"),
        "weights": str(weights),
        "out": str(tmp_path / "out.npz"),
    }
    main([*(part.format(**places) for part in command.split()), "--format", "json"])
    found = set(keys(json.loads(capsys.readouterr().out)))
    # of counts, by level or verdict, and of p-values, by family: tables of their own
    found -= {"identical", "rounding", "stream", "scale", "distribution", "structure"}
    for language in LANGUAGES:
        assert found - words(page(PAGES[command], language)) == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_keys_of_a_net_spec(language: str) -> None:
    rows = {
        kind: row
        for row in page("net_spec", language).splitlines()
        if row.startswith("| `")
        for kind in re.findall(r"`(\w+)", row.split("|")[1])
    }
    for kind, rule in KINDS.items():
        assert {*rule.required, *rule.optional} <= words(rows[kind]), kind
    draw, tensor = "{name: w, zzz: 1}", "{name: w, zzz: 1, overwritten: [{zzz: 1}]}"
    with pytest.raises(DocumentError) as error:
        parse_spec(f"{{paddle_init: 1, zzz: 1, draws: [{draw}], tensors: [{tensor}]}}")
    lists = re.findall(r"\(known: ([^)]*)\)", str(error.value))
    assert len(lists) == 4
    for key in ", ".join(lists).split(", "):
        assert key in rows or key in words(rows["overwritten"]), key


def codes() -> Iterator[str]:
    for package in ("paddle_init", "abacus_compat"):
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Notice":
                    first = node.args[0] if node.args else None
                    if isinstance(first, ast.Constant):
                        yield str(first.value)


@pytest.mark.parametrize("language", LANGUAGES)
def test_codes_of_notices(language: str) -> None:
    names = ("nets", "confs", "weights", "report", "exact_values", "yaml_cpp")
    told = "".join(page(name, language) for name in names)
    found = set(codes())
    assert len(found) > 30
    assert {code for code in found if f"`{code}`" not in told} == set()


def test_numbers_of_seeds() -> None:
    assert f" {len(FAMOUS_SEEDS)} famous seeds" in page("weights", "")
    assert f" {len(FAMOUS_SEEDS)} 个常用种子" in page("weights", ".zh-CN")

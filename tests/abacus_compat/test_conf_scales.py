"""Scales against a C++ program that reads confs with a real yaml-cpp, as strings of bits."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from support.confs import random_conf, random_flat
from support.reference import compiled, run

from abacus_compat import dump_conf, load_conf
from paddle_init.schemes import Abacus, Arithmetic, normal
from paddle_init.specs import Draw, NetSpec

pytestmark = pytest.mark.compiler

CONFIGS = sorted((Path(__file__).parents[2] / "configs").glob("*.yaml"))
KINDS: dict[Arithmetic, str] = {"float64": "double", "float32": "float"}
arithmetics = pytest.mark.parametrize("arithmetic", KINDS)


def cpp_scales(files: list[Path], arithmetic: Arithmetic) -> dict[Path, list[str]]:
    """What the C++ program prints for each file."""
    names = "".join(f"{file}\n" for file in files).encode()
    text = run(compiled("conf_scales", "yaml-cpp"), KINDS[arithmetic], stdin=names)
    found: dict[Path, list[str]] = {}
    for line in text.decode("utf-8", "surrogateescape").splitlines():
        if line.startswith("file "):
            lines = found[Path(line.removeprefix("file "))] = []
        else:
            lines.append(line)
    assert list(found) == files
    return found


def our_scales(spec: NetSpec, encoding: str = "utf-8") -> list[str]:
    lines = []
    for draw in spec.draws:
        if isinstance(draw.scheme, Abacus):
            rown, coln = draw.shape
            scale = draw.scheme.scale(rown, spec.arithmetic)
            name = draw.name.encode(encoding).decode("utf-8", "surrogateescape")
            lines.append(f"{name} {rown} {coln} {c_hex(scale)}")
    return [*lines, "end"]


def c_hex(value: float) -> str:
    """A double as C's %a writes it."""
    mantissa, exponent = value.hex().split("p")
    return f"{mantissa.rstrip('0').rstrip('.') if '.' in mantissa else mantissa}p{exponent}"


@arithmetics
def test_examples(arithmetic: Arithmetic) -> None:
    confs = [path for path in CONFIGS if b"paddle_init:" not in path.read_bytes()]
    scales = cpp_scales(confs, arithmetic)
    for path in confs:
        encoding = "gbk" if path.stem == "gbk" else "utf-8"
        spec = load_conf(path, arithmetic=arithmetic)
        assert our_scales(spec, encoding) == scales[path], path


@arithmetics
def test_generated_confs_and_what_is_written_of_them(
    arithmetic: Arithmetic, tmp_path: Path
) -> None:
    rng = random.Random(20240229)
    specs = {}
    for index in range(200):
        path = tmp_path / f"{index}.yaml"
        path.write_text((random_flat if index % 10 == 0 else random_conf)(rng))
        specs[path] = load_conf(path, arithmetic=arithmetic)
        written = tmp_path / f"{index}.written.yaml"
        written.write_text(dump_conf(specs[path]))
        specs[written] = specs[path]
    scales = cpp_scales(list(specs), arithmetic)
    for path, spec in specs.items():
        assert our_scales(spec) == scales[path], path.read_text()


@arithmetics
def test_scales_that_have_no_factor_in_common(arithmetic: Arithmetic, tmp_path: Path) -> None:
    schemes = {
        "a": Abacus(0.3, 0.7, True),
        "b": Abacus(1.1, 0.2, False),
        "c": Abacus(3.0, 1e-3, True),
        "d": normal(0.0, 0.0625),
    }
    draws = tuple(Draw(name, (300, 5), scheme) for name, scheme in schemes.items())
    spec = NetSpec("abacus", draws, arithmetic=arithmetic)
    path = tmp_path / "conf.yaml"
    path.write_text(dump_conf(spec))
    scales = [f"{draw.name} 300 5 {c_hex(spec.drawn(draw.name).std)}" for draw in draws]
    assert cpp_scales([path], arithmetic)[path] == [*scales, "end"]


def test_names_that_need_quotes(tmp_path: Path) -> None:
    names = [
        "a: b",
        "#",
        "- x",
        "{y}",
        "'",
        '"',
        "*z",
        "null",
        "~",
        "1e-3",
        " w ",
        "权重",
        "\x7f😀",
    ]
    spec = NetSpec("abacus", tuple(Draw(name, (2, 3), Abacus(1, 1, False)) for name in names))
    path = tmp_path / "conf.yaml"
    path.write_text(dump_conf(spec), "utf-8")
    assert cpp_scales([path], "float64")[path] == our_scales(spec)

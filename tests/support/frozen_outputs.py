"""Every command, form and language over many inputs: what was printed, kept to be compared.

The kept outputs stand in ``golden/outputs.json.xz``. After a change that is meant, write them anew
with the reason: ``PYTHONPATH=.:tests python tests/support/frozen_outputs.py "REASON"``;
the reasons are kept with them.
"""

from __future__ import annotations

import contextlib
import io
import json
import lzma
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

TESTS = Path(__file__).parents[1]
KEPT = TESTS / "golden" / "outputs.json.xz"
GENERATED = 300
ACTIVATIONS = ("linear", "relu", "sigmoid", "tanh", "softsign")
NETS = ("tower", "blocks", "padded", "other_draws", "own", "tied")
VERSIONS = {"numpy": "2.0.0", "PyYAML": "6.0"}

Output = tuple[int, str, str]


def cases() -> Iterator[tuple[str, ...]]:
    """Yield the command lines, in the order in which they run; some read what others wrote."""
    confs = sorted(path.name for path in (TESTS.parent / "configs").glob("*.yaml"))
    for conf in confs:
        yield from _whole(conf)
    for index in range(GENERATED):
        yield from _quick(f"conf_{index:03}.yaml", index)
    for net in NETS:
        yield from _nets(f"frozen_nets:{net}")
    yield from _alone()
    for command in ("averages", "gain", "identify", "propagate", "report", "sample", "translate",
                    "verify", None):  # fmt: skip
        yield (*filter(None, [command]), "--help")


def _readable(*args: str) -> Iterator[tuple[str, ...]]:
    for form in ("text", "markdown", "html"):
        for language in ("en", "zh"):
            yield (*args, "--format", form, "--lang", language)


def _forms(*args: str, checks: bool = True) -> Iterator[tuple[str, ...]]:
    yield from _readable(*args)
    for form in ("json", "junit", "github") if checks else ("json",):
        yield (*args, "--format", form)


def _whole(conf: str) -> Iterator[tuple[str, ...]]:
    yield from _forms("report", conf)
    yield ("report", conf, "--fail-on", "scale")
    for target in ("spec", "python", "conf", "mapping"):
        yield ("translate", conf, "--to", target)
    weights = f"{conf}.npz"
    yield ("sample", conf, "--seed-seq", "0,1,2,3", "-o", weights)
    yield from _forms("verify", weights, conf, "--seed-seq", "0,1,2,3")
    yield from _forms("verify", weights, conf, "--seed-seq", "0,1,2,4")
    yield from _forms("verify", weights, conf, "--any-seed")
    for form in ("text", "json"):
        yield ("identify", weights, "--format", form)
    yield from _forms("propagate", conf, "--no-measure", checks=False)


def _quick(conf: str, index: int) -> Iterator[tuple[str, ...]]:
    """A part of the commands for each, so that all come up often enough."""
    language = ("en", "zh")[index % 2]
    form = ("text", "markdown", "json", "junit", "github")[index % 5]
    spoken = ("--lang", language) if form in ("text", "markdown") else ()
    yield ("report", conf, "--format", form, *spoken)
    yield ("translate", conf, "--to", ("spec", "python", "conf", "mapping")[index % 4])
    weights = f"{conf}.npz"
    yield ("sample", conf, "--seed-seq", f"{index}", "-o", weights)
    seed = index if index % 3 else index + 1
    yield ("verify", weights, conf, "--seed-seq", f"{seed}", "--format", form, *spoken)
    if index % 4 == 0:
        yield ("propagate", conf, "--no-measure", "--lang", language)
    if index % 20 == 0:
        yield ("report", conf, "--format", "html", "--lang", language)
        yield ("identify", weights)


def _nets(net: str) -> Iterator[tuple[str, ...]]:
    yield from _forms("report", net)
    yield from _forms("report", "abacus_rank.yaml", "--against", net)
    weights = f"{net.partition(':')[2]}.npz"
    yield ("sample", net, "--seed", "7", "-o", weights)
    for seed in ("7", "8"):
        yield from _forms("verify", weights, net, "--seed", seed)
    yield ("translate", net)


def _alone() -> Iterator[tuple[str, ...]]:
    yield ("gain", "gelu", "tanh8", "relu")
    yield ("gain", "gelu", "--format", "json")
    yield ("averages", "300", "128")
    yield ("averages", "300", "128", "--format", "json")
    yield from _forms("propagate", "64,32,1", "-a", "tanh", "--no-measure", checks=False)
    yield ("report", "nothing.yaml")
    yield ("reprot", "abacus_rank.yaml")
    yield ("report", "abacus_rank.yaml", "--formt", "json")
    yield ("verify", "nothing.npz", "abacus_rank.yaml")


def outputs() -> dict[str, Output]:
    """Run every case in a folder of its own; return exit code, stdout and stderr by command."""
    with tempfile.TemporaryDirectory() as folder, _elsewhere(Path(folder)):
        return {" ".join(case): run(case) for case in cases()}


def run(args: tuple[str, ...]) -> Output:
    """Run one command line in this process."""
    from paddle_init.cli.main import main

    written = [io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2)]
    with contextlib.redirect_stdout(written[0]), contextlib.redirect_stderr(written[1]):
        code = main(list(args))
    for each in written:
        each.flush()
    out, err = (each.buffer.getvalue().decode() for each in written)  # type: ignore[attr-defined]
    return int(code), out, err


@contextlib.contextmanager
def _elsewhere(folder: Path) -> Iterator[None]:
    """Work in a folder that holds the inputs, with versions that are the same everywhere."""
    import platform
    from importlib import metadata

    for path in (TESTS.parent / "configs").glob("*.yaml"):
        shutil.copy(path, folder)
    shutil.copy(Path(__file__).with_name("frozen_nets.py"), folder)
    for index in range(GENERATED):
        (folder / f"conf_{index:03}.yaml").write_text(conf(index), encoding="utf-8")
    version: Callable[[str], str] = metadata.version
    before, path = os.getcwd(), list(sys.path)
    with (
        mock.patch.object(metadata, "version", lambda name: VERSIONS.get(name) or version(name)),
        mock.patch.object(platform, "python_version", return_value="3.11.0"),
        mock.patch.object(platform, "platform", return_value="Linux-6.0"),
        mock.patch.dict(os.environ, {"COLUMNS": "80"}),
    ):
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)
            sys.path[:] = path
            sys.modules.pop("frozen_nets", None)


def conf(index: int) -> str:
    """Return the text of a conf that the index decides: flat, of parameters, or of layers."""
    random_ = random.Random(index)
    form = random_.choice(("flat", "params", "layers", "layers", "layers"))
    if form == "flat":
        return "".join(f"{key}: {value}\n" for key, value in _parameter(random_, flat=True).items())
    lines = [f"global_init_range: {random_.choice((0.2, 1, 0.05, '1e-2'))}", "param:"]
    if form == "params":
        numbers = range(random_.randint(1, 4))
        lines += (_line({"name": f"p{number}", **_parameter(random_)}) for number in numbers)
        return "\n".join(lines) + "\n"
    return "\n".join([*lines, *_layers(random_)]) + "\n"


def _parameter(random_: random.Random, rown: int = 0, coln: int = 0, flat: bool = False):
    held = {
        "rown": rown or random_.choice((1, 3, 16, 100, 257)),
        "coln": coln or random_.choice((1, 2, 8, 33)),
        "init_range": random_.choice((1, 0.5, 2, 0, "1e-1", 0.3)),
        "scale_by_rown": random_.choice(("true", "false", "yes", "n")),
    }
    return held | ({"global_init_range": random_.choice((0.2, 1))} if flat else {})


def _layers(random_: random.Random) -> Iterator[str]:
    """A tower: blocks, folded biases, biases of their own, layers without one."""
    width, before, parameters, layers = random_.choice((8, 40, 300)), "show_input", [], []
    for number in range(1, random_.randint(1, 4) + 1):
        out = 1 if random_.random() < 0.2 else random_.choice((4, 16, 64))
        name, kind = f"fc{number}", random_.choice(("own", "folded", "none", "blocks"))
        inputs, weights = [before], [f"{name}_w"]
        if kind == "blocks" and number == 1:
            inputs = [before, "click_input"]
            weights.append(f"{name}_click_w")
            parameters.append({"name": weights[1], **_parameter(random_, 5, out)})
        extra = 1 if kind == "folded" else 0
        parameters.append({"name": weights[0], **_parameter(random_, width + extra, out)})
        if kind in ("own", "folded", "blocks"):
            inputs.append("bias_input")
        if kind in ("own", "blocks"):
            weights.append(f"{name}_b")
            parameters.append({"name": weights[-1], **_parameter(random_, 1, out)})
        layers.append(
            f"  - {{name: {name}, tag: {name}, class: NeuralLayer, a_input: [{', '.join(inputs)}], "
            f"b_input: [{', '.join(weights)}], act_func: {random_.choice(ACTIVATIONS)}}}"
        )
        width, before = out, name
    yield from map(_line, parameters)
    yield "layer:"
    yield from layers


def _line(held: dict[str, object]) -> str:
    return "  - {" + ", ".join(f"{key}: {value}" for key, value in held.items()) + "}"


def kept() -> dict[str, Output]:
    """Return what was kept."""
    return {name: tuple(each) for name, each in _held()["outputs"].items()}


def _held():
    if not KEPT.exists():
        return {"reasons": [], "outputs": {}}
    return json.loads(lzma.decompress(KEPT.read_bytes()))


def main(reason: str) -> None:
    """Keep what is printed now."""
    found = {"reasons": [*_held()["reasons"], reason], "outputs": outputs()}
    text = json.dumps(found, ensure_ascii=False, indent=0)
    KEPT.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


if __name__ == "__main__":
    main(*sys.argv[1:])

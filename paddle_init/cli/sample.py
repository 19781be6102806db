"""`paddle-init sample`: a net's exact initial values, to a file."""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterable
from typing import Any

import click

from paddle_init.cli.inputs import input_files, read_specs
from paddle_init.cli.options import Choice, conf_options, help_option, named, quiet_option
from paddle_init.cli.printing import emit, tell
from paddle_init.cli.progress import progress_bar
from paddle_init.cli.seeds import paddle_version_option, seed_options
from paddle_init.errors import Notice
from paddle_init.frameworks import identical_layers
from paddle_init.frameworks.installed import Version
from paddle_init.json_values import json_text
from paddle_init.output_files import refuse_input
from paddle_init.parity import ConfReading
from paddle_init.parity.number_notices import number_notices
from paddle_init.parity.sides import view_by_framework
from paddle_init.sampling import as_sampled
from paddle_init.sampling import sample as draw
from paddle_init.specs import DTYPES, FRAMEWORKS, NetSpec, Seeding

__all__ = ["sample"]

# Below minstd_rand0's modulus, so that no two fresh seeds are the same to any engine.
FRESH_SEEDS = 2**31 - 2


@click.command()
@click.argument("spec", metavar="SPEC", callback=named)
@click.option(
    "--framework",
    type=Choice(FRAMEWORKS),
    help="Who draws; the spec's own by default. The other draws the spec's distributions.",
)
@seed_options
@paddle_version_option
@click.option("--dtype", type=Choice(DTYPES), help="Of every tensor; abacus has float32.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    required=True,
    callback=named,
    help="A .npz, .safetensors or .pdparams file, which is replaced as a whole.",
)
@click.option(
    "--format",
    "form",
    type=Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Form of what is printed about the file.",
)
@quiet_option
@conf_options
@help_option
def sample(
    spec: str,
    framework: str | None,
    output: str,
    form: str,
    encoding: str | None,
    conf: ConfReading,
    paddle_version: Version | None,
    **settings: Any,
) -> None:
    """Draw every initial value of a net, to the bit as abacus or Paddle would.

    SPEC is an abacus conf or a net spec; - is standard input. The file has one array per tensor,
    in Paddle's shape. Without a seed, here or in the spec's stream, a fresh one is drawn and
    printed.

    \b
    Examples:
      paddle-init sample configs/abacus_rank.yaml --seed-seq 0,1,2,3 -o start.npz
      paddle-init sample configs/abacus_rank.yaml --framework paddle --seed 7 -o start.pdparams
    """
    (given,) = read_specs([spec], encoding, conf)
    refuse_input(output, input_files(given))
    seeds = [settings[name] for name in ("seed", "seed_seq", "op_seed")]
    own = given.stream if framework in (None, given.framework) else None
    if own is None and all(value is None for value in seeds):
        settings["seed"] = 1 + secrets.randbelow(FRESH_SEEDS)
    drawn = as_sampled(given, framework=framework, **settings)
    tell(_notices(drawn))
    total = sum(math.prod(one.shape) for one in drawn.draws)
    with progress_bar(total, "values") as progress:
        draw(drawn, path=output, paddle_version=paddle_version, progress=progress)
    emit(_told(drawn, output, form))


def _notices(drawn: NetSpec) -> Iterable[Notice]:
    """Return what to know of a net's draws, each thing once for a parameter."""
    told: dict[tuple[str, str], Notice] = {}
    numbers = number_notices(view_by_framework(drawn))
    for notice in (*drawn.notices, *identical_layers(drawn), *numbers):
        told.setdefault((notice.code, notice.parameter or notice.message), notice)
    return told.values()


def _told(drawn: NetSpec, output: str, form: str) -> str:
    assert drawn.stream is not None
    values = sum(math.prod(tensor.shape) for tensor in drawn.tensors)
    if form == "json":
        return json_text(_record(drawn, drawn.stream, output, values))
    seeds = _seeds(drawn.stream)
    seeding = ", ".join(f"{name} {_listed(value)}" for name, value in seeds.items())
    return (
        f"{output}: {len(drawn.tensors)} tensors, {values} values, drawn as {drawn.framework} "
        f"({drawn.stream.engine}, {seeding})\n"
    )


def _record(drawn: NetSpec, stream: Seeding, output: str, values: int) -> dict[str, Any]:
    tensors = [
        {"name": tensor.name, "shape": tensor.shape, "dtype": tensor.dtype}
        for tensor in drawn.tensors
    ]
    return {
        "output": output,
        "framework": drawn.framework,
        "engine": stream.engine,
        **_seeds(stream),
        "values": values,
        "tensors": tensors,
    }


def _seeds(stream: Seeding) -> dict[str, Any]:
    found = {name: getattr(stream, name) for name in ("seed", "seed_seq", "op_seed")}
    return {name: value for name, value in found.items() if value is not None}


def _listed(value: int | tuple[int, ...]) -> str:
    return str(value) if isinstance(value, int) else ",".join(map(str, value))

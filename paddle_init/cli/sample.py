"""`paddle-init sample`: a net's exact initial values, to a file."""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping
from typing import Any

import click

from paddle_init.cli.inputs import input_files, read_specs
from paddle_init.cli.options import Choice, conf_options, help_option, named, quiet_option
from paddle_init.cli.outcome import emit, progress_bar, tell
from paddle_init.cli.seeds import paddle_version_option, seed_options
from paddle_init.files import refuse_input
from paddle_init.frameworks.knowledge import Reason, needs_seed, unknown_tensors
from paddle_init.frameworks.resolving import ConfReading
from paddle_init.frameworks.sampling import as_known, as_sampled, draw_file, sampling_notices
from paddle_init.frameworks.transfer import as_framework
from paddle_init.json_values import json_text
from paddle_init.specs import DTYPES, NetSpec, default_engine, framework_names

# Below minstd_rand0's modulus, so that no two fresh seeds are the same to any engine.
FRESH_SEEDS = 2**31 - 2


@click.command()
@click.argument("spec", metavar="SPEC", callback=named)
@click.option(
    "--framework",
    type=Choice(framework_names()),
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
@click.option(
    "--partial",
    is_flag=True,
    help="Write the tensors whose values are known, and name the others on stderr.",
)
@quiet_option
@conf_options
@help_option
def sample(
    spec: str,
    framework: str | None,
    output: str,
    form: str,
    partial: bool,
    encoding: str | None,
    conf: ConfReading,
    paddle_version: str | None,
    **settings: Any,
) -> None:
    """Draw every initial value of a net, to the bit as abacus or Paddle would.

    SPEC is an abacus conf, a net spec, or module:object: a Layer or a Program of Paddle, or a
    function that builds one; - is a conf or a spec on standard input. The file has one array per
    tensor, in Paddle's shape. Without a seed, here or in the spec's stream, a fresh one is drawn
    and printed. A spec that does not say all values, such as one with an initializer of a user's
    own, is refused, unless --partial takes what it does say.

    \b
    Examples:
      paddle-init sample configs/abacus_rank.yaml --seed-seq 0,1,2,3 -o start.npz
      paddle-init sample configs/abacus_rank.yaml --framework paddle --seed 7 -o start.pdparams
    """
    (given,) = read_specs([spec], encoding, conf)
    refuse_input(output, input_files(given))
    seed = settings["seed"]
    settled = as_framework(given, framework or given.framework)
    seeds = [settings[name] for name in ("seed", "seed_seq", "op_seed")]
    unseeded = settled.stream is None and all(value is None for value in seeds)
    if unseeded and needs_seed(settled):
        settings["seed"] = 1 + secrets.randbelow(FRESH_SEEDS)
    drawn = as_sampled(settled, **settings, partial=partial)
    tell(sampling_notices(drawn, given=seed))
    known, missing = as_known(drawn, partial=partial)
    total = sum(math.prod(one.shape) for one in known.draws)
    with progress_bar(total, "values") as progress:
        draw_file(known, output, version=paddle_version, progress=progress)
    tell(missing)
    emit(_summary(known, output, form, unknown_tensors(drawn)))


def _summary(drawn: NetSpec, output: str, form: str, missing: Mapping[str, Reason]) -> str:
    values = sum(math.prod(tensor.shape) for tensor in drawn.tensors)
    if form == "json":
        return json_text(_record(drawn, output, values, missing))
    seeds = (f"{name} {_listed(value)}" for name, value in _seeds(drawn).items())
    return (
        f"{output}: {len(drawn.tensors)} tensors, {values} values, drawn as {drawn.framework} "
        f"({', '.join([_engine(drawn), *seeds])})\n"
    )


def _record(
    drawn: NetSpec, output: str, values: int, missing: Mapping[str, Reason]
) -> dict[str, Any]:
    tensors = [
        {"name": tensor.name, "shape": tensor.shape, "dtype": tensor.dtype}
        for tensor in drawn.tensors
    ]
    not_known = [
        {"name": name, "code": reason.code, "reason": reason.message}
        for name, reason in missing.items()
    ]
    return {
        "output": output,
        "framework": drawn.framework,
        "engine": _engine(drawn),
        **_seeds(drawn),
        "values": values,
        "tensors": tensors,
        **({"not_known": not_known} if not_known else {}),
    }


def _engine(drawn: NetSpec) -> str:
    return default_engine(drawn.framework) if drawn.stream is None else drawn.stream.engine


def _seeds(drawn: NetSpec) -> dict[str, Any]:
    found = {name: getattr(drawn.stream, name, None) for name in ("seed", "seed_seq", "op_seed")}
    return {name: value for name, value in found.items() if value is not None}


def _listed(value: int | tuple[int, ...]) -> str:
    return str(value) if isinstance(value, int) else ",".join(map(str, value))

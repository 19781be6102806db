"""`paddle-init identify`: which scheme and which seed made these weights?"""

from __future__ import annotations

from typing import Any

import click

from paddle_init.cli.forms import chosen_form, format_option
from paddle_init.cli.inputs import input_files, read_specs
from paddle_init.cli.options import conf_options, help_option, named, output_option, quiet_option
from paddle_init.cli.outcome import emit, tell, to_file
from paddle_init.cli.seeds import paddle_version_option
from paddle_init.files import refuse_input
from paddle_init.frameworks.resolving import ConfReading
from paddle_init.json_values import json_text

FORMS = ("text", "json")


@click.command()
@click.argument("weights", metavar="WEIGHTS", callback=named)
@click.option(
    "--spec",
    metavar="SPEC",
    callback=named,
    help="The net's structure: a conf, a net spec or module:object; seeds are searched through it.",
)
@click.option(
    "--mapping",
    metavar="FILE",
    callback=named,
    help="Which tensors of the spec (left) are which of the weights (right), by name.",
)
@click.option(
    "--ahead",
    type=click.IntRange(min=0),
    default=1 << 18,
    show_default=True,
    metavar="N",
    help="Draws that are searched of each famous seed, and behind each parameter found.",
)
@paddle_version_option
@format_option(FORMS)
@output_option
@quiet_option
@conf_options
@help_option
def identify(
    weights: str,
    spec: str | None,
    form: str | None,
    output: str | None,
    encoding: str | None,
    conf: ConfReading,
    mapping: str | None,
    **settings: Any,
) -> None:
    """Say which schemes and which seed made weights, and if they are still initial.

    WEIGHTS is a .npz, .safetensors or .pdparams file. All states of minstd_rand0 and minstd_rand
    are searched, and common seeds of the Mersenne twisters, Paddle's among them. With --spec the
    seeds are searched through the whole net.

    \b
    Examples:
      paddle-init identify start.npz
      paddle-init identify start.pdparams --format json
      paddle-init identify start.npz --spec configs/abacus_rank.yaml
    """
    from paddle_init.identification import identify as search
    from paddle_init.identification.page import as_text

    form = chosen_form(form, output, FORMS)
    if mapping is not None and spec is None:
        raise click.UsageError("--mapping is about a spec; give --spec.")
    read = None if spec is None else read_specs([spec], encoding, conf)[0]
    if to_file(output):
        files = {weights, *filter(None, [mapping]), *(input_files(read) if read else ())}
        refuse_input(output, files)
    tell(read.notices if read else ())
    made = search(weights, read, mapping=mapping or (), **settings)
    emit(json_text(made.to_dict()) if form == "json" else as_text(made), output)

"""`paddle-init verify`: do these weights start where that spec says?"""

from __future__ import annotations

from typing import Any

import click

from paddle_init.cli.inputs import input_files
from paddle_init.cli.options import conf_options, double, help_option, named, output_option
from paddle_init.cli.outcome import Exit
from paddle_init.cli.printing import emit, note, to_file
from paddle_init.cli.seeds import seed_options
from paddle_init.errors import SpecError
from paddle_init.output_files import refuse_input
from paddle_init.parity import ConfReading, resolve
from paddle_init.specs import FRAMEWORKS

__all__ = ["verify"]


@click.command()
@click.argument("weights", metavar="WEIGHTS", callback=named)
@click.argument("spec", metavar="SPEC", callback=named)
@click.option(
    "--framework",
    type=click.Choice(FRAMEWORKS),
    help="Who drew the weights; the spec's own by default.",
)
@seed_options
@click.option("--any-seed", is_flag=True, help="Test distributions, even if the spec has a stream.")
@click.option(
    "--name",
    "names",
    metavar="SPEC=WEIGHTS",
    multiple=True,
    help="A tensor's name in the spec and in the weights, where they differ; may be repeated.",
)
@click.option(
    "--alpha",
    callback=double,
    default="1e-6",
    show_default=True,
    metavar="P",
    help="Probability that right weights fail any of all tests together.",
)
@click.option(
    "--max-ulp",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="Distance at which drawn values still pass.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
@output_option
@conf_options
@help_option
def verify(
    weights: str,
    spec: str,
    names: tuple[str, ...],
    form: str,
    output: str | None,
    encoding: str | None,
    conf: ConfReading,
    **settings: Any,
) -> int:
    """Say whether weights start where a spec says; exit with 1 where they do not.

    WEIGHTS is a .npz, .safetensors or .pdparams file, SPEC an abacus conf or a net spec. With a
    seed, here or in the spec's stream, every bit is compared and a difference explained; without,
    the distributions are tested.

    \b
    Examples:
      paddle-init verify start.npz configs/abacus_rank.yaml --seed-seq 0,1,2,3
      paddle-init verify trained.pdparams net.yaml --any-seed
    """
    from paddle_init.verification import verify as check
    from paddle_init.verification.forms import as_json, as_text

    (read,) = resolve(spec, encoding=encoding, conf=conf)
    if to_file(output):
        refuse_input(output, {weights, *input_files(read)})
    for notice in read.notices:
        note(str(notice))
    made = check(weights, read, names=_renamed(names), **settings)
    emit(as_json(made) if form == "json" else as_text(made), output)
    return Exit.FINE if made.passed else Exit.DIFFERENT


def _renamed(names: tuple[str, ...]) -> dict[str, str]:
    pairs = [name.partition("=") for name in names]
    for given, (own, _, other) in zip(names, pairs, strict=True):
        if not own or not other:
            raise SpecError(f"--name: expected SPEC=WEIGHTS, found {given!r}")
    return {own: other for own, _, other in pairs}

"""`paddle-init identify`: which scheme and which seed made these weights?"""

from __future__ import annotations

import click

from paddle_init.cli.forms import chosen_form, format_option
from paddle_init.cli.options import help_option, named, output_option, quiet_option
from paddle_init.cli.printing import emit, to_file
from paddle_init.output_files import refuse_input

__all__ = ["identify"]

FORMS = ("text", "json")


@click.command()
@click.argument("weights", metavar="WEIGHTS", callback=named)
@click.option(
    "--ahead",
    type=click.IntRange(min=0),
    default=1 << 18,
    show_default=True,
    metavar="N",
    help="Draws that are searched of each famous seed, and behind each parameter found.",
)
@format_option(FORMS)
@output_option
@quiet_option
@help_option
def identify(weights: str, ahead: int, form: str | None, output: str | None) -> None:
    """Say which schemes and which seed made weights, and if they are still initial.

    WEIGHTS is a .npz, .safetensors or .pdparams file. All states of minstd_rand0 and minstd_rand
    are searched, and common seeds of the Mersenne twisters, Paddle's among them.

    \b
    Examples:
      paddle-init identify start.npz
      paddle-init identify start.pdparams --format json
    """
    from paddle_init.identification import identify as search
    from paddle_init.identification.forms import as_json, as_text

    form = chosen_form(form, output, FORMS)
    if to_file(output):
        refuse_input(output, [weights])
    made = search(weights, ahead=ahead)
    emit(as_json(made) if form == "json" else as_text(made), output)

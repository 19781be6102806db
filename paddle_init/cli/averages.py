"""`paddle-init averages`: what the averages of two fans cost, step by step and end to end."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from paddle_init.cli.forms import PICTURES, chosen_form, format_option
from paddle_init.cli.options import help_option, output_option, quiet_option
from paddle_init.cli.outcome import emit
from paddle_init.json_values import json_text
from paddle_init.results.text import as_text
from paddle_init.signal.averages import Averages, compare_averages, stack
from paddle_init.signal.tables import averages_page

if TYPE_CHECKING:
    from paddle_init.signal.pictures import ImageFormat

FORMS = ("text", "json", *PICTURES)


@click.command()
@click.argument("m", type=click.IntRange(1))
@click.argument("n", type=click.IntRange(1))
@click.option(
    "--layers",
    type=click.IntRange(1, 10_000),
    default=16,
    show_default=True,
    help="Length of the stack M -> N -> M ..",
)
@format_option(FORMS)
@output_option
@quiet_option
@help_option
def averages(m: int, n: int, layers: int, form: str | None, output: str | None) -> None:
    """Compare the averages of two fans, in one step and in a stack.

    These are the arithmetic, the geometric and the quadratic average. A weight of shape M x N and
    variance 1 / average changes the second moment by M / average forward and by N / average
    backward. An output that ends in .png or .svg is a picture.

    \b
    Examples:
      paddle-init averages 300 128
      paddle-init averages 300 128 --layers 64 --format json
      paddle-init averages 300 128 -o averages.svg
    """
    form = chosen_form(form, output, FORMS)
    if form in PICTURES:
        from paddle_init.signal.pictures import averages_figure, image

        emit(image(averages_figure(m, n, layers), cast("ImageFormat", form)), output)
        return
    result = Averages(m, n, compare_averages(m, n), stack(m, n, layers))
    if form == "json":
        emit(json_text(result.to_dict()), output)
    else:
        emit(as_text(averages_page(result), width=None), output)

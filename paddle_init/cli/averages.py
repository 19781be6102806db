"""`paddle-init averages`: what the averages of two fans cost, step by step and end to end."""

from __future__ import annotations

import json

import click

from paddle_init.cli.options import Choice, help_option, output_option
from paddle_init.cli.pictures import picture_form
from paddle_init.cli.printing import emit
from paddle_init.theory.averages import compare_averages, stack
from paddle_init.theory.averages_rendering import averages_form, averages_text

__all__ = ["averages"]


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
@click.option("--format", "form", type=Choice(["text", "json"]), default="text", show_default=True)
@output_option
@help_option
def averages(m: int, n: int, layers: int, form: str, output: str | None) -> None:
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
    if picture := picture_form(output):
        from paddle_init.plots import averages_figure, image

        emit(image(averages_figure(m, n, layers), picture), output)
        return
    found, stacks = compare_averages(m, n), stack(m, n, layers)
    if form == "json":
        emit(
            json.dumps(averages_form(m, n, found, stacks), indent=2, allow_nan=False) + "\n", output
        )
    else:
        emit(averages_text(m, n, found, stacks), output)

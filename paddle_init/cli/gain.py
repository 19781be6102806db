"""`paddle-init gain`: the coefficients that keep a layer's second moment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import click

from paddle_init.activations.gains import DEFAULT_TABLE, gain_table
from paddle_init.cli.forms import PICTURES, chosen_form, format_option
from paddle_init.cli.options import double, help_option, output_option, quiet_option
from paddle_init.cli.outcome import emit
from paddle_init.json_values import json_text
from paddle_init.signal.tables import gain_rows, gain_text

if TYPE_CHECKING:
    from paddle_init.activations.notation import Spec
    from paddle_init.signal.pictures import ImageFormat

FORMS = ("text", "json", *PICTURES)


@click.command()
@click.argument("names", metavar="[ACTIVATION]...", nargs=-1)
@click.option(
    "--std",
    callback=double,
    metavar="S",
    help="The std that layers are to keep, S / sqrt(E[a(S z)^2]); 1 by default.",
)
@click.option(
    "--experiment",
    is_flag=True,
    help="Also estimate each by two random layers on Paddle, with the standard error.",
)
@click.option("--nodes", type=click.IntRange(1), metavar="J", help="Of a layer; 512 by default.")
@click.option(
    "--repetitions", type=click.IntRange(2), metavar="N", help="Of the experiment; 128 by default."
)
@click.option(
    "--seed", type=click.IntRange(0, 2**64 - 1), metavar="N", help="paddle.seed; 0 by default."
)
@format_option(FORMS)
@output_option
@quiet_option
@help_option
def gain(
    names: tuple[str, ...],
    std: float | None,
    experiment: bool,
    nodes: int | None,
    repetitions: int | None,
    seed: int | None,
    form: str | None,
    output: str | None,
) -> None:
    """Print the coefficient that keeps the signal, for activations.

    Weights of std c / sqrt(fan_in), or uniform up to c * sqrt(3 / fan_in), keep the second moment
    of the signal for c = 1 / sqrt(E[a(z)^2]). The tables of Paddle and torch stand beside it.
    ACTIVATION is a name, one with Paddle's parameters as "leaky_relu(0.2)", or a
    widened S-curve as tanh8 for 8 * tanh(x / 8), or module:function on arrays or tensors; without
    one, all that Paddle has are listed. An output that ends in .png or .svg is a picture.

    \b
    Examples:
      paddle-init gain
      paddle-init gain gelu tanh8 "leaky_relu(0.2)"
      paddle-init gain tanh --std 0.5 --format json
      paddle-init gain relu tanh --experiment --repetitions 1000
    """
    form = chosen_form(form, output, FORMS)
    settings = {"nodes": nodes, "repetitions": repetitions, "seed": seed}
    given = {name: value for name, value in settings.items() if value is not None}
    if given and not experiment:
        options = ", ".join(f"--{name}" for name in given)
        raise click.UsageError(f"{options} can be set for --experiment alone.")
    chosen: Sequence[Spec] = DEFAULT_TABLE
    if names:
        chosen = _given(names)
    keep = 1.0 if std is None else std
    found = gain_table(chosen, std=keep)
    measured = None
    if experiment:
        from paddle_init.frameworks.paddle.nets.operators import experiments
        from paddle_init.frameworks.paddle.nets.user_code import paddle_imported

        paddle_imported()
        measured = experiments(chosen, std=keep, **given)
    if form in PICTURES:
        from paddle_init.signal.pictures import gains_figure, image

        emit(image(gains_figure(found, measured), cast("ImageFormat", form)), output)
    elif form == "json":
        emit(json_text(gain_rows(found, measured)), output)
    else:
        emit(gain_text(found, measured), output)


def _given(names: Sequence[str]) -> Sequence[Spec]:
    if not any(":" in name for name in names):
        return names
    from paddle_init.cli.inputs import given_activation

    return [given_activation(name) for name in names]

"""`paddle-init propagate`: what a net's weights do to its signal and to its gradient."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import click

from paddle_init.cli.forms import PICTURES, Forms
from paddle_init.cli.inputs import Net, Wanted, chosen_net, input_files
from paddle_init.cli.options import (
    Choice,
    conf_options,
    help_option,
    named,
    output_option,
    quiet_option,
)
from paddle_init.cli.outcome import Exit, emit, failed_gate, tell, to_file
from paddle_init.files import refuse_input
from paddle_init.frameworks.resolving import ConfReading
from paddle_init.languages import Language
from paddle_init.signal.page import answer
from paddle_init.signal.study import Study

if TYPE_CHECKING:
    from paddle_init.signal.pictures import ImageFormat

FORMS = Forms("paddle_init.signal.page", pictures=True)
FINDINGS = ("vanishing", "exploding", "saturating")


@click.command()
@click.argument("net", metavar="SPEC|WIDTHS", callback=named)
@click.option(
    "-a",
    "--activation",
    "activations",
    metavar="A",
    multiple=True,
    help="Of the hidden layers; repeated, one for each. WIDTHS need it; a conf says its own.",
)
@click.option(
    "--layers",
    type=click.IntRange(1, 10**6),
    metavar="N",
    help="With a single width: N layers of that width.",
)
@click.option(
    "--scheme",
    metavar="KIND",
    help='Of the weights of WIDTHS, as in a net spec: he_normal, or "{kind: normal, std: 0.02}"; '
    "xavier_uniform by default, as in paddle.nn.Linear.",
)
@click.option("--bias", metavar="KIND", help="Of the biases of WIDTHS; none by default.")
@click.option(
    "--measure/--no-measure",
    default=True,
    show_default=True,
    help="Build the net in Paddle and run it, beside the prediction.",
)
@click.option(
    "--input",
    "input_file",
    metavar="FILE|OBJECT",
    callback=named,
    help="What to run the net on: a .npy array of shape (batch, fan_in), an .npz of arrays by the "
    "names of the forward's arguments, or module:function, which makes the batch; standard normal "
    "by default.",
)
@click.option(
    "--batch",
    type=click.IntRange(1, 2**31 - 1),
    default=256,
    show_default=True,
    help="Rows of normal input.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    default=0,
    show_default=True,
    help="Of weights, input and the output's gradient.",
)
@FORMS.options
@output_option
@click.option(
    "--fail-on",
    type=Choice(FINDINGS),
    multiple=True,
    metavar="FINDING",
    help=f"Exit with 1 where this is found, or where nothing could be judged: "
    f"{', '.join(FINDINGS)}; may be repeated.",
)
@quiet_option
@conf_options
@help_option
def propagate(
    net: str,
    activations: tuple[str, ...],
    layers: int | None,
    scheme: str | None,
    bias: str | None,
    measure: bool,
    input_file: str | None,
    batch: int,
    seed: int,
    form: str | None,
    language: Language | None,
    output: str | None,
    fail_on: tuple[str, ...],
    encoding: str | None,
    conf: ConfReading,
) -> int:
    """Predict what weights do to a net's signal and gradient, and measure it.

    SPEC is an abacus conf or a net spec of fully connected layers in a chain, or module:object: a
    Layer of Paddle or a function that builds one. A Layer that is no chain is measured layer by
    layer, without a prediction. WIDTHS are those of the input and of each layer, as 784,100,10. An
    output that ends in .png or .svg is a picture.
    With --scheme constant_variance each layer's weights go with the activation before it.

    \b
    Examples:
      paddle-init propagate configs/abacus_rank.yaml
      paddle-init propagate 784,100,58,38,28,10 -a sigmoid --scheme constant_variance
      paddle-init propagate 1024 --layers 32 -a gelu --scheme he_normal -o signal.png
      paddle-init propagate nets.tower:build --format html --lang zh -o signal.html
      paddle-init propagate nets.deepfm:build --input batch.npz
      paddle-init propagate configs/abacus_rank.yaml --fail-on vanishing --fail-on exploding
    """
    form = FORMS.chosen(form, language, output)
    wanted = Wanted(net, activations, layers, scheme, bias, measure, seed)
    chosen = chosen_net(wanted, encoding, conf)
    if to_file(output):
        refuse_input(output, {*input_files(*chosen.specs), *filter(None, [input_file])})
    notices = (notice for spec in chosen.specs for notice in spec.notices)
    tell(notice for notice in notices if notice.about == "net")  # others compare frameworks
    with _prints_apart(chosen):
        study = replace(_study(chosen, measure, input_file, batch, seed), origin=net)
    emit(_written(study, form, language, output), output)
    wrong = {finding for each in study.verdict.findings for finding in each.split()}
    failing = [each for each in fail_on if each in wrong or not study.verdict.judged]
    if failing:
        gate = " ".join(f"--fail-on {each}" for each in failing)
        return failed_gate(gate, answer(study), language)
    return Exit.FINE


@contextmanager
def _prints_apart(net: Net) -> Iterator[None]:
    """Keep what a net's forward or an activation prints and changes out of the result."""
    given = net.activations if isinstance(net.activations, tuple) else (net.activations,)
    if not any(map(callable, (net.source, *given))):
        yield
        return
    from paddle_init.frameworks.paddle.nets.user_code import kept_process, stdout_to_stderr

    with kept_process(), stdout_to_stderr():
        yield


def _study(net: Net, measure: bool, input_file: str | None, batch: int, seed: int) -> Study:
    from paddle_init.signal.study import propagate as study_of

    given = None
    if input_file is not None:
        from paddle_init.cli.inputs import read_batch

        given = read_batch(input_file)
    if measure:
        from paddle_init.frameworks.paddle.nets.user_code import paddle_imported

        paddle_imported()
    return study_of(
        net.source,
        net.activations,
        net.scheme,
        bias=net.bias,
        measured=measure,
        input=given,
        batch=batch,
        seed=seed,
    )


def _written(study: Study, form: str, language: Language | None, output: str | None) -> str | bytes:
    if form in PICTURES:
        from paddle_init.signal.pictures import image, study_figure

        return image(study_figure(study), cast("ImageFormat", form))
    return FORMS.written(study, form, language, output)

"""`paddle-init verify`: do these weights start where that spec says?"""

from __future__ import annotations

from typing import Any

import click

from paddle_init.cli.forms import Forms
from paddle_init.cli.inputs import input_files, read_specs
from paddle_init.cli.options import (
    Choice,
    conf_options,
    double,
    help_option,
    named,
    output_option,
    quiet_option,
)
from paddle_init.cli.outcome import Exit, emit, failed_gate, tell, to_file
from paddle_init.cli.seeds import paddle_version_option, seed_options
from paddle_init.files import refuse_input
from paddle_init.frameworks.resolving import ConfReading
from paddle_init.languages import Language
from paddle_init.specs import framework_names

FORMS = Forms(
    "paddle_init.verification.page", checks="junit and github mark what fails at --fail-on."
)
VERDICTS = ("identical", "follows", "unexpected", "untested", "differs", "missing")


@click.command()
@click.argument("weights", metavar="WEIGHTS", callback=named)
@click.argument("spec", metavar="SPEC", callback=named)
@click.option(
    "--framework",
    type=Choice(framework_names()),
    help="Who drew the weights; the spec's own by default.",
)
@seed_options
@paddle_version_option
@click.option("--any-seed", is_flag=True, help="Test distributions, even if the spec has a stream.")
@click.option(
    "--mapping",
    metavar="FILE",
    callback=named,
    help="Which tensors of the spec (left) are which of the weights (right), by name.",
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
@FORMS.options
@output_option
@click.option(
    "--fail-on",
    type=Choice(VERDICTS),
    default="untested",
    show_default=True,
    metavar="VERDICT",
    help=f"Exit with 1 at this verdict or a worse one: {', '.join(VERDICTS)}.",
)
@quiet_option
@conf_options
@help_option
def verify(
    weights: str,
    spec: str,
    mapping: str | None,
    form: str | None,
    language: Language | None,
    output: str | None,
    fail_on: str,
    encoding: str | None,
    conf: ConfReading,
    **settings: Any,
) -> int:
    """Say whether weights start where a spec says; exit with 1 where they do not.

    WEIGHTS is a .npz, .safetensors or .pdparams file; SPEC an abacus conf, a net spec, or
    module:object, a net of Paddle; - is a conf or a spec on standard input. With a seed, here or
    in the spec's stream, every bit is compared and a difference explained; without, the
    distributions are tested. What cannot be tested fails too, and so
    does a spec without a parameter.

    \b
    Examples:
      paddle-init verify start.npz configs/abacus_rank.yaml --seed-seq 0,1,2,3
      paddle-init verify trained.pdparams net.yaml --any-seed
      paddle-init verify start.pdparams nets.tower:build
      paddle-init verify start.npz net.yaml --seed 7 --format html --lang zh -o start.html
      paddle-init verify start.npz net.yaml --seed 7 --fail-on differs --format github
    """
    form = FORMS.chosen(form, language, output)
    from paddle_init.verification import Verdict
    from paddle_init.verification import verify as check
    from paddle_init.verification.arrays import refuse_exchanged
    from paddle_init.verification.page import answer

    refuse_exchanged(weights, spec)
    (read,) = read_specs([spec], encoding, conf)
    if to_file(output):
        refuse_input(output, {weights, *input_files(read), *filter(None, [mapping])})
    tell(read.notices)
    result = check(weights, read, mapping=mapping or (), histograms=form == "html", **settings)
    limit = Verdict(fail_on)
    emit(FORMS.written(result, form, language, output, fail_on=limit), output)
    if result.fails(limit):
        return failed_gate(f"--fail-on {limit}", answer(result), language)
    return Exit.FINE

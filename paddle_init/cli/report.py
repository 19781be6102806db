"""`paddle-init report`: do two sides start from the same place?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import click

from paddle_init.cli.forms import FOR_READERS, Forms
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
from paddle_init.cli.outcome import Exit, emit, failed_gate, is_quiet, to_file
from paddle_init.cli.seeds import right_seed_options, seed_options
from paddle_init.files import refuse_input
from paddle_init.frameworks.resolving import ConfReading
from paddle_init.languages import Language
from paddle_init.parity.building import counterpart
from paddle_init.parity.building import report as compare
from paddle_init.parity.gating import fails
from paddle_init.parity.page import answer
from paddle_init.parity.records import Level, places
from paddle_init.specs import NetSpec

FORMS = Forms(
    "paddle_init.parity.page",
    checks="junit and github mark what fails at --fail-on; without it, what starts elsewhere.",
)


notes_option = click.option(
    "--notes",
    is_flag=True,
    help="Also show what differs between the code and the document about it, where that explains "
    "no difference here.",
)


@click.command()
@click.argument("spec", metavar="SPEC", callback=named)
@click.option(
    "--against",
    metavar="SPEC",
    callback=named,
    help="The right side; Paddle's FC rule by default.",
)
@click.option(
    "--mapping",
    metavar="FILE",
    callback=named,
    help="Which parameters of the two sides belong together; see translate --to mapping.",
)
@click.option(
    "--init-range",
    callback=double,
    metavar="R",
    help="init_range of Paddle's FC rule, std = R / fan_in ** 0.5; 0.2 by default.",
)
@FORMS.options
@output_option
@click.option(
    "--fail-on",
    type=Choice([level.value for level in Level]),
    metavar="LEVEL",
    help=f"Exit with 1 at this level or a worse one: {', '.join(level.value for level in Level)}; "
    "what is not known counts as distribution, and comparing nothing fails at any.",
)
@click.option(
    "--visualdl",
    "log_folder",
    metavar="FOLDER",
    help="Also write histograms and the summary to VisualDL logs in this folder.",
)
@notes_option
@quiet_option
@seed_options
@right_seed_options
@conf_options
@help_option
def report(
    spec: str,
    against: str | None,
    mapping: str | None,
    init_range: float | None,
    form: str | None,
    language: Language | None,
    output: str | None,
    fail_on: str | None,
    log_folder: str | None,
    notes: bool,
    encoding: str | None,
    conf: ConfReading,
    right_seed: int | None,
    right_op_seed: int | None,
    **seeds: Any,
) -> int:
    """Say, parameter by parameter, whether two sides start from the same place.

    SPEC is an abacus conf, a net spec, or module:object: a Layer or a Program of Paddle, or a
    function that builds one; - is a conf or a spec on standard input. Without --against it is
    compared with the rule of the Paddle towers, and the report says what to write in Paddle to
    match. With seeds for both sides, by options or in their specs, the values are drawn and
    compared too.

    \b
    Examples:
      paddle-init report configs/abacus_rank.yaml
      paddle-init report old.yaml --against new.yaml --format json -o report.json
      paddle-init report old.yaml --against new.yaml --fail-on scale --format github
      paddle-init report old.yaml --format html --lang zh -o report.html
      paddle-init report old.yaml --engine mt19937_64 --seed-seq 7 --right-seed 7
      paddle-init report old.yaml --against nets.tower:build --mapping names.yaml
    """
    if against is not None and init_range is not None:
        raise click.UsageError(
            "--init-range belongs to Paddle's FC rule, which --against replaces."
        )
    form = FORMS.chosen(form, language, output)
    names = [spec] if against is None else [spec, against]
    left, *right = read_specs(names, encoding, conf)
    if to_file(output):
        refuse_input(output, {*input_files(left, *right), *filter(None, [mapping])})
    other = right[0] if right else counterpart(left, 0.2 if init_range is None else init_range)
    result = compare(
        _seeded(left, seeds),
        _seeded(other, {"seed": right_seed, "op_seed": right_op_seed}),
        mapping=mapping or (),
        histograms=form == "html",
    )
    if log_folder is not None:
        from paddle_init.parity.visualdl import write_visualdl

        write_visualdl(result, log_folder)
    limit = Level(fail_on) if fail_on else None
    known = places(left, *right)
    shown = replace(result, warnings=()) if is_quiet() and form in FOR_READERS else result
    reading = {"notes": notes} if form in FOR_READERS else {}
    emit(
        FORMS.written(shown, form, language, output, fail_on=limit, places=known, **reading),
        output,
    )
    if limit and fails(result, limit):
        return failed_gate(f"--fail-on {limit}", answer(result), language)
    return Exit.FINE


def _seeded(spec: NetSpec, seeds: Mapping[str, Any]) -> NetSpec:
    if all(value is None for value in seeds.values()):
        return spec
    from paddle_init.frameworks.sampling import with_stream

    return with_stream(spec, **seeds)

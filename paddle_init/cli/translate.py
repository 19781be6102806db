"""`paddle-init translate`: an abacus conf to a net spec, to Python, or back to a conf."""

from __future__ import annotations

import os
from typing import Any

import click

from paddle_init.cli.batch import batch, summary
from paddle_init.cli.inputs import input_files
from paddle_init.cli.options import conf_options, output_option
from paddle_init.cli.outcome import Exit
from paddle_init.cli.printing import emit, note, to_file
from paddle_init.cli.targets import TARGETS
from paddle_init.output_files import refuse_input
from paddle_init.parity import ConfReading, resolve

__all__ = ["translate"]


@click.command()
@click.argument("specs", metavar="SPEC...", nargs=-1, required=True)
@click.option(
    "--to",
    "target",
    type=click.Choice(list(TARGETS)),
    default="spec",
    show_default=True,
    help="A net spec, a Python module that builds the ParamAttrs, or an abacus conf.",
)
@output_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Form of the summary of many files.",
)
@conf_options
def translate(
    specs: tuple[str, ...], target: str, output: str | None, form: str, **reading: Any
) -> int:
    """Turn an abacus conf into a net spec, a Python module or a conf.

    SPEC is an abacus conf or a net spec. Several of them, or a folder, are written to the folder
    -o, one file each; what cannot be translated is told in the summary, and the rest is written.

    \b
    Examples:
      paddle-init translate configs/abacus_rank.yaml
      paddle-init translate configs/abacus_rank.yaml --to python -o net_init.py
      paddle-init translate confs/ -o specs/
    """
    many = len(specs) > 1 or os.path.isdir(specs[0])
    if many or (to_file(output) and os.path.isdir(output)):
        if not to_file(output):
            raise click.UsageError("several files are written to a folder: give one with -o.")
        results = batch(specs, TARGETS[target], output, **reading)
        emit(summary(results, form))
        return Exit.BAD_INPUT if any(result.errors for result in results) else Exit.FINE
    return _one(specs[0], target, output, **reading)


def _one(
    name: str, target: str, output: str | None, encoding: str | None, conf: ConfReading
) -> int:
    (spec,) = resolve(name, encoding=encoding, conf=conf)
    if to_file(output):
        refuse_input(output, input_files(spec))
    written = TARGETS[target].write(spec)
    for notice in spec.notices:
        note(str(notice))
    emit(written.encode(), output)
    return Exit.FINE

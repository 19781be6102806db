"""`paddle-init translate`: an abacus conf to a net spec, to Python, or back to a conf."""

from __future__ import annotations

import os
from typing import Any

import click

from paddle_init.cli.batch import batch, summary
from paddle_init.cli.inputs import input_files, read_specs
from paddle_init.cli.options import (
    Choice,
    conf_options,
    help_option,
    named,
    output_option,
    quiet_option,
)
from paddle_init.cli.outcome import Exit
from paddle_init.cli.printing import emit, tell, to_file
from paddle_init.cli.targets import TARGETS
from paddle_init.output_files import refuse_input
from paddle_init.parity import ConfReading, dump_mapping, matched, pairings

__all__ = ["translate"]

SUFFIXES = {
    "": "spec",
    ".yaml": "spec",
    ".yml": "spec",
    ".txt": "spec",
    ".py": "python",
    ".conf": "conf",
}


@click.command()
@click.argument("specs", metavar="SPEC...", nargs=-1, required=True, callback=named)
@click.option(
    "--to",
    "target",
    type=Choice(list(TARGETS)),
    help="A net spec, a Python module that builds the ParamAttrs, an abacus conf, or a first "
    "mapping for report; by default what the suffix of -o names, else a net spec.",
)
@click.option(
    "--against",
    metavar="SPEC",
    callback=named,
    help="The other side of a mapping; else every parameter is paired with its own name.",
)
@output_option
@click.option(
    "--format",
    "form",
    type=Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Form of the summary of many files.",
)
@quiet_option
@conf_options
@help_option
def translate(
    specs: tuple[str, ...],
    target: str | None,
    against: str | None,
    output: str | None,
    form: str,
    **reading: Any,
) -> int:
    """Turn an abacus conf into a net spec, a Python module or a conf.

    SPEC is an abacus conf, a net spec, or module:object: a Layer or a Program of Paddle, or a
    function that builds one; - is a conf or a spec on standard input. Several, or a folder, are
    written to the folder -o, one file each, numbered where they would have one name; what cannot
    be translated is told in the summary, and the rest is written.

    \b
    Examples:
      paddle-init translate configs/abacus_rank.yaml
      paddle-init translate configs/abacus_rank.yaml --to python -o net_init.py
      paddle-init translate confs/ -o specs/
      paddle-init translate old.yaml --to mapping --against nets.tower:build -o names.yaml
    """
    if against is not None and target != "mapping":
        raise click.UsageError("--against is the other side of a mapping: give --to mapping.")
    many = len(specs) > 1 or os.path.isdir(specs[0])
    if many and against is not None:
        raise click.UsageError("--against stands against one SPEC.")
    if many or (to_file(output) and os.path.isdir(output)):
        if not to_file(output):
            raise click.UsageError("several files are written to a folder: give one with -o.")
        results = batch(specs, TARGETS[target or "spec"], output, **reading)
        if form == "text":
            for result in results:
                tell(result.warnings)
        emit(summary(results, form))
        return Exit.BAD_INPUT if any(result.errors for result in results) else Exit.FINE
    target = target or _target(output)
    names = [specs[0]] if against is None else [specs[0], against]
    return _one(names, target, output, **reading)


def _target(output: str | None) -> str:
    """Return what the suffix of an output names; a net spec where it has none, or is no file."""
    suffix = os.path.splitext(output)[1].lower() if to_file(output) else ""
    if suffix not in SUFFIXES:
        known = ", ".join(filter(None, SUFFIXES))
        raise click.UsageError(
            f"{output}: the suffix {suffix} names nothing that is translated to; "
            f"use one of {known}, none for a net spec, or give --to."
        )
    return SUFFIXES[suffix]


def _one(
    names: list[str], target: str, output: str | None, encoding: str | None, conf: ConfReading
) -> int:
    spec, *others = read_specs(names, encoding, conf)
    if to_file(output):
        refuse_input(output, input_files(spec, *others))
    notices = spec.notices
    for other in others:
        matching = matched(spec, other)
        written, notices = dump_mapping(pairings(matching)), matching.notices
    if not others:
        written = TARGETS[target].write(spec)
    tell(notices)
    emit(written.encode(), output)
    return Exit.FINE

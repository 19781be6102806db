"""`paddle-init translate`: an abacus conf to a net spec, to Python, or back to a conf."""

from __future__ import annotations

import os
from typing import Any

import click

from paddle_init.cli.batch import TARGETS, batch, summary
from paddle_init.cli.inputs import input_files, read_specs
from paddle_init.cli.options import (
    Choice,
    conf_options,
    help_option,
    named,
    output_option,
    quiet_option,
)
from paddle_init.cli.outcome import Exit, emit, tell, to_file
from paddle_init.files import refuse_input, weight_format_of
from paddle_init.frameworks.resolving import ConfReading
from paddle_init.languages import listed
from paddle_init.specs.mapping import dump_mapping
from paddle_init.specs.matching import matched, pairings

WEIGHTS = (".npz", ".safetensors", ".pdparams")
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
    metavar="SPEC|WEIGHTS",
    callback=named,
    help="The other side of a mapping, or a .npz, .safetensors or .pdparams file; else every "
    "parameter is paired with its own name.",
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
      paddle-init translate net.yaml --to mapping --against start.pdparams -o names.yaml
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
    if against is not None:
        return _mapping(specs[0], against, output, **reading)
    return _one(specs[0], target or _target(output), output, **reading)


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
    name: str, target: str, output: str | None, encoding: str | None, conf: ConfReading
) -> int:
    (spec,) = read_specs([name], encoding, conf)
    if to_file(output):
        refuse_input(output, input_files(spec))
    written = TARGETS[target].write(spec)
    tell(spec.notices)
    emit(written.encode(), output)
    return Exit.FINE


def _mapping(
    name: str, against: str, output: str | None, encoding: str | None, conf: ConfReading
) -> int:
    """Write what belongs together on two sides, the other one a spec or a weight file."""
    if against.lower().endswith(WEIGHTS) or weight_format_of(against):
        from paddle_init.verification.arrays import as_spec
        from paddle_init.weight_files.reading import load_weights

        (spec,) = read_specs([name], encoding, conf)
        inputs = {against}
        other, left_out = as_spec(load_weights(against), spec)
    else:
        spec, other = read_specs([name, against], encoding, conf)
        inputs, left_out = input_files(other), ()
    if to_file(output):
        refuse_input(output, inputs | input_files(spec))
    matching = matched(spec, other)
    tell((*matching.notices, *(f"no partner: {each.told}" for each in matching.unmatched)))
    undecided = (each for each in matching.unmatched if each.left and each.right)
    comments = [f"no partner: {each.told}" for each in undecided]
    if left_out:
        comments.append(f"no parameters: {listed(left_out, len(left_out))}")
    emit(dump_mapping(pairings(matching), comments).encode(), output)
    return Exit.FINE

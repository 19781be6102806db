"""What a command reads: the specs that it names, and the files they come from."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from paddle_init.document import Document, parse_document
from paddle_init.document.encodings import MAX_BYTES
from paddle_init.parity import ConfReading, resolve
from paddle_init.specs import NetSpec

__all__ = ["STDIN", "input_files", "read_specs"]

STDIN = "-"


def read_specs(
    names: Sequence[str], encoding: str | None, conf: ConfReading
) -> tuple[NetSpec, ...]:
    """Return the net specs that `names` name; "-" is standard input.

    Raises
    ------
    DocumentError, SpecError
        As `resolve` does; or a draw's scheme does not fit its shape.
    click.UsageError
        "-" stands twice.
    """
    if names.count(STDIN) > 1:
        raise click.UsageError("standard input (-) can be read once; name a file.")
    specs = resolve(
        *(_standard_input(encoding) if name == STDIN else name for name in names),
        encoding=encoding,
        conf=conf,
    )
    for spec in specs:
        for draw in spec.draws:
            spec.drawn(draw.name)
    return specs


def input_files(*specs: NetSpec) -> set[str]:
    """Return the path of every file that `specs` were read from, included ones too."""
    files = {file for spec in specs for file in (spec.origin, *spec.included)}
    for spec in specs:
        sources = (
            *(draw.source for draw in spec.draws),
            *(tensor.source for tensor in spec.tensors),
            *(layer.source for layer in spec.layers),
        )
        files.update(source.file for source in sources if source)
    return {file for file in files if file}


def _standard_input(encoding: str | None) -> Document:
    if sys.stdin is None:
        raise click.UsageError("standard input is closed; name a file.")
    return parse_document(sys.stdin.buffer.read(MAX_BYTES + 1), "<stdin>", encoding=encoding)

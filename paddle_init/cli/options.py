"""Options that several commands share."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from paddle_init.languages import LANGUAGES

__all__ = ["conf_options", "double", "language_option", "output_option"]

Command = Callable[..., Any]

output_option = click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write to this file, which is replaced as a whole; stdout by default.",
)

language_option = click.option(
    "--lang",
    "language",
    type=click.Choice(LANGUAGES),
    help="Language of what is for readers; en by default.",
)


def conf_options(command: Command) -> Command:
    """Add the options on how confs are read; the command gets `encoding` and `conf`."""

    @functools.wraps(command)
    def with_conf(
        *args: Any, arithmetic: Any, storage_order: Any, root: Any, width: Any, **settings: Any
    ) -> Any:
        from paddle_init.parity import ConfReading

        conf = ConfReading(arithmetic, storage_order, root, width)
        return command(*args, conf=conf, **settings)

    for option in reversed(CONF_OPTIONS):
        with_conf = option(with_conf)
    return with_conf


def double(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """Read an option's number as confs are read: 1e-3 is one, 1_000 is not."""
    if value is None:
        return None
    from paddle_init.document import ScalarError, as_double

    try:
        return as_double(value)
    except ScalarError as error:
        raise click.BadParameter(str(error)) from None


def _widths(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> dict[str, int]:
    widths = {}
    for given in value:
        name, _, digits = given.rpartition("=")
        if not name or not digits.isascii() or not digits.isdigit() or int(digits) < 1:
            raise click.BadParameter(f"expected NAME=N with N of at least 1, found {given!r}")
        widths[name] = int(digits)
    return widths


CONF_OPTIONS = (
    click.option("--encoding", metavar="NAME", help="Encoding of the files; found by default."),
    click.option(
        "--arithmetic",
        type=click.Choice(["float64", "float32"]),
        help="Type in which a conf's scales are computed; float64 by default.",
    ),
    click.option(
        "--storage-order",
        type=click.Choice(["F", "C"]),
        help="How a conf's draws fill a matrix: by columns (F, the default) or by rows (C).",
    ),
    click.option(
        "--root",
        metavar="FOLDER",
        help="Folder that a conf's includes may not leave; the conf's own by default.",
    ),
    click.option(
        "--width",
        metavar="NAME=N",
        multiple=True,
        callback=_widths,
        help="Width of an input from outside, where a conf leaves it open; may be repeated.",
    ),
)

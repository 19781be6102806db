"""Options that several commands share."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import click

from paddle_init.cli.outcome import emit, silence_notices
from paddle_init.languages import LANGUAGES
from paddle_init.texts import did_you_mean

Command = Callable[..., Any]


class Choice(click.Choice):  # type: ignore[type-arg]
    """One of a few words; a word that is like one of them is answered with that."""

    def convert(self, value: Any, param: Any, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            if not (meant := did_you_mean(value, map(str, self.choices))):
                raise
            said = error.message.removesuffix(".") + meant
            raise click.BadParameter(said, ctx, param) from None


def named(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """Refuse an empty name, such as a shell's variable that is not set leaves."""
    if value == "" or (isinstance(value, tuple) and "" in value):
        raise click.BadParameter("expected a name, found an empty text")
    return value


def _show_help(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        emit(f"{ctx.get_help()}\n")
        ctx.exit()


# click's own would write past `emit`, which tells where stdout cannot be written to
help_option = click.help_option("-h", "--help", callback=_show_help)


def _set_quiet(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        silence_notices()


quiet_option = click.option(
    "-q",
    "--quiet",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_set_quiet,
    help="Show the result alone, without warnings and notices.",
)

output_option = click.option(
    "-o",
    "--output",
    metavar="FILE",
    callback=named,
    help="Output file, replaced as a whole (default: stdout).",
)

language_option = click.option(
    "--lang",
    "language",
    type=Choice(LANGUAGES),
    help="Language of text, Markdown and HTML; en by default.",
)


def conf_options(command: Command) -> Command:
    """Add the options on how confs are read; the command gets `encoding` and `conf`."""

    @functools.wraps(command)
    def with_conf(
        *args: Any, arithmetic: Any, storage_order: Any, root: Any, width: Any, **settings: Any
    ) -> Any:
        from paddle_init.frameworks.resolving import ConfReading

        conf = ConfReading(arithmetic, storage_order, root, width)
        return command(*args, conf=conf, **settings)

    for option in reversed(CONF_OPTIONS):
        with_conf = option(with_conf)
    return with_conf


def double(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """Read an option's number as confs are read: 1e-3 is one, 1_000 is not."""
    if value is None:
        return None
    from paddle_init.yaml_cpp import ScalarError, as_double

    try:
        return as_double(value)
    except ScalarError as error:
        raise click.BadParameter(str(error)) from None


def integer(text: str) -> int | None:
    """Read an integer in decimal digits; None where the text is none."""
    return int(text) if re.fullmatch(r"[+-]?[0-9]{1,1000}", text) else None


def _widths(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> dict[str, int]:
    widths = {}
    for given in value:
        name, _, digits = given.rpartition("=")
        width = integer(digits)
        if not name or width is None or width < 1:
            raise click.BadParameter(f"expected NAME=N with N of at least 1, found {given!r}")
        widths[name] = width
    return widths


CONF_OPTIONS = (
    click.option(
        "--encoding",
        metavar="NAME",
        callback=named,
        help="Encoding of the files; found by default.",
    ),
    click.option(
        "--arithmetic",
        type=Choice(["float64", "float32"]),
        help="Type in which a conf's scales are computed; float64 by default.",
    ),
    click.option(
        "--storage-order",
        type=Choice(["F", "C"]),
        help="How a conf's draws fill a matrix: by columns (F, the default) or by rows (C).",
    ),
    click.option(
        "--root",
        metavar="FOLDER",
        callback=named,
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

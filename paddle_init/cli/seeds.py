"""Options that say how a random stream starts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from paddle_init.cli.options import Choice, integer
from paddle_init.frameworks.registry import HOME
from paddle_init.specs import ENGINES, framework_facts

Command = Callable[..., Any]

paddle_version_option = click.option(
    "--paddle-version",
    type=Choice(framework_facts(HOME).versions),
    help="paddle: whose bits (of a TruncatedNormal); the installed Paddle's by default.",
)


def _integer(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    if value is None:
        return None
    found = integer(value)
    if found is None:
        raise click.BadParameter(f"expected an integer, found {value!r}")
    return found


def _integers(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> tuple[int, ...] | None:
    if value is None:
        return None
    found = [integer(item.strip()) for item in value.split(",")]
    values = tuple(item for item in found if item is not None)
    if len(values) < len(found):
        raise click.BadParameter(f"expected integers with commas between, found {value!r}")
    return values


def seed_options(command: Command) -> Command:
    """Add --seed, --seed-seq, --op-seed and --engine."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def right_seed_options(command: Command) -> Command:
    """Add --right-seed and --right-op-seed."""
    for option in reversed(RIGHT_OPTIONS):
        command = option(command)
    return command


RIGHT_OPTIONS = (
    click.option("--right-seed", metavar="N", callback=_integer, help="The right side's --seed."),
    click.option(
        "--right-op-seed", metavar="N", callback=_integer, help="The right side's --op-seed."
    ),
)
OPTIONS = (
    click.option(
        "--seed",
        metavar="N",
        callback=_integer,
        help="engine.seed(N) for abacus, paddle.seed(N) for paddle; 0 to 2**64 - 1.",
    ),
    click.option(
        "--seed-seq",
        metavar="A,B,..",
        callback=_integers,
        help="abacus: the values of a std::seed_seq.",
    ),
    click.option(
        "--op-seed",
        metavar="N",
        callback=_integer,
        help="paddle: the seed of every initializer, or the startup program's; an int32.",
    ),
    click.option(
        "--engine",
        type=Choice(ENGINES),
        help="abacus: minstd_rand0 by default, libstdc++'s default_random_engine.",
    ),
)

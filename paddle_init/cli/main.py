"""The `paddle-init` command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module

import click

from paddle_init import __version__
from paddle_init.cli.options import help_option
from paddle_init.cli.outcome import emit, run
from paddle_init.texts import did_you_mean


class LazyGroup(click.Group):
    """Commands by name, with the line that `--help` shows.

    A command `name` is the object of that name in the module ``paddle_init.cli.<name>``.
    """

    def __init__(self, *args: object, summaries: Mapping[str, str], **settings: object) -> None:
        super().__init__(*args, **settings)  # type: ignore[arg-type]
        self.summaries = summaries

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.summaries)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in self.summaries and not name.startswith("-"):
            known = ", ".join(self.summaries)
            meant = did_you_mean(name, self.summaries)
            ctx.fail(f"No such command {name!r}; commands: {known}{meant}")
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.summaries:
            return None
        command = getattr(import_module(f"paddle_init.cli.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries.items()))


SUMMARIES = {
    "averages": "Compare the averages of two fans, in one step and in a stack.",
    "gain": "Print the coefficient that keeps the signal, for activations.",
    "identify": "Say which schemes and which seed made weights, and if they are still initial.",
    "propagate": "Predict what weights do to a net's signal and gradient, and measure it.",
    "report": "Say, parameter by parameter, whether two sides start from the same place.",
    "sample": "Draw every initial value of a net, to the bit as abacus or Paddle would.",
    "translate": "Turn an abacus conf into a net spec, a Python module or a conf.",
    "verify": "Say whether weights start where a spec says; exit with 1 where they do not.",
}


def _show_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        emit(f"paddle-init, version {__version__}\n")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    summaries=SUMMARIES,
    no_args_is_help=False,
    context_settings={"max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_version,
    help="Show the version and exit.",
)
@help_option
def paddle_init() -> None:
    """The same initial weights in abacus and PaddlePaddle.

    \b
    Example:
      paddle-init report configs/abacus_rank.yaml
    """


def main(args: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    0 fine; 1 a difference at or above --fail-on; 2 wrong usage or bad input; 3 a fault of
    paddle-init; 130 interrupted.
    """
    return run(paddle_init, args)

"""A command group that imports a command when it is run, not when it is listed."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

import click

from paddle_init.spelling import did_you_mean

__all__ = ["LazyGroup"]


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

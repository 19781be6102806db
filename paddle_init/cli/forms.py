"""The forms in which a command writes its result, each by a module of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Any, TypeVar

import click

from paddle_init.cli.options import Choice, language_option
from paddle_init.cli.outcome import command_line
from paddle_init.cli.printing import PLAIN_WIDTH, is_terminal, to_file, width
from paddle_init.errors import Source
from paddle_init.languages import Language

__all__ = ["Forms"]

FOR_READERS = ("text", "markdown", "html")
CHECKS = ("junit", "github")
NOWHERE: MappingProxyType[str, Source] = MappingProxyType({})
Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class Forms:
    """Forms of one kind of result.

    Parameters
    ----------
    modules
        Where they are written, with {} for "text", "markdown", "html", "json" and "check".
    functions
        The name of the function there, with {} for the form.
    checks
        What `--fail-on` marks in the forms for CI; empty where there are none.
    """

    modules: str
    functions: str = "as_{}"
    checks: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        return (*FOR_READERS, "json", *(CHECKS if self.checks else ()))

    def options(self, command: Command) -> Command:
        """Add ``--format`` and ``--lang``; the command gets `form` and `language`."""
        form = click.option(
            "--format",
            "form",
            type=Choice(self.names),
            default="text",
            show_default=True,
            help=self.checks or None,
        )
        return form(language_option(command))

    def check(self, form: str, language: Language | None) -> None:
        """Refuse a language for a form that has none.

        Raises
        ------
        click.UsageError
        """
        if language is not None and form not in FOR_READERS:
            raise click.UsageError(
                f"--lang is for {', '.join(FOR_READERS)}; {form} is one in every language."
            )

    def written(
        self,
        made: Any,
        form: str,
        language: Language | None = None,
        output: str | None = None,
        *,
        fail_on: Any = None,
        places: Mapping[str, Source] = NOWHERE,
    ) -> str:
        """Write a result; `places` say for CI where parameters stand that it has no place for."""
        spoken: Language = language or "en"
        if form == "json":
            return str(self._writer("json")(made))
        if form in CHECKS:
            return self._checked(form, self._writer("check")(made, fail_on, places))
        if form == "text":
            plain = to_file(output)
            return str(
                self._writer("text")(
                    made,
                    width=PLAIN_WIDTH if plain else width(),
                    color=not plain and is_terminal(),
                    language=spoken,
                )
            )
        from paddle_init.provenance import provenance

        return str(self._writer(form)(made, language=spoken, made_by=provenance(command_line())))

    def _writer(self, form: str) -> Callable[..., Any]:
        name = "checks" if form == "check" else form
        module = import_module(self.modules.format(form))
        writer: Callable[..., Any] = getattr(module, self.functions.format(name))
        return writer

    @staticmethod
    def _checked(form: str, suite: Any) -> str:
        from paddle_init.checks import as_github, as_junit

        if form == "junit":
            return as_junit(suite)
        return as_github(suite, os.environ.get("GITHUB_WORKSPACE"))

"""The forms in which a command writes its result."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import click

from paddle_init.cli.options import Choice, language_option
from paddle_init.cli.outcome import PLAIN_WIDTH, command_line, is_terminal, to_file, width
from paddle_init.errors import Source
from paddle_init.json_values import json_text
from paddle_init.languages import Language

if TYPE_CHECKING:
    from paddle_init.results.checks import Suite
    from paddle_init.results.page import Page

FOR_READERS = ("text", "markdown", "html")
CHECKS = ("junit", "github")
PICTURES = ("png", "svg")
SUFFIXES: MappingProxyType[str, str] = MappingProxyType(
    {
        ".txt": "text",
        ".md": "markdown",
        ".markdown": "markdown",
        ".html": "html",
        ".htm": "html",
        ".json": "json",
        ".xml": "junit",
        ".png": "png",
        ".svg": "svg",
    }
)
NOWHERE: MappingProxyType[str, Source] = MappingProxyType({})
Command = TypeVar("Command", bound=Callable[..., Any])


def format_option(names: Sequence[str], about: str = "") -> Callable[[Command], Command]:
    """Return ``--format``, one of `names`; the command gets `form`, None where it is not given."""
    default = "By default what the suffix of -o names, else text."
    return click.option(
        "--format",
        "form",
        type=Choice(names),
        help=f"{default} {about}".strip(),
    )


def chosen_form(form: str | None, output: str | None, names: Sequence[str]) -> str:
    """Return the form to write: the one that is given, else that of the output's suffix.

    Without a suffix, as /dev/stdout is, it is text.

    Raises
    ------
    click.UsageError
        No form is given, and none of `names` has this suffix.
    """
    suffix = os.path.splitext(output)[1].lower() if to_file(output) else ""
    if form is not None:
        return form
    if not suffix:
        return "text"
    named = SUFFIXES.get(suffix)
    if named is None or named not in names:
        known = ", ".join(each for each, name in SUFFIXES.items() if name in names)
        raise click.UsageError(
            f"{output}: the suffix {suffix} names no format of this command; "
            f"use one of {known}, none for text, or give --format."
        )
    return named


@dataclass(frozen=True)
class Forms:
    """Forms of one kind of result, which has `to_dict`.

    Parameters
    ----------
    home
        The module that makes of a result its `page` and, for CI, `as_checks`.
    checks
        What `--fail-on` marks in the forms for CI; empty where there are none.
    pictures
        Whether there are pictures, which the command draws itself.
    """

    home: str
    checks: str = ""
    pictures: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        own = (*(CHECKS if self.checks else ()), *(PICTURES if self.pictures else ()))
        return (*FOR_READERS, "json", *own)

    def options(self, command: Command) -> Command:
        """Add ``--format`` and ``--lang``; the command gets `form` and `language`."""
        return format_option(self.names, self.checks)(language_option(command))

    def chosen(self, form: str | None, language: Language | None, output: str | None) -> str:
        """Return the form to write; see `chosen_form`.

        Raises
        ------
        click.UsageError
            No form fits, or a language is given for one that has none.
        """
        chosen = chosen_form(form, output, self.names)
        if language is not None and chosen not in FOR_READERS:
            raise click.UsageError(
                f"--lang is for {', '.join(FOR_READERS)}; {chosen} is one in every language."
            )
        return chosen

    def written(
        self,
        result: Any,
        form: str,
        language: Language | None = None,
        output: str | None = None,
        *,
        fail_on: Any = None,
        places: Mapping[str, Source] = NOWHERE,
        **settings: Any,
    ) -> str | bytes:
        """Write a result; HTML as the bytes that its charset says, everything else as text.

        `places` say for CI where parameters stand that the result has no place for; `settings`
        are the page's.
        """
        if form == "json":
            return json_text(result.to_dict())
        home = import_module(self.home)
        if form in CHECKS:
            return _checked(form, home.as_checks(result, fail_on, places))
        page = home.page(result, every=form == "html", **settings)
        return _rendered(page, form, language or "en", output)


def _checked(form: str, suite: Suite) -> str:
    from paddle_init.results.checks import as_github, as_junit

    if form == "junit":
        return as_junit(suite)
    return as_github(suite, os.environ.get("GITHUB_WORKSPACE"))


def _rendered(page: Page, form: str, language: Language, output: str | None) -> str | bytes:
    if form == "text":
        from paddle_init.results.text import as_text

        if to_file(output):
            return as_text(page, language, width=PLAIN_WIDTH)
        return as_text(page, language, width=width(), color=is_terminal())
    from paddle_init.results.provenance import provenance

    made_by = provenance(command_line())
    if form == "markdown":
        from paddle_init.results.markdown import as_markdown

        return as_markdown(page, language, made_by)
    from paddle_init.results.html import as_html

    return as_html(page, language, made_by).encode("utf-8", "backslashreplace")

"""The functions that write a kind of result, made of the one that returns its page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from paddle_init.languages import Language
from paddle_init.results.page import Page

if TYPE_CHECKING:
    from paddle_init.results.provenance import Provenance

Result = TypeVar("Result")


@dataclass(frozen=True)
class Formats(Generic[Result]):
    """Each format for readers of a kind of result."""

    page: Callable[..., Page]

    def as_text(
        self,
        result: Result,
        *,
        width: int = 80,
        color: bool = False,
        language: Language = "en",
    ) -> str:
        """Write a result for reading; the first line answers, and of many rows the worst are shown.

        Parameters
        ----------
        width : int
            Columns to fill; a Chinese character takes two.
        color : bool
            Use ANSI colors, for a terminal.
        language : "en" or "zh"
        """
        from paddle_init.results import text

        return text.as_text(self.page(result), language, width=width, color=color)

    def as_markdown(
        self, result: Result, *, language: Language = "en", made_by: Provenance | None = None
    ) -> str:
        """Write a result as GitHub-flavoured Markdown; it shows what the text form does.

        Names, formulas and places are code; nothing in them is markup.

        Parameters
        ----------
        language : "en" or "zh"
        made_by : Provenance, optional
            The command and versions to show; by default those of this process.
        """
        from paddle_init.results import markdown

        return markdown.as_markdown(self.page(result), language, made_by)

    def as_html(
        self, result: Result, *, language: Language = "en", made_by: Provenance | None = None
    ) -> str:
        """Write a result as one HTML file that needs no network; every parameter has a row.

        Parameters
        ----------
        language : "en" or "zh"
            What is shown first; the page holds both and switches.
        made_by : Provenance, optional
            The command and versions to show; by default those of this process.
        """
        from paddle_init.results import html

        return html.as_html(self.page(result, every=True), language, made_by)

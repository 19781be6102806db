"""The functions that write a kind of result, made of the one that returns its page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from paddle_init.json_values import json_text
from paddle_init.languages import Language
from paddle_init.results.page import Page

if TYPE_CHECKING:
    from paddle_init.results.provenance import Provenance


class WithDict(Protocol):
    """A result that returns itself as plain values."""

    def to_dict(self) -> dict[str, Any]: ...


Result = TypeVar("Result", bound=WithDict)


@dataclass(frozen=True)
class Formats(Generic[Result]):
    """Each format of a kind of result; `settings` are those of its `page`, such as `notes`."""

    page: Callable[..., Page]

    def as_text(
        self,
        result: Result,
        *,
        width: int = 80,
        color: bool = False,
        language: Language = "en",
        **settings: Any,
    ) -> str:
        """Write a result for reading; the first line answers, and of many rows the worst are shown.

        Parameters
        ----------
        width : int
            Columns to fill; a Chinese character takes two.
        color : bool
            Use ANSI colors, for a terminal.
        language : "en" or "zh"
        notes : bool
            For a report: also show the warnings about the document that explain no difference.
        """
        from paddle_init.results import text

        return text.as_text(self.page(result, **settings), language, width=width, color=color)

    def as_markdown(
        self,
        result: Result,
        *,
        language: Language = "en",
        made_by: Provenance | None = None,
        **settings: Any,
    ) -> str:
        """Write a result as GitHub-flavoured Markdown; it shows what the text form does.

        Names, formulas and places are code; nothing in them is markup.

        Parameters
        ----------
        language : "en" or "zh"
        made_by : Provenance, optional
            The command and versions to show; by default those of this process.
        notes : bool
            For a report, as in text.
        """
        from paddle_init.results import markdown

        return markdown.as_markdown(self.page(result, **settings), language, made_by)

    def as_html(
        self,
        result: Result,
        *,
        language: Language = "en",
        made_by: Provenance | None = None,
        **settings: Any,
    ) -> str:
        """Write a result as one HTML file that needs no network; every parameter has a row.

        Parameters
        ----------
        language : "en" or "zh"
            What is shown first; the page holds both and switches.
        made_by : Provenance, optional
            The command and versions to show; by default those of this process.
        notes : bool
            For a report, as in text.
        """
        from paddle_init.results import html

        return html.as_html(self.page(result, every=True, **settings), language, made_by)

    def as_json(self, result: Result) -> str:
        """Write a result as a JSON text in ASCII.

        Floats are written so that they read back to the same double; inf and nan never appear.
        """
        return json_text(result.to_dict())

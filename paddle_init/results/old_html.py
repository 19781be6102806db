"""Templates filled in, with data shown as text and nothing but our own style and script allowed."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Protocol

import jinja2
from markupsafe import Markup, escape

from paddle_init.languages import LANGUAGES, Language, Sentence, translated
from paddle_init.results.provenance import Provenance
from paddle_init.texts import printable

FIRST = 100
"""Rows that are shown from the start; without scripts, all that are."""


@dataclass(frozen=True)
class Column:
    """A column's heading and CSS classes; "wide" is left out on a phone."""

    label: str
    style: str = ""


@dataclass(frozen=True)
class Value:
    """One value to filter by, and how many rows have it."""

    code: str
    label: str
    count: int


@dataclass(frozen=True)
class Choice:
    """What one group of check boxes filters by; `name` as in a row's `choices`."""

    name: str
    label: str
    values: Sequence[Value]


class Row(Protocol):
    """What every row has; the macros that show it know what else."""

    @property
    def name(self) -> str: ...

    @property
    def keys(self) -> Mapping[str, Any]:
        """Return what `keys` makes."""
        ...


def keys(
    sort: Sequence[str | float | None], choices: Mapping[str, str], search: Sequence[str]
) -> dict[str, Any]:
    """Return what a script sorts, filters and searches a row by.

    Parameters
    ----------
    sort
        A key per column, all of a column texts or all numbers; None comes last.
    choices
        The row's value of every `Choice`.
    search
        The texts in which to search.
    """
    return {"sort": sort, "choices": choices, "search": "\n".join(search).lower()}


class WORDS:
    """What stands in every page; templates name them."""

    SEARCH = Sentence("Search", "搜索")
    NONE_FITS = Sentence("Nothing fits the search and the filters.", "没有符合搜索和筛选条件的行。")
    LEFT_OUT = Sentence("more rows", "行没有显示")
    SHOW_MORE = Sentence("Show more", "显示更多")
    OPEN_ALL = Sentence("Open all", "全部展开")
    CLOSE_ALL = Sentence("Close all", "全部收起")
    COMMA = Sentence(", ", "，")
    LABELLED = Sentence("{label}: {text}", "{label}：{text}")
    REPEAT = Sentence("How to repeat this", "如何重现")
    VERSIONS = Sentence("Versions", "版本")


# What CI runners obey where a page is printed to their log: this, and ##[ anywhere.
COMMAND = re.compile(r"^(\s*)::", re.MULTILINE)

TAGS: dict[Language, str] = {"en": "en", "zh": "zh-CN"}


def rendered(
    template: str,
    *,
    language: Language,
    answer: str,
    provenance: Provenance,
    **content: Any,
) -> str:
    """Fill in a template that extends ``page.html``.

    Every text is escaped; control and format characters are made visible. The page's policy lets
    no other style and script run than `page.css` and `page.js`, and lets it load nothing.

    Parameters
    ----------
    language : "en" or "zh"
        What is shown first; the page holds both.
    answer : str
        Its first line.
    """
    style, script = _part("page.css"), _part("page.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    page = (
        _environment()
        .get_template(template)
        .render(
            answer=answer,
            language=TAGS[language],
            page=WORDS,
            policy=policy,
            provenance=provenance,
            script=Markup(script),
            style=Markup(style),
            title=translated(answer, language),
            **content,
        )
    )
    return COMMAND.sub(r"\1&#58;:", page).replace("##[", "##&#91;")


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_part),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"both": both, "FIRST": FIRST}
    return environment


def both(text: str) -> Markup:
    """Say a text in every language, each in an element of its own; its lines stay lines."""
    said = {language: _lines(translated(text, language)) for language in LANGUAGES}
    if len(set(said.values())) == 1:
        return escape(said["en"])
    spans = (f'<span lang="{TAGS[one]}">{escape(each)}</span>' for one, each in said.items())
    return Markup("".join(spans))


def _lines(text: str) -> str:
    return "\n".join(map(printable, text.split("\n")))


def _shown(value: Any) -> Any:
    """Make control and format characters of a text visible, line breaks too."""
    return value if isinstance(value, Markup) or not isinstance(value, str) else printable(value)


def _part(name: str) -> str:
    return (resources.files(__package__) / "templates" / name).read_text("utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"

"""A page as HTML, with data shown as text and nothing but our own style and script allowed."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache, partial
from importlib import resources
from typing import Any

import jinja2
from markupsafe import Markup, escape

from paddle_init.languages import LANGUAGES, Language, Message, Sentence, listed, translated
from paddle_init.results.page import WORDS, Code, Content, Inline, Line, Mark, Names, Page
from paddle_init.results.provenance import Provenance, provenance
from paddle_init.texts import printable

FIRST = 100
"""Rows that are shown from the start; without scripts, all that are."""


# What CI runners obey where a page is printed to their log: this, and ##[ anywhere. A page begins
# with its doctype, and a search for line breaks is far faster than one for the starts of lines.
COMMAND = re.compile(r"(\n\s*)::")

TAGS: dict[Language, str] = {"en": "en", "zh": "zh-CN"}


def as_html(page: Page, language: Language = "en", made_by: Provenance | None = None) -> str:
    """Write a page as one HTML file that needs no network.

    Every text is escaped; control and format characters are made visible. The file's policy lets
    no other style and script run than `page.css` and `page.js`, and lets it load nothing.

    Parameters
    ----------
    language : "en" or "zh"
        What is shown first; the file holds both and switches.
    """
    style, script = _part("page.css"), _part("page.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    text = (
        _environment()
        .get_template("page.html")
        .render(
            language=TAGS[language],
            page=page,
            policy=policy,
            provenance=made_by or provenance(),
            script=Markup(script),
            style=Markup(style),
            title=translated(page.headline, language),
        )
    )
    return COMMAND.sub(r"\1&#58;:", text).replace("##[", "##&#91;")


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
    environment.globals |= {
        "FIRST": FIRST,
        "WORDS": WORDS,
        "kind": lambda part: type(part).__name__,
        "zip": zip,
    }
    # A filter is called directly, a function by way of the context, which takes far longer.
    environment.filters |= {
        "both": both,
        "cell": partial(_content, in_cell=True),
        "line": _line,
    }
    return environment


def both(text: str) -> Markup:
    """Say a text in every language, each in an element of its own; its lines stay lines."""
    if not isinstance(text, Message):
        return escape(_lines(text))
    return _both(text) if text.values else _both_alike(text.sentence)


@cache
def _both_alike(sentence: Sentence) -> Markup:
    return _both(sentence())


def _both(message: Message) -> Markup:
    texts = [escape(_lines(message.translated(language))) for language in LANGUAGES]
    if len(set(texts)) == 1:
        return texts[0]
    spans = [
        f'<span lang="{TAGS[one]}">{each}</span>'
        for one, each in zip(LANGUAGES, texts, strict=True)
    ]
    return Markup("".join(spans))


def _line(line: Line | Content) -> Markup:
    if not isinstance(line, Line):
        return _content(line)
    content = _content(line.content)
    if not line.source:
        return content
    place = escape(printable(line.source.place))
    return Markup(f'{content} <span class="place">{place}</span>')


def _content(content: Content, in_cell: bool = False) -> Markup:
    """Write a content; in a table's cell, code looks like any text."""
    if isinstance(content, tuple):
        return Markup("").join(_inline(part, in_cell) for part in content)
    return _inline(content, in_cell)


def _inline(part: Inline, in_cell: bool) -> Markup:
    match part:
        case str(text):
            return both(text)
        case Code(text):
            return escape(printable(text)) if in_cell else Markup(f"<code>{both(text)}</code>")
        case Mark(text, code):
            level = escape(printable(code))
            return Markup(f'<span class="level {level}">{both(text)}</span>')
        case Names(names, limit):
            return both(listed(list(map(printable, names)), limit))


def _lines(text: str) -> str:
    return "\n".join(map(printable, text.split("\n"))) if "\n" in text else printable(text)


def _shown(value: Any) -> Any:
    """Make control and format characters of a text visible, line breaks too."""
    return value if isinstance(value, Markup) or not isinstance(value, str) else printable(value)


def _part(name: str) -> str:
    return (resources.files(__package__) / "templates" / name).read_text("utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"

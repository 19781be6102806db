"""Templates filled in, with data shown as text and nothing but our own style and script allowed."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib import resources
from typing import Any

import jinja2
from markupsafe import Markup, escape

from paddle_init.languages import LANGUAGES, Language, translated
from paddle_init.pages import sentences
from paddle_init.pages.tables import FIRST
from paddle_init.printable import printable
from paddle_init.provenance import Provenance

__all__ = ["rendered"]

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
            page=sentences,
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

"""The formats of a report, one renderer each."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from paddle_init.cli.printing import PLAIN_WIDTH, is_terminal, width
from paddle_init.errors import Source
from paddle_init.languages import Language
from paddle_init.parity import Level, Report, as_json

__all__ = ["FORMATS", "FOR_READERS", "Setting"]


@dataclass(frozen=True)
class Setting:
    """What a renderer knows beside the report.

    `places` says where parameters are written, `to_file` whether no terminal shows the result,
    `command` what was typed.
    """

    fail_on: Level | None
    places: Mapping[str, Source]
    to_file: bool
    language: Language
    command: str


def _text(report: Report, setting: Setting) -> str:
    from paddle_init.parity import as_text

    if setting.to_file:
        return as_text(report, width=PLAIN_WIDTH, language=setting.language)
    return as_text(report, width=width(), color=is_terminal(), language=setting.language)


def _markdown(report: Report, setting: Setting) -> str:
    from paddle_init.parity import as_markdown
    from paddle_init.provenance import provenance

    return as_markdown(report, language=setting.language, made_by=provenance(setting.command))


def _html(report: Report, setting: Setting) -> str:
    from paddle_init.parity import as_html
    from paddle_init.provenance import provenance

    return as_html(report, language=setting.language, made_by=provenance(setting.command))


def _json(report: Report, setting: Setting) -> str:
    return as_json(report)


def _junit(report: Report, setting: Setting) -> str:
    from paddle_init.checks import as_junit
    from paddle_init.parity.check_form import as_checks

    return as_junit(as_checks(report, setting.fail_on, setting.places))


def _github(report: Report, setting: Setting) -> str:
    from paddle_init.checks import as_github
    from paddle_init.parity.check_form import as_checks

    checks = as_checks(report, setting.fail_on, setting.places)
    return as_github(checks, os.environ.get("GITHUB_WORKSPACE"))


FOR_READERS: MappingProxyType[str, Callable[[Report, Setting], str]] = MappingProxyType(
    {"text": _text, "markdown": _markdown, "html": _html}
)
"""Those that are written in any language; the others are for programs."""

FORMATS: MappingProxyType[str, Callable[[Report, Setting], str]] = MappingProxyType(
    {**FOR_READERS, "json": _json, "junit": _junit, "github": _github}
)

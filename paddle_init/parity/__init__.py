"""Parity reports: do two initializations start from the same place?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddle_init.lazy import lazily
from paddle_init.parity.building import DrawComparison, report
from paddle_init.parity.counterpart import counterpart
from paddle_init.parity.json_form import as_json
from paddle_init.parity.levels import Level
from paddle_init.parity.records import (
    Cause,
    Comparison,
    Drawn,
    Factor,
    Report,
    RowsSide,
    Side,
    Uncompared,
)
from paddle_init.parity.resolving import ConfReading, resolve
from paddle_init.specs.mapping import Pairing, dump_mapping, load_mapping
from paddle_init.specs.matching import matched, pairings

if TYPE_CHECKING:
    from paddle_init.parity.html_form import as_html
    from paddle_init.parity.markdown_form import as_markdown
    from paddle_init.parity.text_form import as_text

__all__ = [
    "Cause",
    "Comparison",
    "ConfReading",
    "DrawComparison",
    "Drawn",
    "Factor",
    "Level",
    "Pairing",
    "Report",
    "RowsSide",
    "Side",
    "Uncompared",
    "as_html",
    "as_json",
    "as_markdown",
    "as_text",
    "counterpart",
    "dump_mapping",
    "load_mapping",
    "matched",
    "pairings",
    "report",
    "resolve",
]


__getattr__ = lazily(  # rich and jinja2 are imported when they are used
    __name__,
    {
        "as_html": "html_form",
        "as_markdown": "markdown_form",
        "as_text": "text_form",
    },
)

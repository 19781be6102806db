"""Parity reports: do two initializations start from the same place?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddle_init.lazy import lazily

if TYPE_CHECKING:
    from paddle_init.frameworks.sides import RowsSide, Side
    from paddle_init.parity.building import DrawComparison, counterpart, report
    from paddle_init.parity.page import as_html, as_json, as_markdown, as_text
    from paddle_init.parity.records import (
        Cause,
        Comparison,
        Drawn,
        Factor,
        Level,
        Report,
        Uncompared,
    )

__all__ = [
    "Cause",
    "Comparison",
    "DrawComparison",
    "Drawn",
    "Factor",
    "Level",
    "Report",
    "RowsSide",
    "Side",
    "Uncompared",
    "as_html",
    "as_json",
    "as_markdown",
    "as_text",
    "counterpart",
    "report",
]

__getattr__ = lazily(
    __name__,
    {
        "Cause": "records",
        "Comparison": "records",
        "DrawComparison": "building",
        "Drawn": "records",
        "Factor": "records",
        "Level": "records",
        "Report": "records",
        "RowsSide": "paddle_init.frameworks.sides",
        "Side": "paddle_init.frameworks.sides",
        "Uncompared": "records",
        "as_html": "page",
        "as_json": "page",
        "as_markdown": "page",
        "as_text": "page",
        "counterpart": "building",
        "report": "building",
    },
)


def __dir__() -> list[str]:
    return __all__

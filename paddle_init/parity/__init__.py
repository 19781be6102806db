"""Parity reports: do two initializations start from the same place?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddle_init.lazy import lazily

if TYPE_CHECKING:
    from paddle_init.frameworks.sides import RowsSide, Side
    from paddle_init.parity.building import DrawComparison, counterpart, report
    from paddle_init.parity.html_form import as_html
    from paddle_init.parity.json_form import as_json
    from paddle_init.parity.markdown_form import as_markdown
    from paddle_init.parity.records import (
        Cause,
        Comparison,
        Drawn,
        Factor,
        Level,
        Report,
        Uncompared,
    )
    from paddle_init.parity.text_form import as_text

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
        "as_html": "html_form",
        "as_json": "json_form",
        "as_markdown": "markdown_form",
        "as_text": "text_form",
        "counterpart": "building",
        "report": "building",
    },
)


def __dir__() -> list[str]:
    return __all__

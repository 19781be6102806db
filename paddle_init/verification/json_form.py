"""A verification as JSON, for programs; its keys are kept stable under `schema`."""

from __future__ import annotations

from typing import Any

from paddle_init.json_values import json_text, json_value
from paddle_init.verification.records import Verification

__all__ = ["as_json"]


def as_json(made: Verification) -> str:
    """Write a verification as a JSON text."""
    form: dict[str, Any] = json_value(made)
    counts = {str(verdict): count for verdict, count in made.counts.items()}
    return json_text(form | {"passed": made.passed, "counts": counts})

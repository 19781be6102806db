"""Records as the dicts, lists and plain values of JSON; fields are keys."""

from __future__ import annotations

import json
import math
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any


def json_text(record: Any) -> str:
    """Write a record as a JSON text in ASCII; floats read back to the same double."""
    text = json.dumps(json_value(record), indent=2, allow_nan=False)
    return text.replace("##[", "##\\u005b") + "\n"  # a command to CI runners, in a log


def json_value(value: Any) -> Any:
    """Return a record's JSON form; inf and nan become null, a distribution says its family.

    A field whose metadata has "json": False is left out.
    """
    if is_dataclass(value) and not isinstance(value, type):
        family = getattr(value, "family", None)
        own = {"family": family} if isinstance(family, str) else {}
        shown = [field.name for field in fields(value) if field.metadata.get("json", True)]
        return own | {name: json_value(getattr(value, name)) for name in shown}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (list, tuple)):
        return [json_value(item) for item in value]
    if isinstance(value, dict):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value

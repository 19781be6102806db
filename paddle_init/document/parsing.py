"""PyYAML's events, the same from both of its parsers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml
from yaml.events import ScalarEvent

__all__ = ["LOADER", "parsed"]

LOADER: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

SURROGATE = re.compile("[\ud800-\udfff]")


def parsed(text: str) -> Iterator[Any]:
    """Parse with libyaml, or with the pure parser made as strict about escapes."""
    events = yaml.parse(text, LOADER)
    return _strict(events) if LOADER is yaml.SafeLoader else events


def _strict(events: Iterator[Any]) -> Iterator[Any]:
    """Refuse ``\\ud800`` and ``\\U00110000``, which the pure parser takes for characters.

    Raises
    ------
    yaml.MarkedYAMLError
    """
    said = "found invalid Unicode character escape code"
    mark: Any = None
    try:
        for event in events:
            mark = event.end_mark
            if event.__class__ is ScalarEvent and SURROGATE.search(event.value):
                raise yaml.MarkedYAMLError(problem=said, problem_mark=mark)
            yield event
    except (ValueError, OverflowError):
        raise yaml.MarkedYAMLError(problem=said, problem_mark=mark) from None

"""Where a report's parameters are written."""

from __future__ import annotations

from collections.abc import Mapping

from paddle_init.errors import Source
from paddle_init.parity.records import Comparison
from paddle_init.specs import NetSpec

__all__ = ["place", "places"]


def places(*specs: NetSpec) -> dict[str, Source]:
    """Return where every tensor is written, by name; of two specs that have it the first counts."""
    found: dict[str, Source] = {}
    for spec in specs:
        for tensor in spec.tensors:
            source = tensor.source or spec.draw_by_name[tensor.blocks[0].draw].source
            if source:
                found.setdefault(tensor.name, source)
    return found


def place(comparison: Comparison, known: Mapping[str, Source]) -> Source | None:
    """Return where a parameter is written: by its own sides, else as `known`.

    A parameter without a partner has no sides in a report; its spec still knows its line.
    """
    sides = (side for side in (comparison.left, comparison.right) if side and side.source)
    return next((side.source for side in sides), known.get(comparison.name))

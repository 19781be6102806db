"""Rows of draws that no tensor holds, or more than one."""

from __future__ import annotations

from collections.abc import Iterator

from paddle_init.errors import Notice
from paddle_init.parity.sentences import warnings as say
from paddle_init.parity.sides import View

__all__ = ["row_notices"]

# rows [start, stop) of a draw, and the tensor that holds them
Held = tuple[int, int, str]


def row_notices(view: View) -> Iterator[Notice]:
    """Yield ``unused-rows`` and ``tied-rows``, draw by draw.

    A Paddle net may draw for parameters that it does not have; what no tensor holds at all is
    told for abacus alone.
    """
    held: dict[str, list[Held]] = {draw.name: [] for draw in view.spec.draws}
    for tensor in view.spec.tensors:
        for block in tensor.blocks:
            if block.rows:
                held[block.draw].append((block.start, block.stop, tensor.name))
    for draw in view.spec.draws:
        found = sorted(held[draw.name])
        unused = _gaps(found, draw.shape[0])
        if unused and (found or view.spec.framework == "abacus"):
            message = say.UNUSED_ROWS(rows=_spans(unused), name=draw.name, place=view.where)
            yield Notice("unused-rows", message, draw.name, draw.source)
        if tied := _overlaps(found):
            first, second = tied[0][2:]
            both = say.BOTH(first=first, second=second)
            message = say.TIED_ROWS(
                rows=_spans(tied),
                name=draw.name,
                tensors=both if first != second else say.TWICE(name=first),
                place=view.where,
            )
            yield Notice("tied-rows", message, draw.name, draw.source)


def _gaps(held: list[Held], rows: int) -> list[tuple[int, int]]:
    gaps, end = [], 0
    for start, stop, _ in [*held, (rows, rows, "")]:
        if start > end:
            gaps.append((end, start))
        end = max(end, stop)
    return gaps


def _overlaps(held: list[Held]) -> list[tuple[int, int, str, str]]:
    """Return the rows that a second holder shares with the one that reaches furthest before it."""
    found, last = [], (0, 0, "")
    for each in held:
        if each[0] < last[1]:
            found.append((each[0], min(each[1], last[1]), last[2], each[2]))
        last = max(last, each, key=lambda one: one[1])
    return found


def _spans(spans: list[tuple[int, int]] | list[tuple[int, int, str, str]]) -> str:
    return ", ".join(f"[{start}, {stop})" for start, stop, *_ in spans)

"""How wide is each input? Solved from the rows of the parameters that the inputs meet.

A layer concatenates its inputs by columns and its parameters by rows, so the widths of the
inputs add up to the rows. What the sums alone determine comes first; only then is a layer
with as many inputs as parameters taken to pair them off one by one.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

__all__ = ["Equation", "solve"]


@dataclass(frozen=True, slots=True)
class Equation:
    """The widths of `names` add up to `rows`, those of the parameters."""

    names: tuple[str, ...]
    rows: tuple[int, ...]


def solve(equations: Sequence[Equation], known: dict[str, int]) -> dict[str, int]:
    """Return `known` with every width that follows from the equations.

    A width that no equation determines is not there; one that an equation contradicts is left
    to whoever checks the sums. Time is linear in the total number of names.
    """
    widths = dict(known)
    unknown = [{name for name in equation.names if name not in widths} for equation in equations]
    readers: dict[str, list[int]] = {}
    for index, names in enumerate(unknown):
        for name in names:
            readers.setdefault(name, []).append(index)
    ready = deque(index for index, names in enumerate(unknown) if len(names) == 1)

    def learn(name: str, width: int) -> None:
        widths[name] = width
        for index in readers.pop(name):
            unknown[index].discard(name)
            if len(unknown[index]) == 1:
                ready.append(index)

    def follow() -> None:
        while ready:
            index = ready.popleft()
            for name in tuple(unknown[index]):
                width = _remaining(equations[index], name, widths)
                if width is not None:
                    learn(name, width)

    follow()
    for index, names in enumerate(unknown):
        if len(names) > 1:
            for name, width in _paired(equations[index], widths).items():
                learn(name, width)
            follow()
    return widths


def _remaining(equation: Equation, name: str, widths: dict[str, int]) -> int | None:
    counts = Counter(equation.names)
    count = counts.pop(name)
    rest = sum(equation.rows) - sum(widths[other] * times for other, times in counts.items())
    return rest // count if rest > 0 and rest % count == 0 else None


def _paired(equation: Equation, widths: dict[str, int]) -> dict[str, int]:
    """Widths of the unknown names where inputs and parameters between two common edges pair off."""
    names, rows = equation.names, equation.rows
    first, row = _last_common_edge([widths.get(name) for name in names], rows)
    after, after_row = _last_common_edge([widths.get(name) for name in names[::-1]], rows[::-1])
    inner, inner_rows = names[first : len(names) - after], rows[row : len(rows) - after_row]
    pairs: dict[str, int] = {}
    if len(inner) == len(inner_rows):
        for name, width in zip(inner, inner_rows, strict=True):
            if pairs.setdefault(name, widths.get(name, width)) != width:
                return {}
    return {name: width for name, width in pairs.items() if name not in widths}


def _last_common_edge(widths: Sequence[int | None], rows: Sequence[int]) -> tuple[int, int]:
    """Number of inputs and of parameters up to the last edge they share before an unknown."""
    edges = {edge: count for count, edge in enumerate(accumulate(rows), 1)}
    shared, edge = (0, 0), 0
    for count, width in enumerate(widths, 1):
        if width is None:
            break
        edge += width
        if edge in edges:
            shared = (count, edges[edge])
    return shared

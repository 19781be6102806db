"""Plain tables: columns as wide as their widest cell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["aligned"]


def aligned(rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """Return rows of cells as lines, the first `left` columns to the left, the others right."""
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join(
        "  ".join(
            cell.ljust(width) if index < left else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        + "\n"
        for row in rows
    )

"""Blocks of text in lines of a width, wrapped and colored by rich, in either language."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.containers import Lines
from rich.table import Table
from rich.text import Text

from paddle_init.languages import Language
from paddle_init.results.text import Block, Cell, Grid, Styled

OPENING = "\uff08\u201c\u300a"
CLOSING = "\uff0c\u3002\uff1b\uff1a\u3001\uff01\uff1f\uff09\u201d\u300b"
IDEOGRAPHS = "\u4e00-\u9fff"
# What stays in one line: a character or a run of others, with the marks that belong to it.
PIECE = re.compile(
    rf"[{OPENING}]*(?:[{IDEOGRAPHS}]|[^\s{IDEOGRAPHS}{OPENING}{CLOSING}]+)?[{CLOSING}]*\s*"
)


class Prose(Text):
    """A text that wraps as Chinese does; of other texts, rich breaks at blanks alone."""

    def wrap(self, console: Console, width: int, *args: Any, **options: Any) -> Lines:
        if self.cell_len <= width:
            return super().wrap(console, width, *args, **options)
        lines = self.divide(_breaks(self.plain, width))
        for line in lines:
            line.rstrip()
        return lines


def _breaks(text: str, width: int) -> Iterator[int]:
    """Yield where lines of at most `width` cells begin, from the second on."""
    used = 0
    for piece in PIECE.finditer(text):
        cells = cell_len(piece[0].rstrip())
        if used and used + cells > width:
            yield piece.start()
            used = 0
        for place, char in enumerate(piece[0], piece.start()):
            if used + cell_len(char) > width and not char.isspace():
                yield place
                used = 0
            used += cell_len(char)


def wrapped(blocks: Iterable[Block], language: Language, width: int, color: bool) -> list[str]:
    """Return the lines of blocks, of at most `width` columns."""
    out = io.StringIO()
    console = Console(
        file=out, width=width, force_terminal=color, no_color=not color, highlight=False
    )
    kind = Prose if language == "zh" else Text
    for block in blocks:
        console.print(_table(block, kind) if isinstance(block, Grid) else _text(block, kind))
    return [line.rstrip() for line in out.getvalue().split("\n")[:-1]]


def _text(cell: Cell, kind: type[Text]) -> Text:
    if isinstance(cell, Styled):
        return kind(cell.text, cell.style)
    return Text.assemble(*(kind(part.text, part.style) for part in cell))


def _table(grid: Grid, kind: type[Text]) -> Table:
    table = Table(
        box=None,
        padding=(0, 2, 0, 0),
        pad_edge=False,
        header_style="bold",
        show_header=grid.headed,
        collapse_padding=not grid.headed,
    )
    if grid.indent:
        table.add_column(width=grid.indent - 2)
    for column in grid.columns:
        table.add_column(
            _text(column.head, kind),
            style=column.style,
            justify="right" if column.number else "left",
            overflow="fold",
            no_wrap=column.whole,
        )
    start = [Text()] if grid.indent else []
    for row in grid.rows:
        table.add_row(*start, *(_text(cell, kind) for cell in row))
    return table

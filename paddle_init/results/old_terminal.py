"""What every text has: lines of a width, in either language, with colors where these are seen."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.containers import Lines
from rich.table import Table
from rich.text import Text

from paddle_init.languages import Language, Message, translated
from paddle_init.texts import inert, printable

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


@dataclass(frozen=True)
class Terminal:
    """A width in columns, of which a Chinese character takes two; a language; ANSI colors or none.

    What is shown is text: control characters are escaped, and brackets are no markup.
    """

    width: int
    language: Language
    color: bool = False

    def written(self, parts: Iterable[RenderableType]) -> str:
        out = io.StringIO()
        console = Console(
            file=out,
            width=self.width,
            force_terminal=self.color,
            no_color=not self.color,
            highlight=False,
        )
        for part in parts:
            console.print(part)
        return "".join(inert(line.rstrip()) + "\n" for line in out.getvalue().split("\n")[:-1])

    def text(self, content: str, style: str = "") -> Text:
        kind = Prose if self.language == "zh" else Text
        return kind(printable(translated(content, self.language)), style)

    def table(
        self,
        heads: Sequence[str],
        rows: Iterable[Sequence[str | Text]],
        left: int,
        whole: bool = False,
    ) -> Table:
        """Return a table: the first `left` columns stand to the left, the others to the right.

        With `whole` the others are never broken, and the first ones make room.
        """
        table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
        for index, head in enumerate(heads):
            side: Literal["left", "right"] = "left" if index < left else "right"
            one_line = whole and index >= left
            table.add_column(self.text(head), justify=side, overflow="fold", no_wrap=one_line)
        for row in rows:
            table.add_row(*(each if isinstance(each, Text) else self.text(each) for each in row))
        return table

    def labelled(self, rows: Iterable[tuple[str, str]], indent: int = 0) -> Table:
        """Return texts, each beside its label; a message's lines stay lines."""
        grid = Table.grid(padding=(0, 2, 0, 0))
        if indent:
            grid.add_column(width=indent - 2)
        grid.add_column(style="dim", no_wrap=True)
        grid.add_column(overflow="fold")
        for label, content in rows:
            text = translated(content, self.language)
            lines = text.split("\n") if isinstance(content, Message) else [text]
            for start, line in zip((label, *[""] * (len(lines) - 1)), lines, strict=True):
                cells = (self.text(start), self.text(line))
                grid.add_row(*((Text(), *cells) if indent else cells))
        return grid

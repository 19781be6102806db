"""Chinese prose in lines: broken between characters, and never before a closing mark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.containers import Lines
from rich.text import Text

__all__ = ["Prose"]

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

"""A page as text, for a terminal, a file or a mail: lines of a width, in either language."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.containers import Lines
from rich.table import Table as Grid
from rich.text import Text

from paddle_init.errors import Notice, Source
from paddle_init.languages import Language, Message, listed, translated
from paddle_init.results.page import (
    WORDS,
    Code,
    Content,
    Entry,
    Inline,
    Line,
    Mark,
    Names,
    Notices,
    Page,
    Paragraph,
    Part,
    Section,
    Table,
    entries_in,
    inline,
)
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


def as_text(page: Page, language: Language = "en", *, width: int = 80, color: bool = False) -> str:
    """Write a page for reading.

    What is shown is text: control characters are escaped, and brackets are no markup.

    Parameters
    ----------
    width : int
        Columns to fill; a Chinese character takes two.
    color : bool
        Use ANSI colors, for a terminal.
    """
    out = io.StringIO()
    console = Console(
        file=out, width=width, force_terminal=color, no_color=not color, highlight=False
    )
    for part in _Writing(language).page(page):
        console.print(part)
    return "".join(inert(line.rstrip()) + "\n" for line in out.getvalue().split("\n")[:-1])


@dataclass(frozen=True)
class _Writing:
    """Parts of a page in one language, as rich shows them."""

    language: Language

    def page(self, page: Page) -> Iterator[RenderableType]:
        if page.headline:
            yield self.text(page.headline, "bold")
        if facts := entries_in("text", page.facts):
            yield self.labelled(self.entries(facts))
        for part in page.parts_in("text"):
            yield from self.part(part)

    def part(self, part: Part) -> Iterator[RenderableType]:
        match part:
            case Table():
                yield from self.table(part)
            case Section(entries, heading) if entries:
                yield from self.section(heading, self.entries(entries))
            case Paragraph(text):
                yield Text()
                yield from map(self.text, translated(text, self.language).split("\n"))
            case Notices(heading, notices) if notices:
                yield from self.section(heading, _notices(part))

    def section(self, heading: str, rows: Iterable[tuple[str, str]]) -> Iterator[RenderableType]:
        yield Text()
        if heading:
            yield self.text(heading, "bold")
        yield self.labelled(rows, indent=2 if heading else 0)

    def table(self, table: Table) -> Iterator[RenderableType]:
        yield Text()
        yield self.grid(table)
        if table.more:
            yield self.text(table.more, "italic")
        if table.note:
            yield Text()
            yield self.text(table.note)
        for row in table.rows:
            if row.heading and (entries := entries_in("text", row.entries)):
                yield Text()
                name, *rest = row.heading
                yield Text.assemble(self.inline(name, "bold"), *map(self.inline, rest))
                yield self.labelled(self.entries(entries), indent=2)

    def grid(self, table: Table) -> Grid:
        grid = Grid(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
        for column in table.columns_in("text"):
            grid.add_column(
                self.text(column.label),
                justify="right" if column.number else "left",
                overflow="fold",
                no_wrap=column.number and table.unbroken,
            )
        for row in table.rows:
            for cells in (row.cells, *row.further):
                grid.add_row(*map(self.content, table.shown("text", cells)))
        return grid

    def labelled(self, rows: Iterable[tuple[str, str]], indent: int = 0) -> Grid:
        """Return texts, each beside its label; a message's lines stay lines."""
        grid = Grid.grid(padding=(0, 2, 0, 0))
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

    def entries(self, entries: Iterable[Entry]) -> Iterator[tuple[str, str]]:
        for entry in entries:
            label = entry.label
            for line in entry.lines:
                yield label, self.line(line)
                label = ""

    def line(self, line: Line) -> str:
        parts = list(map(_plain, inline(line.content)))
        text = parts[0]
        if len(parts) > 1:
            text = "".join(translated(part, self.language) for part in parts)
        return _placed(text, line.source)

    def content(self, content: Content) -> Text:
        if isinstance(content, tuple):
            return Text.assemble(*map(self.inline, content))
        return self.inline(content)

    def inline(self, part: Inline, style: str = "") -> Text:
        return self.text(_plain(part), part.color if isinstance(part, Mark) else style)

    def text(self, content: str, style: str = "") -> Text:
        kind = Prose if self.language == "zh" else Text
        return kind(printable(translated(content, self.language)), style)


def _plain(part: Inline) -> str:
    match part:
        case Code(text) | Mark(text):
            return text
        case Names(names, limit):
            return listed(names, limit)
    return part


def _placed(text: str, source: Source | None) -> str:
    return WORDS.PLACED(text=text, place=source.place) if source else text


def _notices(shown: Notices) -> Iterator[tuple[str, str]]:
    by_code: dict[str, list[Notice]] = {}
    for notice in shown.notices:
        by_code.setdefault(notice.code, []).append(notice)
    for code, found in by_code.items():
        for notice in found[: shown.most]:
            yield code, _placed(notice.message, notice.source)
        if shown.most is not None and (more := len(found) - shown.most) > 0:
            yield "", WORDS.MORE_NOTICES(more=more)

"""A page as text, for a terminal, a file or a mail, in either language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple, TypeAlias

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


class Styled(NamedTuple):
    """A text in one style, by rich's name of it."""

    text: str
    style: str = ""


Cell: TypeAlias = "Styled | list[Styled]"
BLANK = Styled("")


@dataclass(frozen=True)
class GridColumn:
    """A column: a `number` is aligned to the right, what is `whole` is not wrapped."""

    head: Styled = BLANK
    style: str = ""
    number: bool = False
    whole: bool = False


@dataclass(frozen=True)
class Grid:
    """Cells below each other, two blanks apart."""

    columns: Sequence[GridColumn]
    rows: Sequence[Sequence[Cell]]
    headed: bool = False
    indent: int = 0


Block: TypeAlias = "Cell | Grid"


def as_text(
    page: Page, language: Language = "en", *, width: int | None = 80, color: bool = False
) -> str:
    """Write a page for reading.

    What is shown is text: control characters are escaped, and brackets are no markup.

    Parameters
    ----------
    width : int, optional
        Columns to fill; a Chinese character takes two. None wraps no line.
    color : bool
        Use ANSI colors, for a terminal.
    """
    blocks = list(_Writing(language).page(page))
    if blocks[:1] == [BLANK]:
        del blocks[0]
    if width is None:
        lines = list(chain.from_iterable(map(_unwrapped, blocks)))
    else:
        from paddle_init.results.console import wrapped

        lines = wrapped(blocks, language, width, color)
    return "".join(f"{inert(line)}\n" for line in lines)


def _unwrapped(block: Block) -> Iterator[str]:
    if not isinstance(block, Grid):
        yield _joined(block)
        return
    columns = block.columns
    rows = [list(map(_joined, row)) for row in block.rows]
    if block.headed:
        rows.insert(0, [column.head.text for column in columns])
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    if not columns[-1].number:
        widths[-1:] = [0]
    for row in rows:
        cells = (
            cell.rjust(width) if column.number else cell.ljust(width)
            for cell, column, width in zip(row, columns, widths, strict=True)
        )
        yield " " * block.indent + "  ".join(cells)


def _joined(cell: Cell) -> str:
    return cell.text if isinstance(cell, Styled) else "".join(part.text for part in cell)


@dataclass(frozen=True)
class _Writing:
    """Parts of a page in one language, as blocks."""

    language: Language

    def page(self, page: Page) -> Iterator[Block]:
        if page.headline:
            yield self.text(page.headline, "bold")
        if facts := entries_in("text", page.facts):
            yield self.labelled(self.entries(facts))
        for part in page.parts_in("text"):
            yield from self.part(part)

    def part(self, part: Part) -> Iterator[Block]:
        match part:
            case Table():
                yield from self.table(part)
            case Section(entries, heading) if entries:
                yield from self.section(heading, self.entries(entries), part.inner)
            case Paragraph(text):
                yield BLANK
                yield from map(self.text, translated(text, self.language).split("\n"))
            case Notices(heading, notices) if notices:
                yield from self.section(heading, _notices(part))

    def section(
        self, heading: str, rows: Iterable[tuple[str, str]], inner: bool = False
    ) -> Iterator[Block]:
        start = "  " if inner else ""
        if not inner:
            yield BLANK
        if heading:
            yield self.text(heading, "bold", start)
        yield self.labelled(rows, indent=len(start) + (2 if heading else 0))

    def table(self, table: Table) -> Iterator[Block]:
        yield BLANK
        yield self.grid(table)
        if table.more:
            yield self.text(table.more, "italic")
        if table.note:
            yield BLANK
            yield self.text(table.note)
        for row in table.rows:
            if row.heading and (entries := entries_in("text", row.entries)):
                yield BLANK
                name, *rest = row.heading
                yield [self.inline(name, "bold"), *map(self.inline, rest)]
                yield self.labelled(self.entries(entries), indent=2)

    def grid(self, table: Table) -> Grid:
        columns = [
            GridColumn(
                self.text(column.label),
                number=column.number,
                whole=column.number and table.unbroken,
            )
            for column in table.columns_in("text")
        ]
        rows = [
            list(map(self.content, table.shown("text", cells)))
            for row in table.rows
            for cells in (row.cells, *row.further)
        ]
        return Grid(columns, rows, headed=True)

    def labelled(self, rows: Iterable[tuple[str, str]], indent: int = 0) -> Grid:
        """Return texts, each beside its label if any has one; a message's lines stay lines."""
        cells = []
        for label, content in rows:
            text = translated(content, self.language)
            lines = text.split("\n") if isinstance(content, Message) else [text]
            for start, line in zip((label, *[""] * (len(lines) - 1)), lines, strict=True):
                cells.append((self.text(start), self.text(line)))
        if not any(label.text for label, _ in cells):
            return Grid([GridColumn()], [row[1:] for row in cells], indent=indent)
        return Grid([GridColumn(style="dim", whole=True), GridColumn()], cells, indent=indent)

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

    def content(self, content: Content) -> Cell:
        if isinstance(content, tuple):
            return list(map(self.inline, content))
        return self.inline(content)

    def inline(self, part: Inline, style: str = "") -> Styled:
        return self.text(_plain(part), part.color if isinstance(part, Mark) else style)

    def text(self, content: str, style: str = "", start: str = "") -> Styled:
        return Styled(start + printable(translated(content, self.language)), style)


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

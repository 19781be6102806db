"""A page as Markdown, as GitHub renders it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
from paddle_init.results.provenance import Provenance, provenance
from paddle_init.texts import printable

MARKUP = re.compile(r"[\\`*_~\[\]<>|&$#]")
BACKTICKS = re.compile(r"`+")


def code(text: str) -> str:
    """Write a text as code, in a table too; control characters are escaped."""
    shown = printable(text)
    if "|" in shown:  # which ends a table's cell even inside of a code span
        return f"<code>{MARKUP.sub(lambda found: f'&#{ord(found[0])};', shown)}</code>"
    mark = "`" * (1 + _longest_run(shown))
    # One blank at each end is taken off again; a blank or backtick of the text's own is kept so.
    ends = {shown[:1], shown[-1:]}
    apart = " " if shown.strip(" ") and ends & {"`", " "} else ""
    return f"{mark}{apart}{shown}{apart}{mark}"


def fenced(text: str) -> str:
    """Write a command as a code block."""
    shown = printable(text)
    mark = "`" * max(3, 1 + _longest_run(shown))
    return f"{mark}sh\n{shown}\n{mark}"


def prose(text: str) -> str:
    """Write a text that is no markup; its lines are kept by hard breaks."""
    return "<br>".join(MARKUP.sub(r"\\\g<0>", printable(line)) for line in text.split("\n"))


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0) -> Iterator[str]:
    """Yield the lines of a table of what `code` and `prose` made; the last columns are numbers."""
    yield _row(heads)
    yield _row(["---"] * (len(heads) - numbers) + ["--:"] * numbers)
    yield from map(_row, rows)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _longest_run(text: str) -> int:
    return max(map(len, BACKTICKS.findall(text)), default=0)


def as_markdown(page: Page, language: Language = "en", made_by: Provenance | None = None) -> str:
    """Write a page as GitHub-flavoured Markdown; every text in it is text, and never markup."""
    document = _Document(language)
    return "\n".join([*document.head(page), *document.foot(made_by or provenance())]) + "\n"


@dataclass(frozen=True)
class _Document:
    """A document in one language."""

    language: Language

    def head(self, page: Page) -> Iterator[str]:
        yield f"# {self.prose(page.headline)}"
        yield ""
        yield from self.entries(page.facts)
        for part in page.parts_in("markdown"):
            yield from self.part(part)

    def foot(self, made_by: Provenance) -> Iterator[str]:
        if made_by.command:
            yield from self.section(WORDS.REPEAT())
            yield fenced(made_by.command)
        yield from self.section(WORDS.VERSIONS())
        yield ", ".join(f"{name} {code(version)}" for name, version in made_by.versions.items())

    def part(self, part: Part) -> Iterator[str]:
        match part:
            case Table():
                yield from self.section(part.heading)
                yield from self.table(part)
            case Section(entries) if entries:
                yield from self.section(part.heading)
                yield from self.entries(entries)
            case Paragraph(text):
                yield from ("", self.prose(text))
            case Notices(heading, notices) if notices:
                yield from self.section(heading)
                yield from map(self.notice, notices)

    def section(self, heading: str) -> Sequence[str]:
        return "", f"## {self.prose(heading)}", ""

    def table(self, shown: Table) -> Iterator[str]:
        columns = shown.columns_in("markdown")
        lines = [cells for row in shown.rows for cells in (row.cells, *row.further)]
        yield from table(
            [self.prose(column.label) for column in columns],
            [list(map(self.content, shown.shown("markdown", cells))) for cells in lines],
            sum(column.number for column in columns),
        )
        for text in filter(None, (shown.more, shown.note)):
            yield from ("", self.prose(text))
        for row in shown.rows:
            if row.heading and (entries := entries_in("markdown", row.entries)):
                yield from ("", f"### {self.content(row.heading)}", "")
                yield from self.entries(entries)

    def entries(self, entries: Sequence[Entry]) -> Iterator[str]:
        for entry in entries_in("markdown", entries):
            start = f"- **{self.prose(entry.label)}**" if entry.label else "  -"
            for line in entry.lines:
                yield f"{start} {self.line(line)}"

    def line(self, line: Line) -> str:
        return self.content(line.content) + self.place(line.source)

    def notice(self, notice: Notice) -> str:
        return f"- {code(notice.code)} {self.prose(notice.message)}{self.place(notice.source)}"

    def place(self, source: Source | None) -> str:
        return f" ({code(source.place)})" if source else ""

    def content(self, content: Content) -> str:
        return "".join(map(self.inline, inline(content)))

    def inline(self, part: Inline) -> str:
        match part:
            case Code(text):
                return code(translated(text, self.language))
            case Names(names, limit):
                return translated(listed(list(map(code, names)), limit), self.language)
            case Mark(text) if not isinstance(text, Message):
                return code(text)
            case Mark(text):
                return self.prose(text)
        return self.prose(part)

    def prose(self, text: str) -> str:
        return prose(translated(text, self.language))

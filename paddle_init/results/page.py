"""What a result shows its readers, in no format's words: headline, facts, tables and sections.

A result becomes a `Page` by one function; `results.text`, `results.markdown` and `results.html`
each render any page. What is shown is a text of this project, as a `Message`, or a text from
elsewhere, such as a name; neither is ever markup.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from paddle_init.errors import Notice, Source
from paddle_init.languages import Sentence

if TYPE_CHECKING:
    from paddle_init.results.plots import Plot

Format: TypeAlias = Literal["text", "markdown", "html"]
ALL: frozenset[Format] = frozenset({"text", "markdown", "html"})
TEXT: frozenset[Format] = frozenset({"text"})
MARKDOWN: frozenset[Format] = frozenset({"markdown"})
HTML: frozenset[Format] = frozenset({"html"})


@dataclass(frozen=True, slots=True)
class Code:
    """A formula, a name or a code: set in another type where a format has one."""

    text: str


@dataclass(frozen=True, slots=True)
class Names:
    """Names from elsewhere, of which the first few are shown and the others counted."""

    names: tuple[str, ...]
    limit: int = 3


@dataclass(frozen=True, slots=True)
class Mark:
    """A level or verdict: `code` is its CSS class, `color` its color on a terminal."""

    text: str
    code: str = ""
    color: str = ""


Inline: TypeAlias = "str | Code | Names | Mark"
Content: TypeAlias = "Inline | tuple[Inline, ...]"


@dataclass(frozen=True, slots=True)
class Line:
    """A line, and where in a file that stands which it tells; `style` is its CSS class."""

    content: Content
    source: Source | None = None
    style: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A label and what it labels: one line, or several of one kind, such as formulas of blocks.

    Parameters
    ----------
    label
        Without one, the entry goes on with the one before.
    content
        A content or a `Line`; or a list of lines, each a paragraph.
    style
        In HTML: "narrow" is for phones only, "advice" stands out, "lines" keeps line breaks,
        "tests" ends without a blank line.
    """

    label: str
    content: Content | Line | list[Line]
    style: str = ""
    formats: frozenset[Format] = ALL

    @property
    def several(self) -> bool:
        """Whether it holds any number of lines, each a paragraph."""
        return isinstance(self.content, list)

    @property
    def lines(self) -> list[Line]:
        match self.content:
            case list(lines):
                return lines
            case Line() as line:
                return [line]
            case content:
                return [Line(content)]


@dataclass(frozen=True, slots=True)
class Figure:
    """Curves; `left` and `right` say what they are, and `mark` is the second one's CSS class."""

    plot: Plot
    left: str = ""
    right: str = ""
    title: str = ""
    mark: str = "right"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    style
        A CSS class of its heading.
    number
        Whether it is aligned to the right.
    wide
        Whether a phone has no room for it.
    """

    label: str
    style: str = ""
    number: bool = False
    wide: bool = False
    formats: frozenset[Format] = ALL

    @property
    def cell_classes(self) -> str:
        """The CSS classes of its cells."""
        return " ".join(["number"] * self.number + ["wide"] * self.wide)

    @property
    def classes(self) -> str:
        return f"{self.style} {self.cell_classes}".strip()


@dataclass(frozen=True, slots=True)
class Value:
    """One value to filter by, and how many rows have it."""

    code: str
    label: str
    count: int


@dataclass(frozen=True, slots=True)
class Choice:
    """What one group of check boxes filters by; `name` as in a row's `choices`."""

    name: str
    label: str
    values: Sequence[Value]


@dataclass(frozen=True, slots=True)
class Row:
    """A row, and its entries: below the table in text and Markdown, below the row in HTML.

    Parameters
    ----------
    cells
        One for each column, whatever the format; the first one names the row.
    further
        More lines of cells, which HTML leaves out.
    heading
        The heading above the entries, the name first; without one, text and Markdown show no
        entries.
    sort
        In HTML, a key for each column: all of a column texts or all numbers; None comes last.
    choices
        In HTML, the row's value of every `Choice`.
    search
        In HTML, the texts in which to search.
    """

    cells: Sequence[Content]
    further: Sequence[Sequence[Content]] = ()
    heading: tuple[Inline, ...] = ()
    entries: Sequence[Entry] = ()
    figures: Sequence[Figure] = ()
    sort: Sequence[str | float | None] = ()
    choices: Mapping[str, str] | None = None
    search: Sequence[str] = ()

    @property
    def keys(self) -> dict[str, Any]:
        """What a script sorts, filters and searches by."""
        search = "\n".join(self.search).lower()
        return {"sort": self.sort, "choices": self.choices or {}, "search": search}


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a heading, which text leaves out.

    Parameters
    ----------
    choices
        In HTML, what rows are filtered by.
    more
        How many rows are not shown.
    note
        What the columns hold.
    unbroken
        Whether numbers are kept whole in text, where the other columns make room.
    style, figures
        In HTML, CSS classes of the section, and of what holds a row's figures.
    """

    heading: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    choices: Sequence[Choice] = ()
    more: str = ""
    note: str = ""
    unbroken: bool = False
    style: str = ""
    figures: str = ""
    formats: frozenset[Format] = ALL

    def shown(self, format: Format, cells: Sequence[Content]) -> list[Content]:
        """Return the cells of the columns that `format` has."""
        pairs = zip(self.columns, cells, strict=True)
        return [cell for column, cell in pairs if format in column.formats]

    def columns_in(self, format: Format) -> list[Column]:
        return [column for column in self.columns if format in column.formats]


@dataclass(frozen=True, slots=True)
class Section:
    """Labelled entries.

    Parameters
    ----------
    style
        In HTML, a CSS class where there is no heading.
    inner
        Whether it belongs to what is above it in text: indented, and with no blank line between.
    """

    entries: Sequence[Entry]
    heading: str = ""
    style: str = "sides"
    inner: bool = False
    formats: frozenset[Format] = ALL


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A text of its own; its lines stay lines."""

    text: str
    formats: frozenset[Format] = ALL


@dataclass(frozen=True, slots=True)
class Notices:
    """Notices, of which text shows `most` of each code."""

    heading: str
    notices: Sequence[Notice]
    most: int | None = None
    formats: frozenset[Format] = ALL


@dataclass(frozen=True, slots=True)
class Meanings:
    """What the levels or verdicts mean, in HTML."""

    heading: str
    meanings: Mapping[str, str]
    formats: frozenset[Format] = HTML


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures beside each other, in HTML."""

    figures: Sequence[Figure]
    formats: frozenset[Format] = HTML


Part: TypeAlias = "Table | Section | Paragraph | Notices | Meanings | Figures"


@dataclass(frozen=True, slots=True)
class Page:
    """What a result shows its readers.

    Parameters
    ----------
    command
        The command that gives such a result.
    headline
        The result in a sentence; text may do without.
    facts
        What was looked at, and how.
    parts
        The rest, from the top down; each format shows those that it has.
    """

    command: str
    headline: str
    facts: Sequence[Entry]
    parts: Sequence[Part]

    def parts_in(self, format: Format) -> list[Part]:
        return [part for part in self.parts if format in part.formats]


def entries_in(format: Format, entries: Sequence[Entry]) -> list[Entry]:
    return [entry for entry in entries if format in entry.formats]


def inline(content: Content) -> tuple[Inline, ...]:
    return content if isinstance(content, tuple) else (content,)


class WORDS:
    """What stands in several pages; templates name them."""

    PARAMETERS = Sentence("Parameters", "参数")
    PARAMETER = Sentence("parameter", "参数")
    ROLE = Sentence("role", "角色")
    SHAPE = Sentence("shape", "形状")
    WHY = Sentence("why", "原因")

    SEARCH = Sentence("Search", "搜索")
    NONE_FITS = Sentence("Nothing fits the search and the filters.", "没有符合搜索和筛选条件的行。")
    LEFT_OUT = Sentence("more rows", "行没有显示")
    SHOW_MORE = Sentence("Show more", "显示更多")
    OPEN_ALL = Sentence("Open all", "全部展开")
    CLOSE_ALL = Sentence("Close all", "全部收起")
    COMMA = Sentence(", ", "，")
    LABELLED = Sentence("{label}: {text}", "{label}：{text}")
    PLACED = Sentence("{text}  ({place})", "{text}  ({place})")
    MORE_NOTICES = Sentence(
        "{more} more; --format json has them all", "另有 {more} 条；--format json 有全部"
    )
    REPEAT = Sentence("How to repeat this", "如何重现")
    VERSIONS = Sentence("Versions", "版本")

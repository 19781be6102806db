"""What every Markdown document has: the answer first, its provenance last."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from paddle_init.errors import Notice, Source
from paddle_init.languages import Language, listed, translated
from paddle_init.results.old_html import WORDS
from paddle_init.results.provenance import Provenance
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


class Document:
    """A document in one language; every text that is given to it is text, and never markup."""

    def __init__(self, language: Language) -> None:
        self._language: Language = language

    def written(
        self,
        answer: str,
        subjects: Iterable[tuple[str, str]],
        main: Iterable[str],
        made_by: Provenance,
    ) -> str:
        """Write the whole: `subjects` say what was looked at, `main` are lines of Markdown."""
        head = [f"# {self.prose(answer)}", "", *(self.item(*each) for each in subjects)]
        return "\n".join([*head, *main, *self._provenance(made_by)]) + "\n"

    def section(self, heading: str) -> Iterable[str]:
        return "", f"## {self.prose(heading)}", ""

    def table(
        self, heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0
    ) -> Iterator[str]:
        """Yield a table, the last columns of numbers; cells are Markdown, heads are not."""
        return table(list(map(self.prose, heads)), rows, numbers)

    def item(self, label: str, text: str) -> str:
        return self.marked(label, self.prose(text))

    def marked(self, label: str, markdown: str) -> str:
        return f"- **{self.prose(label)}** {markdown}"

    def notices(self, heading: str, notices: Sequence[Notice]) -> Iterator[str]:
        """Yield a section of notices, or nothing where there are none."""
        if notices:
            yield from self.section(heading)
        for notice in notices:
            text = self.prose(notice.message)
            yield f"- {code(notice.code)} {text}{self.place(notice.source)}"

    def place(self, source: Source | None) -> str:
        return f" ({code(source.place)})" if source else ""

    def names(self, names: Sequence[str], limit: int) -> str:
        return translated(listed(list(map(code, names)), limit), self._language)

    def code(self, text: str) -> str:
        return code(translated(text, self._language))

    def prose(self, text: str) -> str:
        return prose(translated(text, self._language))

    def _provenance(self, made_by: Provenance) -> Iterator[str]:
        if made_by.command:
            yield from self.section(WORDS.REPEAT())
            yield fenced(made_by.command)
        yield from self.section(WORDS.VERSIONS())
        yield ", ".join(f"{name} {code(version)}" for name, version in made_by.versions.items())

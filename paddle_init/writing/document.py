"""What every Markdown document has: the answer first, its provenance last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from paddle_init.errors import Notice, Source
from paddle_init.languages import Language, listed, translated
from paddle_init.pages.sentences import REPEAT, VERSIONS
from paddle_init.provenance import Provenance
from paddle_init.writing.markdown import code, fenced, prose, table

__all__ = ["Document"]


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
            yield from self.section(REPEAT())
            yield fenced(made_by.command)
        yield from self.section(VERSIONS())
        yield ", ".join(f"{name} {code(version)}" for name, version in made_by.versions.items())

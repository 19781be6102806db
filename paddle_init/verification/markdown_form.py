"""A verification as Markdown, as GitHub renders it."""

from __future__ import annotations

from collections.abc import Iterator

from paddle_init.languages import Language
from paddle_init.parity.sides import drawn, formulas
from paddle_init.results.old_page import Document, code
from paddle_init.results.page import WORDS
from paddle_init.results.provenance import Provenance, provenance
from paddle_init.verification import form_sentences as say
from paddle_init.verification.records import ParameterVerification, Verification
from paddle_init.verification.summary import (
    about,
    answer,
    found,
    kind,
    shape,
    subjects,
    worst_first,
)

__all__ = ["as_markdown"]

SHOWN = 30


def as_markdown(
    made: Verification, *, language: Language = "en", made_by: Provenance | None = None
) -> str:
    """Write a verification as GitHub-flavoured Markdown; of many parameters the worst are shown.

    Parameters
    ----------
    language : "en" or "zh"
    made_by : Provenance, optional
        The command and versions to show; by default those of this process.
    """
    document = _Writing(language)
    return document.written(
        answer(made), subjects(made), document.main(made), made_by or provenance()
    )


class _Writing(Document):
    """What stands in a verification's document."""

    def main(self, made: Verification) -> Iterator[str]:
        ranked = worst_first(made)
        if ranked:
            yield from self.section(WORDS.PARAMETERS())
            heads = (WORDS.PARAMETER, WORDS.ROLE, WORDS.SHAPE, say.VERDICT, say.FOUND, say.SPEC)
            rows = [self._row(each) for each in ranked[:SHOWN]]
            yield from self.table([head() for head in heads], rows)
        if len(ranked) > SHOWN:
            yield ""
            yield self.prose(say.MORE(more=len(ranked) - SHOWN))
        for each in ranked[:SHOWN]:
            if each.verdict.failed and each.spec:
                yield ""
                yield f"### {code(each.name)}: {code(str(each.verdict))}"
                yield ""
                for formula, source in formulas(each.spec):
                    yield self.marked(say.SPEC(), self.code(formula) + self.place(source))
        if made.findings:
            yield from self.section(say.FINDINGS())
        for name, told in about(made.findings):
            yield f"- {code(name)} {self.prose(told)}"

    def _row(self, parameter: ParameterVerification) -> list[str]:
        return [
            code(parameter.name),
            self.prose(kind(parameter)),
            shape(parameter),
            code(str(parameter.verdict)),
            self.prose(found(parameter)),
            self.prose(drawn(parameter.spec)),
        ]

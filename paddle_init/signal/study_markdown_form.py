"""A study as Markdown, as GitHub renders it."""

from __future__ import annotations

from collections.abc import Iterator

from paddle_init.languages import Language
from paddle_init.results.page import Document, code
from paddle_init.results.provenance import Provenance, provenance
from paddle_init.signal import sentences as say
from paddle_init.signal.study import Study
from paddle_init.signal.study_summary import (
    answer,
    cells,
    flat,
    found,
    meaning,
    shape,
    subjects,
    told,
)


def study_markdown(
    study: Study, *, language: Language = "en", made_by: Provenance | None = None
) -> str:
    """Write a study as GitHub-flavoured Markdown.

    Parameters
    ----------
    language : "en" or "zh"
    made_by : Provenance, optional
        The command and versions to show; by default those of this process.
    """
    document = _Writing(language)
    return document.written(
        answer(study), subjects(study), document.main(study), made_by or provenance()
    )


class _Writing(Document):
    """What stands in a study's document."""

    def main(self, study: Study) -> Iterator[str]:
        yield from self.section(say.LAYERS_HEADING())
        heads = (say.LAYER, say.SHAPE, say.ACTIVATION, say.FOUND)
        numbers = (say.Y_MEAN, say.Y_RMS, say.A_MEAN, say.A_RMS, say.G_NORM, say.FLAT)
        rows = list(self._rows(study))
        yield from self.table([head() for head in heads + numbers], rows, numbers=len(numbers))
        yield ""
        yield self.prose(meaning())
        rest = list(told(study))
        if rest:
            yield from self.section(say.FINDINGS_HEADING())
        for label, text in rest:
            yield self.item(label, text) if label else f"  - {self.prose(text)}"

    def _rows(self, study: Study) -> Iterator[list[str]]:
        for layer in study.rows:
            told = self.prose(found(study, layer))
            head = [code(layer.name), shape(layer), code(layer.kind), told]
            share = flat(layer.verdict.saturated)
            for numbers in filter(None, (layer.predicted, layer.measured)):
                yield [*head, *map(self.prose, cells(numbers)), share]
                head, share = ["", "", "", self.prose(say.MEASURED())], ""

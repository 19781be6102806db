"""A study as text: the verdict, a table of the layers, where it goes wrong and what would help."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from paddle_init.languages import Language
from paddle_init.results.terminal import Terminal
from paddle_init.signal import sentences as say
from paddle_init.signal.study import Study
from paddle_init.signal.study_summary import answer, cells, flat, meaning, shape, told


def study_text(
    study: Study, width: int = 80, *, color: bool = False, language: Language = "en"
) -> str:
    """Write a study for reading.

    Parameters
    ----------
    width : int
        Columns to fill; a Chinese character takes two.
    color : bool
        Use ANSI colors, for a terminal.
    language : "en" or "zh"
    """
    terminal = Terminal(width, language, color)
    return terminal.written(_parts(terminal, study))


def _parts(terminal: Terminal, study: Study) -> Iterator[RenderableType]:
    yield terminal.text(answer(study), "bold")
    yield Text()
    heads = (say.LAYER, say.Y_MEAN, say.Y_RMS, say.A_MEAN, say.A_RMS, say.G_NORM, say.FLAT)
    yield terminal.table([head() for head in heads], _rows(terminal, study), left=1, whole=True)
    yield Text()
    yield terminal.text(meaning())
    rows = list(told(study))
    if rows:
        yield Text()
        yield terminal.labelled(rows)


def _rows(terminal: Terminal, study: Study) -> Iterator[tuple[str | Text, ...]]:
    """Yield what is predicted for a layer and, below it, what was measured."""
    for layer in study.rows:
        label: str | Text = f"{layer.name}  {shape(layer)}  {layer.kind}"
        for found in filter(None, (layer.predicted, layer.measured)):
            yield (
                label,
                *cells(found),
                flat(layer.verdict.saturated) if found is layer.predicted else "",
            )
            label = Text.assemble("  ", terminal.text(say.MEASURED()))

"""A verification as text, for a terminal, a file or a mail."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from paddle_init.languages import Language
from paddle_init.results.old_terminal import Terminal
from paddle_init.results.page import WORDS
from paddle_init.verification import form_sentences as say
from paddle_init.verification.records import Verdict, Verification
from paddle_init.verification.summary import (
    about,
    answer,
    found,
    kind,
    shape,
    subjects,
    worst_first,
)

__all__ = ["as_text"]

SHOWN = 30


def as_text(
    made: Verification, *, width: int = 80, color: bool = False, language: Language = "en"
) -> str:
    """Write a verification for reading; the first line answers, the worst parameters come first.

    Parameters
    ----------
    width : int
        Columns to fill; a Chinese character takes two.
    color : bool
        Use ANSI colors, for a terminal.
    language : "en" or "zh"
    """
    terminal = Terminal(width, language, color)
    return terminal.written(_parts(terminal, made))


def _parts(terminal: Terminal, made: Verification) -> Iterator[RenderableType]:
    yield terminal.text(answer(made), "bold")
    yield terminal.labelled(subjects(made))
    ranked = worst_first(made)
    if ranked:
        yield Text()
        heads = (WORDS.PARAMETER, WORDS.ROLE, WORDS.SHAPE, say.VERDICT, say.FOUND)
        rows = [
            (each.name, kind(each), shape(each), _verdict(each.verdict), found(each))
            for each in ranked[:SHOWN]
        ]
        yield terminal.table([head() for head in heads], rows, left=len(heads))
    if len(ranked) > SHOWN:
        yield terminal.text(say.MORE(more=len(ranked) - SHOWN), "italic")
    if made.findings:
        yield Text()
        yield terminal.text(say.FINDINGS(), "bold")
        yield terminal.labelled(about(made.findings), indent=2)


def _verdict(verdict: Verdict) -> Text:
    if verdict.failed:
        return Text(str(verdict), "red")
    return Text(str(verdict), "yellow" if verdict is Verdict.UNEXPECTED else "green")

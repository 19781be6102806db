"""A report as text, for a terminal, a file or a mail."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from paddle_init.errors import Notice, Source
from paddle_init.parity.grouping import Group, grouped, worst_first
from paddle_init.parity.levels import Level
from paddle_init.parity.records import Comparison, Report, Side, Uncompared
from paddle_init.parity.words import listed, short
from paddle_init.printable import printable

__all__ = ["as_text"]

SHOWN_GROUPS = 30
SHOWN_PER_CODE = 3
STYLES = {
    Level.IDENTICAL: "green",
    Level.ROUNDING: "green",
    Level.STREAM: "green",
    Level.SCALE: "yellow",
    Level.DISTRIBUTION: "red",
    Level.STRUCTURE: "red",
}
SAME = {
    Level.IDENTICAL: "Yes, bit for bit: {0} identical.",
    Level.ROUNDING: "Yes, up to rounding: {0} equal but for the last bits.",
    Level.STREAM: "Yes, in distribution: {0} drawn alike; single values differ or are not known.",
}


def as_text(report: Report, *, width: int = 80, color: bool = False) -> str:
    """Write a report for reading.

    The first line answers whether both sides start from the same place. Parameters that compare
    alike are told once, and of many the worst are shown; the JSON form has them all. All but the
    names is ASCII.

    Parameters
    ----------
    width : int
        Columns to fill.
    color : bool
        Use ANSI colors, for a terminal.
    """
    out = io.StringIO()
    console = Console(
        file=out, width=width, force_terminal=color, no_color=not color, highlight=False
    )
    for part in _parts(report):
        console.print(part)
    return "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines())


def _parts(report: Report) -> Iterator[RenderableType]:
    yield Text(_answer(report), style="bold")
    yield _labelled([("left", report.left), ("right", report.right)])
    groups = grouped(report.parameters)
    shown = worst_first(groups, SHOWN_GROUPS)
    yield Text()
    yield _overview(shown)
    if left_out := len(groups) - len(shown):
        note = f"{left_out} more rows compare no worse; --format json has every parameter."
        yield Text(note, style="italic")
    for group in shown:
        yield Text()
        yield _heading(group)
        yield _labelled(_detail(group.first), indent=2)
    if report.not_compared:
        yield Text("\nNot compared: parameters of no fully connected layer", style="bold")
        yield _labelled(list(map(_uncompared, report.not_compared)), indent=2)
    if report.warnings:
        yield Text("\nWarnings", style="bold")
        yield _labelled(_warnings(report.warnings), indent=2)


def _answer(report: Report) -> str:
    total = len(report.parameters)
    if not total and report.not_compared:
        return "Nothing to compare: no parameter belongs to a fully connected layer."
    if not total:
        return "Nothing to compare: neither side has a parameter."
    if report.worst in SAME and any(each.code == "roles-unknown" for each in report.warnings):
        what = f"all {total} parameters are" if total > 1 else "its one parameter is"
        return f"Not known: as weights {what} drawn alike, but nothing says which is a bias."
    if report.worst in SAME:
        return SAME[report.worst].format(
            f"all {total} parameters are" if total > 1 else "its one parameter is"
        )
    apart = [(level, n) for level, n in report.counts.items() if n and level >= Level.SCALE]
    kinds = ", ".join(f"{level} {n}" for level, n in reversed(apart))
    return f"No: {sum(n for _, n in apart)} of {total} parameters start elsewhere ({kinds})."


def _overview(groups: Sequence[Group]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for name in ("parameter", "shape", "level", "left", "right"):
        table.add_column(name, overflow="fold")
    table.add_column("ratio", justify="right", overflow="fold")
    for group in groups:
        first = group.first
        ratio = "" if first.std_ratio is None else short(first.std_ratio)
        table.add_row(
            _text(_names(group, 1)),
            _shape(first),
            Text(str(first.level), STYLES[first.level]),
            _text(_drawn(first.left)),
            _text(_drawn(first.right)),
            ratio,
        )
    return table


def _drawn(side: Side | None) -> str:
    if side is None:
        return "-"
    if side.distribution == "constant":
        return f"constant {short(side.mean or 0.0, 4)}"
    moments = side.moments
    if moments is None:
        return side.distribution
    family = "" if side.distribution == "normal" else f"{side.distribution}, "
    center, std = moments
    mean = f"mean {short(center, 4)}, " if center else ""
    return f"{family}{mean}std {short(std, 4)}"


def _heading(group: Group) -> Text:
    first = group.first
    kind = f" ({first.role} {_shape(first)}): "
    return Text.assemble(
        (printable(_names(group, 3)), "bold"), kind, (str(first.level), STYLES[first.level])
    )


def _detail(comparison: Comparison) -> Iterator[tuple[str, str]]:
    for name, side in (("left", comparison.left), ("right", comparison.right)):
        if side:
            yield from _lines(name, list(_formulas(side)))
    if comparison.max_ulp is not None:
        yield "values", f"{comparison.differing} differ, by at most {comparison.max_ulp} ULP"
    yield from _lines("why", comparison.explanation.split("\n"))
    if comparison.advice:
        yield "do", comparison.advice


def _formulas(side: Side) -> Iterator[str]:
    if side.blocks is None:
        yield side.formula + _place(side.source)
    for block in side.blocks or ():
        start, stop = block.rows
        yield f"rows [{start}, {stop}): {block.formula}{_place(block.source)}"


def _uncompared(each: Uncompared) -> tuple[str, str]:
    shape = " x ".join(map(str, each.shape))
    return each.side, f"{each.name} ({shape}): {each.drawn.formula}{_place(each.drawn.source)}"


def _lines(label: str, lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    return zip((label, *[""] * (len(lines) - 1)), lines, strict=True)


def _warnings(notices: Sequence[Notice]) -> Iterator[tuple[str, str]]:
    by_code: dict[str, list[Notice]] = {}
    for notice in notices:
        by_code.setdefault(notice.code, []).append(notice)
    for code, found in by_code.items():
        for notice in found[:SHOWN_PER_CODE]:
            yield code, notice.message + _place(notice.source)
        if len(found) > SHOWN_PER_CODE:
            yield "", f"{len(found) - SHOWN_PER_CODE} more; --format json has them all"


def _labelled(
    rows: Sequence[tuple[str, str]] | Iterator[tuple[str, str]], indent: int = 0
) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    if indent:
        grid.add_column(width=indent - 2)
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for label, content in rows:
        cells = (_text(label), _text(content))
        grid.add_row(*((Text(), *cells) if indent else cells))
    return grid


def _names(group: Group, limit: int) -> str:
    return listed(list(group.names), limit)


def _shape(comparison: Comparison) -> str:
    return " x ".join(map(str, comparison.shape))


def _place(source: Source | None) -> str:
    return f"  ({source.file}:{source.line})" if source else ""


def _text(content: str) -> Text:
    """Content as it stands: control characters escaped, brackets no markup."""
    return Text(printable(content))

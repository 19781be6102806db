"""`python -m benchmarks.papers`: run what is missing, then draw and write."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.papers.experiments import FULL, SMALL, Experiment, Scale, all_experiments
from benchmarks.papers.kept import Kept
from benchmarks.papers.page import page
from benchmarks.papers.pictures import pictures

__all__ = ["main", "run", "write"]


@click.command()
@click.argument("folder", type=click.Path(file_okay=False), default="docs/theory")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--small", is_flag=True, help="Small nets, to try it out in a few seconds.")
def main(folder: str, seed: int, small: bool) -> None:
    """Run the papers' experiments; write papers.md, its pictures and its numbers to FOLDER.

    \b
    Example:
      python -m benchmarks.papers /tmp/papers --small
    """
    try:
        write(Path(folder), SMALL if small else FULL, seed)
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        sys.exit(130)


def write(folder: Path, scale: Scale = FULL, seed: int = 0) -> None:
    """Run what the folder's results lack, then write the pictures and the page."""
    kept = Kept(folder / "papers" / "results.json")
    experiments = list(all_experiments(scale, seed))
    run(experiments, kept)
    entries = {experiment.name: kept.entries[experiment.name] for experiment in experiments}
    for name, data in pictures(entries).items():
        (folder / "papers" / name).write_bytes(data)
    (folder / "papers.md").write_text(page(entries), encoding="utf-8")


def run(experiments: Sequence[Experiment], kept: Kept) -> None:
    """Run the experiments that are not kept, in order, and keep each when it is done."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task("", total=len(experiments))
        for experiment in experiments:
            progress.update(task, description=experiment.name)
            if not kept.has(experiment):
                kept.add(experiment, experiment.run())
            progress.advance(task)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()

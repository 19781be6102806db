"""Every way to draw, compared with the real thing in one run: `python -m benchmarks.fidelity`.

The real things are Paddle's own initializers and nets in dynamic and static graph, and abacus's
loop as a C++ program (tests/cpp/abacus.cpp), compiled by g++ with -ffp-contract=off. The cells are
those of tests/support/fidelity_*.py, which the tests run at small sizes.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support.fidelity_abacus import abacus_cells  # noqa: E402
from support.fidelity_cells import Cell  # noqa: E402

COLUMNS = (
    "framework",
    "initializer",
    "dtype",
    "seeding",
    "graph",
    "storage",
    "shapes",
    "values",
    "bits that differ",
)

NOT_EXACT = (
    ("abacus", "float64, float16, bfloat16", "refused: abacus has float32 alone"),
    (
        "abacus",
        "the system derived from it, by seed",
        "not reproducible: it draws with another library; its arithmetic is `float32` above",
    ),
    ("abacus", "Uniform, TruncatedNormal, a mean other than 0", "refused: abacus has no such draw"),
    ("paddle", "TruncatedNormal in float16", "refused: Paddle has no CPU kernel for it"),
    (
        "paddle 2.6.2",
        "float16, bfloat16",
        "refused: no CPU kernel draws a normal, and what casts rounds toward zero",
    ),
    ("paddle", "on a GPU", "not covered: its kernels have another generator"),
)


def cells(millions: bool, paddle_2_6: str | None) -> Iterator[Cell]:
    """Yield every cell of the table."""
    from support.fidelity_paddle import paddle_cells

    yield from abacus_cells(millions)
    yield from paddle_cells(millions)
    if paddle_2_6:
        from support.fidelity_paddle_2_6 import paddle_2_6_cells

        yield from paddle_2_6_cells(paddle_2_6, millions)


def row(values: Iterable[object]) -> str:
    return "| " + " | ".join(map(str, values)) + " |"


@click.command()
@click.option("--quick", is_flag=True, help="Leave out the cells of ten million values.")
@click.option(
    "--paddle-2.6",
    "paddle_2_6",
    metavar="PYTHON",
    help="An interpreter that has paddlepaddle 2.6.2, to compare with it too.",
)
def main(quick: bool, paddle_2_6: str | None) -> None:
    """Print the fidelity table as Markdown; exit with 1 where a bit differs."""
    import numpy as np
    import paddle

    print(
        f"paddlepaddle {paddle.__version__}, NumPy {np.__version__}, "
        f"{' '.join(platform.libc_ver())}, {platform.machine()}\n"
    )
    print(row(COLUMNS))
    print(row("---" for _ in COLUMNS))
    count = values = differing = 0
    for cell in cells(not quick, paddle_2_6):
        outcome = cell.compare()
        print(
            row(
                (
                    cell.framework,
                    cell.initializer,
                    cell.dtype,
                    cell.seeding,
                    cell.graph,
                    cell.storage,
                    cell.sizes,
                    f"{outcome.values:,}",
                    outcome.differing,
                )
            ),
            flush=True,
        )
        count, values = count + 1, values + outcome.values
        differing += outcome.differing
    print("\nWhat cannot be exact, and why:\n")
    for line in (("framework", "what", "why"), ("---",) * 3, *NOT_EXACT):
        print(row(line))
    print(f"\n{count} cells, {values:,} values compared, {differing} bits that differ.")
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()

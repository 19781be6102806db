"""Cells in which abacus's compiled loop is the real thing."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from support.fidelity_cells import Arrays, Cell, sizes_text
from support.reference import compiled, run

from paddle_init.frameworks.sampling import sample
from paddle_init.schemes import Abacus
from paddle_init.specs import Draw, NetSpec, RowBlock, Seeding, Tensor

SMALL = ((1, 1), (1, 2), (37, 53), (2, 5))
MILLIONS = ((3163, 3163), (3, 1))
ENGINES = ("minstd_rand0", "minstd_rand", "mt19937", "mt19937_64")
SEEDINGS: dict[str, dict[str, object]] = {
    "seed": {"seed": 2**32 + 7},
    "seed_seq": {"seed_seq": (0, 1, 2, 3)},
    "counter and clock": {"seed_seq": (3, 4, 5, 1700000000000)},
}


@dataclass(frozen=True)
class Parameter:
    """A parameter of a conf."""

    rown: int
    coln: int
    init_range: float = 1.0
    scale_by_rown: bool = True


def abacus_cells(millions: bool = True) -> Iterator[Cell]:
    """Yield every cell; `millions` adds those of ten million values."""
    for engine, seeding in itertools.product(ENGINES, SEEDINGS):
        yield cell("matrices", SMALL, engine, seeding, "float64", "F", matrices)
    for arithmetic, order in (("float64", "C"), ("float32", "F"), ("float32", "C")):
        yield cell("matrices", SMALL, "minstd_rand0", "seed_seq", arithmetic, order, matrices)
    for name, shapes, layout in (
        ("folded bias row", ((38, 53), (3, 1)), folded),
        ("two draws in a weight", ((37, 53), (4, 53), (1, 53)), stacked),
    ):
        for arithmetic, order in itertools.product(("float64", "float32"), "FC"):
            yield cell(name, shapes, "minstd_rand0", "seed_seq", arithmetic, order, layout)
    if millions:
        for engine, order in (("minstd_rand0", "F"), ("minstd_rand0", "C"), ("mt19937_64", "F")):
            yield cell("matrices", MILLIONS, engine, "seed_seq", "float64", order, matrices)


Layout = Callable[[tuple[Parameter, ...]], tuple[Tensor, ...]]


def matrices(parameters: tuple[Parameter, ...]) -> tuple[Tensor, ...]:
    return tuple(
        Tensor(f"p{i}", "weight", (p.rown, p.coln), (RowBlock(f"p{i}", 0, p.rown),))
        for i, p in enumerate(parameters)
    )


def folded(parameters: tuple[Parameter, ...]) -> tuple[Tensor, ...]:
    tensors = []
    for i, p in enumerate(parameters):
        rows = p.rown - 1
        tensors.append(Tensor(f"p{i}", "weight", (rows, p.coln), (RowBlock(f"p{i}", 0, rows),)))
        tensors.append(Tensor(f"p{i}.bias", "bias", (p.coln,), (RowBlock(f"p{i}", rows, p.rown),)))
    return tuple(tensors)


def stacked(parameters: tuple[Parameter, ...]) -> tuple[Tensor, ...]:
    *above, last = (RowBlock(f"p{i}", 0, p.rown) for i, p in enumerate(parameters))
    width = parameters[0].coln
    shape = (sum(block.rows for block in above), width)
    return (
        Tensor("weight", "weight", shape, tuple(above)),
        Tensor("bias", "bias", (width,), (last,)),
    )


def cell(
    storage: str,
    shapes: tuple[tuple[int, int], ...],
    engine: str,
    seeding: str,
    arithmetic: str,
    order: str,
    layout: Layout,
) -> Cell:
    parameters = tuple(
        Parameter(*shape, init_range=0.1 + i / 3, scale_by_rown=i % 3 != 1)
        for i, shape in enumerate(shapes)
    )
    tensors = layout(parameters)
    seeds = Seeding(engine, **SEEDINGS[seeding])  # type: ignore[arg-type]

    def draw() -> tuple[Arrays, Arrays]:
        draws = tuple(
            Draw(f"p{i}", (p.rown, p.coln), Abacus(p.init_range, 0.2, p.scale_by_rown))
            for i, p in enumerate(parameters)
        )
        spec = NetSpec("abacus", draws, tensors, seeds, arithmetic, order)  # type: ignore[arg-type]
        return assembled(drawn_by_cpp(parameters, seeds, arithmetic, order), tensors), sample(spec)

    scales = f"init_range * z ({arithmetic})"
    return Cell(
        "abacus", scales, "float32", f"{engine}, {seeding}", "C++",
        f"{storage}, {order}", sizes_text(shapes), draw,
    )  # fmt: skip


def drawn_by_cpp(
    parameters: tuple[Parameter, ...], seeds: Seeding, arithmetic: str, order: str
) -> Arrays:
    """Run the compiled loop; return each parameter as the matrix that its storage makes of w."""
    given = (
        f"int:{seeds.seed}"
        if seeds.seed_seq is None
        else "seq:" + ",".join(map(str, seeds.seed_seq))
    )
    numbers = [
        text
        for p in parameters
        for text in (p.rown, p.coln, repr(p.init_range), str(p.scale_by_rown).lower())
    ]
    out = run(compiled("abacus"), seeds.engine, given, arithmetic, "0.2", *numbers)
    values, matrices = np.frombuffer(out, np.float32), {}
    for i, p in enumerate(parameters):
        size = p.rown * p.coln
        matrices[f"p{i}"] = values[:size].reshape((p.rown, p.coln), order=order)  # type: ignore[call-overload]
        values = values[size:]
    assert not values.size
    return matrices


def assembled(matrices: Arrays, tensors: tuple[Tensor, ...]) -> Arrays:
    """Put the rows of parameters together as the tensors want them."""
    return {
        tensor.name: np.concatenate(
            [matrices[block.draw][block.start : block.stop] for block in tensor.blocks]
        ).reshape(tensor.shape)
        for tensor in tensors
    }

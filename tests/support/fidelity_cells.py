"""One cell of the fidelity table: what ours drew against what the real thing drew."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Outcome:
    """How many values were compared, and how many of their bits differ."""

    values: int
    differing: int


@dataclass(frozen=True)
class Cell:
    """A combination, and how to draw it on both sides: `draw` returns (real, ours)."""

    framework: str
    initializer: str
    dtype: str
    seeding: str
    graph: str
    storage: str
    sizes: str
    draw: Callable[[], tuple[Arrays, Arrays]]

    def __str__(self) -> str:
        return "-".join(
            (
                self.framework,
                self.initializer,
                self.dtype,
                self.seeding,
                self.graph,
                self.storage,
                self.sizes,
            )
        ).replace(" ", "_")

    def compare(self) -> Outcome:
        real, ours = self.draw()
        assert list(real) == list(ours)
        outcomes = [differing_bits(real[name], ours[name]) for name in real]
        return Outcome(sum(array.size for array in real.values()), sum(outcomes))


def differing_bits(real: NDArray[Any], ours: NDArray[Any]) -> int:
    """Return in how many bits two arrays of one shape and dtype differ."""
    assert (real.shape, real.dtype) == (ours.shape, ours.dtype)
    words = np.dtype(f"u{real.dtype.itemsize}")
    differences = (
        np.ascontiguousarray(real).view(words) ^ np.ascontiguousarray(ours).view(words)
    ).reshape(-1)
    return int(np.unpackbits(differences[differences != 0].view(np.uint8)).sum())


def sizes_text(shapes: Iterable[tuple[int, ...]]) -> str:
    """Write shapes as a cell names them."""
    return ", ".join("x".join(map(str, shape)) for shape in shapes)

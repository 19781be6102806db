"""What the stream tests share: seedings, and what compiled C++ draws from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from reference import compiled, run

from paddle_init.streams import Stream

C_TYPES = {"float32": "float", "float64": "double"}


@dataclass(frozen=True)
class Seeding:
    """A seed or a seed sequence, for both sides."""

    seed: int | None = None
    seed_seq: tuple[int, ...] | None = None

    def stream(self, engine: str, **options: Any) -> Stream:
        return Stream(engine, self.seed, seed_seq=self.seed_seq, **options)

    def __str__(self) -> str:
        if self.seed_seq is None:
            return f"int:{self.seed}"
        return "seq:" + ",".join(map(str, self.seed_seq))


SEEDINGS = (
    Seeding(0),
    Seeding(1),
    Seeding(42),
    Seeding(2**31 - 1),
    Seeding(2**32 + 7),
    Seeding(2**64 - 1),
    Seeding(seed_seq=()),
    Seeding(seed_seq=(42,)),
    Seeding(seed_seq=(0, 1, 2, 3)),
    Seeding(seed_seq=(-1, 2**32 + 5, 2**40)),
    Seeding(seed_seq=tuple(range(700))),
)


def reference(
    engine: str,
    seeding: Seeding | str,
    what: str,
    dtype: str = "float32",
    counts: int | str = 1,
    parameters: tuple[float, ...] = (),
) -> NDArray[Any]:
    """Return what libstdc++ draws."""
    arguments = map(float.hex, parameters)
    out = run(compiled("streams"), engine, seeding, what, C_TYPES[dtype], counts, *arguments)
    return np.frombuffer(out, np.uint64 if what == "raw" else dtype)


def bits(values: NDArray[Any]) -> NDArray[Any]:
    """Return the values' bits as unsigned integers."""
    return values.view(f"u{values.itemsize}")

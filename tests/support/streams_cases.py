"""What the stream tests share: seedings, and what compiled C++ draws from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from support.reference import compiled, run

from paddle_init.streams import (
    ENGINES,
    Stream,
)

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


def edge_draws(engine: str) -> np.ndarray:
    """Draws at both ends, around powers of two, and halfway between two reals."""
    record = ENGINES[engine]
    random = np.random.default_rng(20240501)
    found = {record.minimum, record.minimum + 1, record.maximum - 1, record.maximum}
    for power in range(record.maximum.bit_length() + 1):
        for base in (1, 2**24 + 1, 2**24 + 3, 2**25 - 1, 2**53 + 1, 2**53 + 3, 2**54 - 1):
            found.update((base << power) + step for step in (-1, 0, 1))
    shifts = random.integers(0, record.maximum.bit_length(), 4000)
    found.update(
        int(x) % (record.maximum + 1) >> int(shift)
        for x, shift in zip(random.integers(0, 2**64, 4000, np.uint64), shifts, strict=True)
    )
    inside = sorted(x for x in found if record.minimum <= x <= record.maximum)
    draws = random.permutation(np.array(inside, np.uint64))
    draws = np.concatenate([draws, [np.uint64(record.maximum)] * 2])
    return draws[draws.size % 2 :]

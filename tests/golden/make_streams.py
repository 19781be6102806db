"""Write streams.json from compiled libstdc++: `python tests/golden/make_streams.py`.

Each case holds how an engine was seeded, what one new distribution object drew, and the
bits of the values, one hexadecimal number each. The long streams are pinned by the
SHA-256 of their bytes, little-endian float32.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
sys.path[:0] = [str(FOLDER.parent), str(FOLDER.parents[1])]

from support.streams_cases import SEEDINGS, Seeding, bits, reference  # noqa: E402

from paddle_init.streams import ENGINES  # noqa: E402

COUNT = 9
LONG = 10_000_001
LONG_STREAMS = (
    ("mt19937_64", Seeding(42)),
    ("minstd_rand0", Seeding(seed_seq=(0, 1, 2, 3))),
)


def cases() -> list[dict[str, Any]]:
    found = []
    for engine in ENGINES:
        for seeding in SEEDINGS[:-1]:
            for what, dtype, parameters in (
                ("raw", None, ()),
                ("normal", "float32", (0.1, 0.7)),
                ("normal", "float64", (0.1, 0.7)),
                ("uniform", "float32", (-0.3, 0.3)),
                ("uniform", "float64", (-0.3, 0.3)),
            ):
                values = reference(engine, seeding, what, dtype or "float32", COUNT, parameters)
                found.append(
                    {
                        "engine": engine,
                        "seed": seeding.seed,
                        "seed_seq": seeding.seed_seq,
                        "what": what,
                        "dtype": dtype,
                        "parameters": parameters,
                        "bits": " ".join(f"{value:x}" for value in bits(values).tolist()),
                    }
                )
    return found


def long_streams() -> list[dict[str, Any]]:
    return [
        {
            "engine": engine,
            "seed": seeding.seed,
            "seed_seq": seeding.seed_seq,
            "normals": LONG,
            "sha256": hashlib.sha256(
                reference(engine, seeding, "normal", "float32", LONG).astype("<f4").tobytes()
            ).hexdigest(),
        }
        for engine, seeding in LONG_STREAMS
    ]


if __name__ == "__main__":
    with (FOLDER / "streams.json").open("w") as file:
        rows = [json.dumps(row) for row in cases()]
        longs = [json.dumps(row) for row in long_streams()]
        file.write('{"cases": [\n' + ",\n".join(rows) + '\n],\n"long": [\n')
        file.write(",\n".join(longs) + "\n]}\n")

"""Writes what a real framework draws, for machines without it.

    python tests/golden/make_frameworks.py paddle   # paddle_<version>.json, of the one installed
    python tests/golden/make_frameworks.py abacus   # abacus.json, of tests/cpp/abacus.cpp

Needs nothing of paddle_init: 2.6.2 wants an environment of its own.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
SHAPES = ((1, 1), (3, 5), (167, 133))
SHOWN = 6


def described(arrays: list[np.ndarray]) -> dict[str, Any]:
    """The first bits of each array in hex, and the SHA-256 of all bytes, little-endian."""
    words = [np.ascontiguousarray(a).view(f"<u{a.itemsize}").reshape(-1) for a in arrays]
    digest = hashlib.sha256(b"".join(w.tobytes() for w in words)).hexdigest()
    return {"bits": [[f"{int(x):x}" for x in w[:SHOWN]] for w in words], "sha256": digest}


def paddle_cases() -> tuple[str, list[dict[str, Any]]]:
    import paddle
    from paddle.nn import initializer as init

    new = paddle.__version__ != "2.6.2"
    low, high = (0.3, 0.75) if new else (0.5 - 2 * 0.1, 0.5 + 2 * 0.1)
    cut = {"a": low, "b": high} if new else {}
    rules = {
        "normal": ((0.1, 0.13), lambda: init.Normal(0.1, 0.13)),
        "uniform": ((-0.3, 0.7), lambda: init.Uniform(-0.3, 0.7)),
        "truncated_normal": (
            (0.5, 0.1, low, high),
            lambda: init.TruncatedNormal(0.5, 0.1, **cut),
        ),
        "xavier_uniform": ((), lambda: init.XavierUniform()),
        "kaiming_normal": ((), lambda: init.KaimingNormal()),
    }
    cases = []
    for kind, (numbers, make) in rules.items():
        for dtype in ("float32", "float64", *(("float16", "bfloat16") if new else ())):
            if dtype == "float16" and kind == "truncated_normal":
                continue
            for seeding, seed in (("seed", 2**33 + 7), ("op_seed", -12345)):
                if seeding == "seed":
                    paddle.seed(seed)
                arrays = []
                for shape in SHAPES:
                    one = make()
                    one._seed = seed if seeding == "op_seed" else 0
                    arrays.append(
                        paddle.create_parameter(list(shape), dtype, default_initializer=one).numpy()
                    )
                case = {"kind": kind, "numbers": numbers, "dtype": dtype, seeding: seed}
                cases.append(case | described(arrays))
    return f"paddle_{paddle.__version__}", cases


def abacus_cases() -> tuple[str, list[dict[str, Any]]]:
    cases = []
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/abacus"
        source = str(HERE.parent / "cpp" / "abacus.cpp")
        flags = ["-std=c++17", "-O2", "-ffp-contract=off"]
        subprocess.run(["g++", *flags, source, "-o", program], check=True)
        for engine in ("minstd_rand0", "minstd_rand", "mt19937", "mt19937_64"):
            for seeding, given in (("seed", "int:42"), ("seed_seq", "seq:0,1,2,3")):
                for arithmetic in ("float64", "float32"):
                    sizes = [str(x) for shape in SHAPES for x in (*shape, "1", "true")]
                    command = [program, engine, given, arithmetic, "0.2", *sizes]
                    out = subprocess.run(command, check=True, capture_output=True).stdout
                    values = np.frombuffer(out, np.float32)
                    ends = np.cumsum([a * b for a, b in SHAPES])
                    seed = 42 if seeding == "seed" else [0, 1, 2, 3]
                    case = {"engine": engine, "arithmetic": arithmetic, seeding: seed}
                    cases.append(case | described(np.split(values, ends[:-1])))
    return "abacus", cases


if __name__ == "__main__":
    name, cases = {"paddle": paddle_cases, "abacus": abacus_cases}[sys.argv[1]]()
    golden = {"shapes": SHAPES, "cases": cases}
    (HERE / f"{name}.json").write_text(json.dumps(golden, indent=1) + "\n")

"""Cells in which paddlepaddle 2.6.2 is the real thing: it needs an interpreter of its own."""

from __future__ import annotations

import itertools
import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from support.fidelity_cells import Arrays, Cell, sizes_text
from support.fidelity_paddle import MILLIONS, OP_SEED, SEED, SMALL, plain_net

from paddle_init.frameworks.sampling import sample
from paddle_init.schemes import (
    Scheme,
    normal,
    truncated_normal,
    uniform,
    xavier_normal,
    xavier_uniform,
)

RULES: tuple[tuple[str, Scheme, str, tuple[float, ...]], ...] = (
    ("Normal", normal(0.1, 0.13), "normal", (0.1, 0.13)),
    ("Uniform", uniform(-0.3, 0.7), "uniform", (-0.3, 0.7)),
    ("XavierNormal", xavier_normal(), "xavier_normal", ()),
    ("XavierUniform", xavier_uniform(), "xavier_uniform", ()),
    (
        "TruncatedNormal",
        truncated_normal(0.1, 0.02, 0.1 - 2 * 0.02, 0.1 + 2 * 0.02),
        "truncated_normal",
        (0.1, 0.02),
    ),
)


def paddle_2_6_cells(python: str, millions: bool = True) -> Iterator[Cell]:
    """Yield every cell, drawn by the interpreter `python`."""
    for rule, dtype, seeding in itertools.product(
        RULES, ("float32", "float64"), ("seed", "op seed")
    ):
        yield cell(python, rule, dtype, seeding, SMALL)
    if millions:
        yield cell(python, RULES[-1], "float32", "seed", MILLIONS)


def cell(
    python: str,
    rule: tuple[str, Scheme, str, tuple[float, ...]],
    dtype: str,
    seeding: str,
    shapes: tuple[tuple[int, int], ...],
) -> Cell:
    name, scheme, kind, numbers = rule
    seeds = {"seed": SEED} if seeding == "seed" else {"op_seed": OP_SEED}

    def draw() -> tuple[Arrays, Arrays]:
        case = {"kind": kind, "numbers": numbers, "dtype": dtype, "shapes": shapes, **seeds}
        real = _drawn(python, case)
        ours = sample(plain_net(scheme, shapes, dtype), paddle_version="2.6.2", **seeds)
        return dict(zip(ours, real, strict=True)), ours

    return Cell(
        "paddle 2.6.2", name, dtype, seeding, "dynamic", "whole tensors", sizes_text(shapes), draw
    )


def _drawn(python: str, case: dict[str, Any]) -> list[np.ndarray]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "drawn.npz"
        script = Path(__file__).with_name("paddle_elsewhere.py")
        subprocess.run(
            [python, script, json.dumps([case]), out], check=True, stderr=subprocess.DEVNULL
        )
        with np.load(out) as arrays:
            return [arrays[name] for name in arrays.files]

"""Modules that python_module wrote, imported; and specs to write them from."""

from __future__ import annotations

import importlib.util
from itertools import count
from pathlib import Path
from types import ModuleType

from paddle_init.frameworks.paddle.module import python_module
from paddle_init.schemes import (
    abacus,
    constant,
    normal,
    paddle_fc,
    truncated_normal,
    uniform,
)
from paddle_init.specs import Draw, Input, Layer, NetSpec, RowBlock, Tensor

NUMBERS = count()
ABACUS = abacus(1, 0.2, True)


def imported(spec: NetSpec, folder: Path) -> ModuleType:
    """Write the spec's module into a folder and import it."""
    name = f"generated_{next(NUMBERS)}"
    path = folder / f"{name}.py"
    path.write_text(python_module(spec), encoding="utf-8")
    found = importlib.util.spec_from_file_location(name, path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def whole(name: str, role: str, shape: tuple[int, ...], dtype: str = "float32") -> Tensor:
    """A tensor of one whole draw of its name."""
    rows = 1 if role == "bias" else shape[0]
    return Tensor(name, role, shape, (RowBlock(name, 0, rows),), dtype)


SHARED = NetSpec(
    "abacus",
    draws=(Draw("w", (6, 6), ABACUS), Draw("b1", (1, 6), ABACUS), Draw("b2", (1, 6), ABACUS)),
    tensors=(whole("w", "weight", (6, 6)), whole("b1", "bias", (6,)), whole("b2", "bias", (6,))),
    layers=(
        Layer("one", "one", (Input("x", 6),), "w", "b1", "tanh"),
        Layer("two", "two", (Input("one", 6),), "w", "b2", "softsign"),
    ),
)
TWO_HEADS = NetSpec(
    "abacus",
    draws=(
        Draw("b", (1, 4), ABACUS),
        Draw("w", (7, 4), ABACUS),
        Draw("ctr_w", (4, 1), ABACUS),
        Draw("cvr_w", (6, 2), ABACUS),
    ),
    tensors=(
        whole("b", "bias", (4,)),
        whole("w", "weight", (7, 4)),
        whole("ctr_w", "weight", (4, 1)),
        whole("cvr_w", "weight", (6, 2)),
    ),
    layers=(
        Layer("base", "hidden", (Input("user", 5), Input("item", 2)), "w", "b", "relu"),
        Layer("ctr", "ctr", (Input("hidden", 4),), "ctr_w", None, "sigmoid"),
        Layer("cvr", "cvr", (Input("hidden", 4), Input("item", 2)), "cvr_w", None, "linear"),
    ),
)
DOUBLE = NetSpec(
    "paddle",
    draws=(Draw("w", (5, 3), normal(0, 0.13)), Draw("b", (1, 3), normal(0.1, 0))),
    tensors=(whole("w", "weight", (5, 3), "float64"), whole("b", "bias", (3,), "float64")),
    layers=(Layer("fc", "fc", (Input("x", 5),), "w", "b", "linear"),),
)
FAMILIES = NetSpec(
    "paddle",
    draws=(
        Draw("top", (2, 4), normal(0.25, 0.13)),
        Draw("middle", (2, 4), uniform(-0.3, 0.1)),
        Draw("same", (1, 4), uniform(-0.3, 0.1)),
        Draw("bottom", (1, 4), truncated_normal(0.0, 0.7, -1.1, 1.3)),
        Draw("bias", (1, 4), constant(0.1)),
        Draw("last", (4, 2), paddle_fc(0.3)),
    ),
    tensors=(
        Tensor(
            "top",
            "weight",
            (6, 4),
            (
                RowBlock("top", 0, 2),
                RowBlock("middle", 0, 2),
                RowBlock("same", 0, 1),
                RowBlock("bottom", 0, 1),
            ),
        ),
        whole("bias", "bias", (4,)),
        whole("last", "weight", (4, 2)),
    ),
    layers=(
        Layer("fc1", "fc1", (Input("x", 6),), "top", "bias", "relu"),
        Layer("fc2", "fc2", (Input("fc1", 4),), "last", None, "linear"),
    ),
)

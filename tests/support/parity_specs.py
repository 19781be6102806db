"""Specs that the tests of parity reports are about."""

from __future__ import annotations

from paddle_init.schemes import Scheme, abacus, constant
from paddle_init.specs import Draw, NetSpec, RowBlock, Tensor

__all__ = ["ABACUS", "FLAT", "RANK", "one_bias", "one_weight", "whole"]

ABACUS = abacus(1, 0.2, True)


def whole(
    draw: Draw, role: str = "weight", shape: tuple[int, ...] = (), dtype: str = "float32"
) -> Tensor:
    """The tensor that holds a draw, by default in the draw's own shape."""
    rows = (RowBlock(draw.name, 0, draw.shape[0]),)
    return Tensor(draw.name, role, shape or draw.shape, rows, dtype)


def one_weight(
    scheme: Scheme, framework: str = "abacus", dtype: str = "float32", **settings: object
) -> NetSpec:
    """A net of one 300 x 128 weight."""
    draw = Draw("w", (300, 128), scheme)
    return NetSpec(framework, (draw,), (whole(draw, dtype=dtype),), **settings)  # type: ignore[arg-type]


def one_bias(weight: Scheme, bias: Scheme) -> NetSpec:
    """A net of a 300 x 128 weight and the bias that abacus would draw beside it."""
    w, b = Draw("w", (300, 128), weight), Draw("b", (1, 128), bias)
    return NetSpec("abacus", (w, b), (whole(w), whole(b, "bias", (128,))))


FC1_W, FC1_B, FC2_W = (
    Draw("fc1_w", (300, 128), ABACUS),
    Draw("fc1_b", (1, 128), ABACUS),
    Draw("fc2_w", (129, 1), ABACUS),
)
RANK = NetSpec(
    "abacus",
    (FC1_W, FC1_B, FC2_W),
    (
        whole(FC1_W),
        whole(FC1_B, "bias", (128,)),
        Tensor("fc2_w", "weight", (128, 1), (RowBlock("fc2_w", 0, 128),)),
        Tensor("fc2_w.bias", "bias", (1,), (RowBlock("fc2_w", 128, 129),)),
    ),
)
FLAT = one_bias(ABACUS, constant(1))

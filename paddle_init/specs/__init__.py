"""Net specs: draws, tensors, how the stream starts, and the YAML form."""

from paddle_init.specs.net import STORAGE_ORDERS, NetSpec, plain_tensor
from paddle_init.specs.parts import (
    BIAS_INPUT,
    DTYPES,
    ENGINES,
    FRAMEWORKS,
    ROLES,
    Draw,
    Input,
    Layer,
    Overwrite,
    RowBlock,
    Seeding,
    Tensor,
    default_engine,
)

__all__ = [
    "BIAS_INPUT",
    "DTYPES",
    "ENGINES",
    "FRAMEWORKS",
    "ROLES",
    "STORAGE_ORDERS",
    "Draw",
    "Input",
    "Layer",
    "NetSpec",
    "Overwrite",
    "RowBlock",
    "Seeding",
    "Tensor",
    "default_engine",
    "plain_tensor",
]

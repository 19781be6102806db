"""Net specs: draws, tensors, how the stream starts, and the YAML form."""

from paddle_init.specs.frameworks import (
    FrameworkFacts,
    default_engine,
    framework_facts,
    framework_names,
    register,
)
from paddle_init.specs.net import STORAGE_ORDERS, NetSpec, plain_tensor
from paddle_init.specs.parts import (
    BIAS_INPUT,
    DTYPES,
    ENGINES,
    ROLES,
    Draw,
    Input,
    Layer,
    Overwrite,
    RowBlock,
    Seeding,
    Tensor,
)

__all__ = [
    "BIAS_INPUT",
    "DTYPES",
    "ENGINES",
    "ROLES",
    "STORAGE_ORDERS",
    "Draw",
    "FrameworkFacts",
    "Input",
    "Layer",
    "NetSpec",
    "Overwrite",
    "RowBlock",
    "Seeding",
    "Tensor",
    "default_engine",
    "framework_facts",
    "framework_names",
    "plain_tensor",
    "register",
]

"""paddle-init: the same initial weights in abacus and PaddlePaddle, to the bit.

Names are imported when first used, so that reading confs never waits for Paddle.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from paddle_init.adapter import exact_initializers, initialize, param_attr, param_attrs
    from paddle_init.frameworks import local_random_engine
    from paddle_init.identification import identify
    from paddle_init.parity import report
    from paddle_init.sampling import sample
    from paddle_init.specs import Draw, NetSpec, RowBlock, Seeding, Tensor
    from paddle_init.specs.reading import load_spec, parse_spec
    from paddle_init.specs.writing import dump_spec
    from paddle_init.verification import verify

_HOMES = {
    "Draw": "specs",
    "NetSpec": "specs",
    "RowBlock": "specs",
    "Seeding": "specs",
    "Tensor": "specs",
    "dump_spec": "specs.writing",
    "exact_initializers": "adapter",
    "identify": "identification",
    "initialize": "adapter",
    "load_spec": "specs.reading",
    "local_random_engine": "frameworks",
    "param_attr": "adapter",
    "param_attrs": "adapter",
    "parse_spec": "specs.reading",
    "report": "parity",
    "sample": "sampling",
    "verify": "verification",
}

__all__ = [
    "Draw",
    "NetSpec",
    "RowBlock",
    "Seeding",
    "Tensor",
    "__version__",
    "dump_spec",
    "exact_initializers",
    "identify",
    "initialize",
    "load_spec",
    "local_random_engine",
    "param_attr",
    "param_attrs",
    "parse_spec",
    "report",
    "sample",
    "verify",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'paddle_init' has no attribute {name!r}")
    return getattr(import_module(f"paddle_init.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__

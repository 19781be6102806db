"""paddle-init: the same initial weights in abacus and PaddlePaddle, to the bit.

Names are imported when first used, so that reading confs never waits for Paddle.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from paddle_init.adapter import param_attr, param_attrs
    from paddle_init.parity import report
    from paddle_init.specs import Draw, NetSpec, RowBlock, Seeding, Tensor
    from paddle_init.specs.reading import load_spec, parse_spec
    from paddle_init.specs.writing import dump_spec
    from paddle_init.theory.averages import compare_averages
    from paddle_init.theory.gains import gain
    from paddle_init.theory.study import propagate

_HOMES = {
    "Draw": "specs",
    "NetSpec": "specs",
    "RowBlock": "specs",
    "Seeding": "specs",
    "Tensor": "specs",
    "compare_averages": "theory.averages",
    "dump_spec": "specs.writing",
    "gain": "theory.gains",
    "load_spec": "specs.reading",
    "param_attr": "adapter",
    "param_attrs": "adapter",
    "parse_spec": "specs.reading",
    "propagate": "theory.study",
    "report": "parity",
}

__all__ = [
    "Draw",
    "NetSpec",
    "RowBlock",
    "Seeding",
    "Tensor",
    "__version__",
    "compare_averages",
    "dump_spec",
    "gain",
    "load_spec",
    "param_attr",
    "param_attrs",
    "parse_spec",
    "propagate",
    "report",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'paddle_init' has no attribute {name!r}")
    return getattr(import_module(f"paddle_init.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__

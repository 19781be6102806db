"""paddle-init: the same initial weights in abacus and PaddlePaddle, to the bit.

Names are imported when first used, so that reading confs never waits for Paddle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddle_init.lazy import lazily

__version__ = "0.2.0"

if TYPE_CHECKING:
    from paddle_init.adapter import (
        exact_initializers,
        initialize,
        param_attr,
        param_attrs,
        read_net,
    )
    from paddle_init.errors import NoticeWarning
    from paddle_init.frameworks import NotKnownError, local_random_engine
    from paddle_init.identification import identify
    from paddle_init.parity import report
    from paddle_init.sampling import sample
    from paddle_init.specs import Draw, NetSpec, Overwrite, RowBlock, Seeding, Tensor
    from paddle_init.specs.reading import load_spec, parse_spec
    from paddle_init.specs.writing import dump_spec
    from paddle_init.theory.averages import compare_averages
    from paddle_init.theory.gains import gain
    from paddle_init.theory.study import propagate
    from paddle_init.verification import verify

__all__ = [
    "Draw",
    "NetSpec",
    "NotKnownError",
    "NoticeWarning",
    "Overwrite",
    "RowBlock",
    "Seeding",
    "Tensor",
    "__version__",
    "compare_averages",
    "dump_spec",
    "exact_initializers",
    "gain",
    "identify",
    "initialize",
    "load_spec",
    "local_random_engine",
    "param_attr",
    "param_attrs",
    "parse_spec",
    "propagate",
    "read_net",
    "report",
    "sample",
    "verify",
]


__getattr__ = lazily(
    __name__,
    {
        "Draw": "specs",
        "NetSpec": "specs",
        "NotKnownError": "frameworks",
        "NoticeWarning": "errors",
        "Overwrite": "specs",
        "RowBlock": "specs",
        "Seeding": "specs",
        "Tensor": "specs",
        "compare_averages": "theory.averages",
        "dump_spec": "specs.writing",
        "exact_initializers": "adapter",
        "gain": "theory.gains",
        "identify": "identification",
        "initialize": "adapter",
        "load_spec": "specs.reading",
        "local_random_engine": "frameworks",
        "param_attr": "adapter",
        "param_attrs": "adapter",
        "parse_spec": "specs.reading",
        "propagate": "theory.study",
        "read_net": "adapter",
        "report": "parity",
        "sample": "sampling",
        "verify": "verification",
    },
)


def __dir__() -> list[str]:
    return __all__

"""paddle-init: the same initial weights in abacus and PaddlePaddle, to the bit.

Names are imported when first used, so that reading confs never waits for Paddle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddle_init.lazy import lazily

__version__ = "0.2.0"

if TYPE_CHECKING:
    from paddle_init.activations.gains import gain
    from paddle_init.errors import NoticeWarning
    from paddle_init.frameworks.abacus.facts import local_random_engine
    from paddle_init.frameworks.knowledge import NotKnownError
    from paddle_init.frameworks.paddle.nets.attrs import param_attr, param_attrs
    from paddle_init.frameworks.paddle.nets.filling import exact_initializers, initialize
    from paddle_init.frameworks.paddle.nets.net import read_net
    from paddle_init.frameworks.sampling import sample
    from paddle_init.identification import identify
    from paddle_init.parity.building import report
    from paddle_init.signal.averages import compare_averages
    from paddle_init.signal.study import propagate
    from paddle_init.specs import Draw, NetSpec, Overwrite, RowBlock, Seeding, Tensor
    from paddle_init.specs.yaml_form import dump_spec, load_spec, parse_spec
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
        "NotKnownError": "frameworks.knowledge",
        "NoticeWarning": "errors",
        "Overwrite": "specs",
        "RowBlock": "specs",
        "Seeding": "specs",
        "Tensor": "specs",
        "compare_averages": "signal.averages",
        "dump_spec": "specs.yaml_form",
        "exact_initializers": "frameworks.paddle.nets.filling",
        "gain": "activations.gains",
        "identify": "identification",
        "initialize": "frameworks.paddle.nets.filling",
        "load_spec": "specs.yaml_form",
        "local_random_engine": "frameworks.abacus.facts",
        "param_attr": "frameworks.paddle.nets.attrs",
        "param_attrs": "frameworks.paddle.nets.attrs",
        "parse_spec": "specs.yaml_form",
        "propagate": "signal.study",
        "read_net": "frameworks.paddle.nets.net",
        "report": "parity.building",
        "sample": "frameworks.sampling",
        "verify": "verification",
    },
)


def __dir__() -> list[str]:
    return __all__

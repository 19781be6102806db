"""How abacus and Paddle draw a net spec, bit for bit: one file each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddle_init.lazy import lazily

if TYPE_CHECKING:
    from paddle_init.frameworks.abacus import AbacusFramework
    from paddle_init.frameworks.drawing import draw_net
    from paddle_init.frameworks.errors import CannotDrawError
    from paddle_init.frameworks.halves import STORAGE, converted, rounded
    from paddle_init.frameworks.installed import VERSIONS, installed_version
    from paddle_init.frameworks.paddle import PaddleFramework
    from paddle_init.frameworks.placing import Target
    from paddle_init.frameworks.repeats import identical_layers
    from paddle_init.frameworks.thread_seeding import local_random_engine
    from paddle_init.frameworks.transfer import as_abacus, as_framework, as_paddle

__all__ = [
    "STORAGE",
    "VERSIONS",
    "AbacusFramework",
    "CannotDrawError",
    "PaddleFramework",
    "Target",
    "as_abacus",
    "as_framework",
    "as_paddle",
    "converted",
    "draw_net",
    "identical_layers",
    "installed_version",
    "local_random_engine",
    "rounded",
]

__getattr__ = lazily(
    __name__,
    {
        "STORAGE": "halves",
        "VERSIONS": "installed",
        "AbacusFramework": "abacus",
        "CannotDrawError": "errors",
        "PaddleFramework": "paddle",
        "Target": "placing",
        "as_abacus": "transfer",
        "as_framework": "transfer",
        "as_paddle": "transfer",
        "converted": "halves",
        "draw_net": "drawing",
        "identical_layers": "repeats",
        "installed_version": "installed",
        "local_random_engine": "thread_seeding",
        "rounded": "halves",
    },
)


def __dir__() -> list[str]:
    return __all__

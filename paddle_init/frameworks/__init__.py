"""How abacus and Paddle draw a net spec, bit for bit: one file each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddle_init.lazy import lazily

if TYPE_CHECKING:
    from paddle_init.frameworks.abacus import AbacusFramework
    from paddle_init.frameworks.drawing import draw_net
    from paddle_init.frameworks.errors import CannotDrawError
    from paddle_init.frameworks.halves import STORAGE, as_held, converted, rounded
    from paddle_init.frameworks.installed import VERSIONS, installed_version
    from paddle_init.frameworks.knowledge import (
        NotKnownError,
        Reason,
        known_part,
        unknown_draws,
        unknown_tensors,
    )
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
    "NotKnownError",
    "PaddleFramework",
    "Reason",
    "Target",
    "as_abacus",
    "as_framework",
    "as_held",
    "as_paddle",
    "converted",
    "draw_net",
    "identical_layers",
    "installed_version",
    "known_part",
    "local_random_engine",
    "rounded",
    "unknown_draws",
    "unknown_tensors",
]

__getattr__ = lazily(
    __name__,
    {
        "STORAGE": "halves",
        "VERSIONS": "installed",
        "AbacusFramework": "abacus",
        "CannotDrawError": "errors",
        "NotKnownError": "knowledge",
        "PaddleFramework": "paddle",
        "Reason": "knowledge",
        "Target": "placing",
        "as_abacus": "transfer",
        "as_framework": "transfer",
        "as_held": "halves",
        "as_paddle": "transfer",
        "converted": "halves",
        "draw_net": "drawing",
        "identical_layers": "repeats",
        "installed_version": "installed",
        "known_part": "knowledge",
        "local_random_engine": "thread_seeding",
        "rounded": "halves",
        "unknown_draws": "knowledge",
        "unknown_tensors": "knowledge",
    },
)


def __dir__() -> list[str]:
    return __all__

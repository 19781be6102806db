"""How abacus and Paddle draw a net spec, bit for bit: one file each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddle_init.lazy import lazily

if TYPE_CHECKING:
    from paddle_init.frameworks.abacus.draws import AbacusFramework
    from paddle_init.frameworks.abacus.seeding import local_random_engine
    from paddle_init.frameworks.base import CannotDrawError
    from paddle_init.frameworks.drawing import draw_net
    from paddle_init.frameworks.knowledge import (
        NotKnownError,
        Reason,
        identical_layers,
        known_part,
        unknown_draws,
        unknown_tensors,
    )
    from paddle_init.frameworks.paddle.draws import PaddleFramework
    from paddle_init.frameworks.paddle.facts import VERSIONS, installed_version
    from paddle_init.frameworks.placing import Target
    from paddle_init.frameworks.transfer import as_abacus, as_framework, as_paddle

__all__ = [
    "VERSIONS",
    "AbacusFramework",
    "CannotDrawError",
    "NotKnownError",
    "PaddleFramework",
    "Reason",
    "Target",
    "as_abacus",
    "as_framework",
    "as_paddle",
    "draw_net",
    "identical_layers",
    "installed_version",
    "known_part",
    "local_random_engine",
    "unknown_draws",
    "unknown_tensors",
]

__getattr__ = lazily(
    __name__,
    {
        "AbacusFramework": "abacus.draws",
        "CannotDrawError": "base",
        "NotKnownError": "knowledge",
        "PaddleFramework": "paddle.draws",
        "Reason": "knowledge",
        "Target": "placing",
        "VERSIONS": "paddle.facts",
        "as_abacus": "transfer",
        "as_framework": "transfer",
        "as_paddle": "transfer",
        "draw_net": "drawing",
        "identical_layers": "knowledge",
        "installed_version": "paddle.facts",
        "known_part": "knowledge",
        "local_random_engine": "abacus.seeding",
        "unknown_draws": "knowledge",
        "unknown_tensors": "knowledge",
    },
)


def __dir__() -> list[str]:
    return __all__

"""abacus's confs: read as yaml-cpp reads them, translated to net specs and back."""

from typing import TYPE_CHECKING

from paddle_init.lazy import lazily

if TYPE_CHECKING:
    from abacus_compat.dump import dump_conf
    from abacus_compat.errors import AbacusCompatError, ConfError, InexpressibleError
    from abacus_compat.load import load_conf, parse_conf

__all__ = [
    "AbacusCompatError",
    "ConfError",
    "InexpressibleError",
    "dump_conf",
    "load_conf",
    "parse_conf",
]

__getattr__ = lazily(
    __name__,
    {
        "AbacusCompatError": "errors",
        "ConfError": "errors",
        "InexpressibleError": "errors",
        "dump_conf": "dump",
        "load_conf": "load",
        "parse_conf": "load",
    },
)


def __dir__() -> list[str]:
    return __all__

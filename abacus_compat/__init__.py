"""abacus's confs: read as yaml-cpp reads them, translated to net specs and back."""

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

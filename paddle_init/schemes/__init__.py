"""Initialization schemes: rules from a shape to a distribution, one file per family."""

from paddle_init.schemes.abacus_rule import Abacus, abacus
from paddle_init.schemes.base import Arithmetic, Scheme, Shape
from paddle_init.schemes.fans import MODES, fan, fans
from paddle_init.schemes.fixed import (
    Fixed,
    constant,
    describe,
    normal,
    truncated_normal,
    uniform,
)
from paddle_init.schemes.paddle_rule import PaddleFC, paddle_fc
from paddle_init.schemes.registry import KINDS, Kind, scheme_fields
from paddle_init.schemes.variance import (
    TRUNCATED_STD,
    VarianceScaling,
    he_normal,
    he_uniform,
    kaiming_normal,
    kaiming_uniform,
    lecun_normal,
    lecun_uniform,
    variance_scaling,
    xavier_normal,
    xavier_uniform,
)

__all__ = [
    "KINDS",
    "MODES",
    "TRUNCATED_STD",
    "Abacus",
    "Arithmetic",
    "Fixed",
    "Kind",
    "PaddleFC",
    "Scheme",
    "Shape",
    "VarianceScaling",
    "abacus",
    "constant",
    "describe",
    "fan",
    "fans",
    "he_normal",
    "he_uniform",
    "kaiming_normal",
    "kaiming_uniform",
    "lecun_normal",
    "lecun_uniform",
    "normal",
    "paddle_fc",
    "scheme_fields",
    "truncated_normal",
    "uniform",
    "variance_scaling",
    "xavier_normal",
    "xavier_uniform",
]

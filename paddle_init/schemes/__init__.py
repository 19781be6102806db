"""Initialization schemes: rules from a shape to a distribution, one file per family."""

from paddle_init.schemes.abacus_rule import Abacus, abacus
from paddle_init.schemes.base import Arithmetic, Scheme, Shape
from paddle_init.schemes.constant_variance import ConstantVariance, constant_variance
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
    geometric_normal,
    geometric_uniform,
    he_normal,
    he_uniform,
    kaiming_normal,
    kaiming_uniform,
    lecun_normal,
    lecun_uniform,
    quadratic_normal,
    quadratic_uniform,
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
    "ConstantVariance",
    "Fixed",
    "Kind",
    "PaddleFC",
    "Scheme",
    "Shape",
    "VarianceScaling",
    "abacus",
    "constant",
    "constant_variance",
    "describe",
    "fan",
    "fans",
    "geometric_normal",
    "geometric_uniform",
    "he_normal",
    "he_uniform",
    "kaiming_normal",
    "kaiming_uniform",
    "lecun_normal",
    "lecun_uniform",
    "normal",
    "paddle_fc",
    "quadratic_normal",
    "quadratic_uniform",
    "scheme_fields",
    "truncated_normal",
    "uniform",
    "variance_scaling",
    "xavier_normal",
    "xavier_uniform",
]

"""Which schemes and which seed made these weights?"""

from paddle_init.identification.catalogue import Fit
from paddle_init.identification.identifying import identify
from paddle_init.identification.matching import Alteration, Match
from paddle_init.identification.parameters import Family
from paddle_init.identification.records import (
    Identification,
    NetIdentification,
    ParameterIdentification,
    Searched,
)

__all__ = [
    "Alteration",
    "Family",
    "Fit",
    "Identification",
    "Match",
    "NetIdentification",
    "ParameterIdentification",
    "Searched",
    "identify",
]

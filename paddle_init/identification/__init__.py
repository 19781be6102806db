"""Which schemes and which seed made these weights?"""

from paddle_init.identification.catalogue import Fit
from paddle_init.identification.families import Family
from paddle_init.identification.identifying import identify
from paddle_init.identification.matching import Match
from paddle_init.identification.records import Identification, ParameterIdentification

__all__ = ["Family", "Fit", "Identification", "Match", "ParameterIdentification", "identify"]

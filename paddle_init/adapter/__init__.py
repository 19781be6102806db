"""The only place that imports paddle: schemes and specs into ParamAttrs, nets into specs.

Nothing here imports paddle before a function needs it.
"""

from paddle_init.adapter.attrs import NotASchemeError, ParamAttrs, param_attr, param_attrs
from paddle_init.adapter.drawable import InitializerWarning
from paddle_init.adapter.initializers import initializer
from paddle_init.adapter.reading import read_net

__all__ = [
    "InitializerWarning",
    "NotASchemeError",
    "ParamAttrs",
    "initializer",
    "param_attr",
    "param_attrs",
    "read_net",
]

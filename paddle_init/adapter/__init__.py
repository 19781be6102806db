"""The only place that imports paddle: specs into ParamAttrs, values into nets, nets into specs.

Nothing here imports paddle before a function needs it.
"""

from paddle_init.adapter.attrs import NotASchemeError, ParamAttrs, param_attr, param_attrs
from paddle_init.adapter.drawable import InitializerWarning
from paddle_init.adapter.filling import exact_initializers, initialize
from paddle_init.adapter.initializers import initializer
from paddle_init.adapter.reading import read_net

__all__ = [
    "InitializerWarning",
    "NotASchemeError",
    "ParamAttrs",
    "exact_initializers",
    "initialize",
    "initializer",
    "param_attr",
    "param_attrs",
    "read_net",
]

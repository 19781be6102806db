"""The only place that imports paddle: schemes and specs into ParamAttrs.

Nothing here imports paddle before a function needs it.
"""

from paddle_init.adapter.attrs import NotASchemeError, ParamAttrs, param_attr, param_attrs
from paddle_init.adapter.drawable import InitializerWarning
from paddle_init.adapter.initializers import initializer

__all__ = [
    "InitializerWarning",
    "NotASchemeError",
    "ParamAttrs",
    "initializer",
    "param_attr",
    "param_attrs",
]

"""The only place that imports paddle: specs into ParamAttrs, values into nets, nets into specs.

Nothing here imports paddle before a function needs it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddle_init.lazy import lazily

if TYPE_CHECKING:
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

__getattr__ = lazily(
    __name__,
    {
        "InitializerWarning": "drawable",
        "NotASchemeError": "attrs",
        "ParamAttrs": "attrs",
        "exact_initializers": "filling",
        "initialize": "filling",
        "initializer": "initializers",
        "param_attr": "attrs",
        "param_attrs": "attrs",
        "read_net": "reading",
    },
)


def __dir__() -> list[str]:
    return __all__

"""Paddle: how it draws, what is known about it, and its nets, each imported when first used."""

from paddle_init.lazy import lazily

__getattr__ = lazily(
    __name__,
    {
        "build": "nets.operators",
        "called": "nets.user_code",
        "called_object": "nets.net",
        "exact_initializers": "nets.filling",
        "imported_object": "nets.net",
        "initialize": "nets.filling",
        "on_paddle": "nets.operators",
        "param_attr": "nets.attrs",
        "param_attrs": "nets.attrs",
        "python_module": "module",
        "raising_line": "nets.user_code",
        "read_net": "nets.net",
        "read_object": "nets.net",
    },
)

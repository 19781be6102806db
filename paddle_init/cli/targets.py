"""What a net spec can be translated to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

from paddle_init.specs import NetSpec

__all__ = ["TARGETS", "Target"]


@dataclass(frozen=True)
class Target:
    """A form that a spec is written in, and the ending of its files."""

    write: Callable[[NetSpec], str]
    ending: str


def _spec(spec: NetSpec) -> str:
    from paddle_init.specs.writing import dump_spec

    return dump_spec(spec)


def _python(spec: NetSpec) -> str:
    from paddle_init.python_module import python_module

    return python_module(spec)


def _conf(spec: NetSpec) -> str:
    from abacus_compat import dump_conf

    return dump_conf(spec)


def _mapping(spec: NetSpec) -> str:
    """Pair every parameter with one of its own name, for a person to change."""
    from paddle_init.parity import Pairing, dump_mapping

    return dump_mapping(Pairing((name,), (name,)) for name in spec.tensor_by_name)


TARGETS: MappingProxyType[str, Target] = MappingProxyType(
    {
        "spec": Target(_spec, ".yaml"),
        "python": Target(_python, ".py"),
        "conf": Target(_conf, ".yaml"),
        "mapping": Target(_mapping, ".yaml"),
    }
)

"""Layers that start identical, because each op draws from the same seed."""

from __future__ import annotations

from collections.abc import Iterator

from paddle_init.distributions import Constant, Unknown
from paddle_init.errors import Notice
from paddle_init.frameworks import sentences as say
from paddle_init.specs import NetSpec

__all__ = ["identical_layers"]


def identical_layers(spec: NetSpec) -> Iterator[Notice]:
    """Yield a warning for each shape whose draws repeat.

    With an op seed, or a startup program's, every op has a new engine of the same seed: draws of
    one shape and family have the same z, and the same bits where their numbers are equal too.
    """
    if spec.stream is None or spec.stream.op_seed is None:
        return
    alike: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    for draw in spec.draws:
        drawn = spec.drawn(draw.name)
        if not isinstance(drawn, (Constant, Unknown)):
            alike.setdefault((drawn.family, draw.shape), []).append(draw.name)
    for (_, shape), names in alike.items():
        if len(names) < 2:
            continue
        first = spec.drawn(names[0])
        alike_bits = all(spec.drawn(name) == first for name in names)
        message = say.IDENTICAL_LAYERS(
            seed=spec.stream.op_seed,
            shape=list(shape),
            what=say.SAME_BITS() if alike_bits else say.SAME_Z(),
            names=", ".join(names),
        )
        yield Notice("identical-layers", message, names[0], spec.draw_by_name[names[0]].source)

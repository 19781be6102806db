"""Layers that start identical, because each op draws from the same seed."""

from __future__ import annotations

from collections.abc import Iterator

from paddle_init.distributions import Constant, Given, Unknown
from paddle_init.errors import Notice
from paddle_init.frameworks import sentences as say
from paddle_init.specs import NetSpec

__all__ = ["CODE", "identical_layers"]

CODE = "identical-layers"


def identical_layers(spec: NetSpec) -> Iterator[Notice]:
    """Yield a warning for each op seed and shape whose draws repeat.

    With an op seed, its own or a startup program's, an op has a new engine: draws of one seed,
    shape and family have the same z, and the same bits where their numbers are equal too. What
    was told when the spec was read from a net is not told again.
    """
    if any(notice.code == CODE for notice in spec.notices):
        return
    shared = None if spec.stream is None else spec.stream.op_seed
    alike: dict[tuple[int, str, tuple[int, ...]], list[str]] = {}
    for draw in spec.draws:
        seed, drawn = draw.op_seed or shared, spec.drawn(draw.name)
        if seed is not None and not isinstance(drawn, (Constant, Given, Unknown)):
            alike.setdefault((seed, drawn.family, draw.shape), []).append(draw.name)
    for (seed, _, shape), names in alike.items():
        if len(names) < 2:
            continue
        first = spec.drawn(names[0])
        alike_bits = all(spec.drawn(name) == first for name in names)
        message = say.IDENTICAL_LAYERS(
            seed=seed,
            shape=list(shape),
            what=say.SAME_BITS() if alike_bits else say.SAME_Z(),
            names=", ".join(names),
        )
        yield Notice(CODE, message, names[0], spec.draw_by_name[names[0]].source)

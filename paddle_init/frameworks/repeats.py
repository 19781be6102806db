"""Layers that start identical, because each op draws from the same seed."""

from __future__ import annotations

from collections.abc import Iterator

from paddle_init.distributions import Constant, Unknown
from paddle_init.errors import Notice
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
        bits = "the same bits" if all(spec.drawn(name) == first for name in names) else "the same z"
        yield Notice(
            "identical-layers",
            f"op seed {spec.stream.op_seed} starts every initializer anew, so the draws of shape "
            f"{list(shape)} have {bits}: {', '.join(names)}. Give each its own seed, or "
            "paddle.seed for all.",
            names[0],
            spec.draw_by_name[names[0]].source,
        )

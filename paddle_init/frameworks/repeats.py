"""Layers that start identical, because their draws start from the same state of an engine."""

from __future__ import annotations

from collections.abc import Iterator

from paddle_init.distributions import by_chance
from paddle_init.errors import Notice
from paddle_init.frameworks import sentences as say
from paddle_init.frameworks.knowledge import origins
from paddle_init.specs import NetSpec

__all__ = ["CODE", "identical_layers"]

CODE = "identical-layers"


def identical_layers(spec: NetSpec) -> Iterator[Notice]:
    """Yield a warning for each state of an engine and shape whose draws repeat.

    With an op seed, its own or a startup program's, an op has a new engine; and a seed within the
    net, or a return to an earlier state, starts the stream once more. Draws of one start, shape
    and family have the same z, and the same bits where their numbers are equal too. What was told
    when the spec was read from a net is not told again.
    """
    if any(notice.code == CODE for notice in spec.notices):
        return
    shared = None if spec.stream is None else spec.stream.op_seed
    taken = {block.draw for tensor in spec.tensors for block in tensor.blocks}
    alike: dict[tuple[int, str, tuple[int, ...]], list[str]] = {}
    for name, origin in origins(spec).items():
        draw, drawn = spec.draw_by_name[name], spec.drawn(name)
        if by_chance(drawn) and 0 not in draw.shape and name in taken:
            alike.setdefault((origin.state, drawn.family, draw.shape), []).append(name)
    for (_, _, shape), names in alike.items():
        if len(names) < 2:
            continue
        first = spec.draw_by_name[names[0]]
        seed = first.op_seed or shared
        alike_bits = all(spec.drawn(name) == spec.drawn(names[0]) for name in names)
        told = {
            "shape": list(shape),
            "what": say.SAME_BITS() if alike_bits else say.SAME_Z(),
            "names": ", ".join(names),
        }
        message = say.IDENTICAL_LAYERS(seed=seed, **told) if seed else say.SAME_START(**told)
        yield Notice(CODE, message, names[0], first.source)

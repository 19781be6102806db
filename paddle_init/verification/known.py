"""What can be drawn of a spec of which a part is unknown."""

from __future__ import annotations

from dataclasses import replace

from paddle_init.distributions import Unknown
from paddle_init.specs import Draw, NetSpec, Tensor

__all__ = ["known_part"]


def known_part(spec: NetSpec) -> NetSpec:
    """Return a spec without the tensors whose values it does not say.

    Draws that are known to take nothing from the stream go with them, and so do those that have
    an engine of their own. An unknown draw that may move the stream stays, since what is behind it
    cannot be drawn without it.
    """
    unknown = {d.name for d in spec.draws if isinstance(spec.drawn(d.name), Unknown)}
    if not unknown:
        return spec
    tensors = tuple(t for t in spec.tensors if not unknown & {b.draw for b in t.blocks})
    draws = tuple(d for d in spec.draws if d.name not in unknown or _moves_stream(spec, d))
    kept = {tensor.name for tensor in tensors}
    return replace(
        spec,
        draws=draws if tensors else (),
        tensors=tuple(_with_owners(tensor, kept) for tensor in tensors),
        layers=(),
    )


def _moves_stream(spec: NetSpec, draw: Draw) -> bool:
    drawn = spec.drawn(draw.name)
    assert isinstance(drawn, Unknown)
    own_engine = draw.op_seed or (spec.stream is not None and spec.stream.op_seed is not None)
    return drawn.takes != 0 and not own_engine and draw.name in _before_the_last(spec)


def _before_the_last(spec: NetSpec) -> set[str]:
    """Return the draws that another, which is known, comes after."""
    names = [draw.name for draw in spec.draws]
    known = [i for i, name in enumerate(names) if not isinstance(spec.drawn(name), Unknown)]
    return set(names[: max(known, default=0)])


def _with_owners(tensor: Tensor, kept: set[str]) -> Tensor:
    if tensor.bias_of is None:
        return tensor
    return replace(tensor, bias_of=tuple(name for name in tensor.bias_of if name in kept))

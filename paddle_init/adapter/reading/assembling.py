"""What was found of the parameters, as a net spec."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from paddle_init.adapter import sentences as say
from paddle_init.adapter.reading.found import Found
from paddle_init.adapter.reading.layers import role_by_shape
from paddle_init.errors import Notice
from paddle_init.schemes import Fixed
from paddle_init.specs import DTYPES, Draw, NetSpec, RowBlock, Seeding, Tensor, default_engine
from paddle_init.specs.pairing import owned_by_name

__all__ = ["assembled", "left_out", "seeding"]


def assembled(found: Sequence[Found], notices: Iterable[Notice]) -> NetSpec:
    """Return the net spec of parameters that were found, in the order of drawing."""
    odd = [notice for each in found if (notice := left_out(each))]
    # What no tensor can hold still takes its place in the stream.
    kept = [each for each in found if not left_out(each) or _random(each)]
    op_seed = _common_seed(kept)
    draws: list[Draw] = []
    tensors: dict[str, Tensor] = {}
    for each, label in zip(kept, _labels(kept), strict=True):
        own = tuple(_draws(each, label, bool(op_seed)))
        draws += own
        if not left_out(each):
            tensors[each.name] = _tensor(each, own)
    return NetSpec(
        "paddle",
        tuple(draws) if tensors else (),
        owned_by_name(tensors.values()),
        seeding(None, op_seed),
        notices=(*notices, *odd),
    )


def left_out(found: Found) -> Notice | None:
    """Return a notice where a net spec cannot hold a parameter."""
    if found.dtype in DTYPES and found.shape:
        return None
    message = say.SINGLE_NUMBER(name=found.name)
    if found.shape:
        message = say.OF_DTYPE(name=found.name, dtype=found.dtype)
    return Notice("parameter-left-out", message, found.name, found.source)


def _random(found: Found) -> bool:
    return any(part.random for part in found.parts)


def _common_seed(found: Sequence[Found]) -> int:
    """Return the op seed that all random draws share, or 0."""
    seeds = {part.op_seed for each in found for part in each.parts if part.random}
    return seeds.pop() if len(seeds) == 1 else 0


def seeding(seed: int | None, op_seed: int) -> Seeding | None:
    """Return how a stream of Paddle starts that has one seed, or whose every op has."""
    if op_seed:
        return Seeding(default_engine("paddle"), op_seed=op_seed)
    return None if seed is None else Seeding(default_engine("paddle"), seed=seed)


def _labels(found: Sequence[Found]) -> Iterator[str]:
    """Name each parameter's draws; of several of one parameter the last has its plain name."""
    left = Counter(each.name for each in found)
    for each in found:
        left[each.name] -= 1
        again = left[each.name]
        yield f"{each.name} ({again} before its last)" if again else each.name


def _draws(found: Found, label: str, seeded_alike: bool) -> Iterator[Draw]:
    start = 0
    for part in found.parts:
        stop = start + part.rows
        name = label if len(found.parts) == 1 else f"{label}[{start}:{stop}]"
        scheme = Fixed(part.distribution, found.initializer)
        own_seed = None if seeded_alike else part.op_seed or None
        yield Draw(name, (part.rows, *found.shape[1:]), scheme, found.source, own_seed)
        start = stop


def _tensor(found: Found, draws: Sequence[Draw]) -> Tensor:
    blocks = tuple(RowBlock(draw.name, 0, draw.shape[0]) for draw in draws)
    role = found.role or role_by_shape(found.shape, found.name)
    return Tensor(found.shown, role, found.shape, blocks, found.dtype, found.source)

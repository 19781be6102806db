"""What of a net spec can be drawn to the bit, and why the rest cannot."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from paddle_init.distributions import Constant, Given, Simple, Unknown, by_chance
from paddle_init.errors import Notice, setting
from paddle_init.frameworks import sentences as say
from paddle_init.frameworks.base import CannotDrawError
from paddle_init.languages import joined, listed
from paddle_init.specs import Draw, NetSpec, Tensor

SHOWN = 20


@dataclass(frozen=True)
class Reason:
    """Why values are not known.

    `code` is "initializer" (what is drawn is not known), "position" (an earlier draw takes a
    number of values from the stream that is not known) or "seed" (the stream's start is not
    known). `draw` is the draw that makes it so, if one does.
    """

    code: Literal["initializer", "position", "seed"]
    message: str
    draw: str | None = None


@dataclass(frozen=True)
class Origin:
    """Where a draw starts: equal numbers are one state of one engine, known or not.

    `reason` says why the state is not known, where it is not.
    """

    state: int
    reason: Reason | None = None


class NotKnownError(CannotDrawError):
    """Values are asked for that a spec does not say; `reasons` says why, by tensor."""

    def __init__(self, message: str, reasons: Mapping[str, Reason]) -> None:
        super().__init__(message)
        self.reasons = dict(reasons)

    @classmethod
    def of(cls, spec: NetSpec, reasons: Mapping[str, Reason]) -> NotKnownError:
        """Return the error that names tensors and reasons."""
        known = len(spec.tensors) - len(reasons)
        told = say.NOT_ALL_KNOWN(
            count=len(reasons), total=len(spec.tensors), tensors=reasons_told(reasons)
        )
        if known:
            option = setting("partial=True", "--partial")
            told = say.PARTIAL_HELPS(told=told, option=option, known=known)
        return cls(told, reasons)


def reasons_told(reasons: Mapping[str, Reason]) -> str:
    """Name tensors and why they are not known, each reason once."""
    alike: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        alike.setdefault(reason.message, []).append(name)
    each = (say.TENSORS_WHY(names=listed(names, SHOWN), why=why) for why, names in alike.items())
    return joined(say.SEMICOLON, each)


def origins(spec: NetSpec) -> dict[str, Origin]:
    """Return where each draw starts in its stream, by its name."""
    numbers: dict[Hashable, int] = {}

    def number(*key: Hashable) -> int:
        return numbers.setdefault(key, len(numbers))

    stream = spec.stream
    here = Origin(number("start"), None if stream else Reason("seed", say.NO_SEED()))
    if stream is not None and stream.seed is not None and spec.framework == "paddle":
        here = Origin(number("seed", effective_seed(stream.seed)))
    ends = {"": here}
    dtypes = _dtypes(spec)
    found: dict[str, Origin] = {}
    for draw in spec.draws:
        own = draw.op_seed or (stream.op_seed if stream else None)
        if own is not None:
            found[draw.name] = Origin(number("op_seed", own))
        else:
            if draw.seed is not None:
                here = Origin(number("seed", effective_seed(draw.seed)))
            elif draw.after is not None:
                here = ends[draw.after]
            found[draw.name] = here
            drawn = spec.drawn(draw.name)
            if not _takes_nothing(draw, drawn):
                here = _behind(here, draw, drawn, number, dtypes[draw.name])
        ends[draw.name] = here
    return found


def unknown_draws(spec: NetSpec) -> dict[str, Reason]:
    """Return the draws whose values are not known, with the reason."""
    found = {}
    for name, origin in origins(spec).items():
        drawn = spec.drawn(name)
        if isinstance(drawn, Unknown):
            why = say.OF_DRAW(name=name, why=say.NOT_KNOWN(description=drawn.description))
            found[name] = Reason("initializer", why, name)
        elif origin.reason and not _takes_nothing(spec.draw_by_name[name], drawn):
            found[name] = origin.reason
    return found


def unknown_tensors(spec: NetSpec) -> dict[str, Reason]:
    """Return the tensors whose values are not known, with the reason.

    A tensor is known where all draws that fill rows of it are; an unknown initializer is named
    before an unknown position.
    """
    unknown = unknown_draws(spec)
    found: dict[str, Reason] = {}
    for tensor in spec.tensors:
        reasons = [unknown[b.draw] for b in tensor.blocks if b.rows and b.draw in unknown]
        reasons.sort(key=lambda reason: reason.code != "initializer")
        if reasons:
            found[tensor.name] = reasons[0]
    return found


def known_part(spec: NetSpec) -> NetSpec:
    """Return the spec without the tensors whose values are not known; the draws stay."""
    unknown = unknown_tensors(spec)
    if not unknown:
        return spec
    return only(spec, (tensor.name for tensor in spec.tensors if tensor.name not in unknown))


def only(spec: NetSpec, names: Iterable[str]) -> NetSpec:
    """Return the spec with these tensors alone; the draws stay, since the stream runs on."""
    names = set(names)
    kept = tuple(tensor for tensor in spec.tensors if tensor.name in names)
    return replace(
        spec,
        draws=spec.draws if kept else (),
        tensors=tuple(_with_owners(tensor, names) for tensor in kept),
        layers=(),
    )


def needs_seed(spec: NetSpec) -> bool:
    """Tell whether values of some tensor are known only with a seed for the stream."""
    return bool(seeded_tensors(spec))


def seeded_tensors(spec: NetSpec) -> frozenset[str]:
    """Return the tensors whose values are known only with a seed for the stream."""
    unknown = unknown_tensors(replace(spec, stream=None))
    return frozenset(name for name, reason in unknown.items() if reason.code == "seed")


def seed_notices(spec: NetSpec, *, given: int | None = None) -> Iterator[Notice]:
    """Yield what paddle.seed makes of its seeds: ``seed-32-bits`` and ``seed-within``.

    `given` is the seed that a caller gave for the whole net.
    """
    if spec.framework != "paddle":
        return
    seeds = [(draw.seed, draw) for draw in spec.draws if draw.seed is not None]
    stream = None if spec.stream is None else spec.stream.seed
    for seed in dict.fromkeys([stream, *(seed for seed, _ in seeds)]):
        if seed is not None and seed != effective_seed(seed):
            told = say.SEED_BITS(seed=seed, low=effective_seed(seed))
            yield Notice("seed-32-bits", told)
    if given is None or not seeds:
        return
    seed, draw = seeds[0]
    if needs_seed(spec):
        yield Notice("seed-within", say.SEED_WITHIN(draw=draw.name, seed=seed), source=draw.source)
    else:
        yield Notice("seed-within", say.SEED_UNUSED(seed=seed), source=draw.source)


def effective_seed(seed: int) -> int:
    """Return which of the seeds below 2**32 gives the stream of ``paddle.seed(seed)``.

    Paddle seeds its generator through a std::seed_seq, which keeps 32 bits of a value.
    """
    return seed % 2**32


def _takes_nothing(draw: Draw, drawn: Simple) -> bool:
    if isinstance(drawn, (Constant, Given)) or 0 in draw.shape:
        return True
    return isinstance(drawn, Unknown) and drawn.takes == 0


def _behind(
    here: Origin, draw: Draw, drawn: Simple, number: Callable[..., int], dtype: Hashable
) -> Origin:
    """Return where the stream stands after a draw."""
    if not isinstance(drawn, Unknown):
        taken = drawn.family, math.prod(draw.shape), dtype
        return Origin(number(here.state, *taken), here.reason)
    if drawn.takes is not None:
        return Origin(number(here.state, drawn.takes), here.reason)
    reason = here.reason
    if reason is None or reason.code != "position":
        why = say.POSITION(name=draw.name, description=drawn.description)
        reason = Reason("position", why, draw.name)
    return Origin(number(here.state, "unknown", draw.name), reason)


def _dtypes(spec: NetSpec) -> dict[str, Hashable]:
    """Return what each draw is drawn in, by its name."""
    found: dict[str, set[str]] = {draw.name: set() for draw in spec.draws}
    for tensor in spec.tensors:
        for block in tensor.blocks:
            found[block.draw].add(tensor.dtype)
    return {draw.name: draw.dtype or (*sorted(found[draw.name]),) for draw in spec.draws}


def _with_owners(tensor: Tensor, kept: set[str]) -> Tensor:
    if tensor.bias_of is None:
        return tensor
    return replace(tensor, bias_of=tuple(name for name in tensor.bias_of if name in kept))


def identical_layers(spec: NetSpec) -> Iterator[Notice]:
    """Yield a warning for each state of an engine and shape whose draws repeat.

    With an op seed, its own or a startup program's, an op has a new engine; and a seed within the
    net, or a return to an earlier state, starts the stream once more. Draws of one start, shape
    and family have the same z, and the same bits where their numbers are equal too. What was told
    when the spec was read from a net is not told again.
    """
    if any(notice.about == "stream" for notice in spec.notices):
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
        yield Notice("identical-layers", message, names[0], first.source, "stream")

"""What of a net spec can be drawn to the bit, and why the rest cannot."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from paddle_init.distributions import Constant, Given, Simple, Unknown, by_chance
from paddle_init.errors import Notice, setting
from paddle_init.frameworks import sentences as say
from paddle_init.frameworks.base import CannotDrawError
from paddle_init.frameworks.registry import framework_of
from paddle_init.languages import joined, listed
from paddle_init.specs import Draw, NetSpec, Seeding, Tensor, default_engine

SHOWN = 20

S = TypeVar("S")


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


def stream_walk(
    spec: NetSpec,
    start: S,
    seeded: Callable[[Seeding], S],
    behind: Callable[[Draw, S], S],
    *,
    kept: Callable[[S], S] = lambda state: state,
    resumed: Callable[[S], S] = lambda state: state,
) -> Iterator[tuple[Draw, S]]:
    """Follow the random stream of a net: yield each draw with the state that it starts from.

    Parameters
    ----------
    start
        The state before the first draw.
    seeded
        Returns the state of a new engine, of a draw of its own or of the stream.
    behind
        Returns the state behind a draw; asked when the next draw is.
    kept, resumed
        For states that change as they are drawn from: a copy of one, and one to go on from.
    """
    engine = default_engine(spec.framework) if spec.stream is None else spec.stream.engine
    shared = None if spec.stream is None else spec.stream.op_seed
    marks = {draw.after for draw in spec.draws}
    here, marked = start, {"": kept(start)}
    for draw in spec.draws:
        if own := draw.op_seed or shared:
            yield draw, seeded(Seeding(engine, op_seed=own))
        else:
            if draw.seed is not None:
                here = seeded(Seeding(engine, seed=draw.seed))
            elif draw.after is not None:
                here = resumed(marked[draw.after])
            yield draw, here
            here = behind(draw, here)
        if draw.name in marks:
            marked[draw.name] = kept(here)


def origins(spec: NetSpec) -> dict[str, Origin]:
    """Return where each draw starts in its stream, by its name."""
    framework, stream = framework_of(spec), spec.stream
    numbers: dict[Hashable, int] = {}

    def origin(*key: Hashable, reason: Reason | None = None) -> Origin:
        return Origin(numbers.setdefault(key, len(numbers)), reason)

    def seeded(seeding: Seeding) -> Origin:
        if seeding.seed is None:
            return origin("seeding", seeding.op_seed, seeding.seed_seq)
        return origin("seed", framework.effective_seed(seeding.seed))

    def behind(draw: Draw, here: Origin) -> Origin:
        drawn, reason = spec.drawn(draw.name), here.reason
        if _takes_nothing(draw, drawn):
            return here
        if not isinstance(drawn, Unknown):
            dtype = draw.dtype or tuple(sorted(dtypes[draw.name]))
            return origin(here.state, drawn.family, math.prod(draw.shape), dtype, reason=reason)
        if drawn.takes is not None:
            return origin(here.state, drawn.takes, reason=reason)
        if reason is None or reason.code != "position":
            why = say.POSITION(name=draw.name, description=drawn.description)
            reason = Reason("position", why, draw.name)
        return origin(here.state, "unknown", draw.name, reason=reason)

    dtypes: dict[str, set[str]] = {draw.name: set() for draw in spec.draws}
    for tensor in spec.tensors:
        for block in tensor.blocks:
            dtypes[block.draw].add(tensor.dtype)
    start = seeded(stream) if stream else origin("start", reason=Reason("seed", say.NO_SEED()))
    return {draw.name: here for draw, here in stream_walk(spec, start, seeded, behind)}


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
    """Yield what the net's framework makes of its seeds; see `Framework.seed_notices`."""
    return framework_of(spec).seed_notices(spec, given=given)


def _takes_nothing(draw: Draw, drawn: Simple) -> bool:
    if isinstance(drawn, (Constant, Given)) or 0 in draw.shape:
        return True
    return isinstance(drawn, Unknown) and drawn.takes == 0


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

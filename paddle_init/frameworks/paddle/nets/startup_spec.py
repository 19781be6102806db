"""A startup program that was followed, as a net spec."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from paddle_init.distributions import Given, Simple, Unknown
from paddle_init.errors import Notice
from paddle_init.frameworks.paddle.nets import sentences as say
from paddle_init.frameworks.paddle.nets.assembling import (
    Found,
    Held,
    left_out,
    role_by_shape,
    seeding,
)
from paddle_init.frameworks.paddle.nets.programs import Followed
from paddle_init.frameworks.paddle.nets.startup import RandomOp, Range, Value
from paddle_init.languages import listed
from paddle_init.schemes import Fixed
from paddle_init.schemes.base import Shape
from paddle_init.specs import DTYPES, Draw, NetSpec, RowBlock, Tensor
from paddle_init.specs.net import owned_by_name

HALVES = ("float16", "bfloat16")


def startup_spec(
    program: Followed,
    found: Sequence[Found],
    *,
    held: Mapping[str, Held] | None = None,
    notices: Iterable[Notice] = (),
) -> NetSpec:
    """Return the net spec of a startup program.

    Parameters
    ----------
    found
        `program.parameters` with whatever else is known of them.
    held
        The parameters that the net has, by Paddle's names; what others draw is no tensor. By
        default it has all.
    """
    values = {bound.name: bound for bound in program.bound}
    odd = [notice for each in found if (notice := left_out(each))]
    kept = [each for each in found if not left_out(each) and (held is None or each.name in held)]
    layout = _Layout(program.random)
    tensors = [layout.tensor(each, values[each.name].value, held) for each in kept]
    fixed = [
        (values[each.name].place, draw) for each in kept for draw in layout.fixed.get(each.name, ())
    ]
    op_seed = _common_seed(program.random)
    drawn = [
        (op.place if op.ordered else -1, layout.draw(index, bool(op_seed)))
        for index, op in enumerate(program.random)
    ]
    draws = [draw for _, draw in sorted([*drawn, *fixed], key=lambda placed: placed[0])]
    used = frozenset().union(*(bound.value.draws for bound in program.bound))
    return NetSpec(
        "paddle",
        tuple(draws) if tensors else (),
        owned_by_name(tensors),
        seeding(None, op_seed),
        buffers=program.state if held is None else (),
        notices=(*notices, *odd, *_other_draws(program.random, used)),
    )


class _Layout:
    """The names and shapes of draws, which the tensors that take them give."""

    def __init__(self, random: Sequence[RandomOp]) -> None:
        self.fixed: dict[str, list[Draw]] = {}
        self._random = random
        self._shapes: dict[int, Shape] = {}
        self._names: dict[int, str] = {}
        self._dtypes: dict[int, set[str]] = {}
        self._initializers: dict[int, str] = {}

    def tensor(self, found: Found, value: Value, held: Mapping[str, Held] | None) -> Tensor:
        """Return the tensor of a parameter, and note what it takes from draws."""
        if not self._fits(value):
            why = Unknown(say.NOT_WHOLE_ROWS(), takes=0)
            whole = Range(why, 0, math.prod(value.shape))
            value = replace(value, ranges=(whole,), overwritten=())
        blocks = tuple(self._blocks(found, value))
        role = found.role or role_by_shape(found.shape, found.name)
        aliases = held[found.name].names[1:] if held else ()
        return Tensor(
            found.shown,
            role,
            found.shape,
            blocks,
            found.dtype,
            found.source,
            overwritten=value.overwritten,
            aliases=aliases,
        )

    def draw(self, index: int, seeded_alike: bool) -> Draw:
        """Return the draw of a random op."""
        op = self._random[index]
        taken = self._dtypes.get(index, set())
        implied = taken == {op.dtype} or (op.dtype == "float32" and taken <= set(HALVES))
        held = op.distribution
        if op.dtype not in DTYPES and not isinstance(held, Unknown):
            held = Unknown(say.OF_OTHER_DTYPE(kind=op.kind, dtype=op.dtype))
        return Draw(
            self._names.get(index, f"{op.kind} (op {op.place})"),
            self._shapes.get(index, op.shape or (1,)),
            Fixed(held, self._initializers.get(index, "")),
            op.source,
            None if seeded_alike else op.op_seed or None,
            None if implied or op.dtype not in DTYPES else op.dtype,
        )

    def _fits(self, value: Value) -> bool:
        """Tell whether a value is made of whole rows of draws, each of one shape for all."""
        shapes: dict[int, Shape] = {}
        width = math.prod(value.shape[1:])
        for each in value.ranges:
            if not isinstance(each.of, int):
                if len(value.ranges) > 1 and (not width or each.size % width):
                    return False
                continue
            op = self._random[each.of]
            size = math.prod(op.shape)
            shape = (size // width if width else 0, *value.shape[1:])
            if op.shape[1:] == value.shape[1:] and op.shape:
                shape = op.shape
            edges = (each.start, each.stop, size)
            if any(width and edge % width for edge in edges) or (not width and size):
                return False
            if self._shapes.get(each.of, shapes.get(each.of, shape)) != shape:
                return False
            shapes[each.of] = shape
        self._shapes |= shapes
        return True

    def _blocks(self, found: Found, value: Value) -> Iterator[RowBlock]:
        width, start = math.prod(value.shape[1:]), 0
        for each in value.ranges:
            whole = len(value.ranges) == 1
            rows = each.size // width if width else value.shape[0]
            name = found.name if whole else f"{found.name}[{start}:{start + rows}]"
            start += rows
            if isinstance(each.of, int):
                name = self._names.setdefault(each.of, name)
                self._initializers.setdefault(each.of, found.initializer)
                self._dtypes.setdefault(each.of, set()).add(found.dtype)
                first = each.start // width if width else 0
                yield RowBlock(name, first, first + rows)
            else:
                scheme = Fixed(_part(each), found.initializer)
                shape = (rows, *value.shape[1:])
                self.fixed.setdefault(found.name, []).append(
                    Draw(name, shape, scheme, found.source)
                )
                yield RowBlock(name, 0, rows)


def _part(each: Range) -> Simple:
    """Return what a range of what is not drawn holds, of given values those of the range."""
    assert not isinstance(each.of, int)
    if isinstance(each.of, Given) and each.size < each.of.values.size:
        return Given(each.of.values[each.start : each.stop])
    return each.of


def _common_seed(random: Iterable[RandomOp]) -> int:
    """Return the op seed that all random draws share, or 0."""
    seeds = {op.op_seed for op in random if not isinstance(op.distribution, Unknown)}
    return seeds.pop() if len(seeds) == 1 else 0


def _other_draws(random: Sequence[RandomOp], used: Container[int]) -> Iterator[Notice]:
    """Tell what else draws from the global generator while a startup program runs."""
    shared = [(index, op) for index, op in enumerate(random) if not op.op_seed]
    unordered = [op for _, op in shared if not op.ordered]
    endless = [op for _, op in shared if op.ordered and _takes(op) is None]
    others = [op for index, op in shared if op.ordered and index not in used and op not in endless]
    for sentence, ops in (
        (say.UNORDERED_DRAWS, unordered),
        (say.UNCOUNTED_DRAWS, endless),
        (say.REPLAYED_DRAWS, others),
    ):
        if ops:
            kinds = listed([f"{op.kind} (op {op.place})" for op in ops], 5)
            yield Notice("other-draws", sentence(ops=kinds), source=ops[0].source)


def _takes(op: RandomOp) -> int | None:
    return op.distribution.takes if isinstance(op.distribution, Unknown) else 0

"""The parts of a net spec: draws, tensors made of their rows, and the layers that use them."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from dataclasses import dataclass, field

from paddle_init.errors import Source, SpecError
from paddle_init.schemes import Scheme, Shape
from paddle_init.specs.frameworks import framework_facts, owner
from paddle_init.texts import did_you_mean

ENGINES = ("minstd_rand0", "minstd_rand", "mt19937", "mt19937_64")


@dataclass(frozen=True)
class Seeding:
    """An engine and exactly one way to seed it.

    Parameters
    ----------
    engine
        One of libstdc++'s four names.
    seed
        An integer in [0, 2**64 - 1]: ``engine.seed(N)`` for abacus, ``paddle.seed(N)`` for Paddle.
    seed_seq
        abacus only: the values given to std::seed_seq, each kept mod 2**32.
    op_seed
        Paddle only: the seed of every initializer op, an int32 other than 0.
    """

    engine: str
    seed: int | None = None
    seed_seq: tuple[int, ...] | None = None
    op_seed: int | None = None

    def __post_init__(self) -> None:
        if self.engine not in ENGINES:
            meant = did_you_mean(self.engine, ENGINES)
            raise SpecError(
                f"engine must be one of {', '.join(ENGINES)}, got {self.engine!r}{meant}"
            )
        given = [
            name for name in ("seed", "seed_seq", "op_seed") if getattr(self, name) is not None
        ]
        if len(given) != 1:
            raise SpecError(
                "a stream is seeded by exactly one of seed, seed_seq and op_seed, "
                f"got {' and '.join(given) or 'none'}"
            )
        if self.seed_seq is not None:
            if isinstance(self.seed_seq, str) or not isinstance(self.seed_seq, Iterable):
                raise SpecError(f"seed_seq must be a list of integers, got {self.seed_seq!r}")
            values = tuple(integer("seed_seq", value) for value in self.seed_seq)
            object.__setattr__(self, "seed_seq", values)
        if self.seed is not None:
            object.__setattr__(self, "seed", check_seed(self.seed))
        if self.op_seed is not None:
            object.__setattr__(self, "op_seed", check_op_seed(self.op_seed))

    def check(self, framework: str) -> None:
        """Refuse what `framework` cannot be seeded with."""
        facts = framework_facts(framework)
        for key in ("seed", "op_seed", "seed_seq"):
            if getattr(self, key) is not None and key not in facts.seed_keys:
                raise SpecError(
                    f"{key} is {owner(key).title}'s; {framework} takes "
                    f"{' or '.join(facts.seed_keys)}"
                )
        if self.engine not in facts.engines:
            raise SpecError(
                f"{framework} draws with {' or '.join(facts.engines)} alone, "
                f"got engine {self.engine}"
            )


def check_seed(value: int) -> int:
    """Return a seed of an engine or of paddle.seed: in [0, 2**64 - 1], or SpecError."""
    value = integer("seed", value)
    if not 0 <= value < 2**64:
        raise SpecError(f"seed must be in [0, 2**64 - 1], got {value}")
    return value


def check_op_seed(value: int) -> int:
    """Return a seed of an initializer op of Paddle: an int32 other than 0, or SpecError."""
    value = integer("op_seed", value)
    if not -(2**31) <= value < 2**31:
        raise SpecError(f"op_seed must be an int32, in [-2**31, 2**31 - 1], got {value}")
    if value == 0:
        raise SpecError("op_seed 0 means the global generator to Paddle; give seed instead")
    return value


def integer(name: str, value: int) -> int:
    """Return `value` as an int, NumPy's integers too, or say that `name` is none."""
    if not isinstance(value, bool):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise SpecError(f"{name} must be an integer, got {value!r}")


DTYPES = ("float32", "float64", "float16", "bfloat16")
ROLES = ("weight", "bias", "other")
BIAS_INPUT = "bias_input"


@dataclass(frozen=True)
class Draw:
    """One draw of the framework, in its native shape; no tensor need take it.

    Parameters
    ----------
    source
        Where it was written; like every source it is no part of equality.
    op_seed
        Paddle's: an int32 other than 0 that starts an engine for this draw alone. Without one it
        draws from the net's stream.
    dtype
        In which it is drawn, where its tensors do not say it: no tensor takes it, or they hold it
        rounded to a dtype of their own. By default that of its tensors, or float32.
    seed
        Paddle's: the net's stream starts anew right before this draw, as by ``paddle.seed(seed)``.
    after
        Paddle's: right before this draw the net's stream is put back to where it stood right after
        the earlier draw of this name; "" is the start of the stream.
    """

    name: str
    shape: Shape
    scheme: Scheme
    source: Source | None = field(default=None, compare=False)
    op_seed: int | None = None
    dtype: str | None = None
    seed: int | None = None
    after: str | None = None

    def __post_init__(self) -> None:
        _named("draw", self.name)
        object.__setattr__(self, "shape", _shape(f"draw {self.name}", self.shape))
        try:
            for name, checked in (("op_seed", check_op_seed), ("seed", check_seed)):
                if getattr(self, name) is not None:
                    object.__setattr__(self, name, checked(getattr(self, name)))
            if self.dtype not in (None, *DTYPES):
                allowed = ", ".join(DTYPES)
                raise SpecError(f"dtype must be one of {allowed}, got {self.dtype!r}")
            if self.after is not None and not isinstance(self.after, str):
                raise SpecError(f"after must be the name of a draw, or empty, got {self.after!r}")
            if len(self.starts) > 1:
                raise SpecError(f"give at most one of {' and '.join(self.starts)}")
        except SpecError as error:
            raise SpecError(f"draw {self.name}: {error.message}", self.source) from None

    @property
    def starts(self) -> tuple[str, ...]:
        """The names of the fields that give it an engine or a place in the stream of its own."""
        fields = ("seed", "after", "op_seed")
        return tuple(name for name in fields if getattr(self, name) is not None)


@dataclass(frozen=True)
class RowBlock:
    """Rows [start, stop) of a draw."""

    draw: str
    start: int
    stop: int

    @property
    def rows(self) -> int:
        return self.stop - self.start


@dataclass(frozen=True)
class Overwrite:
    """Elements start, start + step, ... of a tensor, `count` of them, are `value`.

    They are numbered row-major. What was drawn for them is lost. Row k of a table of width w, as
    ``Embedding(padding_idx=k)`` zeroes it, is Overwrite(k * w, w); the diagonal of an n x m matrix
    is Overwrite(0, min(n, m), m + 1, value).
    """

    start: int
    count: int
    step: int = 1
    value: float = 0.0

    def __post_init__(self) -> None:
        for name, least in (("start", 0), ("count", 1), ("step", 1)):
            number = integer(name, getattr(self, name))
            if number < least:
                raise SpecError(f"{name} must be {least} or more, got {number}")
            object.__setattr__(self, name, number)
        if isinstance(self.value, bool):
            raise SpecError(f"value must be a number, got {self.value!r}")
        try:
            object.__setattr__(self, "value", float(self.value))
        except (TypeError, ValueError, OverflowError):
            raise SpecError(f"value must be a number, got {self.value!r}") from None
        if math.isnan(self.value):
            raise SpecError("value must be a number, got NaN")

    @property
    def elements(self) -> slice:
        """Which elements these are, of the tensor's in a row."""
        return slice(self.start, self.stop, self.step)

    def within(self, start: int, stop: int) -> Overwrite | None:
        """Return the elements that are in [start, stop), numbered from `start`, if any are."""
        first = max(0, -(-(start - self.start) // self.step))
        past = min(self.count, -(-(stop - self.start) // self.step))
        if first >= past:
            return None
        begin = self.start + first * self.step - start
        return Overwrite(begin, past - first, self.step, self.value)

    @property
    def stop(self) -> int:
        """One more than the last element."""
        return self.start + (self.count - 1) * self.step + 1


@dataclass(frozen=True)
class Tensor:
    """A parameter as Paddle holds it: row blocks of draws, one under the other.

    Parameters
    ----------
    bias_of
        The weights whose layers add this bias. Without it, it is the bias of the weight right
        before it, if that has its width; `NetSpec.pairs` is what comes of it, and what equality
        looks at.
    overwritten
        Elements that are set after the draw, in this order.
    aliases
        Further names of this very tensor in the net's state_dict.
    """

    name: str
    role: str
    shape: Shape
    blocks: tuple[RowBlock, ...]
    dtype: str = "float32"
    source: Source | None = field(default=None, compare=False)
    bias_of: tuple[str, ...] | None = field(default=None, compare=False)
    overwritten: tuple[Overwrite, ...] = ()
    aliases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _named("tensor", self.name)
        object.__setattr__(self, "shape", _shape(f"tensor {self.name}", self.shape))
        object.__setattr__(self, "blocks", tuple(self.blocks))
        for name, allowed in (("role", ROLES), ("dtype", DTYPES)):
            if getattr(self, name) not in allowed:
                raise SpecError(
                    f"tensor {self.name}: {name} must be one of {', '.join(allowed)}, "
                    f"got {getattr(self, name)!r}{did_you_mean(getattr(self, name), allowed)}"
                )
        if not self.blocks:
            raise SpecError(f"tensor {self.name}: blocks must name at least one draw")
        object.__setattr__(self, "overwritten", tuple(self.overwritten))
        for each in self.overwritten:
            if each.stop > math.prod(self.shape):
                raise SpecError(
                    f"tensor {self.name}: overwritten: element {each.stop - 1} is not one of the "
                    f"{math.prod(self.shape)} of its shape {list(self.shape)}",
                    self.source,
                )
        aliases = names("aliases", self.aliases, f"tensor {self.name}: ", self.source)
        object.__setattr__(self, "aliases", aliases)
        if self.bias_of is not None:
            object.__setattr__(self, "bias_of", tuple(self.bias_of))
            if self.role != "bias":
                raise SpecError(f"tensor {self.name}: bias_of is for a bias, this is a {self.role}")

    def overwritten_within(self, start: int, stop: int) -> tuple[Overwrite, ...]:
        """Return what is overwritten of the elements [start, stop), numbered from `start`."""
        found = (each.within(start, stop) for each in self.overwritten)
        return tuple(each for each in found if each is not None)

    def check(self, draws: dict[str, Draw]) -> None:
        """Refuse blocks that name no draw, leave its rows or do not fill the tensor's shape."""
        size = 0
        for block in self.blocks:
            draw = draws.get(block.draw)
            if draw is None:
                raise SpecError(
                    f"tensor {self.name}: no draw is named {block.draw!r}; "
                    f"draws: {', '.join(draws) or 'none'}{did_you_mean(block.draw, draws)}",
                    self.source,
                )
            if not 0 <= block.start <= block.stop <= draw.shape[0]:
                raise SpecError(
                    f"tensor {self.name}: rows [{block.start}, {block.stop}] of {draw.name} must "
                    f"lie in [0, {draw.shape[0]}]",
                    self.source,
                )
            trailing = draw.shape[1:]
            is_row = len(self.shape) == 1 and len(draw.shape) == 2 and block.rows == 1
            if trailing != self.shape[1:] and not (is_row and len(self.blocks) == 1):
                raise SpecError(
                    f"tensor {self.name}: rows of {draw.name} have the shape {list(trailing)}, "
                    f"those of the tensor {list(self.shape[1:])}",
                    self.source,
                )
            size += block.rows * math.prod(trailing)
        if size != math.prod(self.shape):
            raise SpecError(
                f"tensor {self.name}: its blocks hold {size} values, its shape "
                f"{list(self.shape)} {math.prod(self.shape)}",
                self.source,
            )


@dataclass(frozen=True)
class Input:
    """What a layer reads: the output of an earlier layer, or one from outside."""

    name: str
    width: int


@dataclass(frozen=True)
class Layer:
    """A fully connected layer of the conf: activation(inputs @ weight + bias).

    `inputs` are in the order of the weight's rows, without the column of ones; `weight` and
    `bias` name tensors. `output` is the name by which later layers read the result.
    """

    name: str
    output: str
    inputs: tuple[Input, ...]
    weight: str
    bias: str | None
    activation: str
    source: Source | None = field(default=None, compare=False)


def names(
    key: str, values: Iterable[str], owner: str = "", source: Source | None = None
) -> tuple[str, ...]:
    """Return a list of names, or say that `key` holds none."""
    found = () if isinstance(values, str) or not isinstance(values, Iterable) else tuple(values)
    sound = isinstance(values, Iterable) and not isinstance(values, str)
    if not sound or not all(isinstance(value, str) and value for value in found):
        raise SpecError(f"{owner}{key} must be a list of names, got {values!r}", source)
    return found


def _named(kind: str, name: str) -> None:
    if not isinstance(name, str) or not name:
        raise SpecError(f"a {kind}'s name must be a text that is not empty, got {name!r}")


def _shape(owner: str, shape: Shape) -> Shape:
    try:
        values = tuple(integer("shape", value) for value in shape)
    except SpecError:
        values = ()
    if not values or min(values) < 0:
        raise SpecError(
            f"{owner}: shape must be a list of one or more integers of 0 or more, got {shape!r}"
        )
    return values

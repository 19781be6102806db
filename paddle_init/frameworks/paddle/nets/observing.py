"""What is seen while a net is built: its random ops in order, and what each tensor holds."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from paddle_init.distributions import Unknown
from paddle_init.frameworks.paddle.nets import sentences as say
from paddle_init.frameworks.paddle.nets.initializer_draws import initializer_name, is_paddles
from paddle_init.frameworks.paddle.nets.parameters import is_tensor, shape_and_dtype
from paddle_init.frameworks.paddle.nets.provenance import (
    Origin,
    Piece,
    Provenance,
    RandomOp,
    Written,
    crc,
    joined_runs,
)
from paddle_init.frameworks.paddle.nets.random_ops import (
    DRAWING,
    FIXED,
    GlobalGenerator,
    HostGenerators,
    State,
    drawn_by,
)
from paddle_init.frameworks.paddle.nets.user_code import calling_line, in_brackets
from paddle_init.languages import Message, Sentence
from paddle_init.specs import DTYPES, Overwrite

# Initializers of Paddle that compute their values from the shape alone.
COMPUTED = ("Dirac", "Bilinear")
MOST_OVERWRITES = 64
# The attribute of an Assign that copies a tensor: the tensor's origin, without pieces where that
# is not known.
COPIED = "_paddle_init_origin"


@dataclass(frozen=True)
class Read:
    """Values of a tensor that the function looked at.

    `telling` is whether values that are equal under other seeds can hardly be random. `shown` is
    False where not the values came out but a shape that they decide. What is decided by integers
    being equal need not show in other integers: `integers` tells such.
    """

    clock: int
    digest: int
    telling: bool
    shown: bool
    integers: bool
    source: Any


@dataclass(frozen=True)
class Exaggeration:
    """Reads, by index, that give `factor` times what is there, so that what depends on them shows.

    At the clock `limit` the call is ended.
    """

    reads: frozenset[int]
    factor: float
    limit: int

    def __call__(self, values: Any) -> Any:
        """Return other values; integers, of which a shape may come, are one more."""
        found = np.asarray(values)
        if found.dtype.kind == "b":
            changed = np.asarray(~found)
        elif found.dtype.kind in "iu":
            changed = np.asarray(found + 1, found.dtype)
        elif found.dtype.kind in "fc":
            with np.errstate(all="ignore"):
                changed = np.asarray(found * found.dtype.type(self.factor), found.dtype)
        else:
            return values
        return changed if isinstance(values, np.ndarray) else changed.item()


class EndlessCallError(Exception):
    """The call goes on and on with exaggerated values."""


@dataclass(frozen=True)
class Filled:
    """The last initializer that filled a parameter, and what it left, if that could be followed."""

    initializer: Any
    origin: Origin | None = None


@dataclass
class Observation:
    """All that was seen of one call of a function that builds a net.

    `clock` counts what was seen, so that ops, writes and reads have one order. `mask` is 0, or
    changes every seed that the function gives to Paddle's generator.
    """

    mask: int = 0
    exaggeration: Exaggeration | None = None
    host: HostGenerators = field(default_factory=HostGenerators)
    generator: GlobalGenerator = field(init=False)
    provenance: Provenance = field(default_factory=Provenance)
    ops: list[RandomOp] = field(default_factory=list)
    written: list[Written] = field(default_factory=list)
    reads: list[Read] = field(default_factory=list)
    static: dict[str, Any] = field(default_factory=dict)
    created: dict[str, Any] = field(default_factory=dict)
    filled: dict[str, Filled] = field(default_factory=dict)
    sources: dict[str, Any] = field(default_factory=dict)
    clock_read: bool = False
    ended: tuple[int, Message] | None = None
    thread: int = field(default_factory=threading.get_ident)
    numpy_seeds: list[Any] = field(default_factory=list)
    clock: int = 0
    moved_at: int | None = None
    paused: int = 0
    filling: list[tuple[Any, Any]] = field(default_factory=list)
    lent: set[int] = field(default_factory=set)
    seed: int | None = None
    at_end: tuple[int | None, RandomOp | str | None] = (None, None)

    def __post_init__(self) -> None:
        self.generator = GlobalGenerator(self.mask)
        self._last = self.generator.start.engine
        self._ends: dict[str, RandomOp | str] = {self._last: ""}
        self._host = self.host.state()

    @property
    def idle(self) -> bool:
        """Whether nothing is observed: our own code runs, or a static graph is built."""
        import paddle

        return bool(self.paused) or not paddle.in_dynamic_mode()

    def values(self, parameter: Any) -> Any:
        """Return a parameter's values, flat, as float64 or as float32 or less."""
        with self.quiet():
            _, dtype = shape_and_dtype(parameter)
            shown = parameter if dtype.endswith(("32", "64")) else parameter.astype("float32")
            return shown.numpy().reshape(-1)

    # Random ops

    def drawing(
        self, name: str, op: Callable[..., Any], args: tuple[Any, ...], settings: dict[str, Any]
    ) -> Any:
        followed = name in DRAWING
        given = _tensors(args, settings, skip=name.startswith(("gaussian_", "uniform_")))
        for tensor in given if followed else ():
            self.read(tensor)
        with self.quiet():
            before = self.generator.look()
            result = op(*args, **settings)
            after = self.generator.look()
            first = result[0] if isinstance(result, (tuple, list)) else result
            if name.endswith("_") or settings.get("out") is not None:
                self.provenance.changed(first)
            if followed and not given:
                drawn = self._placed(drawn_by(name, args, settings, result), before, after)
                if drawn.dtype in DTYPES and drawn.shape == shape_and_dtype(result)[0]:
                    whole = Piece(drawn, 0, int(result.size))
                    self.note(result, Origin((whole,), (drawn.dtype,)))
            elif before.engine != after.engine:
                again = partial(op, *args, **{k: v for k, v in settings.items() if k != "out"})
                count = int(first.size) if is_tensor(first) else 0
                takes = self._takes(name, again, count, before, after)
                what = Unknown(say.MADE_BY_OP(kind=name), takes=takes)
                self._placed(RandomOp(name, 0, what, what, (takes or 1,), "float32"), before, after)
        return result

    def _placed(self, op: RandomOp, before: State, after: State) -> RandomOp:
        """Give an op its place in the stream, its line, and the parameter that it fills."""
        op.moves = before.engine != after.engine
        if op.moves:
            op.op_seed = 0
            op.seed, op.after = self._start(before)
        self.clock += 1
        self._end_at_limit()
        op.clock, op.source = self.clock, calling_line()
        if self.filling:
            initializer, parameter = self.filling[-1]
            op.initializer = initializer_name(initializer)
            op.parameter = parameter.name if hasattr(parameter, "_init_func") else ""
        self.ops.append(op)
        if op.moves:
            self._last = after.engine
            self._ends[after.engine] = op
        self._watch_host()
        return op

    def _start(self, before: State) -> tuple[int | None, RandomOp | str | None]:
        """Return where a draw starts, if it does not go on from the last; note unseen draws."""
        if before.engine == self._last:
            return None, None
        if before.engine in self._ends:
            return None, self._ends[before.engine]
        if self.generator.fresh(before):
            return before.seed ^ self.mask, None
        self.clock += 1
        what = Unknown(say.UNSEEN_DRAWS())
        self.ops.append(RandomOp("", self.clock, what, what, (1,), "float32"))
        return None, None

    def finish(self) -> None:
        """Note where the generator stands when the function has returned."""
        with self.quiet():
            self._watch_host()
            end = self.generator.look()
            self.at_end = self._start(end)
            self.seed = None if end.seed == self.generator.start.seed else end.seed ^ self.mask

    def final(self, parameter: Any) -> tuple[Origin, int] | None:
        """Return where a parameter's values come from, and when that was seen."""
        if parameter._is_initialized() and parameter.data_ptr() in self.lent:
            return None
        with self.quiet():
            return self.provenance.final(parameter)

    def _takes(
        self, name: str, again: Callable[[], Any], likely: int, before: State, after: State
    ) -> int | None:
        """Return how many engine values an op takes, if under other seeds they are as many."""
        takes = self.generator.steps(before, after, likely) if name in FIXED else None
        if takes is None or name.endswith("_"):
            # what it changed in place is no longer there to run it again
            return takes
        import paddle

        try:
            for seed in (1, 2):
                self.generator.reseed(seed)
                start = self.generator.look()
                with paddle.no_grad():
                    again()
                if self.generator.steps(start, self.generator.look(), takes) != takes:
                    return None
        except Exception:
            return None
        finally:
            self.generator.put_back(after)
        return takes

    # Values

    def note(self, tensor: Any, origin: Origin | None) -> None:
        """Note what a tensor holds from now on, and so the parameter that it is a view of."""
        self.clock += 1
        if origin is None:
            self.provenance.forget(tensor)
            return
        self.provenance.note(tensor, origin, self.clock)
        parameter = tensor if hasattr(tensor, "_init_func") else self.provenance.sharing(tensor)
        if parameter is None:
            return
        if parameter is not tensor:
            self.provenance.note(parameter, origin, self.clock)
        self.sources[parameter.name] = calling_line()
        for piece in origin.pieces:
            if isinstance(piece.origin, RandomOp) and not piece.origin.parameter:
                piece.origin.parameter = parameter.name

    def overwrote(self, tensor: Any, origin: Origin | None = None) -> None:
        """Note a write that Paddle does not count."""
        self.provenance.changed(tensor)
        self.note(tensor, origin)

    def written_to(self, tensor: Any, value: float | None, values: Any = None) -> Origin:
        """Return the origin of fixed values: one number, an array's, or computed from the shape."""
        self.clock += 1
        self._watch_host()
        digest = None
        if values is not None:
            digest = crc(values)
        name = initializer_name(self.filling[-1][0]) if self.filling else ""
        made = Written(self.clock, value, digest, self.moved_at is not None, calling_line(), name)
        self.written.append(made)
        _, dtype = shape_and_dtype(tensor)
        return Origin((Piece(made, 0, int(tensor.size)),), (dtype,))

    def set_item(self, tensor: Any, item: Any, value: Any, act: Callable[[], Any]) -> Any:
        """Let elements of a tensor be set; a number at known places is an overwriting."""
        with self.quiet():
            origin = self.provenance.origin(tensor)
            shape = tuple(tensor.shape)
            view = self.provenance.sharing(tensor)
            given = self.provenance.origin(value) if is_tensor(value) else None
            result = act()
            if given is not None and _is_whole(item) and tuple(value.shape) == shape:
                self.note(tensor, given.cast(shape_and_dtype(tensor)[1]))
                return result
            if origin is None or not _is_number(value) or not _is_plain(item):
                return result
            edits = _overwrites(shape, item, float(value))
            if edits is not None and len(origin.overwritten) + len(edits) <= MOST_OVERWRITES:
                made = Origin(origin.pieces, origin.dtypes, (*origin.overwritten, *edits))
                if view is not None and view is not tensor:
                    self.note(view, made)
                self.note(tensor, made)
        return result

    # Initializers

    def create(self, parameter: Any, initializer: Any) -> None:
        self.created[parameter.name] = parameter
        if isinstance(initializer, type):
            self.filled[parameter.name] = Filled(initializer)
            self.sources.setdefault(parameter.name, calling_line())

    def initializing(self, initializer: Any, parameter: Any, act: Callable[[], Any]) -> Any:
        """Let an initializer fill a tensor, and note what came of it."""
        outer = any(held is parameter for _, held in self.filling)
        self.filling.append((initializer, parameter))
        known = self.clock
        try:
            result = act()
        finally:
            self.filling.pop()
        if outer or not hasattr(parameter, "_init_func") or parameter._init_func is not None:
            return result
        with self.quiet():
            if not parameter._is_initialized():
                return result
            if initializer_name(initializer) in COMPUTED and is_paddles(initializer):
                self.overwrote(parameter, self.written_to(parameter, None))
            origin = self.provenance.origin(parameter)
            copied = getattr(initializer, COPIED, None)
            if copied is not None:
                _, dtype = shape_and_dtype(parameter)
                origin = copied.cast(dtype) if origin is not None and copied.pieces else None
                self.note(parameter, origin)
            if self.clock == known and parameter.name in self.filled:
                return result
            self.filled[parameter.name] = Filled(copy.copy(initializer), origin)
            self.sources.setdefault(parameter.name, calling_line())
        return result

    # What the function looks at

    def read(self, tensor: Any, shown: bool = True) -> bool:
        """Note that the function looks at a tensor's values; return whether to exaggerate them."""
        if not tensor._is_initialized():
            return False
        with self.quiet():
            origin = self.provenance.origin(tensor)
            if origin is not None and origin.written:
                return False
            integers = shape_and_dtype(tensor)[1].startswith(("int", "uint"))
            return self.look(tensor.numpy(), integers=integers, shown=shown)

    def look(self, values: Any, integers: bool | None = None, shown: bool = True) -> bool:
        """Note that the function looks at values; return whether to exaggerate them."""
        if integers is None:
            integers = values.dtype.kind in "iu"
        self.clock += 1
        self._end_at_limit()
        many = values.dtype.kind in "fcV" or values.dtype.itemsize == 2 or values.size >= 16
        telling = shown and many and values.dtype.kind != "b"
        read = Read(self.clock, crc(values), telling, shown, integers, calling_line())
        self.reads.append(read)
        return self.exaggeration is not None and len(self.reads) - 1 in self.exaggeration.reads

    def end(self, why: Sentence) -> None:
        """Note that nothing is sure from here on; the sentence takes a line."""
        self.clock += 1
        if self.ended is None:
            self.ended = self.clock, why(line=in_brackets(calling_line()))

    def _end_at_limit(self) -> None:
        if self.exaggeration is not None and self.clock > self.exaggeration.limit:
            raise EndlessCallError

    def _watch_host(self) -> None:
        """Note when NumPy's or Python's random generator is first seen to have been used."""
        if self.moved_at is None and self.host.state() != self._host:
            self.moved_at = self.clock

    def host_used(self) -> None:
        """Note that a generator of NumPy's or Python's was made that no seed decides."""
        if self.moved_at is None:
            self.moved_at = self.clock

    def host_seeded(self) -> None:
        """Note that NumPy's or Python's generator was seeded: what it draws is fixed from there."""
        self._host = self.host.state()

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Run what is our own, which is not to be observed."""
        self.paused += 1
        try:
            yield
        finally:
            self.paused -= 1


def _tensors(args: Any, settings: Mapping[str, Any], skip: bool = False) -> list[Any]:
    """Return the tensors among an op's arguments, but for the one that it works on."""
    import paddle

    flat: list[Any] = []
    for each in (*args[skip:], *(value for key, value in settings.items() if key != "out")):
        flat += each if isinstance(each, (list, tuple)) else [each]
    return [each for each in flat if isinstance(each, paddle.Tensor)]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and value == value


def _is_whole(item: Any) -> bool:
    """Tell an index that takes all of a tensor."""
    parts = item if isinstance(item, tuple) else (item,)
    return all(part is Ellipsis or (is_slice(part) and part == slice(None)) for part in parts)


def _is_plain(item: Any) -> bool:
    return all(
        part is Ellipsis or part is None or is_integer(part) or is_slice(part)
        for part in (item if isinstance(item, tuple) else (item,))
    )


def is_integer(part: Any) -> bool:
    return isinstance(part, (int, np.integer)) and not isinstance(part, bool)


def is_slice(part: Any) -> bool:
    """Tell a slice between numbers, or to an end."""
    return isinstance(part, slice) and all(
        n is None or isinstance(n, (int, np.integer)) for n in (part.start, part.stop, part.step)
    )


def _overwrites(shape: tuple[int, ...], item: Any, value: float) -> tuple[Overwrite, ...] | None:
    """Return what setting an index to a number overwrites; None where NumPy takes it otherwise."""
    places = np.zeros(shape, np.bool_)
    try:
        places[item] = True
    except (IndexError, ValueError):
        return None
    runs = []
    for run in joined_runs(np.flatnonzero(places)):
        runs.append(Overwrite(*run, value))
        if len(runs) > MOST_OVERWRITES:
            return None
    return tuple(runs)

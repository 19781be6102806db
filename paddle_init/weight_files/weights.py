"""The arrays of a weight file by name, each read when it is asked for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paddle_init.errors import PaddleInitError
from paddle_init.languages import Sentence
from paddle_init.texts import clipped, printable

NO_NUMBERS = Sentence(
    "its values are {dtype}; what can be read is floating point, integers and booleans",
    "它的值是 {dtype}；能读取的是浮点数、整数和布尔值",
)
TEXT = Sentence("text", "文本")
BYTES = Sentence("strings of bytes", "字节串")
RECORDS = Sentence("records or raw bytes", "结构体或原始字节")
OBJECTS = Sentence(
    "its values are Python objects, which are never unpickled",
    "它的值是 Python 对象，本工具从不反序列化这类对象",
)
SHAPE = Sentence("NumPy has no array of the shape {shape}", "NumPy 没有形状为 {shape} 的数组")
NO_ARRAY = Sentence("it is no array ({kind})", "它不是数组（{kind}）")

Array: TypeAlias = NDArray[Any]
Loader: TypeAlias = Callable[[], Array]

# All bytes of a file; mapped, so that only what is looked at is read.
Contents: TypeAlias = memoryview


class WeightFileError(PaddleInitError, ValueError):
    """A weight file that cannot be read, or cannot hold what should be written."""

    def __str__(self) -> str:
        return printable(clipped(super().__str__()))


NUMBERS = "fiub"
KINDS = {"U": TEXT, "S": BYTES, "V": RECORDS}
NOTHING: Mapping[str, Any] = MappingProxyType({})


NUMBER = re.compile(r"@[0-9]+\Z")


class ContentError(ValueError):
    """What a file, or a tree of arrays, holds is not what its format has."""


class Weights(Mapping[str, Array]):
    """Arrays by name, in the file's order; bfloat16 is held as its bits, in uint16.

    Attributes
    ----------
    source : str
        Where they come from.
    unreadable : mapping of str to str
        What the file holds besides arrays of numbers, by name, and why it cannot be read.
    aliases : mapping of str to tuple of str
        Other names of arrays: the parameter's own, where the file says it. A parameter that the
        file holds under several names has several arrays. A numbered name, such as fc1_w@1, counts
        without its number too, if one alone is such.
    """

    def __init__(
        self,
        source: str,
        loaders: Mapping[str, Loader],
        unreadable: Mapping[str, str] = NOTHING,
        aliases: Mapping[str, tuple[str, ...]] = NOTHING,
    ) -> None:
        self.source = source
        self.unreadable = dict(unreadable)
        self.aliases = {**_without_number(aliases), **aliases}
        self._loaders = dict(loaders)

    @property
    def skipped(self) -> tuple[str, ...]:
        """Names of what cannot be read."""
        return tuple(self.unreadable)

    def places(self, name: str) -> tuple[str, ...]:
        """Return the file's own names of what `name` means in it, readable or not."""
        if name in self._loaders or name in self.unreadable:
            return (name,)
        return self.aliases.get(name, ())

    def __getitem__(self, name: str) -> Array:
        return self._loaders[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._loaders)

    def __len__(self) -> int:
        return len(self._loaders)

    def __contains__(self, name: object) -> bool:
        return name in self._loaders

    def __repr__(self) -> str:
        return f"<Weights of {self.source}: {len(self)} arrays>"


def without_number(name: str) -> str:
    """Return a parameter's name without the number that a further net of one process gives it."""
    return NUMBER.sub("", name)


def _without_number(aliases: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    shorter = Counter(map(without_number, aliases))
    return {
        short: places
        for own, places in aliases.items()
        if shorter[short := without_number(own)] == 1
    }


def unreadable_dtype(dtype: np.dtype[Any]) -> str | None:
    """Return why values of a type cannot be read; None where they can."""
    if dtype.hasobject:
        return OBJECTS()
    if dtype.kind in NUMBERS:
        return None
    kind = KINDS.get(dtype.kind)
    return NO_NUMBERS(dtype=kind() if kind else dtype)


def unreadable_shape(shape: tuple[int, ...]) -> str | None:
    """Return why NumPy has no array of a shape that some bytes fit; None where it has."""
    empty = 0 in shape
    try:
        np.empty(0 if empty else 1).reshape(shape if empty else (1,) * len(shape))
    except (ValueError, OverflowError):
        return SHAPE(shape=list(shape))
    return None


def fits(shape: tuple[int, ...], dtype: np.dtype[Any], length: int) -> bool:
    """Tell whether `length` bytes are the values of an array, whatever its shape claims."""
    size = dtype.itemsize
    for side in shape:
        if side < 0:
            return False
        size *= side
    return size == length


def as_array(
    data: Contents | bytes, dtype: np.dtype[Any], shape: tuple[int, ...], *, fortran: bool = False
) -> Array:
    """Return bytes as a read-only array in the machine's byte order; nothing is copied if it is so.

    The bytes are exactly the array's; see `fits`.
    """
    flat = np.frombuffer(data, dtype) if len(data) else np.empty(0, dtype)
    native = flat.astype(dtype.newbyteorder("="), copy=False)
    return native.reshape(shape, order="F" if fortran else "C")


# A key, the value that it leads to, and the parameter's own name where a table says it.
Member: TypeAlias = tuple[str, Any, "str | None"]

DEEPEST, MOST, LONGEST = 64, 1 << 20, 1 << 26
ALONE = "parameter"


class NestingError(ContentError):
    """A tree that goes on without end, or that gives a name twice."""


@dataclass(frozen=True)
class Leaf:
    """What is no container: a loader, or why it cannot be read; and the parameter's own name."""

    content: Loader | str
    own_name: str | None = None


def gathered(
    source: str,
    saved: Any,
    members: Callable[[Any], Iterable[Member] | None],
    leaf: Callable[[Any], Leaf],
) -> Weights:
    """Return the arrays of a tree, in its order; `members` returns None for what is no container.

    Own names are aliases in the dict that holds the array and in those around it. Where arrays of
    several dicts have one own name, as those of a model and of its moving average, it is an alias
    only within each.

    Raises
    ------
    NestingError
        Two places of the tree have one name; or it is too deep or too large to be walked.
    """
    visited = letters = 0

    def leaves(
        value: Any, keys: tuple[str, ...], own_name: str | None
    ) -> Iterator[tuple[tuple[str, ...], Leaf]]:
        nonlocal visited, letters
        inner = members(value)
        visited += 1
        if visited > MOST:
            raise NestingError(f"it holds more than {MOST} values")
        if inner is None:
            found = leaf(value)
            own = own_name or found.own_name
            letters += sum(map(len, keys)) + len(own or "") * max(1, len(keys))
            if letters > LONGEST:
                raise NestingError(f"its names are longer than {LONGEST} characters together")
            yield keys, Leaf(found.content, own)
            return
        if len(keys) == DEEPEST:
            raise NestingError(f"dicts are nested more than {DEEPEST} deep")
        for key, each, own in inner:
            yield from leaves(each, (*keys, key), own)

    loaders: dict[str, Loader] = {}
    unreadable: dict[str, str] = {}
    places: dict[str, tuple[str, ...]] = {}
    owned: dict[str, list[str]] = {}
    for keys, found in leaves(saved, (), None):
        name = ".".join(keys) or ALONE
        if name in places:
            raise NestingError(
                f"the name {name!r} is given twice: by the keys {_shown(places[name])} and by "
                f"{_shown(keys)}"
            )
        places[name] = keys
        if isinstance(found.content, str):
            unreadable[name] = found.content
        else:
            loaders[name] = found.content
            if found.own_name:
                for depth in range(max(1, len(keys))):
                    owned.setdefault(".".join((*keys[:depth], found.own_name)), []).append(name)
    aliases = {
        own: tuple(names)
        for own, names in owned.items()
        if own not in places and len({places[name][:-1] for name in names}) == 1
    }
    return Weights(source, loaders, unreadable, aliases)


def key_text(key: Any) -> str:
    """Return a dict's key as a part of a name.

    Raises
    ------
    NestingError
        It is no text, number or tuple of these.
    """
    if key is None or isinstance(key, (str, bool, float, bytes)):
        return str(key)
    if isinstance(key, int) and abs(key) < 1 << 64:
        return str(key)
    if isinstance(key, tuple):
        return f"({', '.join(map(key_text, key))})"
    raise NestingError(f"a key of a dict is neither a text nor a number ({type(key).__name__})")


def _shown(keys: tuple[str, ...]) -> str:
    return "[" + ", ".join(map(repr, keys)) + "]"

"""A pickle read as data: its calls are returned as values, and none is made.

Only the opcodes of protocols 2 to 4 that dicts of arrays need are known. Long byte strings stay
views of the file.

Source: Lib/pickletools.py of CPython, which documents every opcode.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from paddle_init.weight_files.weights import ContentError, Contents


class PickleError(ContentError):
    """Bytes that are not a pickle, or one of something else than arrays."""


@dataclass(frozen=True)
class Global:
    """A function or class that the pickle names."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


@dataclass(eq=False)
class Call:
    """What the pickle wants called, and what the result would be given then."""

    function: Global
    arguments: tuple[Any, ...]
    state: Any = None
    items: dict[Any, Any] = field(default_factory=dict)
    elements: list[Any] = field(default_factory=list)


def read_pickle(data: Contents, allowed: Callable[[Global], bool]) -> Any:
    """Return what a pickle holds; `allowed` says which globals it may name.

    Raises
    ------
    PickleError
        The bytes end early, hold an opcode that arrays do not need, or name another global.
    """
    machine = _Machine(data, allowed)
    try:
        for _ in range(MOST_STEPS):
            code = machine.take(1)[0]
            if code == STOP:
                return machine.stack.pop()
            if code not in OPCODES:
                raise PickleError(
                    f"the pickle opcode {code:#04x} at byte {machine.at - 1} is none that a file "
                    "of arrays needs"
                )
            OPCODES[code](machine)
        raise PickleError(f"the pickle has more than {MOST_STEPS} steps")
    except (IndexError, KeyError, TypeError, ValueError, struct.error) as error:
        if isinstance(error, PickleError):
            raise
        raise PickleError(f"the pickle makes no sense at byte {machine.at}") from error


def refuse_key(key: Any) -> None:
    """Refuse a key that hashing would follow without end.

    Raises
    ------
    PickleError
        It is no text, number or flat tuple of these.
    """
    for each in key if type(key) is tuple else (key,):
        if type(each) not in KEYS:
            raise PickleError("a key of a dict is no text and no number")


class _Machine:
    def __init__(self, data: Contents, allowed: Callable[[Global], bool]) -> None:
        self.data, self.allowed = data, allowed
        self.at = 0
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}

    def take(self, length: int) -> memoryview:
        end = self.at + length
        if end > len(self.data):
            raise PickleError(f"the file ends within the pickle, after {len(self.data)} bytes")
        part = self.data[self.at : end]
        self.at = end
        return part

    def number(self, form: str) -> Any:
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def text(self, form: str) -> str:
        return str(self.take(self.number(form)), "utf-8", "surrogatepass")

    def line(self) -> str:
        window = bytes(self.data[self.at : self.at + 256])
        return str(self.take(window.index(b"\n") + 1)[:-1], "utf-8")

    def marked(self) -> list[Any]:
        start = self.marks.pop()
        values = self.stack[start:]
        del self.stack[start:]
        return values

    def push(self, value: Any) -> None:
        self.stack.append(value)

    def push_global(self, module: str, name: str) -> None:
        found = Global(module, name)
        if not self.allowed(found):
            raise PickleError(
                f"it names {found}, which no file of arrays needs; nothing of it was run"
            )
        self.push(found)

    def tuple_of(self, count: int) -> None:
        if count > len(self.stack):
            raise PickleError("the pickle makes no sense")
        start = len(self.stack) - count
        self.stack[start:] = [tuple(self.stack[start:])]

    def stack_global(self) -> None:
        name, module = self.stack.pop(), self.stack.pop()
        self.push_global(str(module), str(name))

    def reduce(self) -> None:
        arguments, function = self.stack.pop(), self.stack.pop()
        if not isinstance(function, Global) or not isinstance(arguments, tuple):
            raise PickleError("the pickle calls what is no function")
        self.push(Call(function, arguments))

    def build(self) -> None:
        state = self.stack.pop()
        target = self.stack[-1]
        if not isinstance(target, Call):
            raise PickleError("the pickle gives a state to what has none")
        target.state = state

    def set_items(self, pairs: list[Any]) -> None:
        target = self.stack[-1]
        into = target.items if isinstance(target, Call) else target
        if not isinstance(into, dict):
            raise PickleError("the pickle puts items into what is no dict")
        for key in pairs[::2]:
            refuse_key(key)
        into.update(zip(pairs[::2], pairs[1::2], strict=True))

    def set_item(self) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        self.set_items([key, value])

    def append(self, values: list[Any]) -> None:
        target = self.stack[-1]
        if not isinstance(target, (list, Call)):
            raise PickleError("the pickle appends to what is no list")
        (target.elements if isinstance(target, Call) else target).extend(values)


def _long(machine: _Machine, form: str) -> None:
    machine.push(int.from_bytes(machine.take(machine.number(form)), "little", signed=True))


def _store(machine: _Machine, index: int) -> None:
    machine.memo[index] = machine.stack[-1]


STOP = ord(".")
KEYS = (str, int, float, bool, bytes, type(None))
MOST_STEPS = 1 << 24
SET, FROZENSET = Global("builtins", "set"), Global("builtins", "frozenset")

OPCODES: MappingProxyType[int, Callable[[_Machine], None]] = MappingProxyType(
    {
        0x80: lambda m: m.take(1).release(),  # PROTO
        0x95: lambda m: m.take(8).release(),  # FRAME
        ord("("): lambda m: m.marks.append(len(m.stack)),
        ord("0"): lambda m: m.stack.__delitem__(-1),
        ord("N"): lambda m: m.push(None),
        0x88: lambda m: m.push(True),
        0x89: lambda m: m.push(False),
        ord("K"): lambda m: m.push(m.number("<B")),
        ord("M"): lambda m: m.push(m.number("<H")),
        ord("J"): lambda m: m.push(m.number("<i")),
        ord("G"): lambda m: m.push(m.number(">d")),
        0x8A: lambda m: _long(m, "<B"),
        0x8B: lambda m: _long(m, "<I"),
        0x8C: lambda m: m.push(m.text("<B")),
        ord("X"): lambda m: m.push(m.text("<I")),
        0x8D: lambda m: m.push(m.text("<Q")),
        ord("C"): lambda m: m.push(m.take(m.number("<B"))),
        ord("B"): lambda m: m.push(m.take(m.number("<I"))),
        0x8E: lambda m: m.push(m.take(m.number("<Q"))),
        ord(")"): lambda m: m.push(()),
        0x85: lambda m: m.tuple_of(1),
        0x86: lambda m: m.tuple_of(2),
        0x87: lambda m: m.tuple_of(3),
        ord("t"): lambda m: m.push(tuple(m.marked())),
        ord("]"): lambda m: m.push([]),
        ord("a"): lambda m: m.append([m.stack.pop()]),
        ord("e"): lambda m: m.append(m.marked()),
        ord("}"): lambda m: m.push({}),
        ord("s"): lambda m: m.set_item(),
        ord("u"): lambda m: m.set_items(m.marked()),
        ord("q"): lambda m: _store(m, m.number("<B")),
        ord("r"): lambda m: _store(m, m.number("<I")),
        0x94: lambda m: _store(m, len(m.memo)),
        ord("h"): lambda m: m.push(m.memo[m.number("<B")]),
        ord("j"): lambda m: m.push(m.memo[m.number("<I")]),
        ord("c"): lambda m: m.push_global(m.line(), m.line()),
        0x93: lambda m: m.stack_global(),
        ord("R"): lambda m: m.reduce(),
        0x81: lambda m: m.reduce(),  # NEWOBJ
        0x8F: lambda m: m.push(Call(SET, ())),
        0x90: lambda m: m.append(m.marked()),
        0x91: lambda m: m.push(Call(FROZENSET, (), elements=m.marked())),
        ord("b"): lambda m: m.build(),
    }
)

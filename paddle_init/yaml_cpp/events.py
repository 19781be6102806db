"""YAML text to nodes, from PyYAML's events: its resolver and constructor play no part."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from paddle_init.errors import Notice, Source
from paddle_init.languages import Sentence
from paddle_init.yaml_cpp.departures import refuse_departures, without_idle_tabs
from paddle_init.yaml_cpp.encodings import Text
from paddle_init.yaml_cpp.nodes import (
    MAX_DEPTH,
    Anchors,
    DocumentError,
    Mapping,
    Node,
    Scalar,
    Sequence,
)

LOADER: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

SURROGATE = re.compile("[\ud800-\udfff]")


def parsed(text: str) -> Iterator[Any]:
    """Parse with libyaml, or with the pure parser made as strict about escapes."""
    events = yaml.parse(text, LOADER)
    return _strict(events) if LOADER is yaml.SafeLoader else events


def _strict(events: Iterator[Any]) -> Iterator[Any]:
    """Refuse ``\\ud800`` and ``\\U00110000``, which the pure parser takes for characters."""
    message = "found invalid Unicode character escape code"
    mark: Any = None
    try:
        for event in events:
            mark = event.end_mark
            if event.__class__ is ScalarEvent and SURROGATE.search(event.value):
                raise yaml.MarkedYAMLError(problem=message, problem_mark=mark)
            yield event
    except (ValueError, OverflowError):
        raise yaml.MarkedYAMLError(problem=message, problem_mark=mark) from None


# More than a conf of MAX_BYTES has, whose every parameter is on one line.
MAX_EVENTS = 16_000_000
MAX_NOTICES = 100

SECOND_DOCUMENT = Sentence(
    "a second document starts here; C++ reads the first alone",
    "这里开始第二个文档；C++ 只读第一个",
)
DUPLICATE_KEY = Sentence(
    "the key is on line {first} too; as in C++, line {first} is taken and line {line} ignored",
    "第 {first} 行也有这个键；与 C++ 一样，取第 {first} 行，忽略第 {line} 行",
)
MERGE_KEY = Sentence(
    "C++ does not merge: to it, the keys that are named here are not there",
    "C++ 不做合并：对它来说，这里引用的键并不存在",
)
NULLS = frozenset(("", "~", "null", "Null", "NULL"))


def compose(text: Text, file: str) -> tuple[Node, tuple[Notice, ...]]:
    """The tree of a text's first document, and what a reader should know about it.

    Time and memory grow linearly with the text: an alias is the anchor's node itself.

    Raises
    ------
    DocumentError
        Not YAML; over `MAX_EVENTS`; lists and mappings nested deeper than `MAX_DEPTH`; an alias
        that `Anchors` refuses; syntax that yaml-cpp reads otherwise.
    """
    try:
        events = refuse_departures(parsed(without_idle_tabs(text.text)), text.text, file)
        return _Composer(text, file).document(events)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise DocumentError.at(file, line, _syntax(error, text.text)) from None
    except yaml.YAMLError as error:
        raise DocumentError.at(file, 1, str(error)) from None


class _Composer:
    def __init__(self, text: Text, file: str) -> None:
        self.text = text
        self.file = file
        self.notices: list[tuple[int, Notice]] = []
        self.counts: Counter[str] = Counter()
        self.anchors = Anchors(file)

    def document(self, events: Iterator[Any]) -> tuple[Node, tuple[Notice, ...]]:
        next(events)
        if next(events).__class__ is StreamEndEvent:
            return Scalar("", True, self.file, 1), ()
        root = self.node(events)
        next(events)
        after = next(events)
        line = after.start_mark.line + 1
        if after.__class__ is DocumentStartEvent:
            self.notice("second-document", SECOND_DOCUMENT(), line)
        in_line_order = sorted(self.notices, key=lambda found: found[0])
        return root, (*(notice for _, notice in in_line_order), *self.untold())

    def node(self, events: Iterator[Any]) -> Node:
        """One whole node: the loop that every event of a file goes through."""
        file, anchors, bytewise = self.file, self.anchors, self.text.codec is not None
        items: list[Node] = []
        stack: list[tuple[list[Node], int, str | None]] = []
        node: Node
        for event in islice(events, MAX_EVENTS):
            kind = event.__class__
            if kind is ScalarEvent:
                text, line = event.value, event.start_mark.line + 1
                if bytewise:
                    text = self.decoded(text, line)
                null = text in NULLS and not event.style and event.tag is None
                node = Scalar(text, null, file, line)
                if event.anchor is not None:
                    anchors.define(event.anchor, node)
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                line = event.start_mark.line + 1
                stack.append((items, line, event.anchor))
                items = []
                if event.anchor is not None:
                    anchors.define(event.anchor, items)
                if len(stack) > MAX_DEPTH:
                    raise DocumentError.at(file, line, f"nested over {MAX_DEPTH} deep")
                continue
            elif kind is AliasEvent:
                node = anchors.resolve(event.anchor, event.start_mark.line + 1, len(stack))
            else:
                parts = items
                items, line, anchor = stack.pop()
                if kind is MappingEndEvent:
                    node = self.mapping(parts, line)
                else:
                    node = Sequence(tuple(parts), file, line)
                if anchor is not None:
                    anchors.close(anchor, parts, node)
            if not stack:
                return node
            items.append(node)
        message = f"more than {MAX_EVENTS:,} texts, lists and mappings, the most that is read"
        raise DocumentError.at(file, 0, message)

    def mapping(self, parts: list[Node], line: int) -> Mapping:
        entries: dict[str, Node] = {}
        lines: dict[str, int] = {}
        for key, value in zip(parts[::2], parts[1::2], strict=True):
            if key.__class__ is not Scalar or key.null:
                message = f"{key.kind} as a key; C++ looks keys up by their text and never finds it"
                raise DocumentError.at(self.file, key.line, message)
            text = key.text
            if text in entries:
                first = lines[text]
                message = DUPLICATE_KEY(first=first, line=key.line)
                self.notice("duplicate-key", message, key.line, text)
                continue
            entries[text] = value
            lines[text] = key.line
            if text == "<<":
                self.notice("merge-key", MERGE_KEY(), key.line, text)
        return Mapping(entries, lines, self.file, line)

    def decoded(self, text: str, line: int) -> str:
        try:
            return self.text.decoded(text)
        except UnicodeError as error:
            raise DocumentError.at(self.file, line, f"{error} ({self.text.codec})") from None

    def notice(self, code: str, message: str, line: int, key: str = "") -> None:
        self.counts[code] += 1
        if self.counts[code] <= MAX_NOTICES:
            self.notices.append((line, Notice(code, message, source=Source(self.file, line, key))))

    def untold(self) -> Iterator[Notice]:
        for code, count in self.counts.items():
            if count > MAX_NOTICES:
                message = f"{count - MAX_NOTICES:,} more of these"
                yield Notice(code, message, source=Source(self.file, 0))


def _syntax(error: yaml.MarkedYAMLError, text: str) -> str:
    """What the parser found wrong, with the character that it does not name."""
    began = f" ({error.context})" if error.context else ""
    place = error.problem_mark.index if error.problem_mark else len(text)
    if text[place : place + 1] == "\t":
        return f"a tab where YAML takes none, as at the start of a line; write blanks{began}"
    if "cannot start any token" in str(error.problem):
        message = f"a text cannot start with {text[place : place + 1]!r}; put it in quotes"
        return f"{message}{began}"
    return f"{error.problem}{began}"

"""Syntax that PyYAML reads and yaml-cpp reads otherwise, or not at all: refused.

docs/yaml_cpp.md lists all of it. What a conf has no use for is refused as a whole where
that is simpler to state than the exact difference."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import StringIO
from typing import Any

from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from paddle_init.yaml_cpp.nodes import DocumentError

STARTS = (MappingStartEvent, SequenceStartEvent)
ENDS = (MappingEndEvent, SequenceEndEvent)

CONTENT = re.compile(r"^(?:(%[^\r\n]*)|[ \t]*[^ \t\r\n#])", re.MULTILINE)
VERSION = re.compile(r"%YAML 1\.[12][ \t]*")

COMMENT = re.compile(r"#[^\n]*")
VALUE_FOLLOWS = re.compile(r"(?<=[\"'])[ \t]*:|[ \t]*:(?=[\s,\]}]|\Z)")

MARKS = re.compile(r"[&*!>|\"']")
TAG = r"!!?[0-9A-Za-z-]*"
ANCHOR = r"&[0-9A-Za-z_-]+"
ONE_MARK = re.compile(rf"(?:{TAG}|{ANCHOR})(?=\s|\Z)")
TWO_MARKS = re.compile(rf"(?:{TAG}[ \t]+{ANCHOR}|{ANCHOR}[ \t]+{TAG})(?=\s|\Z)")
ALIAS = re.compile(r"\*[0-9A-Za-z_-]+(?=[\s,\[\]{}]|\Z)")
TAB_AHEAD = re.compile(r"\s*\n *\t")
ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def refuse_departures(events: Iterator[Any], text: str, file: str) -> Iterator[Any]:
    """Yield the events themselves, up to the first whose syntax is refused by a DocumentError."""
    _directives(text, file)
    if "?" in text:
        events = _question_marks(events, text, file)
    if "{" in text or "[" in text:
        events = _flow_mappings(events, text, file)
    if MARKS.search(text):
        events = _marked_nodes(events, text, file)
    return events


def _directives(text: str, file: str) -> None:
    """Refuse every directive but a plain ``%YAML 1.1`` or ``%YAML 1.2``."""
    for found in CONTENT.finditer(text):
        if found[1] is None:
            return
        if not VERSION.fullmatch(found[1]):
            line = text.count("\n", 0, found.start(1)) + 1
            message = f"the directive {found[1]!r}; only %YAML 1.1 and %YAML 1.2 are read"
            raise DocumentError.at(file, line, message)


def _question_marks(events: Iterator[Any], text: str, file: str) -> Iterator[Any]:
    """Refuse ``? key`` everywhere, and '?' in an unquoted text between brackets."""
    in_flow = [False]
    end = 0
    for event in events:
        start = event.start_mark.index
        if len(in_flow) > 1 and "?" in COMMENT.sub("", text[end:start]):
            raise _refused("a key after '?'; write key: value", event, file)
        if event.__class__ in STARTS:
            in_flow.append(bool(event.flow_style))
            end = start
        else:
            if event.__class__ in ENDS:
                in_flow.pop()
            elif in_flow[-1] and _is_plain(event) and "?" in event.value:
                message = f"a '?' between brackets in {event.value!r}; put the text in quotes"
                raise _refused(message, event, file)
            end = event.end_mark.index
        yield event


def _flow_mappings(events: Iterator[Any], text: str, file: str) -> Iterator[Any]:
    """Refuse ``{key}``, and a ':' that is not on its key's line."""
    enclosing: list[bool | None] = []
    value_next: bool | None = None  # None outside of a flow mapping
    key_end = 0
    for event in events:
        kind = event.__class__
        if value_next is not None and kind not in ENDS:
            if value_next and not VALUE_FOLLOWS.match(text, key_end):
                raise _refused("a key without ':' after it; write {key: value}", event, file)
            value_next = not value_next
            key_end = event.end_mark.index
        if kind in STARTS:
            enclosing.append(value_next)
            value_next = False if kind is MappingStartEvent and event.flow_style else None
        elif kind in ENDS:
            value_next = enclosing.pop()
        yield event


def _marked_nodes(events: Iterator[Any], text: str, file: str) -> Iterator[Any]:
    """Refuse what differs in anchors, aliases, tags, quotes and block texts."""
    end = 0
    for event in events:
        kind = event.__class__
        message = None
        if kind is AliasEvent:
            if not ALIAS.match(text, event.start_mark.index):
                message = f"an alias whose name runs on after *{event.anchor}"
        elif kind is ScalarEvent or kind in STARTS:
            marks = (event.anchor is not None) + (event.tag is not None)
            form = TWO_MARKS if marks == 2 else ONE_MARK
            if marks and not form.match(text, event.start_mark.index):
                message = "an anchor or a tag that is not letters and digits before a blank"
            elif kind is ScalarEvent and event.style:
                message = _styled(event, text, end)
            elif kind is ScalarEvent and marks:
                message = _marked_plain(event, text)
        if message:
            raise _refused(message, event, file)
        end = event.end_mark.index
        yield event


def _is_plain(event: Any) -> bool:
    return event.__class__ is ScalarEvent and not event.style


def _styled(event: Any, text: str, end: int) -> str | None:
    start, stop = event.start_mark.index, event.end_mark.index
    if event.style == ">":
        return "a folded text ('>'); write it on one line"
    if event.style == "|":
        if "\n" in text[end:start] or text[start] != "|":
            return "'|' that does not stand right after ':' or '-'"
        return None
    inside = text[start + 1 : stop - 1]
    if event.style == '"' and any(escape[1] in "N_" for escape in ESCAPE.finditer(inside)):
        return "the escape \\N or \\_, which C++ turns into a byte that is no character"
    blank = inside[len(inside.rstrip()) :]
    return "quotes that close after an empty line" if blank.count("\n") > 1 else None


def _marked_plain(event: Any, text: str) -> str | None:
    if event.tag is not None and not event.value:
        return "a tag without a value"
    if event.end_mark.line > event.start_mark.line or TAB_AHEAD.match(text, event.end_mark.index):
        return "several lines after an anchor or a tag; write the text on one line"
    return None


def _refused(message: str, event: Any, file: str) -> DocumentError:
    return DocumentError.at(file, event.start_mark.line + 1, message)


# Tabs on empty lines and before comments are nothing to yaml-cpp, and an error to libyaml.
# Both refuse them after an unquoted text, which may go on there. So they are taken for blanks
# only where the line before cannot end in such a text, and none after a ``|`` text, which keeps
# them.

# A hundred lines at a time: a longer match takes memory for each.
IDLE = re.compile(r"(?:^ *\t[ \t]*(?:#[^\n]*|\r?$)\n?){1,100}", re.MULTILINE)
LITERAL = re.compile(r"^.*[|>][-+0-9]*[ \t]*(?:#.*)?\r?$", re.MULTILINE)
EMPTY = re.compile(r"[ \t]*")

INSIDE = r"[^\[\]{}'\"#]*"
KEY = r"[^\s\[\]{}'\"#,:&*!|>%@`?-][^\s\[\]{}'\"#,:]*[ ]*:[ ]+"
CLOSED = re.compile(
    rf"""
    [ ]*[#].*                                   # a comment
    | [^'"#]*[ ][#][^'"]*                       # a comment after a text
    | [^'"#]*:[ ]*                              # a key
    | [ ]*(?:-[ ]+)*{KEY}                       # a key and all of its value:
      (?:\[{INSIDE}\] | \{{{INSIDE}\}} | "[^"\\]*" | '[^']*')[ ]*
    | [ ]*(?:-[ ]+)+\{{[^\[\]{{}}'"\#:]*:[ ]{INSIDE}\}}[ ]*
    """,
    re.VERBOSE | re.DOTALL,
)
# A key's list or mapping that goes on for lines, and its last line.
OPENED = re.compile(rf"[ ]*(?:-[ ]+)*{KEY}[\[{{]{INSIDE}")
GOING_ON = re.compile(INSIDE)
LAST = re.compile(rf"{INSIDE}[\]}}][ ]*")


def without_idle_tabs(text: str) -> str:
    """The text, of the same length, with blanks for tabs that separate nothing."""
    if not IDLE.search(text):
        return text
    literal = LITERAL.search(text)
    written = StringIO(newline="")
    done = seen = 0
    closed = True
    for idle in IDLE.finditer(text, 0, literal.start() if literal else len(text)):
        if idle.start() > seen:
            closed = _closed(text, seen, idle.start(), closed)
        seen = idle.end()
        if closed:
            written.write(text[done : idle.start()])
            written.write(idle[0].replace("\t", " "))
            done = seen
    written.write(text[done:])
    return written.getvalue()


def _closed(text: str, start: int, stop: int, before: bool) -> bool:
    """Whether no text goes on after the lines from `start` to `stop`; `before` if all are empty."""
    lines = _backwards(text, stop)
    for begin, line in lines:
        if begin < start:
            return before
        if not EMPTY.fullmatch(line):
            break
    else:
        return before
    if CLOSED.fullmatch(line):
        return True
    if not LAST.fullmatch(line):
        return False
    for _, line in lines:
        if not GOING_ON.fullmatch(line):
            return OPENED.fullmatch(line) is not None
    return False


def _backwards(text: str, stop: int) -> Iterator[tuple[int, str]]:
    """The lines that end before `stop`, the last one first, each with where it begins."""
    while stop:
        begin = text.rfind("\n", 0, stop - 1) + 1
        yield begin, text[begin:stop].rstrip("\r\n")
        stop = begin

"""Tabs on empty lines and before comments: nothing to yaml-cpp, an error to libyaml.

Both refuse them after an unquoted text, which may go on there. So they are taken for blanks only
where the line before cannot end in such a text, and none after a ``|`` text, which keeps them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import StringIO

__all__ = ["without_idle_tabs"]

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

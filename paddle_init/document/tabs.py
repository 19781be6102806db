"""Tabs on empty lines and before comments: nothing to yaml-cpp, an error to libyaml.

Both refuse them after an unquoted text, which may go on there. So they are taken for blanks only
where the line before cannot end in such a text, and none after a ``|`` text, which keeps them.
"""

from __future__ import annotations

import re

__all__ = ["without_idle_tabs"]

IDLE = re.compile(r" *\t[ \t]*(?=#|\r?\Z)")
EMPTY = re.compile(r"[ \t]*\r?\Z")
LITERAL = re.compile(r"[|>][-+0-9]*[ \t]*(?:#.*)?\Z", re.DOTALL)

INSIDE = r"[^\[\]{}'\"#]*"
KEY = r"[^\s\[\]{}'\"#,:&*!|>%@`?-][^\s\[\]{}'\"#,:]*[ ]*:[ ]+"
CLOSED = re.compile(
    rf"""
    [ ]*[#].*                                   # a comment
    | [^'"]*[ ][#][^'"]*                        # a comment after a text
    | [^'"#]*:[ ]*                              # a key
    | [ ]*(?:-[ ]+)*{KEY}                       # a key and all of its value:
      (?:\[{INSIDE}\] | \{{{INSIDE}\}} | "[^"\\]*" | '[^']*')[ ]*
    | [ ]*(?:-[ ]+)+\{{{INSIDE}:[ ]{INSIDE}\}}[ ]*
    """,
    re.VERBOSE | re.DOTALL,
)


def without_idle_tabs(text: str) -> str:
    """The text, of the same length, with blanks for tabs that separate nothing."""
    if "\t" not in text:
        return text
    lines = text.split("\n")
    closed = True
    for index, line in enumerate(lines):
        if closed and (idle := IDLE.match(line)):
            lines[index] = " " * idle.end() + line[idle.end() :]
        elif not EMPTY.match(line):
            closed = CLOSED.fullmatch(line.removesuffix("\r")) is not None
            if LITERAL.search(line.removesuffix("\r")):
                break
    return "\n".join(lines)

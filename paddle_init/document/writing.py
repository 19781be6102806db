"""Texts written so that yaml-cpp and every other YAML reader take them for the same text."""

from __future__ import annotations

import re

__all__ = ["quoted"]

ESCAPED = re.compile('[\\\\"\0-\x1f\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff]')


def quoted(text: str) -> str:
    """Write a text in double quotes, on one line.

    Escapes are ``\\\\``, ``\\"`` and the hexadecimal ones: of the others, yaml-cpp and PyYAML
    read some differently.
    """
    return f'"{ESCAPED.sub(_escape, text)}"'


def _escape(found: re.Match[str]) -> str:
    char = found[0]
    if char in '\\"':
        return f"\\{char}"
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"

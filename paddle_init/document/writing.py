"""Texts written so that yaml-cpp and every other YAML reader take them for the same text."""

from __future__ import annotations

__all__ = ["quoted"]


def quoted(text: str) -> str:
    """Write a text in double quotes, on one line.

    Escapes are ``\\\\``, ``\\"`` and the hexadecimal ones: of the others, yaml-cpp and PyYAML
    read some differently. Escaped is, too, what `printable` escapes: a document may go to a log.
    """
    return f'"{"".join(map(_escaped, text))}"'.replace("##[", "##\\x5b")


def _escaped(char: str) -> str:
    if char in '\\"':
        return f"\\{char}"
    code = ord(char)
    if char.isprintable() or 0xD800 <= code < 0xE000:  # of a surrogate YAML has no escape
        return char
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

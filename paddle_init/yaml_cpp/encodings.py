"""Bytes to the text that the YAML parser reads.

yaml-cpp decodes by the byte-order mark and reads everything else byte by byte, so that
in a GBK conf a character's second byte can be a bracket or a backslash to it. A file in
such an encoding is therefore parsed with each byte over 127 standing for itself, and its
scalars are decoded afterwards, by `Text.decoded`.
"""

from __future__ import annotations

import codecs
import re
import shlex
from dataclasses import dataclass

from paddle_init.errors import Notice
from paddle_init.files import START, weight_format
from paddle_init.languages import Sentence
from paddle_init.texts import did_you_mean
from paddle_init.yaml_cpp.nodes import DocumentError, Problem

COMMON = ("utf-8", "utf-16", "utf-32", "gb18030", "gbk", "gb2312", "big5", "latin-1", "ascii")
MAX_BYTES = 64 * 2**20

# A byte-order mark, or zeros where UTF-16 and UTF-32 have them beside an ASCII character.
STARTS = (
    (re.compile(codecs.BOM_UTF8), "utf-8"),
    (re.compile(codecs.BOM_UTF32_LE), "utf-32-le"),
    (re.compile(codecs.BOM_UTF32_BE), "utf-32-be"),
    (re.compile(codecs.BOM_UTF16_LE), "utf-16-le"),
    (re.compile(codecs.BOM_UTF16_BE), "utf-16-be"),
    (re.compile(rb"[\x01-\x7f]\0\0\0"), "utf-32-le"),
    (re.compile(rb"\0\0\0[\x01-\x7f]"), "utf-32-be"),
    (re.compile(rb"[\x01-\x7f]\0"), "utf-16-le"),
    (re.compile(rb"\0[\x01-\x7f]"), "utf-16-be"),
)
UNICODE = re.compile("utf-(8|16|32).*")
FALLBACK = "gb18030"

STAND_IN = 0x10FF00
STAND_INS = {byte: STAND_IN + byte for byte in range(0x80, 0x100)}
NOT_A_BYTE = re.compile(f"[^\0-\x7f{chr(STAND_IN + 0x80)}-{chr(STAND_IN + 0xFF)}]")
ESCAPED_STAND_IN = re.compile(r"\\U0010[fF]{2}[89a-fA-F][0-9a-fA-F]")

# Control characters, and line ends that are none to yaml-cpp but are to YAML 1.1.
REFUSED = re.compile(
    "\r(?!\n)|[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
NAMED = {
    "\0": "a zero byte: is this a binary file?",
    "\r": "a carriage return without a line feed, which C++ does not take as a line's end",
    "\x85": "U+0085 (next line), which C++ does not take as a line's end",
    "\u2028": "U+2028 (line separator), which C++ does not take as a line's end",
    "\u2029": "U+2029 (paragraph separator), which C++ does not take as a line's end",
    "\ufeff": "a byte-order mark inside the file, which C++ takes as part of the text",
}


NOT_IN_ENCODING = Sentence("{found} is not {codec} ({reason})", "{found} 不是 {codec}")
BYTE = Sentence("byte {byte}", "字节 {byte}")
END = Sentence("the end", "文件末尾")
READ_AS_GB18030 = Sentence(
    "{problem}; the file is read as GB18030", "{problem}；文件按 GB18030 读取"
)


@dataclass(frozen=True)
class Text:
    """A file's text as the parser reads it: lines end in LF or CRLF, no control characters.

    `codec` is the encoding of the bytes that stand for themselves in `text`, if any do.
    """

    text: str
    codec: str | None
    notices: tuple[Notice, ...] = ()

    def decoded(self, scalar: str) -> str:
        """A piece of `text` with its stand-ins decoded.

        Raises
        ------
        UnicodeError
            The piece splits a character, or has one by an escape, which C++ writes in UTF-8.
        """
        if self.codec is None or scalar.isascii():
            return scalar
        if NOT_A_BYTE.search(scalar):
            raise UnicodeError("an escape gives UTF-8, in a file that is not in UTF-8")
        try:
            return bytes(ord(char) & 0xFF for char in scalar).decode(self.codec)
        except UnicodeDecodeError:
            raise UnicodeError("C++, which reads bytes, splits a character of this text") from None


def decode(data: bytes, file: str, encoding: str | None = None) -> Text:
    """Decode a file: by `encoding`, by its byte-order mark, as UTF-8, or else as GB18030.

    The same bytes give the same text whatever the locale. `encoding` is any text encoding that
    Python knows and that is Unicode or extends ASCII.

    Raises
    ------
    DocumentError
        A weight file; over `MAX_BYTES`; bytes that the encoding does not have; a binary file; a
        line that ends in a way yaml-cpp does not know.
    """
    if form := weight_format(data[:START]):
        name = "WEIGHTS" if file.startswith("<") else shlex.quote(file)
        message = (
            f"this is a weight file ({form}), where a YAML file is expected; `paddle-init verify "
            f"{name} SPEC` compares it with a spec, `paddle-init identify {name}` searches for "
            "its origin"
        )
        raise DocumentError.at(file, 0, message)
    if len(data) > MAX_BYTES:
        message = f"larger than {MAX_BYTES >> 20} MiB, the most that is read"
        raise DocumentError.at(file, 0, message)
    codec, notices = (encoding, ()) if encoding else _detected(data, file)
    text = _decoded(data, codec, file)
    if UNICODE.fullmatch(codecs.lookup(codec).name):
        result = Text(text.removeprefix("\ufeff"), None, notices)
    else:
        if not _extends_ascii(codec):
            message = (
                f"{codec} does not extend ASCII, so C++ reads no conf in it; name another encoding"
            )
            raise DocumentError(Problem(message))
        result = Text(data.decode("latin-1").translate(STAND_INS), codec, notices)
    _refuse_characters(result, file)
    return result


def _detected(data: bytes, file: str) -> tuple[str, tuple[Notice, ...]]:
    for start, codec in STARTS:
        if start.match(data):
            return codec, ()
    if (zero := data.find(0)) >= 0:
        raise DocumentError.at(file, data.count(b"\n", 0, zero) + 1, NAMED["\0"])
    try:
        _decoded(data, "utf-8", file)
    except DocumentError as error:
        (not_utf8,) = error.problems
        try:
            _decoded(data, FALLBACK, file)
        except DocumentError as not_fallback:
            raise DocumentError((not_utf8, *not_fallback.problems)) from None
        message = READ_AS_GB18030(problem=not_utf8.message)
        return FALLBACK, (Notice("encoding", message, source=not_utf8.source),)
    return "utf-8", ()


def _decoded(data: bytes, codec: str, file: str) -> str:
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        at_end = error.start >= len(data)
        found = END() if at_end else BYTE(byte=f"0x{data[error.start]:02x}")
        message = NOT_IN_ENCODING(found=found, codec=codec.upper(), reason=error.reason)
        raise DocumentError.at(file, line, message) from None
    except (LookupError, UnicodeError):
        unknown = f"{codec!r} is no text encoding; name one, such as utf-8, gb18030 or utf-16"
        unknown += did_you_mean(codec, COMMON)
        raise DocumentError(Problem(unknown)) from None


def _extends_ascii(codec: str) -> bool:
    printable = bytes(range(0x20, 0x7F))
    try:
        return printable.decode(codec) == printable.decode("ascii")
    except UnicodeError:
        return False


def _refuse_characters(text: Text, file: str) -> None:
    found = REFUSED.search(text.text)
    if text.codec is not None:
        found = found or ESCAPED_STAND_IN.search(text.text)
    if found:
        line = text.text.count("\n", 0, found.start()) + 1
        message = NAMED.get(found[0], f"{found[0]!a} is not allowed in a YAML file")
        raise DocumentError.at(file, line, message)

"""Confs as editors, transfers and bad luck leave them: flipped, cut, moved, in any encoding."""

from __future__ import annotations

import random
from itertools import islice
from textwrap import indent

from support.confs import random_conf, random_flat

__all__ = ["mangled"]

INSERTED = (
    *[b":", b": ", b" :", b"::", b"\t", b"\t\t", b"\n\t", b"&a ", b"*a", b"&a [*a]", b"<<: "],
    *[b"- ", b"-", b"? ", b"[", b"]", b"{", b"}", b",", b"'", b'"', b"\\", b"|\n", b">\n", b"#"],
    *[b"\n", b"\r", b"\n---\n", b"\n...\n", b"%YAML 1.2\n", b"!!str ", b"!", b"~", b"@", b"`"],
    *[b"\0", b"\x1b[2J", b"\x7f", b"\x85", b"\xff\xfe", b"\xef\xbb\xbf", b"\xe2\x80\xa8"],
    *[b"-9", b"e999", b".inf", b"0x", b"1_000", b"9" * 400, b"\xd6\xd0", "中".encode()],
    *[b"plugins: {dnn_plugin: conf.yaml}\n", b"name: \n", b"rown: 0\n", b"bias_input"],
)  # fmt: skip
ENCODINGS = (
    *("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"),
    *("gbk", "gb18030", "big5", "shift_jis", "utf-7", "cp500"),
)


def mangled(rng: random.Random) -> bytes:
    """Return a conf with one to three things wrong; some of them do no harm."""
    text = rng.choice((random_conf, random_conf, random_conf, random_flat))(rng)
    if rng.random() < 0.2:
        text = f"plugins:\n  dnn_plugin:\n{indent(text, '    ')}"
    if rng.random() < 0.2:
        text = f"# 全连接层\n{text.replace('layer', '层')}"
    if rng.random() < 0.1:
        text = text.replace("\n", rng.choice(("\r\n", "\r", "\u2028", "\x85")))
    encoding = rng.choice(ENCODINGS) if rng.random() < 0.25 else "utf-8"
    data = text.encode(encoding, "replace")
    for _ in range(rng.choice((1, 1, 2, 3))):
        data = rng.choice((_flipped, _cut_off, _inserted, _removed, _doubled, _moved))(rng, data)
    return data


def _place(rng: random.Random, data: bytes) -> tuple[int, int]:
    start = rng.randint(0, len(data))
    return start, min(len(data), start + rng.choice((1, 1, 2, 8, 40)))


def _flipped(rng: random.Random, data: bytes) -> bytes:
    start, stop = _place(rng, data)
    noise = bytes(byte ^ 1 << rng.randrange(8) for byte in islice(data, start, stop))
    return data[:start] + noise + data[stop:]


def _cut_off(rng: random.Random, data: bytes) -> bytes:
    start, _ = _place(rng, data)
    return data[:start] if rng.random() < 0.8 else data[start:]


def _inserted(rng: random.Random, data: bytes) -> bytes:
    start, _ = _place(rng, data)
    return data[:start] + rng.choice(INSERTED) + data[start:]


def _removed(rng: random.Random, data: bytes) -> bytes:
    start, stop = _place(rng, data)
    return data[:start] + data[stop:]


def _doubled(rng: random.Random, data: bytes) -> bytes:
    start, stop = _place(rng, data)
    return data[:stop] + data[start:]


def _moved(rng: random.Random, data: bytes) -> bytes:
    start, stop = _place(rng, data)
    rest = data[:start] + data[stop:]
    goal = rng.randint(0, len(rest))
    return rest[:goal] + data[start:stop] + rest[goal:]

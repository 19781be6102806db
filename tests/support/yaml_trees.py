"""Whole documents in the canonical form of tests/cpp/yaml_documents.cpp, ours and yaml-cpp's."""

from __future__ import annotations

import struct
from collections.abc import Sequence as Items

from support.reference import compiled, run

from abacus_compat.yaml_cpp import DocumentError, Mapping, Node, Scalar, parse_document


def theirs(documents: Items[bytes]) -> list[bytes]:
    """What a real yaml-cpp reads in each document: a tree, or "!" and its refusal."""
    stdin = b"".join(struct.pack("<I", len(data)) + data for data in documents)
    answers = run(compiled("yaml_documents", "yaml-cpp"), stdin=stdin)
    trees, place = [], 0
    while place < len(answers):
        (length,) = struct.unpack_from("<I", answers, place)
        trees.append(answers[place + 4 : place + 4 + length])
        place += 4 + length
    assert len(trees) == len(documents)
    return trees


def ours(document: bytes) -> bytes:
    """What we read; texts in UTF-8, or in GB18030 where the file was found to be in it."""
    try:
        read = parse_document(document)
    except DocumentError as error:
        return b"!" + str(error).encode()
    in_gb18030 = any(notice.code == "encoding" for notice in read.notices)
    return tree(read.root, "gb18030" if in_gb18030 else "utf-8")


def tree(root: Node, encoding: str = "utf-8") -> bytes:
    """The canonical form; not recursive, for trees as deep as Python's stack."""
    written: list[bytes] = []
    ahead: list[Node | bytes] = [root]
    while ahead:
        node = ahead.pop()
        if isinstance(node, bytes):
            written.append(node)
        elif isinstance(node, Scalar):
            written.append(b"~" if node.null else _text(node.text, encoding))
        elif isinstance(node, Mapping):
            written.append(b"{")
            ahead.append(b"}")
            for key, value in reversed(node.entries.items()):
                ahead += [value, _text(key, encoding)]
        else:
            written.append(b"[")
            ahead += [b"]", *reversed(node.items)]
    return b"".join(written)


def refused(answer: bytes) -> bool:
    return answer.startswith(b"!")


def agree(mine: bytes, cpp: bytes) -> bool:
    """The same tree, or a refusal by both."""
    return mine == cpp or (refused(mine) and refused(cpp))


def _text(text: str, encoding: str) -> bytes:
    data = text.encode(encoding)
    return b"'%d:%s" % (len(data), data)

""".pdparams: the pickle that paddle.static.save writes, a dict of arrays by name.

Written as opcodes, since pickle itself wants all the data in memory. `paddle.load` makes
tensors of the arrays; uint16 becomes bfloat16.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

from paddle_init.specs import Tensor
from paddle_init.weight_files.parts import Checksum, Parts, size, stored

__all__ = ["pdparams_parts"]


def push(value: Any) -> bytes:
    """Return the opcodes that put a small value on the stack: protocol 2 without its frame."""
    return pickle.dumps(value, protocol=2)[len(pickle.PROTO) + 1 : -len(pickle.STOP)]


# The name that every NumPy knows, 1 or 2; ndarray's own __setstate__ then fills it.
EMPTY_ARRAY = (
    pickle.GLOBAL
    + b"numpy.core.multiarray\n_reconstruct\n"
    + pickle.GLOBAL
    + b"numpy\nndarray\n"
    + push((0,))
    + (pickle.SHORT_BINBYTES + b"\x01b")
    + pickle.TUPLE3
    + pickle.REDUCE
)
STATE_VERSION = 1


def pdparams_parts(tensors: Sequence[Tensor], checksum: Checksum) -> Parts:
    """Return the parts of a .pdparams file; it has no checksums."""
    parts: Parts = [pickle.PROTO + b"\x04" + pickle.EMPTY_DICT]
    for tensor in tensors:
        state = push(STATE_VERSION) + push(tensor.shape) + push(stored(tensor)) + pickle.NEWFALSE
        length = size(tensor).to_bytes(8, "little")
        head = push(tensor.name) + EMPTY_ARRAY + pickle.MARK + state
        parts += [
            head + pickle.BINBYTES8 + length,
            tensor,
            pickle.TUPLE + pickle.BUILD + pickle.SETITEM,
        ]
    return [*parts, pickle.STOP]

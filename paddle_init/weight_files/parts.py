"""What a file is made of: bytes that are known beforehand, and the data of tensors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from paddle_init.frameworks.halves import STORAGE
from paddle_init.specs import Tensor

__all__ = ["Checksum", "Format", "Parts", "size", "stored"]

# From the file's start to its end; a tensor stands for its values, row-major, little-endian.
Parts: TypeAlias = list[bytes | Tensor]

# Carries a CRC-32 on over the data of a tensor.
Checksum: TypeAlias = Callable[[Tensor, int], int]

# The sizes of the parts do not depend on checksums.
Format: TypeAlias = Callable[[Sequence[Tensor], Checksum], Parts]


def stored(tensor: Tensor) -> np.dtype[Any]:
    """Return the type of a tensor's values in a file."""
    little: np.dtype[Any] = STORAGE[tensor.dtype].newbyteorder("<")
    return little


def size(part: bytes | Tensor) -> int:
    """Return how many bytes a part takes."""
    if isinstance(part, bytes):
        return len(part)
    return math.prod(part.shape) * stored(part).itemsize

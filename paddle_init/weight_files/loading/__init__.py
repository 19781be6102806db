"""Weight files read without a framework: .npz, .safetensors, .pdparams."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import MappingProxyType

from paddle_init.weight_files.loading.npz import npz_weights
from paddle_init.weight_files.loading.pdparams import pdparams_weights
from paddle_init.weight_files.loading.safetensors import safetensors_weights
from paddle_init.weight_files.loading.weights import Contents, Weights, contents
from paddle_init.weight_files.writing import WeightFileError

__all__ = ["Weights", "load_weights"]

READERS: MappingProxyType[bytes, Callable[[str, Contents], Weights]] = MappingProxyType(
    {b"PK": npz_weights, b"\x80": pdparams_weights}
)
OTHERS: MappingProxyType[bytes, str] = MappingProxyType(
    {
        b"\x93NUMPY": "a single .npy array; save it with numpy.savez under the parameter's name",
        b"\x89HDF": "an HDF5 file",
        b"\x1f\x8b": "gzip-compressed; decompress it first",
        b"GGUF": "a GGUF file",
    }
)


def load_weights(path: str | os.PathLike[str]) -> Weights:
    """Open a weight file; its first bytes say which format it has, not its name.

    Arrays are mapped where the format allows: .safetensors, .npz that is not compressed, .pdparams
    of protocol 4.

    Raises
    ------
    WeightFileError
        The file is missing, of another format, truncated or hostile.
    """
    name = os.fspath(path)
    data = contents(name)
    start = bytes(data[:9])
    for magic, kind in OTHERS.items():
        if start.startswith(magic):
            raise WeightFileError(f"{name}: this is {kind}")
    for magic, read in READERS.items():
        if start.startswith(magic):
            return read(name, data)
    if start[8:] == b"{" or name.endswith(".safetensors"):
        return safetensors_weights(name, data)
    raise WeightFileError(
        f"{name}: no weight file that is known; expected .npz, .safetensors or .pdparams"
    )

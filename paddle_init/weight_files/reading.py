"""Weight files read without a framework: .npz, .safetensors, .pdparams."""

from __future__ import annotations

import os

from paddle_init.file_kinds import START, is_text, other_kind, weight_format
from paddle_init.weight_files.npz import npz_weights
from paddle_init.weight_files.pdparams import pdparams_weights
from paddle_init.weight_files.safetensors import safetensors_weights
from paddle_init.weight_files.weights import Weights, contents
from paddle_init.weight_files.writing import WeightFileError

__all__ = ["Weights", "load_weights"]


def load_weights(path: str | os.PathLike[str]) -> Weights:
    """Open a weight file; its first bytes say which format it has, not its name.

    Arrays are mapped where the format allows: .safetensors, .npz that is not compressed, .pdparams
    of protocol 4. What a file holds besides arrays of numbers is named in `Weights.unreadable`.

    Raises
    ------
    WeightFileError
        The file is missing, no regular file, of another format, truncated or hostile.
    """
    name = os.fspath(path)
    data = contents(name)
    start = bytes(data[:START])
    if kind := other_kind(start):
        raise WeightFileError(f"{name}: this is {kind}")
    form = weight_format(start)
    if form == ".npz":
        return npz_weights(name, data)
    if form == ".pdparams":
        return pdparams_weights(name, data)
    if form == ".safetensors" or name.endswith(".safetensors"):
        return safetensors_weights(name, data)
    said = f"{name}: no weight file that is known; expected .npz, .safetensors or .pdparams"
    if is_text(start):
        said += (
            "; it is a text: a conf or a net spec is the second argument of "
            "`paddle-init verify WEIGHTS SPEC`"
        )
    raise WeightFileError(said)

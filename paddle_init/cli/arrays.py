"""The batch that a net is run on: arrays in a file, or a function that makes it."""

from __future__ import annotations

import zipfile
from typing import Any

from paddle_init.errors import PaddleInitError, SpecError
from paddle_init.file_kinds import regular_file
from paddle_init.parity.resolving import names_object

__all__ = ["ArrayError", "read_batch"]


class ArrayError(PaddleInitError, ValueError):
    """A file holds no arrays of numbers."""


def read_batch(text: str) -> Any:
    """Return the array of a .npy file, those of an .npz by name, or what a function makes.

    Parameters
    ----------
    text
        A path, or ``module:function``: a function without arguments that returns a tensor, an
        array, a tuple of them, or a dict by the names of the forward's arguments.

    Raises
    ------
    ArrayError
        The file is missing or holds something else; pickled objects are never loaded.
    SpecError
        The function cannot be imported, or fails.
    """
    return _made(text) if names_object(text) else _read(text)


def _made(text: str) -> Any:
    from paddle_init.adapter.reading.importing import called_object

    made = called_object(text)
    if made is None:
        raise SpecError(f"{text} returned None; it should return the batch that the net is run on")
    return made


def _read(path: str) -> Any:
    import numpy as np

    try:
        with regular_file(path) as file:
            found = np.load(file, allow_pickle=False)
            if isinstance(found, np.ndarray):
                return _numbers(path, found)
            return {name: _numbers(f"{path}: {name}", found[name]) for name in found.files}
    except OSError as error:
        raise ArrayError(f"{path}: {error.strerror or 'no .npy or .npz file'}") from error
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise ArrayError(f"{path}: no .npy or .npz file of numbers: {error}") from error


def _numbers(where: str, found: Any) -> Any:
    import numpy as np

    if found.dtype.kind not in "fiub" or not found.ndim or 0 in found.shape:
        raise ArrayError(
            f"{where}: expected numbers of shape (batch, ..), found {found.dtype} of shape "
            f"{found.shape}"
        )
    if not np.isfinite(found).all():
        raise ArrayError(f"{where}: holds NaN or infinity")
    return found

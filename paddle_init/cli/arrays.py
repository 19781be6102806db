"""An array that the user gives as a file."""

from __future__ import annotations

from typing import Any

from paddle_init.errors import PaddleInitError
from paddle_init.file_kinds import regular_file

__all__ = ["ArrayError", "read_array"]


class ArrayError(PaddleInitError, ValueError):
    """A file holds no array of numbers."""


def read_array(path: str) -> Any:
    """Return the array of a .npy file, float32, of shape (batch, width).

    Raises
    ------
    ArrayError
        The file is missing or holds something else; pickled objects are never loaded.
    """
    import numpy as np

    try:
        with regular_file(path) as file:
            found = np.load(file, allow_pickle=False)
    except OSError as error:
        raise ArrayError(f"{path}: {error.strerror or 'no .npy file'}") from error
    except (ValueError, EOFError) as error:
        raise ArrayError(f"{path}: no .npy file of numbers: {error}") from error
    if not isinstance(found, np.ndarray):
        raise ArrayError(f"{path}: an archive of several arrays; give a .npy file with one")
    if found.ndim != 2 or found.dtype.kind not in "fiub" or 0 in found.shape:
        raise ArrayError(
            f"{path}: expected numbers of shape (batch, width), found {found.dtype} of shape "
            f"{found.shape}"
        )
    if not np.isfinite(found).all():
        raise ArrayError(f"{path}: holds NaN or infinity")
    return found.astype(np.float32)

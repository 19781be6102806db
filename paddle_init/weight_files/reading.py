"""Weight files read without a framework: .npz, .safetensors, .pdparams."""

from __future__ import annotations

import errno
import mmap
import os

from paddle_init.files import (
    NO_REGULAR_FILE,
    START,
    is_text,
    other_kind,
    regular_file,
    weight_format,
)
from paddle_init.weight_files.npz import npz_weights
from paddle_init.weight_files.pdparams import pdparams_weights
from paddle_init.weight_files.safetensors import safetensors_weights
from paddle_init.weight_files.weights import ContentError, Contents, WeightFileError, Weights

READERS = {
    ".npz": npz_weights,
    ".pdparams": pdparams_weights,
    ".safetensors": safetensors_weights,
}


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
    data = _contents(name)
    start = bytes(data[:START])
    if kind := other_kind(start):
        raise WeightFileError(f"{name}: this is {kind}")
    form = weight_format(start)
    if form is None and name.endswith(".safetensors"):
        form = ".safetensors"
    if form in READERS:
        try:
            return READERS[form](name, data)
        except ContentError as error:
            raise WeightFileError(f"{name}: {error}") from error
    message = f"{name}: no weight file that is known; expected .npz, .safetensors or .pdparams"
    if is_text(start):
        message += (
            "; it is a text: a conf or a net spec is the second argument of "
            "`paddle-init verify WEIGHTS SPEC`"
        )
    raise WeightFileError(message)


def _contents(path: str) -> Contents:
    """Return a file's bytes, mapped where the system can; nothing is waited for.

    Raises
    ------
    WeightFileError
        There is no such file, it is a folder, a device, a pipe or a socket, it is empty, or it
        cannot be read.
    """
    try:
        with regular_file(path) as file:
            size = os.fstat(file.fileno()).st_size
            # Files of /proc have no length, and may have no end.
            if not size:
                raise WeightFileError(f"{path}: the file is empty")
            try:
                return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            except (ValueError, OSError):  # a file system without mapping
                return memoryview(file.read(size))
    except IsADirectoryError:
        raise WeightFileError(f"{path}: this is a folder; name a weight file") from None
    except FileNotFoundError:
        raise WeightFileError(f"{path}: no such file") from None
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise WeightFileError(f"{path}: {NO_REGULAR_FILE}") from None
        raise WeightFileError(f"{path}: cannot be read: {os.strerror(error.errno or 0)}") from error
    except ValueError as error:
        if isinstance(error, WeightFileError):
            raise
        raise WeightFileError(f"{path!r}: this is no path: {error}") from None

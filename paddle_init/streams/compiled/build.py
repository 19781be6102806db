"""Compiling one function for one signature, with a cache that may be missing or broken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["build", "vector_libm"]

# No fastmath: LLVM then neither reorders nor contracts to fused multiply-add.
OPTIONS = {"nogil": True, "error_model": "numpy", "fastmath": False}


def build(function: Callable[..., Any], signature: str) -> Callable[..., Any]:
    """Return `function` compiled for `signature`, from numba's cache where it is there.

    A cache that cannot be written (no writable folder, a full disk) or read costs the time
    to compile, nothing else. So does one that two processes wrote at once: numba numbers a
    function's cache entries, and might then load another signature's.
    """
    import numba

    try:
        compiled = numba.njit(signature, cache=True, **OPTIONS)(function)
    except Exception:  # unpickling a broken file may raise anything
        compiled = None
    if compiled is None or str(compiled.nopython_signatures[0]) != _normal_form(signature):
        compiled = numba.njit(signature, **OPTIONS)(function)
    return compiled  # type: ignore[no-any-return]


def _normal_form(signature: str) -> str:
    import numba

    arguments, result = numba.core.sigutils.normalize_signature(signature)
    return str(numba.core.typing.signature(result, *arguments))


def vector_libm() -> bool:
    """Tell whether numba lets LLVM take logarithms from Intel's SVML."""
    import numba

    return bool(numba.config.USING_SVML)

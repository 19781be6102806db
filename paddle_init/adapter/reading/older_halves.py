"""What Paddle 2 leaves in a tensor of a half type: it cuts digits off and does not round."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from paddle_init.adapter import sentences as say
from paddle_init.distributions import Constant, Given, Unknown
from paddle_init.dtypes import stored, stored_values
from paddle_init.frameworks import installed_version
from paddle_init.schemes import Fixed
from paddle_init.specs import Draw, NetSpec, RowBlock, Tensor

__all__ = ["without_older_halves"]

HALVES = ("float16", "bfloat16")


def without_older_halves(spec: NetSpec) -> NetSpec:
    """Return a net's spec in which what the installed Paddle casts in its own way is not known.

    What is drawn takes from the stream what it took, so that all else stays known.
    """
    if installed_version() != "2.6.2":
        return spec
    draws, tensors = list(spec.draws), []
    taken = set(spec.draw_by_name)
    for tensor in spec.tensors:
        if not _exact(tensor, spec):
            name = f"{tensor.name} ({tensor.dtype})"
            while name in taken:
                name += "'"
            taken.add(name)
            held = Unknown(say.OLDER_HALVES(), takes=0)
            draws.append(Draw(name, tensor.shape, Fixed(held), tensor.source))
            rows = (RowBlock(name, 0, tensor.shape[0]),)
            tensor = replace(tensor, blocks=rows, overwritten=())
        tensors.append(tensor)
    return replace(spec, draws=tuple(draws), tensors=tuple(tensors))


def _exact(tensor: Tensor, spec: NetSpec) -> bool:
    """Tell whether a tensor's values, or the unknown, need no rounding to a half type."""
    for block in tensor.blocks:
        dtypes = (tensor.dtype, spec.draw_by_name[block.draw].dtype)
        dtype = next((each for each in dtypes if each in HALVES), None)
        held = spec.drawn(block.draw)
        if dtype is None or isinstance(held, Unknown):
            continue
        if isinstance(held, Constant):
            exact = stored(held.value, dtype) == held.value
        else:
            exact = isinstance(held, Given) and np.array_equal(
                stored_values(held.values, dtype), held.values, equal_nan=True
            )
        if not exact:
            return False
    return tensor.dtype not in HALVES or all(
        stored(each.value, tensor.dtype) == each.value for each in tensor.overwritten
    )

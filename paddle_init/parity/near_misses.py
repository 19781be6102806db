"""What a tensor without partner might be on the other side."""

from __future__ import annotations

from collections.abc import Iterator

from paddle_init.parity.regrouping import rows_of
from paddle_init.parity.words import listed
from paddle_init.specs import NetSpec, Tensor

__all__ = ["near_misses"]


def near_misses(tensor: Tensor, other: NetSpec, free: set[str]) -> Iterator[str]:
    """Yield, as sentences, which of the other side's tensors come close to `tensor`.

    `free` are the names of the other side's tensors that have no partner either.
    """
    candidates = [each for each in other.tensors if each.name in free]
    same = [t.name for t in candidates if (t.role, t.shape) == (tensor.role, tensor.shape)]
    if same:
        yield f"{listed(same)} there has its shape, but which is which the order cannot tell."
    turned = [
        t.name for t in candidates if t.shape == tensor.shape[::-1] and t.shape != tensor.shape
    ]
    if turned and len(tensor.shape) == 2:
        yield (
            f"{listed(turned)} there has its shape transposed: Paddle's weights are [in, out], "
            "torch's [out, in]. A mapping with transposed: true compares them."
        )
    for whole, parts in (*_stacks(tensor, candidates), *_parts(tensor, candidates)):
        what = "weight with its bias row" if parts[-1].role == "bias" else "stack of rows"
        names = ", ".join(part.name for part in parts)
        yield f"{whole.name} {list(whole.shape)} looks like a {what}: {names}. A mapping says so."


def _stacks(tensor: Tensor, others: list[Tensor]) -> Iterator[tuple[Tensor, list[Tensor]]]:
    """Yield runs of others that make up `tensor`."""
    if run := _run(tensor, others):
        yield tensor, run


def _parts(tensor: Tensor, others: list[Tensor]) -> Iterator[tuple[Tensor, list[Tensor]]]:
    """Yield others that have one row more than `tensor`: its bias row, folded in."""
    for other in others:
        width = other.shape[1] if len(other.shape) == 2 else None
        rows = rows_of(tensor, width)
        if rows is not None and len(tensor.shape) == 2 and other.shape[0] == rows + 1:
            bias = Tensor("its bias", "bias", (other.shape[1],), tensor.blocks)
            yield other, [tensor, bias]


def _run(whole: Tensor, others: list[Tensor]) -> list[Tensor]:
    """Return neighbours whose rows add up to those of `whole`, or nothing."""
    if len(whole.shape) != 2:
        return []
    for start in range(len(others)):
        left = whole.shape[0]
        for stop in range(start, len(others)):
            rows = rows_of(others[stop], whole.shape[1])
            if rows is None or rows > left:
                break
            left -= rows
            if left == 0:
                run = others[start : stop + 1]
                return run if len(run) > 1 else []
    return []

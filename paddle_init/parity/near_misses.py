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
    if run := _run(tensor, candidates):
        what = "weight with its bias row" if run[-1].role == "bias" else "stack of rows"
        names = ", ".join(part.name for part in run)
        yield f"{tensor.name} {list(tensor.shape)} looks like a {what}: {names}. A mapping says so."
        return
    for each in candidates:
        more, less = (tensor, each) if tensor.shape > each.shape else (each, tensor)
        if len(more.shape) == 2 and more.shape == (less.shape[0] + 1, *less.shape[1:]):
            yield (
                f"{more.name} {list(more.shape)} has one row more than {less.name} "
                f"{list(less.shape)}: its bias, perhaps, folded in."
            )


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

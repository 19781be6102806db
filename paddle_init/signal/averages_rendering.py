"""The averages of two fans as a JSON object and as a plain table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from paddle_init.signal.aligned import aligned
from paddle_init.signal.averages import FanAverage, Stack

__all__ = ["averages_form", "averages_text"]


def averages_form(
    m: int, n: int, found: Sequence[FanAverage], stacks: Sequence[Stack]
) -> dict[str, Any]:
    """Return what `compare_averages` and `stack` found as dicts, lists and plain values."""
    return {
        "m": m,
        "n": n,
        "averages": [
            asdict(item) | {"stack": {"forward": each.forward, "backward": each.backward}}
            for item, each in zip(found, stacks, strict=True)
        ],
    }


def averages_text(m: int, n: int, found: Sequence[FanAverage], stacks: Sequence[Stack]) -> str:
    """Return a table, an average in each row, and what its columns mean."""
    layers = len(stacks[0].forward) - 1
    head = ("average", "fan", "m t - 1", "n t - 1", "squares", f"after {layers}", f"back {layers}")
    rows = [
        (
            item.name,
            f"{item.fan:.6g}",
            f"{item.forward:+.4f}",
            f"{item.backward:+.4f}",
            f"{item.cost:.4f}",
            f"{each.forward[-1]:.4g}",
            f"{each.backward[-1]:.4g}",
        )
        for item, each in zip(found, stacks, strict=True)
    ]
    return (
        f"m = {m}, n = {n}, weights of variance t = 1 / fan\n\n"
        + aligned([head, *rows])
        + "\nm t - 1, n t - 1: what a layer m -> n adds to the second moment, forward, backward\n"
        "squares: the sum of their squares; the quadratic average makes it least\n"
        f"after, back {layers}: what a stack m -> n -> m .. of {layers} layers leaves of a second "
        "moment\nof 1, forward and backward; the geometric average leaves 1 after an even number\n"
    )

"""Where in a long sequence of draws may values lie? By their order, then by a line through a few.

What is drawn is a rising function of standard draws: a normal of its z, a uniform and a truncated
normal of their u, and so is every rounding. So where one value is less than the next, so is its
draw. Of 65 values in a row these 64 comparisons leave one place in some 2**40, whatever the mean,
the scale, the bounds and the dtype; equal values are left out. Nothing is missed, for there is no
tolerance. Fewer values leave more places; `on_a_line` compares the first values of each.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

# So many values in a row are compared by order, and so many on a line.
SPAN, FEW = 65, 12
BITS = SPAN - 1
WHOLE = 2**BITS - 1


def comparisons(values: NDArray[Any]) -> NDArray[np.uint64]:
    """Return a word for each place: is each of the next values more than the one before it?

    Parameters
    ----------
    values : array, shape [n, ...]
        Along the first axis.

    Returns
    -------
    array of uint64, of the same shape
        The first comparison is the top bit; bits behind the end are 0.
    """
    words = np.zeros(values.shape, np.uint64)
    words[:-1] = values[1:] > values[:-1]
    reach = 1
    while reach < BITS:
        longer = words << np.uint64(reach)
        longer[:-reach] |= words[reach:]
        words = longer
        reach *= 2
    return words


def pattern(values: NDArray[np.float64]) -> tuple[int, int]:
    """Return the first SPAN values' comparisons, and a mask of those that tell.

    Values that are equal, or not finite, tell nothing.
    """
    part = values[:SPAN]
    with np.errstate(invalid="ignore"):
        rises = part[1:] > part[:-1]
        known = np.isfinite(part[1:]) & np.isfinite(part[:-1]) & (part[1:] != part[:-1])
    return _word(rises & known), _word(known)


def _word(bits: NDArray[np.bool_]) -> int:
    full = np.zeros(BITS, np.bool_)
    full[: bits.size] = bits
    return int.from_bytes(np.packbits(full).tobytes(), "big")


class OrderIndex:
    """The places of a sequence, sorted by their words.

    Parameters
    ----------
    words : array of uint64, shape [n]
        As `comparisons` returns them, of each place.
    valid : int
        How many comparisons of each word are known, in [1, 64].
    """

    def __init__(self, words: NDArray[np.uint64], valid: int = BITS) -> None:
        self._words = words
        self._valid = WHOLE - (WHOLE >> valid)
        self._order = np.argsort(words)
        self._sorted = words[self._order]

    def places(self, word: int, mask: int) -> NDArray[np.intp]:
        """Return every place whose comparisons are `word` where `mask` says that they tell."""
        mask &= self._valid
        rest = WHOLE >> _leading_ones(mask)
        low = word & ~rest & WHOLE
        start, stop = (
            int(np.searchsorted(self._sorted, np.uint64(end), side))  # type: ignore[call-overload]
            for end, side in ((low, "left"), (low | rest, "right"))
        )
        found: NDArray[np.intp] = self._order[start:stop]
        if mask & rest:
            wrong = (self._words[found] ^ np.uint64(word)) & np.uint64(mask)
            found = found[wrong == 0]
        return np.sort(found)


def _leading_ones(mask: int) -> int:
    missing = ~mask & WHOLE
    leading: int = BITS - missing.bit_length()
    return leading


SLACK = 4.0


def on_a_line(
    draws: Iterable[NDArray[Any]], values: NDArray[np.float64], rounding: float
) -> NDArray[np.bool_]:
    """Tell at which places the values are draws times a scale plus a shift, whatever these are.

    Parameters
    ----------
    draws
        Of each of the first values, at every place.
    values : array, shape [n]
        NaN where a drawn value is not in the parameter.
    rounding
        What one of them may be off by its arithmetic and its dtype.

    Notes
    -----
    The line goes through the least and the largest value, which are off by one rounding each; so
    are the others. The bound is four times their sum.
    """
    v = np.stack([each.astype(np.float64) for each in draws])
    known = np.flatnonzero(np.isfinite(values[: len(v)]))
    v, w = v[known], values[known]
    least, most = int(w.argmin()), int(w.argmax())
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = (w[most] - w[least]) / (v[most] - v[least])
        off = np.abs(w[least] + slope * (v - v[least]) - w[:, None])
    close: NDArray[np.bool_] = (off <= 3 * SLACK * rounding).all(axis=0)
    return close

"""A scalar's text read as yaml-cpp 0.7.0's ``as<T>`` reads it.

yaml-cpp hands the text to a C++ stream with no base set, wants the whole of it used but
for trailing blanks, and knows the infinities and NaN by their YAML spellings alone.
"""

from __future__ import annotations

import math
import re
import struct
from decimal import Decimal

from paddle_init.errors import PaddleInitError

INT_MIN, INT_MAX = -(2**31), 2**31 - 1
MAX_DIGITS = 4000
SHOWN = 60

BLANKS = r"[ \t\n\v\f\r]*"
DECIMAL = re.compile(rf"([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?){BLANKS}")
INTEGER = re.compile(
    rf"(?P<sign>[+-]?)(?:0[xX](?P<hex>[0-9a-fA-F]+)|(?P<oct>0[0-7]*)|(?P<dec>[1-9][0-9]*)){BLANKS}"
)
NOT_FINITE = {
    f"{sign}.{word}": float(f"{sign}{word}")
    for signs, words in ((("", "+", "-"), ("inf", "Inf", "INF")), (("",), ("nan", "NaN", "NAN")))
    for sign in signs
    for word in words
}
TRUTH = {
    spelling: value
    for words, value in ((("y", "yes", "true", "on"), True), (("n", "no", "false", "off"), False))
    for word in words
    for spelling in (word, word.capitalize(), word.upper())
}

HINTS = (
    (re.compile(r"[0-9+-][0-9]*(?:_[0-9]+)+"), "C++ reads no underscores between digits"),
    (re.compile(r"[+-]?0[xX].*"), "C++ reads no hexadecimal number here"),
    (re.compile(r"[+-]?0[0-7]*[89][0-9]*"), "a leading 0 means octal to C++"),
    (re.compile(r"[+-]?[0-9]+(?::[0-9.]+)+"), "C++ reads no base-60 numbers"),
    (re.compile(r"[+-]?[0-9]+,[0-9,.]*"), "write the decimal point as '.'"),
    (re.compile(r"[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?[fFdDlL]"), "leave out the C suffix"),
    (re.compile(r"[+-]?(?:inf|infinity|nan)", re.IGNORECASE), "write .inf, -.inf or .nan"),
    (re.compile(r"\s.*", re.DOTALL), "C++ takes no blank before a number"),
)


class ScalarError(PaddleInitError, ValueError):
    """A scalar's text is not what ``as<T>`` of yaml-cpp takes."""


def as_double(text: str) -> float:
    """Read as ``as<double>``.

    Parameters
    ----------
    text : str
        The scalar's text. Decimal digits with an optional sign, point and exponent, then
        blanks; or one of yaml-cpp's spellings of .inf, -.inf and .nan. ``010`` is ten.

    Returns
    -------
    float
        Correctly rounded. Too small a number is a zero with its sign, as in C++.

    Raises
    ------
    ScalarError
        Anything else, and a number beyond the largest double.
    """
    if number := DECIMAL.fullmatch(text):
        value = float(number[1])
        if math.isinf(value):
            raise ScalarError(f"{shown(text)} is beyond the largest double, 1.8e308")
        return value
    return _not_finite(text)


def as_float(text: str) -> float:
    """Read as ``as<float>``: rounded once, from the decimal text.

    Parameters
    ----------
    text : str
        As for `as_double`.

    Returns
    -------
    float
        A value that float32 holds exactly.

    Raises
    ------
    ScalarError
        Anything else, and a number that rounds beyond the largest float.
    """
    if number := DECIMAL.fullmatch(text):
        try:
            return float(struct.unpack("<f", struct.pack("<f", _rounded_to_odd(number[1])))[0])
        except OverflowError:
            raise ScalarError(f"{shown(text)} is beyond the largest float, 3.4e38") from None
    return _not_finite(text)


def as_int(text: str) -> int:
    """Read as ``as<int>``: ``0x10`` is 16, ``010`` is 8.

    Parameters
    ----------
    text : str
        An optional sign, then a decimal integer, an octal one with a leading 0 or a
        hexadecimal one with a leading 0x, then blanks.

    Returns
    -------
    int
        In [-2**31, 2**31 - 1].

    Raises
    ------
    ScalarError
        Anything else: ``08``, ``1.0``, ``1e3``, 2147483648.
    """
    value = as_integer(text)
    if not INT_MIN <= value <= INT_MAX:
        raise ScalarError(f"{shown(text)} is not in [{INT_MIN}, {INT_MAX}], the range of C++'s int")
    return value


def as_integer(text: str) -> int:
    """Read an integer of any size in the notation of `as_int`.

    Raises
    ------
    ScalarError
        Anything else, and more than `MAX_DIGITS` decimal digits.
    """
    number = INTEGER.fullmatch(text)
    if number is None:
        raise ScalarError(f"expected an integer, found {shown(text)}{hint(text)}")
    base = 16 if number["hex"] else 8 if number["oct"] else 10
    digits = (number["hex"] or number["oct"] or number["dec"]).lstrip("0") or "0"
    if len(digits) * math.log10(base) > MAX_DIGITS:
        raise ScalarError(f"{shown(text)} has more than {MAX_DIGITS} digits")
    magnitude = int(digits, base)
    return -magnitude if number["sign"] == "-" else magnitude


def as_bool(text: str) -> bool:
    """Read as ``as<bool>``.

    Parameters
    ----------
    text : str
        y, yes, true, on, n, no, false or off; lower case, Capitalized or UPPER CASE.

    Raises
    ------
    ScalarError
        Anything else: ``1``, ``0``, ``tRue``, and blanks before or after.
    """
    if text not in TRUTH:
        allowed = "true, yes, on, y, false, no, off or n, in lower, Capitalized or UPPER case"
        raise ScalarError(f"expected {allowed}, found {shown(text)}")
    return TRUTH[text]


def shown(text: str) -> str:
    """The text as a message shows it: quoted, and cut when long."""
    return repr(text if len(text) <= SHOWN else f"{text[:57]}...") if text else "an empty text"


def hint(text: str) -> str:
    """Why C++ refuses a text that looks like a number, or nothing."""
    if len(text) > SHOWN:
        return ""
    return next((f" ({why})" for pattern, why in HINTS if pattern.fullmatch(text)), "")


def _not_finite(text: str) -> float:
    if text not in NOT_FINITE:
        expected = "expected a number such as 0.2 or 1e-3"
        raise ScalarError(f"{expected}, found {shown(text)}{hint(text)}")
    return NOT_FINITE[text]


def _rounded_to_odd(number: str) -> float:
    """The double next to `number` whose rounding to float32 equals the number's own.

    Rounding to the nearest double first may land on a tie between two floats and lose the
    side that the text was on. An inexact double with an odd last bit is never a tie
    (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
    """
    nearest = float(number)
    if math.isinf(nearest):
        raise OverflowError(number)
    if nearest == 0:
        return nearest
    exact = Decimal(number)
    is_even = struct.pack("<d", nearest)[0] % 2 == 0
    if is_even and exact != Decimal(nearest):
        return math.nextafter(nearest, math.inf if exact > Decimal(nearest) else -math.inf)
    return nearest

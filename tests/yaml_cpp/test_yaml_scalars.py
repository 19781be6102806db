"""Scalars against a real yaml-cpp: value bits, or refusal, for each of four types."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.reference import compiled, run

from abacus_compat.yaml_cpp import ScalarError, as_bool, as_double, as_float, as_int

READERS: dict[str, tuple[Callable[[str], float], str]] = {
    "double": (as_double, "<d"),
    "float": (as_float, "<f"),
    "int": (as_int, "<i"),
    "bool": (as_bool, "<?"),
}
SIZES = [1 + struct.calcsize(form) for _, form in READERS.values()]

WITHOUT_BLANKS = (
    "0 1 -1 +1 007 010 -010 +010 08 09 0010 00 -0 +0 -00 0.0 -0.0 +0.0 0. .0 -.0 +.0 0e0 -0e0 "
    "0.2 0.1 1.5 1e-3 1E-3 1e3 1E3 1e+3 1E+3 1e003 1e-003 1.e3 .5 -.5 +.5 5. -5. 5.e-1 .5e1 "
    ".5E+1 695e0514 695e514 1e400 -1e400 1e-400 -1e-400 0.1e-400 1e308 1.7976931348623157e308 "
    "1.7976931348623158e308 1.7976931348623159e308 "
    "1.797693134862315708145274237317043567981e308 1.8e308 2.2250738585072014e-308 "
    "2.2250738585072011e-308 4.9406564584124654e-324 5e-324 2.5e-324 2.4703282292062327e-324 "
    "2.4703282292062328e-324 1e-323 1e38 3.4e38 3.4028234e38 3.4028235e38 "
    "3.40282346638528859811704183484516925e38 3.4028235677973365e38 3.4028235677973366e38 "
    "3.4028235677973367e38 3.5e38 1.17549435e-38 1.1754942e-38 1.4e-45 1e-45 7e-46 "
    "7.006492321624085e-46 7.0064923216240854e-46 7.0064923216240862e-46 "
    "1.00000005960464477539062500 1.00000005960464477539062499 1.00000005960464477539062501 "
    "1.000000178813934326171875 1.00000017881393432617187499 1.00000017881393432617187501 "
    "16777217 16777219 16777216.5 0.3 0.333333333 9007199254740993 9007199254740992.5 "
    "123456789012345678901234567890 0e99999999999999999999 1e99999999999999999999 "
    "1e-99999999999999999999 1e 1e+ 1e- e1 .e1 1ee3 1e3e 1e3.5 1e0x1 1.2.3 1..2 . .. + - +-1 "
    "-+1 ++1 --1 - -. +. e 0x 0X 0x1 0x10 0X10 0xff 0xFF 0xfg 0x1p3 0x1.8p0 -0x10 +0x10 00x1 "
    "0x7fffffff 0x80000000 -0x80000000 -0x80000001 0xffffffff 0x0x1 0b1 0o17 0777 "
    "017777777777 020000000000 -020000000000 -020000000001 1_000 1_0.5 1,000 1,5 1'000 1:30 "
    "190:20:30.15 1:30.5 0.2f 0.2F 0.2d 1L 1l 1u 10% $1 1/2 1e3f 2147483647 2147483648 "
    "-2147483648 -2147483649 4294967295 4294967296 9223372036854775807 9223372036854775808 "
    "-9223372036854775809 99999999999999999999999 1.0 1. 1e0 .inf .Inf .INF .iNf -.inf -.Inf "
    "-.INF +.inf +.Inf +.INF .infinity inf Inf INF -inf infinity .nan .NaN .NAN .Nan -.nan "
    "+.nan nan NaN NAN nan(1) 1.#INF y Y yes Yes YES yEs yeS n N no No NO nO true True TRUE "
    "tRue truE tRUE t T false False FALSE fALSE f F on On ON oN off Off OFF oFF oFf of ye "
    "null Null NULL ~ none None enabled 是 否 "
)
WITH_BLANKS = [
    *["", " ", "\t", "\n", "1 ", "1  ", "1\t", "1\n", "1\r", "1\v", "1\f", "1 \t\n\v\f\r"],
    *[" 1", "\t1", "\n1", "1 2", "1 x", "+ 1", "- 1", "1 e3", "1e 3", "1. 5", "0x 1", "0x1 "],
    *["010 ", "1\0", "\0", "1\0 ", "1 \0", "1\xa0", "1\u3000", "１", "٣", "1٣", "1e٣", "−1"],
    *["1．5", "½", "²", "1\u200b", "\ufeff1", "1\x1c", "1\x85", " true", "true ", "true\n"],
    *["\ttrue", "yes ", "true\0", ".inf ", " .inf", ".nan ", "-.inf\n", "-.inf "],
]  # fmt: skip
LONG = [
    *["1" * 309, "1" * 308, "9" * 5000, "0" * 5000 + "1", "0." + "0" * 400 + "1", "." + "3" * 5000],
    *["1" * 39, "0" * 40 + "7", "1" + "0" * 400 + "e-400", "0." + "0" * 330 + "1e330"],
    *["0x" + "0" * 5000 + "1f", "1." + "0" * 900 + "1", "1e" + "0" * 500 + "1", "1" * 4001],
    *["1.00000005960464477539062500" + "0" * 900 + "1", "0" + "7" * 4001, "-" * 4001],
]  # fmt: skip
LISTED = [*WITHOUT_BLANKS.split(), *WITH_BLANKS, *LONG]


def ours(text: str) -> bytes:
    """The reference program's answer, from our readers."""
    return b"".join(_record(read, form, text) for read, form in READERS.values())


def _record(read: Callable[[str], float], form: str, text: str) -> bytes:
    try:
        return b"\1" + struct.pack(form, read(text))
    except ScalarError:
        return bytes(1 + struct.calcsize(form))


def theirs(texts: list[str]) -> list[bytes]:
    encoded = [text.encode() for text in texts]
    stdin = b"".join(struct.pack("<I", len(data)) + data for data in encoded)
    answers = run(compiled("yaml_scalars", "yaml-cpp"), stdin=stdin)
    size = sum(SIZES)
    assert len(answers) == size * len(texts)
    return [answers[start : start + size] for start in range(0, len(answers), size)]


def disagreements(texts: list[str]) -> list[tuple[str, bytes, bytes]]:
    answers = zip(texts, map(ours, texts), theirs(texts), strict=True)
    return [(text, mine, cpp) for text, mine, cpp in answers if mine != cpp]


def generated(seed: int, count: int) -> Iterator[str]:
    """Numbers in every notation, ties of float32, bounds of int, and damaged texts."""
    source = random.Random(seed)
    kinds = [_decimal, _tie, _integer, _word, _soup]
    for _ in range(count):
        text = source.choice(kinds)(source)
        yield _damaged(text, source) if source.random() < 0.25 else text


def _decimal(source: random.Random) -> str:
    digits = "".join(source.choices("0123456789", k=source.choice([0, 1, 3, 9, 20])))
    point = source.choice(["", ".", "." + "".join(source.choices("0123456789", k=8))])
    size = source.choice([5, 46, 330])
    exponent = source.choice(["", "", f"{source.choice('eE')}{source.randint(-size, size)}"])
    return source.choice(["", "-", "+"]) + digits + point + exponent


def _tie(source: random.Random) -> str:
    """A decimal at or next to the middle between two floats, where rounding twice errs."""
    bits = source.choice([source.randrange(1, 0x7F7FFFFF), source.randrange(1, 0x800000)])
    low, high = struct.unpack("<2f", struct.pack("<2I", bits, bits + 1))
    middle = f"{(low + high) / 2:.160e}"
    mantissa, exponent = middle.split("e")
    nudge = source.choice(["", "1", "0000001"])
    if source.random() < 0.3:
        mantissa = mantissa.rstrip("0")
        mantissa = mantissa[:-1] + str(int(mantissa[-1]) - 1) + "9" * 12
    return f"{mantissa}{nudge}e{exponent}"


def _integer(source: random.Random) -> str:
    bound = source.choice([0, 8, 100, 2**31, 2**32, 2**63])
    value = source.choice([bound + source.randint(-2, 2), source.randint(0, bound + 1)])
    form = source.choice(["d", "x", "X", "o"])
    prefix = {"d": "", "x": "0x", "X": "0X", "o": "0"}[form]
    return source.choice(["", "-", "+"]) + prefix + format(abs(value), form)


def _word(source: random.Random) -> str:
    word = source.choice(["y", "n", "yes", "no", "true", "false", "on", "off", ".inf", ".nan"])
    style = source.choice([str.upper, str.lower, str.capitalize, str.swapcase, str.title])
    return source.choice(["", "", "-", "+"]) + style(word)


def _soup(source: random.Random) -> str:
    return "".join(source.choices("0123456789+-.eExXaf_,: \t\n\0yYnN中", k=source.randint(0, 7)))


def _damaged(text: str, source: random.Random) -> str:
    place = source.randint(0, len(text))
    return (
        text[:place] + source.choice(" \t\n\0.eE+-0x9_f中") + text[place + source.randint(0, 1) :]
    )


def test_every_listed_scalar_reads_as_in_cpp() -> None:
    assert len(set(LISTED)) >= 150
    assert disagreements(LISTED) == []


def test_100000_generated_scalars_read_as_in_cpp() -> None:
    texts = list(generated(20260101, 100_000))
    answers = theirs(texts)
    assert list(map(ours, texts)) == answers
    place = 0
    for size in SIZES:
        accepted = sum(answer[place] for answer in answers)
        assert 5_000 < accepted < 95_000
        place += size


scalar_texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.text("0123456789+-.eExX_,: \t\n", max_size=12),
    st.floats().map(repr),
    st.floats(width=32).map(repr),
    st.integers(-(2**33), 2**33).map(str),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(scalar_texts, min_size=1, max_size=60))
def test_any_text_reads_as_in_cpp(texts: list[str]) -> None:
    assert disagreements(texts) == []


def test_a_tie_that_rounding_twice_gets_wrong() -> None:
    just_over_a_tie = "1.00000005960464477539062500001"
    (twice,) = struct.unpack("<f", struct.pack("<f", float(just_over_a_tie)))
    assert as_float(just_over_a_tie).hex() == "0x1.0000020000000p+0"
    assert twice.hex() == "0x1.0000000000000p+0"


REPORTED = [
    (as_double, "1e-3", 0.001),
    (as_double, "1E-3", 0.001),
    (as_double, "1e3", 1000.0),
    (as_double, "1e-400", 0.0),
    (as_double, "010", 10.0),
    (as_int, "0x10", 16),
    (as_int, "010", 8),
    (as_int, "7", 7),
    (as_bool, "no", False),
    (as_bool, "y", True),
]


@pytest.mark.parametrize(("read", "text", "value"), REPORTED)
def test_reads(read: Callable[[str], float], text: str, value: float) -> None:
    assert read(text) == value
    assert type(read(text)) is type(value)


NUMBER = "expected a number such as 0.2 or 1e-3, found"
TRUTH = "expected true, yes, on, y, false, no, off or n, in lower, Capitalized or UPPER case, found"
INT = "is not in [-2147483648, 2147483647], the range of C++'s int"
REFUSED = [
    (as_double, "695e0514", "'695e0514' is beyond the largest double, 1.8e308"),
    (as_double, "1e400", "'1e400' is beyond the largest double, 1.8e308"),
    (as_float, "1e39", "'1e39' is beyond the largest float, 3.4e38"),
    (as_float, "1e400", "'1e400' is beyond the largest float, 3.4e38"),
    (as_double, "1_000", f"{NUMBER} '1_000' (C++ reads no underscores between digits)"),
    (as_double, "0x10", f"{NUMBER} '0x10' (C++ reads no hexadecimal number here)"),
    (as_double, "1:30.5", f"{NUMBER} '1:30.5' (C++ reads no base-60 numbers)"),
    (as_double, "inf", f"{NUMBER} 'inf' (write .inf, -.inf or .nan)"),
    (as_double, "0.2f", f"{NUMBER} '0.2f' (leave out the C suffix)"),
    (as_double, "1,5", f"{NUMBER} '1,5' (write the decimal point as '.')"),
    (as_double, " 1", f"{NUMBER} ' 1' (C++ takes no blank before a number)"),
    (as_double, "", f"{NUMBER} an empty text"),
    (as_double, "fast", f"{NUMBER} 'fast'"),
    (as_int, "1.0", "expected an integer, found '1.0'"),
    (as_int, "1e3", "expected an integer, found '1e3'"),
    (as_int, "1:30", "expected an integer, found '1:30' (C++ reads no base-60 numbers)"),
    (as_int, "08", "expected an integer, found '08' (a leading 0 means octal to C++)"),
    (as_int, "2147483648", f"'2147483648' {INT}"),
    (as_int, "-0x80000001", f"'-0x80000001' {INT}"),
    (as_int, "9" * 5000, f"'{'9' * 57}...' has more than 4000 digits"),
    (as_int, "0x" + "f" * 5000, f"'0x{'f' * 55}...' has more than 4000 digits"),
    (as_bool, "1", f"{TRUTH} '1'"),
    (as_bool, "yEs", f"{TRUTH} 'yEs'"),
]  # fmt: skip


@pytest.mark.parametrize(("read", "text", "message"), REFUSED)
def test_says_what_is_wrong(read: Callable[[str], float], text: str, message: str) -> None:
    with pytest.raises(ScalarError) as caught:
        read(text)
    assert str(caught.value) == message
    assert isinstance(caught.value, ValueError)

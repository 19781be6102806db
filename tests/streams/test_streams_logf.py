"""Our logf against the platform's: the neighbourhood of every border, and all floats."""

from __future__ import annotations

import platform

import numpy as np
import pytest
from support.reference import compiled, run, unavailable
from support.streams_cases import bits

from paddle_init.streams import logf

FIRST, LAST = 0x00800000, 0x3F800000  # the smallest normal float; 1.0


@pytest.fixture(scope="module")
def platform_logf():
    name, version = platform.libc_ver()
    if name != "glibc" or tuple(map(int, version.split(".")[:2])) < (2, 27):
        unavailable(f"the platform's logf is that of {name or 'another libc'} {version}")
    program = compiled("logf")

    def call(first: int, last: int) -> np.ndarray:
        return np.frombuffer(run(program, first, last), np.float32)

    return call


def ours(first: int, last: int) -> np.ndarray:
    values = np.arange(first, last, dtype=np.uint32).view(np.float32)
    for start in range(0, values.size, 1 << 14):  # in the cache
        row = values[start : start + (1 << 14)]
        row[:] = logf(row)
    return values


@pytest.mark.compiler
def test_logf_around_the_borders_of_its_intervals(platform_logf):
    # An interval is 2**19 floats long; 0x3f330000 is where the first one starts.
    for border in (FIRST + 50, *range(0x3F330000 % 2**19 + FIRST, LAST, 97 * 2**19), LAST - 50):
        first, last = border - 50, border + 51
        assert np.array_equal(bits(ours(first, last)), bits(platform_logf(first, last)))


@pytest.mark.compiler
def test_logf_of_a_whole_octave(platform_logf):
    first, last = 0x3F000000, LAST + 1
    assert np.array_equal(bits(ours(first, last)), bits(platform_logf(first, last)))


@pytest.mark.slow
@pytest.mark.compiler
def test_logf_of_every_normal_float_up_to_one(platform_logf):
    step, compared, differing = 1 << 22, 0, 0
    for first in range(FIRST, LAST + 1, step):
        last = min(first + step, LAST + 1)
        differing += np.count_nonzero(bits(ours(first, last)) != bits(platform_logf(first, last)))
        compared += last - first
    print(f"logf: {compared:,} values, {differing} differ")
    assert (compared, differing) == (1_056_964_609, 0)


def test_logf_of_one_is_plus_zero():
    assert bits(logf(np.ones(1, np.float32))).tolist() == [0]

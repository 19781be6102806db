"""Engines: the standard's check values, seeding, states, skipping, bad input."""

from __future__ import annotations

import json

import numpy as np
import pytest
from support.streams_cases import SEEDINGS, Seeding, reference

from paddle_init.streams import ENGINES, State, Stream, StreamError, seed_sequence

# [rand.predef] of the C++ standard: the 10000th draw of a default-constructed engine.
TEN_THOUSANDTH = {
    "minstd_rand0": (1, 1043618065),
    "minstd_rand": (1, 399268537),
    "mt19937": (5489, 4123659995),
    "mt19937_64": (5489, 9981545732273789042),
}


@pytest.mark.parametrize("engine", ENGINES)
def test_the_10000th_draw_of_the_standard(engine):
    default_seed, expected = TEN_THOUSANDTH[engine]
    assert int(Stream(engine, default_seed).raw(10000)[-1]) == expected


def test_the_words_of_a_seed_sequence_by_the_algorithm():
    # Generated once by std::seed_seq of libstdc++ 12.
    assert seed_sequence([], 4) == [719821457, 1889219533, 3532099774, 3895714911]
    assert seed_sequence([7], 1) == [992434658]
    assert seed_sequence([1, 2, 3], 4) == [2494033729, 3915881101, 1602617867, 764004082]


@pytest.mark.compiler
@pytest.mark.parametrize("seeding", SEEDINGS, ids=lambda seeding: str(seeding)[:20])
@pytest.mark.parametrize("engine", ENGINES)
def test_draws_equal_compiled_ones(engine, seeding):
    ours = seeding.stream(engine).raw(2000)
    assert np.array_equal(ours, reference(engine, seeding, "raw", counts=2000))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("piece", [1, 155, 156, 311, 312, 313, 623, 624, 625, 8192, 8193])
def test_draws_in_pieces_are_draws_in_one_piece(engine, piece):
    whole = Stream(engine, 3).raw(3 * piece)
    stream = Stream(engine, 3)
    assert np.array_equal(np.concatenate([stream.raw(piece) for _ in range(3)]), whole)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("count", [0, 1, 311, 624, 70_000])
def test_skipping_is_drawing_and_forgetting(engine, count):
    drawn, skipped = Stream(engine, 9), Stream(engine, 9)
    drawn.raw(count)
    skipped.skip(count)
    assert skipped.state == drawn.state
    assert np.array_equal(skipped.raw(5), drawn.raw(5))


def test_an_lcg_skips_its_whole_period_at_once():
    stream = Stream("minstd_rand0", 7)
    stream.skip((2**31 - 2) * 10**6)
    assert stream.state == Stream("minstd_rand0", 7).state


@pytest.mark.parametrize("engine", ENGINES)
def test_a_state_survives_json_and_carries_on(engine):
    stream = Stream(engine, 11)
    stream.raw(1000)
    state = stream.state
    text = json.dumps([state.engine, state.words])
    name, words = json.loads(text)
    again = Stream.restore(State(name, tuple(words)))
    assert again.state == state
    assert np.array_equal(again.raw(1000), stream.raw(1000))
    assert state != stream.state


def test_a_state_is_a_value_that_later_draws_do_not_change():
    stream = Stream("mt19937", 1)
    state = stream.state
    stream.raw(10)
    assert state == Stream("mt19937", 1).state
    assert hash(state) == hash(Stream("mt19937", 1).state)


@pytest.mark.parametrize("engine", ["mt19937", "mt19937_64"])
def test_a_seed_sequence_that_gives_no_state_is_repaired(engine, monkeypatch):
    # No list of integers is known to do that, so the words are put in its place.
    record = ENGINES[engine]
    parts = record.bits // 32
    unused = [2**31 - 1] + [0] * (record.size * parts - 1)
    monkeypatch.setattr("paddle_init.streams.twister.seed_sequence", lambda values, count: unused)
    words = Stream(engine, seed_seq=[1]).state.words
    assert words == (2 ** (record.bits - 1),) + (0,) * (record.size - 1)
    unused[0] = 2**31
    assert Stream(engine, seed_seq=[1]).state.words[0] == 2**31


@pytest.mark.parametrize("kind", [np.int64, np.uint64, np.uint8])
def test_integers_of_numpy_are_seeds(kind):
    assert Stream("mt19937", kind(5)).state == Stream("mt19937", 5).state


ALLOWED_ENGINES = "allowed are minstd_rand0, minstd_rand, mt19937, mt19937_64"

BAD = (
    (lambda: Stream("ranlux24", 1), f"engine: found 'ranlux24', {ALLOWED_ENGINES}"),
    (
        lambda: Stream("default_random_engine", 1),
        f"engine: found 'default_random_engine', {ALLOWED_ENGINES}; "
        "libstdc++'s default_random_engine is minstd_rand0",
    ),
    (lambda: Stream(None, 1), f"engine: found None, {ALLOWED_ENGINES}"),
    (
        lambda: Stream("mt19937", -1),
        "seed: -1 is outside [0, 2**64 - 1]; C++ converts its argument mod 2**64: "
        "pass 18446744073709551615 for what it would take",
    ),
    (
        lambda: Stream("mt19937", 2**64),
        "seed: 18446744073709551616 is outside [0, 2**64 - 1]; C++ converts its argument "
        "mod 2**64: pass 0 for what it would take",
    ),
    (
        lambda: Stream("mt19937", True),
        "seed: found True (bool), allowed is an integer in [0, 2**64 - 1]",
    ),
    (
        lambda: Stream("mt19937", 1.0),
        "seed: found 1.0 (float), allowed is an integer in [0, 2**64 - 1]",
    ),
    (
        lambda: Stream("mt19937", "1"),
        "seed: found '1' (str), allowed is an integer in [0, 2**64 - 1]",
    ),
    (
        lambda: Stream("mt19937", seed_seq=[1, 2.5]),
        "seed_seq[1]: found 2.5 (float), allowed is any integer (kept mod 2**32)",
    ),
    (
        lambda: Stream("mt19937", seed_seq=7),
        "seed_seq: found 7, allowed is a list of integers",
    ),
    (
        lambda: Stream("mt19937", seed_seq="12"),
        "seed_seq: found '12', allowed is a list of integers",
    ),
    (lambda: Stream("mt19937"), "Stream: give a seed or a seed_seq, one of the two"),
    (
        lambda: Stream("mt19937", 1, seed_seq=[1]),
        "Stream: give a seed or a seed_seq, one of the two",
    ),
    (
        lambda: Stream("mt19937", 1, path="gpu"),
        "path: found 'gpu', allowed are auto, numpy, compiled",
    ),
    (lambda: Stream("mt19937", 1, threads=0), "threads: found 0, allowed is an integer, 1 or more"),
    (
        lambda: Stream("mt19937", 1, threads=True),
        "threads: found True, allowed is an integer, 1 or more",
    ),
    (lambda: Stream("mt19937", 1).raw(-1), "raw: found -1, allowed is an integer, 0 or more"),
    (lambda: Stream("mt19937", 1).skip(1.5), "skip: found 1.5, allowed is an integer, 0 or more"),
    (
        lambda: Stream("mt19937", 1).normal((2, -3)),
        "shape: found -3, allowed is an integer, 0 or more",
    ),
    (
        lambda: Stream("mt19937", 1).normal(2, dtype="float16"),
        "dtype: found 'float16', allowed are float32 and float64",
    ),
    (
        lambda: Stream("mt19937", 1).uniform(2, dtype="float99"),
        "dtype: found 'float99', allowed are float32 and float64",
    ),
    (
        lambda: Stream.restore(State("minstd_rand", (0,))),
        "state of minstd_rand: found 1 words, allowed are 1 words of a state that the engine "
        "can reach",
    ),
    (
        lambda: Stream.restore(State("mt19937", (1, 2))),
        "state of mt19937: found 2 words, allowed are 624 words of a state that the engine "
        "can reach",
    ),
)


@pytest.mark.parametrize(("call", "message"), BAD, ids=[message[:40] for _, message in BAD])
def test_bad_input_is_named_with_what_is_allowed(call, message):
    with pytest.raises(StreamError) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.parametrize("words", [(-1,), (2**32 + 5,), (2**31 - 1,), ("x",), (None,), (1.0,)])
def test_a_state_of_other_things_than_words_is_refused(words):
    with pytest.raises(StreamError, match=r"^state of minstd_rand: "):
        Stream.restore(State("minstd_rand", words))


def test_the_thread_count_of_the_environment(monkeypatch):
    monkeypatch.setenv("PADDLE_INIT_THREADS", "3")
    assert Stream("mt19937", 1).threads == 3
    assert Stream("mt19937", 1, threads=2).threads == 2
    monkeypatch.setenv("PADDLE_INIT_THREADS", "many")
    with pytest.raises(StreamError, match="PADDLE_INIT_THREADS: found 'many'"):
        Stream("mt19937", 1)


def test_equal_seedings_are_equal_streams():
    assert Seeding(2**32 + 7).stream("mt19937").state == Seeding(7).stream("mt19937").state
    assert Seeding(2**32 + 7).stream("mt19937_64").state != Seeding(7).stream("mt19937_64").state

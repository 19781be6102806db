"""The four engines that C++ names, with the standard's parameters."""

from __future__ import annotations

from paddle_init.streams.errors import StreamError
from paddle_init.streams.lcg import LinearCongruential
from paddle_init.streams.twister import MersenneTwister
from paddle_init.texts import did_you_mean

__all__ = ["ENGINES", "Engine", "engine_named"]

Engine = LinearCongruential | MersenneTwister

ENGINES: dict[str, Engine] = {
    engine.name: engine
    for engine in (
        LinearCongruential("minstd_rand0", 16807),
        LinearCongruential("minstd_rand", 48271),
        MersenneTwister(
            "mt19937",
            bits=32,
            n=624,
            m=397,
            a=0x9908B0DF,
            u=11,
            d=0xFFFFFFFF,
            s=7,
            b=0x9D2C5680,
            t=15,
            c=0xEFC60000,
            l=18,
            f=1812433253,
        ),
        MersenneTwister(
            "mt19937_64",
            bits=64,
            n=312,
            m=156,
            a=0xB5026F5AA96619E9,
            u=29,
            d=0x5555555555555555,
            s=17,
            b=0x71D67FFFEDA60000,
            t=37,
            c=0xFFF7EEE000000000,
            l=43,
            f=6364136223846793005,
        ),
    )
}


def engine_named(name: object) -> Engine:
    """Return the engine called `name`; StreamError lists the known ones."""
    if isinstance(name, str) and name in ENGINES:
        return ENGINES[name]
    hint = did_you_mean(name, ENGINES)
    if name == "default_random_engine":
        hint = "; libstdc++'s default_random_engine is minstd_rand0"
    raise StreamError(f"engine: found {name!r}, allowed are {', '.join(ENGINES)}{hint}")

"""libstdc++'s random streams, bit for bit; knows no framework."""

from paddle_init.streams.engines import ENGINES
from paddle_init.streams.polar import logf
from paddle_init.streams.seeding import StreamError, seed_sequence
from paddle_init.streams.stream import NormalDistribution, State, Stream, UniformRealDistribution

__all__ = [
    "ENGINES",
    "NormalDistribution",
    "State",
    "Stream",
    "StreamError",
    "UniformRealDistribution",
    "logf",
    "seed_sequence",
]

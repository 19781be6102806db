"""libstdc++'s random streams, bit for bit; knows no framework."""

from paddle_init.streams.engines import ENGINES
from paddle_init.streams.errors import StreamError
from paddle_init.streams.logf import logf
from paddle_init.streams.normal import NormalDistribution
from paddle_init.streams.seeding import seed_sequence
from paddle_init.streams.stream import State, Stream
from paddle_init.streams.uniform import UniformRealDistribution

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

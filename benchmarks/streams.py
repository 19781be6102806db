"""How fast the streams are, as ratios measured in one run: `python -m benchmarks.streams`.

Every contestant draws the same number of values in every round, one after the other, into
memory that is already mapped. A ratio is taken within a round; the median over the rounds
is printed: by the wall clock, and by processor time, which a busy machine disturbs less.
"CPUs" is the processor time per second that a contestant had: two threads that do not get
two CPUs cannot be twice as fast.
"""

from __future__ import annotations

import operator
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import click
import numpy as np

from paddle_init.streams import NormalDistribution, Stream, UniformRealDistribution


@dataclass(frozen=True)
class Spent:
    """Seconds of one draw: on the wall, and of all processors."""

    wall: float
    processors: float


Draw = Callable[[], Spent]
Clock = Callable[[Spent], float]

wall: Clock = operator.attrgetter("wall")
processors: Clock = operator.attrgetter("processors")


@dataclass
class Contestant:
    """Something that draws, and what its draws took."""

    name: str
    draw: Draw
    spent: list[Spent] = field(default_factory=list)

    def median(self, what: Clock) -> float:
        return statistics.median(map(what, self.spent))

    def ratio(self, rival: Contestant, what: Clock) -> float:
        pairs = zip(rival.spent, self.spent, strict=True)
        return statistics.median(what(theirs) / what(ours) for theirs, ours in pairs)


@dataclass(frozen=True)
class Comparison:
    """Ours against a rival, with the ratio that was aimed at."""

    ours: str
    rival: str
    goal: float | None = None


COMPARISONS = (
    Comparison("normal float32 mt19937_64, compiled, 1 thread", "paddle normal float32", 5),
    Comparison("normal float32 mt19937_64, compiled, 2 threads", "paddle normal float32", 9),
    Comparison("normal float32 mt19937_64, numpy", "paddle normal float32", 0.3),
    Comparison("normal float32 minstd_rand0, compiled, 1 thread", "abacus's C++ loop", 5),
    Comparison("normal float32 minstd_rand0, compiled, 2 threads", "abacus's C++ loop", 9),
    Comparison("normal float32 minstd_rand0, numpy", "abacus's C++ loop"),
    Comparison("normal float32 minstd_rand0, compiled, 1 thread", "bare C++ loop"),
    Comparison("normal float32 minstd_rand0, compiled, 2 threads", "bare C++ loop"),
    Comparison("normal float64 mt19937_64, compiled, 1 thread", "paddle normal float64"),
    Comparison("normal float64 mt19937_64, compiled, 2 threads", "paddle normal float64"),
    Comparison("normal float64 mt19937_64, numpy", "paddle normal float64"),
    Comparison("uniform float32 mt19937_64, compiled, 1 thread", "paddle uniform float32"),
    Comparison("uniform float32 mt19937_64, compiled, 2 threads", "paddle uniform float32"),
    Comparison("uniform float32 mt19937_64, numpy", "paddle uniform float32"),
)


def timed(work: Callable[[], object]) -> Draw:
    def measure() -> Spent:
        start = Spent(time.perf_counter(), time.process_time())
        work()
        return Spent(time.perf_counter() - start.wall, time.process_time() - start.processors)

    return measure


def ours(name: str, count: int) -> Contestant:
    """Build the contestant that `name` describes."""
    what, path, *rest = name.split(", ")
    kind, dtype, engine = what.split()
    threads = int(rest[0].split()[0]) if rest else 1
    distribution: NormalDistribution | UniformRealDistribution
    distribution = (NormalDistribution if kind == "normal" else UniformRealDistribution)(
        dtype=dtype
    )
    stream = Stream(engine, 42, path="numpy" if path == "numpy" else "compiled", threads=threads)
    out = np.zeros(count, dtype)
    return Contestant(name, timed(lambda: distribution.fill(stream, out)))


def paddle_ops(count: int) -> list[Contestant]:
    """Return Paddle's own ops, on the CPU."""
    import paddle

    paddle.set_device("cpu")

    def normal(dtype: str) -> Draw:
        return timed(lambda: paddle.tensor.random.gaussian([count], 0.0, 1.0, dtype=dtype))

    return [
        Contestant("paddle normal float32", normal("float32")),
        Contestant("paddle normal float64", normal("float64")),
        Contestant(
            "paddle uniform float32", timed(lambda: paddle.uniform([count], "float32", 0.0, 1.0))
        ),
    ]


@contextmanager
def compiled_loops(count: int) -> Iterator[list[Contestant]]:
    """Compile and start the C++ loops; they measure themselves."""
    compiler = shutil.which("g++")
    if compiler is None:
        raise click.ClickException("the C++ loops need g++ (Debian package g++)")
    source = Path(__file__).with_name("streams_loop.cpp")
    with tempfile.TemporaryDirectory() as folder, ExitStack() as running:
        program = Path(folder) / "loop"
        subprocess.run([compiler, "-O2", str(source), "-o", str(program)], check=True)

        def start(loop: str) -> Draw:
            pipe = subprocess.PIPE
            process = running.enter_context(
                subprocess.Popen([program, str(count), loop], stdin=pipe, stdout=pipe, text=True)
            )
            assert process.stdin is not None
            assert process.stdout is not None
            to, back = process.stdin, process.stdout

            def draw() -> Spent:
                to.write("x")
                to.flush()
                return Spent(*map(float, back.readline().split()))

            return draw

        yield [
            Contestant("abacus's C++ loop", start("abacus")),
            Contestant("bare C++ loop", start("bare")),
        ]


@click.command()
@click.option("--count", default=1 << 22, show_default=True, help="Values per draw.")
@click.option("--rounds", default=15, show_default=True)
def main(count: int, rounds: int) -> None:
    """Print each contestant's speed and the ratios."""
    with compiled_loops(count) as loops:
        rivals = [*paddle_ops(count), *loops]
        entrants = {rival.name: rival for rival in rivals}
        entrants.update({pair.ours: ours(pair.ours, count) for pair in COMPARISONS})
        for contestant in entrants.values():
            contestant.draw()
        for _ in range(rounds):
            for contestant in entrants.values():
                contestant.spent.append(contestant.draw())
    for rival in rivals:
        print(f"{rival.name:50}{count / rival.median(wall) / 1e6:6.0f} M/s")
    print(f"\n{'':50}{'M/s':>6}{'CPUs':>6}{'ratio':>7}{'goal':>6}{'by CPU time':>13}  against")
    for pair in COMPARISONS:
        contestant, rival = entrants[pair.ours], entrants[pair.rival]
        seconds = contestant.median(wall)
        goal = "" if pair.goal is None else f"{pair.goal:g}"
        print(
            f"{pair.ours:50}{count / seconds / 1e6:6.0f}"
            f"{contestant.median(processors) / seconds:6.2f}"
            f"{contestant.ratio(rival, wall):7.2f}{goal:>6}"
            f"{contestant.ratio(rival, processors):13.2f}  {pair.rival}"
        )


if __name__ == "__main__":
    main()

"""How fast confs are read: `python -m benchmarks.confs [rounds]`.

Prints the median time of translating a conf of 10,000 parameters and 5,000 layers over that of
``yaml.load(..., CSafeLoader)`` of the same file, both run in turn (goal: at most 2); then how
time and peak memory grow from 1,000 to 100,000 parameters, each size in a process of its own
(goal: ten times the parameters, at most twelve times the time).
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import yaml

from abacus_compat import dump_conf, load_conf

__all__ = ["GOAL", "conf", "main"]

GOAL = 2.0
GROWTH_GOAL = 12.0
SIZES = (1_000, 10_000, 100_000)
CHILD = "--child"


def conf(params: int) -> str:
    """A chain of layers, each with a weight and a bias: half as many layers as parameters."""
    layers = range(params // 2)
    lines = ["global_init_range: 0.2", "param:"]
    for layer in layers:
        for name, rown in ((f"fc{layer}_w", 64), (f"fc{layer}_b", 1)):
            lines += [
                f"  - name: {name}",
                f"    rown: {rown}",
                "    coln: 64",
                "    init_range: 1e-1",
                "    scale_by_rown: true",
            ]
    lines.append("layer:")
    for layer in layers:
        lines += [
            f"  - name: fc{layer}",
            f"    tag: fc{layer}",
            "    class: NeuralLayer",
            f"    a_input: [{f'fc{layer - 1}' if layer else 'show_input'}, bias_input]",
            f"    b_input: [fc{layer}_w, fc{layer}_b]",
            "    act_func: relu",
        ]
    return "\n".join(lines) + "\n"


def main(rounds: int = 7) -> bool:
    """Print the ratio and the growth; return whether both meet their goals."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {size: Path(folder) / f"{size}.yaml" for size in SIZES}
        for size, path in paths.items():
            path.write_text(conf(size))
        return _ratio(paths[10_000], rounds) <= GOAL and _growth(paths) <= GROWTH_GOAL


def _ratio(path: Path, rounds: int) -> float:
    data, spec = path.read_bytes(), load_conf(path)
    works: dict[str, Callable[[], object]] = {
        "yaml.load(CSafeLoader)": lambda: yaml.load(data, yaml.CSafeLoader),
        "load_conf": lambda: load_conf(path),
        "dump_conf": lambda: dump_conf(spec),
    }
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            seconds[name].append(_timed(work))
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    base = medians["yaml.load(CSafeLoader)"]
    print(f"{len(spec.draws):,} parameters, {len(spec.layers):,} layers, {len(data):,} bytes")
    for name, median in medians.items():
        print(f"{name:24} {median:6.2f} s  {median / base:5.2f}")
    print(f"ratio {medians['load_conf'] / base:.2f} (goal: at most {GOAL:g})\n")
    return medians["load_conf"] / base


def _growth(paths: dict[int, Path]) -> float:
    """Print a line a size; return the largest growth of time over a tenfold conf."""
    print(f"{'parameters':>10} {'file':>9} {'seconds':>9} {'growth':>7} {'peak memory':>12}")
    before, worst = 0.0, 0.0
    for size, path in paths.items():
        command = [sys.executable, "-m", "benchmarks.confs", CHILD, str(path)]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        seconds, peak = map(float, output.split())
        growth = seconds / before if before else 0.0
        before, worst = seconds, max(worst, growth)
        megabytes = path.stat().st_size / 1e6
        shown = f"{growth:.1f}" if growth else ""
        print(f"{size:10,} {megabytes:6.1f} MB {seconds:9.3f} {shown:>7} {peak:9.0f} MB")
    print(f"growth over ten times the parameters: {worst:.1f} (goal: at most {GROWTH_GOAL:g})")
    return worst


def _child(path: str) -> None:
    """Print the seconds of the fastest of three runs, and the process's peak memory in MB."""
    fastest = min(_timed(lambda: load_conf(path)) for _ in range(3))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(fastest, peak)


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    if sys.argv[1:2] == [CHILD]:
        _child(sys.argv[2])
    else:
        sys.exit(not main(*map(int, sys.argv[1:])))

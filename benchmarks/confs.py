"""How fast confs are read: `python -m benchmarks.confs [rounds]`.

For chains of layers with 1,000 to 100,000 parameters, each size in a process of its own: the
median CPU time of `load_conf` over that of ``yaml.load(..., CSafeLoader)`` of the same file, both
run in turn (goal: at most 2 at every size), how it grows per parameter, and the peak memory of
the first read.
"""

from __future__ import annotations

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
SIZES = (1_000, 10_000, 100_000)
STATUS = Path("/proc/self/status")


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


def main(rounds: int = 5) -> float:
    """Print a line a size, each the median of up to `rounds` runs; return the worst ratio."""
    print(
        "parameters   layers      file  yaml.load  load_conf  dump_conf  ratio  each  peak memory"
    )
    worst = 0.0
    for size in SIZES:
        count = 1 if size > 10_000 else rounds
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(conf(size))
            file.flush()
            command = [sys.executable, "-m", "benchmarks.confs", "--measure", file.name, str(count)]
            output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            megabytes = Path(file.name).stat().st_size / 1e6
        base, load, dump, peak = map(float, output.split())
        worst = max(worst, load / base)
        print(
            f"{size:10,} {size // 2:8,} {megabytes:6.1f} MB {base:8.2f} s {load:8.2f} s "
            f"{dump:8.2f} s {load / base:6.2f} {1e6 * load / size:3.0f} us {peak:9.0f} MB"
        )
    print(f"worst ratio {worst:.2f} (goal: at most {GOAL:g})")
    return worst


def measure(path: str, rounds: int) -> None:
    """Print median CPU seconds of yaml.load, load_conf, dump_conf, and load_conf's peak MB."""
    spec = load_conf(path)
    peak = _peak()
    data = Path(path).read_bytes()
    works: tuple[Callable[[], object], ...] = (
        lambda: yaml.load(data, yaml.CSafeLoader),
        lambda: load_conf(path),
        lambda: dump_conf(spec),
    )
    seconds = [[_seconds(work) for work in works] for _ in range(rounds)]
    medians = map(statistics.median, zip(*seconds, strict=True))
    print(*medians, peak)


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _peak() -> float:
    """This process's peak resident memory in MB; NaN where the system does not tell."""
    lines = STATUS.read_text().splitlines() if STATUS.exists() else []
    kilobytes = [line.split()[1] for line in lines if line.startswith("VmHWM")]
    return int(kilobytes[0]) / 1024 if kilobytes else float("nan")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(sys.argv[2], int(sys.argv[3]))
    else:
        sys.exit(main(*map(int, sys.argv[1:])) > GOAL)

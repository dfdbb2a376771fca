#!/usr/bin/env python3
"""Times a step of training of the capsule network on XLA, the Go backend and PyTorch, in turn on the same cores.

    python3 compare.py --python /path/of/a/python/with/torch

Both sides compute the same network (network.json holds one to the other), with batches of 32 digits. Every process is bound
to the same two cores (taskset), which bounds the threads of the Go runtime and of XLA, and PyTorch is told as many threads.
The Go benchmark hands over the images at every step; PyTorch's tensors stay where they are. Both read the loss. A figure is
the median over the rounds, in brackets the least and the most, of the mean of a round's steps.
"""

import argparse
import datetime
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NETWORK = ROOT / "course/capsule/testdata/golden/network.py"
PACKAGE = "course/examples/capsule/training"
SIZES = {"quick": dict(batch=32, channels=16, primary=4, types=4), "full": dict(batch=32, channels=32, primary=8, types=8)}
SIDES = ["xla:cpu", "pytorch", "go"]


def output(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


def go(bench, bound, backend, size, steps):
    """Milliseconds a step of the Go side, by the test binary bench."""
    command = [*bound, bench, "-test.run", "^$", "-test.bench", f"Step/.*/{size}", "-test.benchtime", f"{steps}x"]
    out = output(command, cwd=ROOT / PACKAGE, env={**os.environ, "GOMLX_BACKEND": backend})
    return float(re.search(r"([\d.]+) ns/op", out).group(1)) / 1e6


def pytorch(python, bound, threads, size, steps):
    command = [*bound, python, NETWORK, "time", "--threads", str(threads), "--steps", str(steps)]
    return json.loads(output(command + [x for k, v in SIZES[size].items() for x in (f"--{k}", str(v))]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="a Python that has PyTorch")
    parser.add_argument("--sizes", nargs="*", choices=list(SIZES), default=list(SIZES))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=20, help="steps timed in a round, a tenth of them on the Go backend")
    parser.add_argument("--cores", type=int, default=2, help="cores that each side is bound to")
    o = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))[: o.cores]
    if len(cores) < o.cores:
        parser.error(f"{o.cores} cores asked for, {len(cores)} there")
    bound = ["taskset", "-c", ",".join(map(str, cores))]
    names = [line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    modules = output(["go", "list", "-m", "github.com/gomlx/gomlx", "github.com/gomlx/go-xla"], cwd=ROOT).split()
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        bench = os.path.join(folder, "bench")
        output(["go", "test", "-c", "-o", bench, "./" + PACKAGE], cwd=ROOT)
        for size in o.sizes:
            times = {side: [] for side in SIDES}
            for _ in range(o.rounds):
                times["xla:cpu"].append(go(bench, bound, "xla:cpu", size, o.steps))
                peer = pytorch(o.python, bound, len(cores), size, o.steps)
                times["pytorch"].append(peer["mean_ms"])
                times["go"].append(go(bench, bound, "go", size, max(1, o.steps // 10)))
            figures = [f"{statistics.median(t):.1f} ({min(t):.1f} to {max(t):.1f})" for t in times.values()]
            lines.append(f"| {size} | {' | '.join(figures)} |")
    print(f"{names[0] if names else platform.processor()}, every side bound to cores {bound[-1]}, {datetime.date.today()}, "
          f"{output(['go', 'env', 'GOVERSION'], cwd=ROOT).strip()}, gomlx {modules[1]}, go-xla {modules[3]}, {peer['side']}: "
          f"`python3 compare.py {' '.join(sys.argv[1:])}`\n")
    print(f"| ms a step of 32 digits | {' | '.join(SIDES)} |\n|:--|--:|--:|--:|")
    print("\n".join(lines))


if __name__ == "__main__":
    main()

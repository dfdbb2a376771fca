#!/usr/bin/env python3
"""Times a step of training of the capsule network on XLA, the Go backend and PyTorch, in turns in one run.

    python3 compare.py --python /path/of/a/python/with/torch

Both sides compute the same network (network.json holds one to the other), with batches of one size, on two threads. The Go
benchmark hands over the images and reads the loss at every step; PyTorch's tensors stay where they are. A side's figure is
the median over the rounds.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NETWORK = ROOT / "synlayer/capsule/testdata/golden/network.py"
PACKAGE = "./examples/capsule/training"
SIZES = {"quick": dict(channels=16, primary=4, types=4), "full": dict(channels=32, primary=8, types=8)}


def go(backend, what, steps):
    environment = dict(os.environ, GOMLX_BACKEND=backend, GOMAXPROCS="2")
    command = ["go", "test", "-run", "^$", "-bench", f"Step/.*/{what}", "-benchtime", f"{steps}x", PACKAGE]
    out = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True).stdout
    return float(re.search(r"(\d+) ns/op", out).group(1)) / 1e6


def pytorch(python, what, steps, batch):
    command = [python, str(NETWORK), "time", "--steps", str(steps), "--batch", str(batch)]
    command += [x for k, v in SIZES[what].items() for x in (f"--{k}", str(v))]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["median_ms"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="a Python that has PyTorch")
    parser.add_argument("--sizes", nargs="*", choices=list(SIZES), default=list(SIZES))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=20, help="steps timed in a round")
    parser.add_argument("--batch", type=int, default=32, help="digits a step of PyTorch; that of the settings")
    o = parser.parse_args()
    for what in o.sizes:
        times = {"xla:cpu": [], "pytorch": [], "go": []}
        for _ in range(o.rounds):
            times["xla:cpu"].append(go("xla:cpu", what, o.steps))
            times["pytorch"].append(pytorch(o.python, what, o.steps, o.batch))
        times["go"].append(go("go", what, 2))
        print(json.dumps({"size": what, "batch": o.batch, **{f"{k} ms": round(statistics.median(v), 1) for k, v in times.items()}}))


if __name__ == "__main__":
    main()

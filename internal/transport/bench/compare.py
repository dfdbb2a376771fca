"""Times package transport beside POT on the same bags, in turn on the same cores, and prints a table of the medians.

    pip install -r requirements.txt
    python compare.py --out results.jsonl       # both sides, five times
    python compare.py --table results.jsonl     # the table again

Costs are part of the time: ot.dist and ot.emd2 with uniform weights on POT's side. One core: each side is one process pinned
to it. Two cores: we use a goroutine per core, POT a process per core with half the pairs; the slower of the two counts. A
single pair runs on one core on our side; POT's BLAS may use both. Every process works through its pairs several times; the
fastest pass counts, which other work on the machine disturbs least. Bags are drawn from a seed that changes with the repeat.
"""
import argparse
import collections
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
FEATURES = 230

Row = collections.namedtuple("Row", "name title metric passes")
ROWS = [
    Row("small", "all 19,900 pairs of 200 bags of 4 to 10 instances", "Euclidean", 2),
    Row("small-city", "a tenth of them, city-block", "city-block", 2),
    Row("medium", "100 pairs of bags of 60", "Euclidean", 10),
    Row("medium-city", "the same, city-block", "city-block", 5),
    Row("500", "a pair of bags of 500", "Euclidean", 10),
    Row("1000", "a pair of bags of 1,000", "Euclidean", 10),
    Row("1000-city", "the same, city-block", "city-block", 5),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", metavar="FILE", default="results.jsonl", help="lines are added to it (default %(default)s)")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=[r.name for r in ROWS], metavar="NAME", help=", ".join(r.name for r in ROWS))
    parser.add_argument("--table", metavar="FILE", help="print the table of these lines and run nothing")
    parser.add_argument("--peer", nargs=3, metavar=("FILE", "FIRST", "STEP"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.peer:
        return print(json.dumps(peer(args.peer[0], int(args.peer[1]), int(args.peer[2]))))
    if args.table:
        return print(table([json.loads(line) for line in open(args.table)]))
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        parser.error("two cores are needed")
    with tempfile.TemporaryDirectory() as folder, open(args.out, "a") as out:
        bench = os.path.join(folder, "bench")
        subprocess.run(["go", "build", "-o", bench, "."], cwd=HERE, check=True)
        out.write(json.dumps(machine()) + "\n")
        for repeat in range(args.repeats):
            for row in ROWS:
                if args.only and row.name not in args.only:
                    continue
                file = os.path.join(folder, "work.json")
                with open(file, "w") as f:
                    json.dump(draw(row, repeat), f)
                for count in (1, 2):
                    for side in ("go", "pot"):
                        line = run(side, file, bench, cores[:count], row)
                        line = {"row": row.name, "side": side, "cores": count, "repeat": repeat, **line}
                        out.write(json.dumps(line) + "\n")
                        out.flush()
                        print(line, file=sys.stderr)
    print(table([json.loads(line) for line in open(args.out)]))


def draw(row, repeat):
    rng = np.random.default_rng(repeat)
    kind = row.name.split("-")[0]
    if kind == "small":
        sizes = rng.integers(4, 11, 200)
        pairs = [(i, j) for i in range(200) for j in range(i + 1, 200)][:: 10 if row.metric == "city-block" else 1]
    elif kind == "medium":
        sizes, pairs = [60] * 200, [(2 * i, 2 * i + 1) for i in range(100)]
    else:
        sizes, pairs = [int(kind)] * 2, [(0, 1)]
    bags = [(rng.normal(size=n * FEATURES) + 0.2 * (i % 2)).tolist() for i, n in enumerate(sizes)]
    return {"Features": FEATURES, "Bags": bags, "Pairs": pairs, "Metric": row.metric, "Passes": row.passes}


def run(side, file, bench, cores, row):
    env = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    if side == "go":
        commands = [[bench, "-cores", str(len(cores))]]
    elif row.name[0].isdigit():  # one pair
        env.update({"OMP_NUM_THREADS": str(len(cores)), "OPENBLAS_NUM_THREADS": str(len(cores))})
        commands = [[sys.executable, __file__, "--peer", file, "0", "1"]]
    else:
        commands = [[sys.executable, __file__, "--peer", file, str(i), str(len(cores))] for i in range(len(cores))]
    pins = [",".join(map(str, cores))] if len(commands) == 1 else map(str, cores)
    processes = [subprocess.Popen(["taskset", "-c", pin, *c], stdin=open(file), stdout=subprocess.PIPE, env=env) for pin, c in zip(pins, commands)]
    results = [json.loads(p.communicate()[0]) for p in processes]
    return {"seconds": max(r["seconds"] for r in results), "sum": sum(r["sum"] for r in results), "versions": {k: v for r in results for k, v in r.items() if k in ("go", "pot", "numpy")}}


def peer(file, first, step):
    import ot

    with open(file) as f:
        work = json.load(f)
    bags = [np.array(b).reshape(-1, work["Features"]) for b in work["Bags"]]
    metric = {"Euclidean": "euclidean", "city-block": "cityblock"}[work["Metric"]]
    uniform = {n: ot.unif(n) for n in {len(b) for b in bags}}

    def distance(i, j):
        return ot.emd2(uniform[len(bags[i])], uniform[len(bags[j])], ot.dist(bags[i], bags[j], metric=metric), numItermax=10_000_000)

    pairs = work["Pairs"][first::step]
    distance(*pairs[0])
    seconds = []
    for _ in range(work["Passes"]):
        start = time.perf_counter()
        total = sum(distance(i, j) for i, j in pairs)
        seconds.append(time.perf_counter() - start)
    return {"seconds": min(seconds), "sum": float(total), "pot": ot.__version__, "numpy": np.__version__}


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
    return {"machine": model, "load": os.getloadavg()[0], "date": datetime.date.today().isoformat(), "python": platform.python_version()}


def table(lines):
    done = collections.defaultdict(dict)
    versions = {}
    for line in lines:
        if "row" in line:
            done[line["row"], line["cores"], line["side"]][line["repeat"]] = line
            versions.update(line["versions"])
    head = lines[0]
    text = [f"{head['machine']}, load {head['load']:.1f} at the start, {head['date']}, {versions['go']}, POT {versions['pot']}, numpy {versions['numpy']}, Python {head['python']}. "
            f"{FEATURES} features. Medians over the repeats, in brackets least and most.", "",
            "| work | cores | ours, ms | POT, ms | ours is faster by |", "|:--|--:|--:|--:|--:|"]
    worst = 0
    for row in ROWS:
        for cores in (1, 2):
            go, pot = done[row.name, cores, "go"], done[row.name, cores, "pot"]
            both = sorted(go.keys() & pot.keys())
            if not both:
                continue
            worst = max([worst, *(abs(go[r]["sum"] / pot[r]["sum"] - 1) for r in both)])
            text.append(f"| {row.title if cores == 1 else ''} | {cores} | {spread([1e3 * go[r]['seconds'] for r in both])} | {spread([1e3 * pot[r]['seconds'] for r in both])} "
                        f"| {spread([pot[r]['seconds'] / go[r]['seconds'] for r in both])} |")
    text += ["", f"Sums of the distances differ by at most {worst:.0e} of their value."]
    return "\n".join(text)


def spread(values):
    def number(v):
        return f"{v:.1f}" if v < 100 else f"{v:,.0f}"

    if len(values) == 1:
        return number(values[0])
    return f"{number(statistics.median(values))} ({number(min(values))}–{number(max(values))})"


if __name__ == "__main__":
    main()

"""Times milbench, PyTorch and JAX on the same work, in turn on the same cores, and prints a table of medians.

    pip install -r requirements.txt
    python compare.py --data DIR --out results.jsonl         # DIR holds elephant.mat, musk2.mat and web1.mat
    python compare.py --table results.jsonl                  # prints the table again

milbench runs as one process on two cores; PyTorch and JAX run two processes at a time, each pinned to a core. The time per
bag is that of the machine, 1 / (sum of the processes' bags per second), in training, without imports, loading and
compilation. Every repeat runs all sides of all rows. milbench and JAX train all fits every time. PyTorch is slower and
trains a different fifth of the fits in each repeat, with all epochs. So its AUC is that of all fits after five repeats, and
its wall time for all fits is scaled from its rate. PyTorch with its default AdamW, and with dense layers on Web 1, runs ten
epochs of one fit per process, for its rate alone.
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
ROOT = HERE.parents[3]
TRAFFIC_MB = 43  # of AdamW in a step of Web 1
PARTS = 5  # PyTorch trains one of so many parts of the fits in a repeat
RATE_EPOCHS = 10  # of the PyTorch that is timed for its rate alone
PLAIN_EPOCHS = 3  # of the Go backend, one fit a core
MANY = 20  # times as many fits

Row = collections.namedtuple("Row", "name title set width batch fits epochs sides bars")
ROWS = [
    Row("elephant", "Elephant, width 256, batch 1, 50 fits", "elephant", 256, 1, 50, 50,
        ["go", "go-curves", "go-plain", "jax", "jax-tricks", "pytorch", "pytorch-default"], {"us": 32, "jax": 1.5, "pytorch": 15}),
    Row("width32", "Elephant, width 32, batch 1, 50 fits", "elephant", 32, 1, 50, 50, ["go", "jax", "jax-tricks", "pytorch"], {"jax": 1}),
    Row("batch4", "Elephant, width 256, batch 4, 50 fits", "elephant", 256, 4, 50, 50, ["go", "jax", "jax-tricks", "pytorch"], {"jax": 1}),
    Row("batch16", "Elephant, width 256, batch 16, 50 fits", "elephant", 256, 16, 50, 50, ["go", "jax", "jax-tricks", "pytorch"], {"jax": 1}),
    Row("musk2", "Musk 2, width 256, batch 1, 50 fits", "musk2", 256, 1, 50, 50, ["go", "go-even", "pytorch", "pytorch-default"], {"pytorch": 8}),
    Row("web1", "Web 1, width 256, batch 1, 5 seeds", "web1", 256, 1, 5, 50,
        ["go", "pytorch-sparse", "pytorch", "pytorch-default", "copy"], {"us": 1500, "pytorch": 6}),
    Row("web2", "Web 2, width 256, batch 1, 5 seeds of 5 epochs", "web2", 256, 1, 5, 5, ["go"], {}),
    Row("cost", "Elephant, width 256, batch 1, 50 and 1,000 fits", "elephant", 256, 1, 50, 50, ["go", "go-many"], {}),
]
SIDES = {
    "go": "milbench", "go-many": "milbench, 1,000 fits", "go-curves": "milbench with curves", "go-even": "milbench, its instances in bags of 64",
    "go-plain": "milbench on the Go backend", "jax": "JAX", "jax-tricks": "JAX with our tricks",
    "pytorch": "PyTorch, fused AdamW", "pytorch-default": "PyTorch, default AdamW", "pytorch-sparse": "PyTorch, fused AdamW, sparse first layer",
}
OPTIONS = {"go-curves": ["--curves"], "jax-tricks": ["--tricks"], "pytorch-default": ["--adamw", "default"], "pytorch-sparse": ["--sparse"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", metavar="DIR")
    parser.add_argument("--out", metavar="FILE", default="results.jsonl", help="where the lines go (default %(default)s); what is there already is not run again")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=[r.name for r in ROWS], metavar="NAME", help=", ".join(r.name for r in ROWS))
    parser.add_argument("--sides", nargs="+", choices=[*SIDES, "copy"], metavar="SIDE", help=", ".join([*SIDES, "copy"]))
    parser.add_argument("--quick", action="store_true", help="one repeat of few fits and epochs: whether all runs, not how fast")
    parser.add_argument("--table", metavar="FILE", help="print the table of these lines and run nothing")
    parser.add_argument("--copy", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.copy:
        return print(json.dumps({"gb_per_s": copy_bandwidth()}))
    if args.table:
        return print(table([json.loads(line) for line in open(args.table)]))
    if not args.data:
        parser.error("--data DIR is needed")
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        parser.error("two cores are needed")
    if args.quick:
        args.repeats = 1
    there = [json.loads(line) for line in open(args.out)] if os.path.exists(args.out) else []
    there = {(line["row"], line["side"], line["repeat"]) for line in there if "row" in line and "error" not in line and line["quick"] == args.quick}
    with tempfile.TemporaryDirectory() as folder, open(args.out, "a") as out:
        bench = os.path.join(folder, "bench")
        if not args.sides or any(s.startswith("go") for s in args.sides):
            subprocess.run(["go", "build", "-o", bench, "./milbench/learners/neural/bench"], cwd=ROOT, check=True)
        out.write(json.dumps(machine(cores)) + "\n")
        for repeat in range(args.repeats):
            for row in ROWS:
                if args.only and row.name not in args.only:
                    continue
                if args.quick:
                    row = row._replace(fits=min(row.fits, 10), epochs=2)
                for side in row.sides:
                    if args.sides and side not in args.sides or (row.name, side, repeat) in there:
                        continue
                    line = {"row": row.name, "repeat": repeat, "quick": args.quick, **run(row, side, repeat, args, bench, cores)}
                    out.write(json.dumps(line) + "\n")
                    out.flush()
                    print(f"{repeat + 1}/{args.repeats} {row.name} {side}: {line.get('error') or brief(line)}", file=sys.stderr, flush=True)
    print(table([json.loads(line) for line in open(args.out)]))


def brief(line):
    if "gb_per_s" in line:
        return f"{line['gb_per_s']:.1f} GB/s"
    return f"{line['us_per_bag']:.1f} us per bag, wall {line['wall']:.1f} s, {line['rss_mb']} MB, AUC {np.mean([p['auc'] for p in line['processes']]):.3f}"


def run(row, side, repeat, args, bench, cores):
    """Runs one side of a row and returns its line."""
    epochs = row.epochs
    if side == "pytorch-default" or (row.name, side) == ("web1", "pytorch"):
        epochs = min(epochs, RATE_EPOCHS)
    if side == "go-plain":
        epochs = min(epochs, PLAIN_EPOCHS)
    name = row.set + ("-even" if side == "go-even" else "")
    flags = ["--set", name, "--data", args.data, "--width", str(row.width), "--batch", str(row.batch), "--epochs", str(epochs)]
    if side.startswith("go"):
        fits = {"go-many": row.fits * MANY, "go-plain": len(cores)}.get(side, row.fits)
        commands = [[bench, *flags, "--fits", str(fits), "--cores", str(len(cores)), *OPTIONS.get(side, [])]]
    elif side == "copy":
        commands = [[sys.executable, __file__, "--copy"]] * len(cores)
    else:
        program = "jax_peer.py" if side.startswith("jax") else "pytorch.py"
        commands = [[sys.executable, str(HERE / program), *flags, "--fits", f"{a}:{b}", *OPTIONS.get(side, [])]
                    for a, b in shares(row, side, repeat, args, len(cores))]
    if len(commands) > 1:
        commands = [["taskset", "-c", str(core), *command] for core, command in zip(cores, commands)]
    before = cpu_times()
    results, wall, error = together(commands, {**os.environ, "GOMLX_BACKEND": "go"} if side == "go-plain" else None)
    if error:
        return {"side": side, "error": error}
    line = {"side": side, "stolen": stolen(before, cpu_times())}
    if side == "copy":
        return {**line, "gb_per_s": sum(r["gb_per_s"] for r in results)}
    return {
        **line, "epochs": epochs, "fits": sum(r["fits"] for r in results), "bags": sum(r["bags"] for r in results),
        "us_per_bag": 1 / sum(1 / r["us_per_bag"] for r in results), "wall": wall,
        "rss_mb": sum(r["measured_rss_mb"] for r in results), "processes": results,
    }


def cpu_times():
    """The machine's CPU time by use, as /proc/stat counts it: user, nice, system, idle, I/O wait, interrupts, soft interrupts, stolen."""
    return [int(n) for n in open("/proc/stat").readline().split()[1:9]]


def stolen(before, after):
    """The share of the CPU time asked for that went to other guests of the host."""
    user, nice, system, _, _, irq, soft, steal = (b - a for a, b in zip(before, after))
    return steal / max(user + nice + system + irq + soft + steal, 1)


def shares(row, side, repeat, args, processes):
    """The fits, as (first, end), that each process trains."""
    if side.startswith("jax"):
        bounds = [row.fits * i // processes for i in range(processes + 1)]
        return list(zip(bounds, bounds[1:]))
    # PyTorch: a part of the fits, the next part in the next repeat; default AdamW is there for its rate alone.
    each = 1 if args.quick or side == "pytorch-default" else max(1, row.fits // (PARTS * processes))
    starts = [(repeat * processes + i) * each % row.fits for i in range(processes)]
    return [(a, a + each) for a in starts]


def together(commands, environment=None):
    """Runs commands at a time: the JSON lines, the wall of all and the first error. The memory is the kernel's figure."""
    start = time.perf_counter()
    processes = [subprocess.Popen(c, stdout=subprocess.PIPE, text=True, env=environment) for c in commands]
    results, error = [], None
    for command, process in zip(commands, processes):
        with process.stdout:
            output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode or not output.strip():
            error = error or f"exit status {process.returncode} of {' '.join(command)}"
            continue
        results.append({**json.loads(output.strip().splitlines()[-1]), "measured_rss_mb": usage.ru_maxrss // 1024})
    return results, time.perf_counter() - start, error


def copy_bandwidth():
    """GB/s read and written by copies of 256 MB for two seconds."""
    source, target = np.ones(1 << 25), np.zeros(1 << 25)
    copies, start = 0, time.perf_counter()
    while time.perf_counter() - start < 2:
        np.copyto(target, source)
        copies += 1
    return 2 * source.nbytes * copies / (time.perf_counter() - start) / 1e9


def machine(cores):
    def output(*command):
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip()

    names = [line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    return {
        "machine": names[0] if names else platform.processor(), "cores": len(cores), "kernel": platform.release(),
        "load": os.getloadavg()[0], "date": datetime.date.today().isoformat(), "go": output("go", "env", "GOVERSION"),
        "revision": output("git", "describe", "--always", "--dirty"), "python": platform.python_version(),
        "command": "python compare.py " + " ".join(sys.argv[1:]),
    }


def table(lines):
    """Markdown of the lines of one or more runs; medians, least and most over the repeats."""
    heads = [line for line in lines if "machine" in line]
    if not all(line.get("quick", True) for line in lines):
        lines = [line for line in lines if not line.get("quick")]
    done = collections.defaultdict(list)  # (row, side) -> lines
    errors = []
    for line in lines:
        if "error" in line:
            errors.append(f"{line['row']}, {line['side']}: {line['error']}")
        elif "row" in line:
            done[line["row"], line["side"]].append(line)
    text = []
    for head in heads:
        text.append(f"{head['machine']}, {head['cores']} cores, load {head['load']:.1f} at the start, {head['date']}, {head['go']}, revision {head['revision']}, "
                    f"Python {head['python']}: `{head['command']}`")
    versions = {}
    for runs in done.values():
        for r in runs:
            for process in r.get("processes", []):
                versions.update(process.get("versions") or {})
    text.append(", ".join(f"{k} {v}" for k, v in sorted(versions.items())))
    ran = [line for runs in done.values() for line in runs]
    taken = [line["stolen"] for line in ran if "stolen" in line]
    if taken:
        rounds = sorted({line["repeat"] + 1 for line in ran if "stolen" not in line})
        where = f" (recorded in {len(taken)} of {len(ran)} runs, not in {' and '.join(f'round {r}' for r in rounds)})" if rounds else ""
        text.append(f"Other guests of the host took {spread(taken, '.0%')} of the CPU time that a run requested{where}.")
    text.append("milbench runs as one process; JAX and PyTorch run two at a time, each pinned to a core. Medians, with minimum and maximum in brackets.")
    if any(r["quick"] for runs in done.values() for r in runs):
        text.append("From a quick run: the numbers are meaningless.")
    text.append("")

    text += ["| work | side | µs per bag, both cores | AUC | time / milbench time | goal |", "|:--|:--|--:|--:|--:|:--|"]
    for row in ROWS[:-1]:
        ours = done[row.name, "go"]
        peers = [s for s in row.sides if s not in ("copy", "go-even") and done[row.name, s]]
        fastest = min((s for s in peers if s.startswith("pytorch")), key=lambda s: median(done[row.name, s]), default=None)
        for side in peers:
            runs = done[row.name, side]
            ratio, bar = "", ""
            if side == "go":
                bar = at_most(row.bars.get("us"), median(runs))
            elif ours:
                quotients = paired(runs, ours)
                quotient, ratio = statistics.median(quotients), spread(quotients, ".2f")
                wanted = row.bars.get("jax") if side == "jax" else row.bars.get("pytorch") if side == fastest else None
                if wanted:
                    bar = f"{'more than' if wanted == 1 else 'at least'} {wanted:g}: {verdict(quotient > wanted if wanted == 1 else quotient >= wanted)}"
            text.append(f"| {row.title if side == peers[0] else ''} | {SIDES[side]} | {spread([r['us_per_bag'] for r in runs], '.1f')} | {aucs(runs) if runs[0]['epochs'] == row.epochs else ''} | {ratio} | {bar} |")
    copies = [r["gb_per_s"] for r in done["web1", "copy"]]
    if copies:
        limit = [TRAFFIC_MB / 1e3 / gb * 1e6 for gb in copies]
        text.append(f"\nWeb 1: two processes copy {spread(copies, '.1f')} GB/s (read and written); {TRAFFIC_MB} MB of AdamW per step at that rate take {spread(limit, '.0f')} µs per bag.")

    curves = done["elephant", "go-curves"]
    if curves and done["elephant", "go"]:
        q = [x - 1 for x in paired(curves, done["elephant", "go"])]
        text.append(f"\nCurves (validation and test scores after every epoch) cost {spread(q, '.1%')} of the time; goal 5 %: {verdict(statistics.median(q) <= 0.05)}.")
    even = done["musk2", "go-even"]
    if even and done["musk2", "go"]:
        def fit(runs):
            return [{**r, "us_per_bag": r["us_per_bag"] * r["bags"] / r["fits"]} for r in runs]

        q = paired(fit(done["musk2", "go"]), fit(even))
        text.append(f"\nA fit of Musk 2 takes {spread(q, '.2f')} times as long as a fit on the same instances in bags of 64, without padding; goal 2: {verdict(statistics.median(q) <= 2)}.")

    text += ["", "| 50 fits of Elephant (width 256, batch 1, 50 epochs) | wall time, s | compiling, s |", "|:--|--:|--:|"]
    for side in ROWS[0].sides:
        runs = done["elephant", side]
        if not runs or side == "go-plain":
            continue
        if side.startswith("pytorch"):
            # What is still to do after the bags trained on takes the measured rate.
            missing = [r["bags"] * (ROWS[0].fits * ROWS[0].epochs / (r["fits"] * r["epochs"]) - 1) for r in runs]
            walls = [r["wall"] + r["us_per_bag"] * m / 1e6 for r, m in zip(runs, missing)]
            compiling = f"(scaled from {runs[0]['fits']} fits of {runs[0]['epochs']} epochs)"
        else:
            walls = [r["wall"] for r in runs]
            seconds = [max((p.get("compile_seconds") or 0) for p in r["processes"]) for r in runs]
            compiling = spread(seconds, ".1f")
        text.append(f"| {SIDES[side]}{'; goal 20 s: ' + verdict(statistics.median(walls) <= 20) if side == 'go' else ''} | {spread(walls, '.1f')} | {compiling} |")

    text += ["", "| peak memory of all processes, MB | " + " | ".join(r.title.split(",")[0] + f", width {r.width}, batch {r.batch}" for r in ROWS[:-1]) + " |",
             "|:--|" + "--:|" * len(ROWS[:-1])]
    for side in SIDES:
        cells = [max((r["rss_mb"] for r in done[row.name, side]), default="") for row in ROWS[:-1]]
        if any(cells):
            text.append(f"| {SIDES[side]} | " + " | ".join(map(str, cells)) + " |")
    planned = [max((p.get("plan_mb", 0) for r in done[row.name, "go"] for p in r["processes"]), default=0) or "" for row in ROWS[:-1]]
    if any(planned):
        text.append("| milbench, planned | " + " | ".join(map(str, planned)) + " |")
    ours = {row.name: max((r["rss_mb"] for r in done[row.name, "go"]), default=0) for row in ROWS}
    if ours["elephant"]:
        text.append(f"\nGoals of milbench: under 700 MB for Elephant: {verdict(ours['elephant'] < 700)}; under 3,000 MB for every set here: {verdict(max(ours.values()) < 3000)}.")

    few, many = done["cost", "go"], done["cost", "go-many"]
    if few and many:
        def cost(runs):
            return [{**r, "us_per_bag": sum(p["seconds"] for p in r["processes"]) / r["bags"]} for r in runs]

        quotients = paired(cost(many), cost(few))
        q = statistics.median(quotients)
        text.append(f"\nA bag costs {spread(quotients, '.3f')} times as much with {many[0]['fits']} fits as with {few[0]['fits']} ({few[0]['epochs']} epochs each); "
                    f"wall times {spread([r['wall'] for r in few], '.1f')} s and {spread([r['wall'] for r in many], '.1f')} s; goal within 5 %: {verdict(abs(q - 1) <= 0.05)}.")
    text += [f"\nFailed: {e}" for e in errors]
    return "\n".join(text)


def paired(runs, ours):
    """The quotients of the times of a bag, repeat by repeat."""
    own = {r["repeat"]: r["us_per_bag"] for r in ours}
    each = {r["repeat"]: r["us_per_bag"] / own[r["repeat"]] for r in runs if r["repeat"] in own}
    return list(each.values()) or [median(runs) / median(ours)]


def median(runs):
    return statistics.median(r["us_per_bag"] for r in runs)


def verdict(reached):
    return "reached" if reached else "missed"


def at_most(bar, value):
    return f"at most {bar}: {verdict(value <= bar)}" if bar else ""


def spread(values, form):
    middle = format(statistics.median(values), form)
    return middle if len(values) == 1 else f"{middle} ({min(values):{form}}–{max(values):{form}})"


def aucs(runs):
    """The mean AUC and its standard error over the distinct fits of the runs."""
    processes = [p for r in runs for p in r["processes"]]
    values = list({p["first_fit"] + i: a for p in processes for i, a in enumerate(p.get("aucs", []))}.values())
    if not values:  # one process with all fits, the same each time
        p = processes[0]
        return f"{p['auc']:.3f} ± {p['auc_se'] or 0:.3f}, {p['fits']} fits"
    error = f" ± {np.std(values, ddof=1) / len(values) ** 0.5:.3f}" if len(values) > 1 else ""
    return f"{np.mean(values):.3f}{error}, {len(values)} fits"


if __name__ == "__main__":
    main()

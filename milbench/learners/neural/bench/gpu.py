"""On a machine with an NVIDIA card: the tests of the layers and of the trainer on it, then milbench beside PyTorch.

    python gpu.py --build DIR                                  # on any Linux machine with Go: programs for the card's machine
    python gpu.py --binaries DIR --data DIR --out gpu.jsonl    # there, with PyTorch, JAX's plugin for CUDA, and elephant.mat in the data
    python gpu.py --table gpu.jsonl

Both sides run in turn on the same card; a line is one run. The slides are those of slides.py. PyTorch reads the bags from their files
at each step or holds them all on the card ("kept"); milbench keeps those that fit. In the first round ("cold") milbench
compiles its graphs, later it loads them; bench always compiles. Float32 products are exact on both sides unless a line says TF32. Seconds of training are without imports and the audit of milbench, but with its compiling; those of the process are with all.
"""
import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time

import slides

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = {  # and which of their tests; of the trainer those that hold on every device: blocks and loops round differently there
    "synlayer": ".", "course/capsule": ".", "course/memory": ".", "course/sequence": ".",
    "milbench/learners/neural": "^Test(TrainingAgainstPyTorch|AgainstTrainStep|TargetLosses|AdamW.*|Learns|Deterministic|LoadSaved|TestPartIsNotSeen)$",
}
PROGRAMS = {"milbench": "cmd/milbench", "bench": "milbench/learners/neural/bench"}
TEST_SECONDS = 600


def build(folder):
    for package in PACKAGES:
        subprocess.run(["go", "test", "-c", "-trimpath", "-ldflags=-s -w", "-o", folder / (package.replace("/", "-") + ".test"), "./" + package], cwd=slides.ROOT, check=True)
    for name, package in PROGRAMS.items():
        subprocess.run(["go", "build", "-trimpath", "-ldflags=-s -w", "-o", folder / name, "./" + package], cwd=slides.ROOT, check=True)


def on_card(options="", flags="", cache="off"):
    """The environment in which XLA runs on the card, with JAX's plugin, further flags of XLA, and a folder for compiled graphs."""
    packages = pathlib.Path(sysconfig.get_path("purelib"))
    plugin = next(packages.glob("**/xla_cuda_plugin.so"))
    return {**os.environ, "SYNPOOL_XLA_CACHE": str(cache), "GOMLX_BACKEND": f"xla:{plugin}{options}", "GOPJRT_CUDA_CHECKS": "0", "XLA_FLAGS": f"--xla_gpu_cuda_data_dir={packages / 'nvidia' / 'cu13'} {flags}"}


def tests(binaries, package):
    """Runs the tests of a package on the card and returns a line."""
    program, start = binaries / (package.replace("/", "-") + ".test"), time.time()
    try:
        done = subprocess.run([program, "-test.v", "-test.run", PACKAGES[package]], cwd=slides.ROOT / package, env=on_card(",preallocate=false"), capture_output=True, text=True, timeout=TEST_SECONDS)
        out, timed_out = done.stdout + done.stderr, False
    except subprocess.TimeoutExpired as e:
        out, timed_out = (e.stdout or b"").decode(), True
    (binaries / (program.name + ".log")).write_text(out)
    found = {what: re.findall(rf"^--- {what}: (\S+)", out, re.M) for what in ("PASS", "FAIL", "SKIP")}
    return {"work": "tests", "package": package, "passed": len(found["PASS"]), "failed": found["FAIL"], "skipped": found["SKIP"], "timed_out": timed_out, "process_s": time.time() - start}


def milbench(binaries, folder, width, hidden, environment, out):
    """Trains milbench's gated attention on the card and returns a line."""
    command = ["run", folder / "bags", "--labels", folder / "labels.csv", "--pooling", "gated", "--repeats", 1, "--folds", slides.FOLDS, "--epochs", slides.EPOCHS,
               "--batch", 1, "--dropout", 0, "--width", width, "--embed", hidden, "--lr", 1e-3, "--weight-decay", 0.01, "--json", "--out", out]
    table, line = slides.run([binaries / "milbench", *command], environment)
    fits = [json.loads(text) for text in open(out / "results.jsonl")]
    return {**line, "training_s": sum(f["wall_s"] for f in fits), "auc": json.loads(table)[0]["mean"], "backend": fits[0].get("backend", "")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--binaries", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--data", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--out", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--table", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--packages", nargs="+", choices=PACKAGES, default=list(PACKAGES), help="whose tests run")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=["tests", "slides", "bags"], default=["tests", "slides", "bags"])
    parser.add_argument("--widths", type=int, nargs="+", choices=slides.WIDTHS, default=list(slides.WIDTHS), help="of the networks of the slides")
    parser.add_argument("--sides", nargs="+", metavar="SIDE", help="only these, such as milbench or 'PyTorch, kept'")
    parser.add_argument("--flags", default="", metavar="FLAGS", help="of XLA, for milbench: its lines name them")
    parser.add_argument("--seconds", type=float, default=3600, help="begin no run after so many")
    args = parser.parse_args()
    if args.build:
        args.build.mkdir(parents=True, exist_ok=True)
        return build(args.build.resolve())
    if args.table:
        return table([json.loads(text) for text in open(args.table)])
    if not (args.binaries and args.data and args.out):
        parser.error("--build DIR, --table FILE, or --binaries DIR, --data DIR and --out FILE are needed")
    import torch

    binaries, began = args.binaries.resolve(), time.time()
    card = torch.cuda.get_device_name()

    def write(line):
        line |= {"date": datetime.date.today().isoformat(), "card": card, "torch": torch.__version__}
        with open(args.out, "a") as file:
            print(json.dumps(line), file=file, flush=True)
        print(json.dumps(line), flush=True)

    if "tests" in args.only:
        with concurrent.futures.ThreadPoolExecutor() as pool:
            for line in pool.map(lambda package: tests(binaries, package), args.packages):
                write(line)
    with tempfile.TemporaryDirectory() as temporary:
        folder, cache, count = pathlib.Path(temporary) / "slides", pathlib.Path(temporary) / "cache", 0
        if "slides" in args.only:
            slides.make(folder, slides.SLIDES, slides.INSTANCES, slides.FEATURES, 0.6)
        for turn in range(args.rounds):
            jobs = []
            for width, hidden in [(width, slides.WIDTHS[width]) for width in args.widths] if "slides" in args.only else []:
                for side, options in [("milbench", ""), ("milbench, TF32", ",tf32=true")]:
                    def ours(width=width, hidden=hidden, options=options):
                        nonlocal count
                        count += 1
                        return milbench(binaries, folder, width, hidden, on_card(options, args.flags, cache), pathlib.Path(temporary) / f"out{count}")

                    jobs.append(("slides", side, width, ours))
                for side, more in [("PyTorch", []), ("PyTorch, kept", ["kept"]), ("PyTorch, kept, TF32", ["kept", "tf32"])]:
                    def theirs(width=width, hidden=hidden, more=more):
                        out, line = slides.run([sys.executable, HERE / "slides.py", "--torch", folder, slides.EPOCHS, width, hidden, "cuda", *more])
                        return {**line, **json.loads(out)}

                    jobs.append(("slides", side, width, theirs))
            for batch in (1, 16) if "bags" in args.only else []:
                flags = ["--set", "elephant", "--data", args.data, "--width", 256, "--batch", batch]

                def ours(flags=flags):
                    out, line = slides.run([binaries / "bench", *flags, "--fits", 50, "--epochs", 50], on_card("", args.flags, cache))
                    return {**json.loads(out), **line}

                def theirs(flags=flags, batch=batch):
                    fits = turn, turn + 1
                    out, line = slides.run([sys.executable, HERE / "pytorch.py", *flags, "--fits", f"{fits[0]}:{fits[1]}", "--epochs", 10, "--device", "cuda"])
                    return {**json.loads(out), **line}

                jobs += [("bags", "milbench", batch, ours), ("bags", "PyTorch", batch, theirs)]
            for work, side, size, job in jobs:
                if args.sides and side not in args.sides:
                    continue
                if time.time() - began > args.seconds:
                    print("out of time", work, side, size, flush=True)
                    return
                try:
                    cold = {"cold": True} if work == "slides" and side.startswith("milbench") and turn == 0 else {}
                    write({"work": work, "side": side, "size": size, "round": turn, **cold, **({"flags": args.flags} if args.flags and side.startswith("milbench") else {}), **job()})
                except SystemExit as e:
                    print(f"{work} {side} {size}: {str(e)[-1500:]}", flush=True)


def table(lines):
    def figures(chosen, key, digits=1):
        values = sorted(line[key] for line in chosen)
        return f"{statistics.median(values):.{digits}f} ({values[0]:.{digits}f}–{values[-1]:.{digits}f})" if len(values) > 1 else f"{values[0]:.{digits}f}"

    print(f"{lines[0]['card']}, PyTorch {lines[0]['torch']}, {lines[0]['date']}\n\n| tests on the GPU | passed | failed | skipped | s |\n|:--|--:|:--|:--|--:|")
    for line in lines:
        if line["work"] == "tests":
            print(f"| {line['package']}{' (ran out of time)' if line['timed_out'] else ''} | {line['passed']} | {', '.join(line['failed'])} | {', '.join(line['skipped'])} | {line['process_s']:.0f} |")
    for work, head in [("slides", "slides, width"), ("bags", "Elephant, batch")]:
        keys = {"slides": [("training_s", "training, s", 1), ("process_s", "process, s", 1)], "bags": [("us_per_bag", "µs per bag", 1), ("compile_seconds", "compiling, s", 1)]}[work]
        print(f"\n| {head} | side | {' | '.join(name for _, name, _ in keys)} | AUC | runs |\n|--:|:--|{'--:|' * (len(keys) + 2)}")
        name = lambda line: (line["size"], " ".join([line["side"], line.get("flags", ""), "(cold)" if "cold" in line else ""]).strip())
        for size, side in dict.fromkeys(name(line) for line in lines if line["work"] == work):
            chosen = [line for line in lines if line["work"] == work and name(line) == (size, side)]
            cells = [figures(chosen, key, digits) if key in chosen[0] else "" for key, _, digits in keys]
            print(f"| {size} | {side} | {' | '.join(cells)} | {figures(chosen, 'auc', 3)} | {len(chosen)} |")


if __name__ == "__main__":
    main()

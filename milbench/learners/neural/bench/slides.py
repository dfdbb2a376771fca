"""Large bags: milbench and PyTorch's attention MIL on generated slides, in turn on the same cores, and how milbench grows.

    pip install -r requirements.txt
    python slides.py --out slides.jsonl          # writes a line per run; about 40 minutes and 2 GB of disk in a temporary folder
    python slides.py --table slides.jsonl        # the tables again
    python slides.py --out few.jsonl --only 256 --poolings gated --slides 28 --epochs 3    # fewer slides and epochs

The slides are drawn from eight clusters of instances; in positive ones 2 % of the instances are moved in a tenth of the features.
Both sides train four folds, one bag per step, without dropout, on two cores, and read the bags from .npy files in the
cache of the system. PyTorch uses two threads and trains the folds in turn; it standardises with the moments of the training part, as
milbench does. Seconds are those of the whole process, with imports, reading, compiling and the audit of milbench; seconds of
training are without these. Memory is the most that was resident.
"""
import argparse
import csv
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

ROOT = pathlib.Path(__file__).resolve().parents[4]
FOLDS, EPOCHS, ROUNDS = 4, 10, 3
SLIDES, INSTANCES, FEATURES = 40, 10_700, 512
WIDTHS = {64: 32, 256: 128}  # of the first layer: that of the attention
GROWTH = [(slides, 10_000) for slides in (10, 20, 40, 80)] + [(20, n) for n in (5_000, 20_000, 40_000)]


def make(folder, slides, instances, features, spread, seed=1):
    """Writes so many slides of instances on average, between 1 - spread and 1 + spread times as many."""
    (folder / "bags").mkdir(parents=True)
    random = np.random.default_rng(seed)
    centres = random.normal(size=(8, features)).astype("f4")
    moved = (random.normal(size=features) * (random.random(features) < 0.1)).astype("f4") * 1.5
    with open(folder / "labels.csv", "w") as table:
        print("slide_id,label", file=table)
        for i in range(slides):
            n = int(instances * random.uniform(1 - spread, 1 + spread))
            x = centres[random.integers(0, 8, n)] + random.normal(size=(n, features)).astype("f4")
            if i % 2:
                x[random.choice(n, max(1, n // 50), replace=False)] += moved
            np.save(folder / "bags" / f"slide{i:03d}.npy", x)
            print(f"slide{i:03d},{i % 2}", file=table)


def gated(features, width, hidden):
    """PyTorch's gated attention MIL, with its own initial weights."""
    import torch
    from torch import nn

    class Gated(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.v, self.u = nn.Linear(features, width), nn.Linear(width, hidden), nn.Linear(width, hidden)
            self.w, self.last = nn.Linear(hidden, 1), nn.Linear(width, 1)

        def forward(self, x):
            h = torch.relu(self.first(x))
            weights = torch.softmax(self.w(torch.tanh(self.v(h)) * torch.sigmoid(self.u(h))), 0)
            return self.last((weights * h).sum(0))

    return Gated()


def pytorch(folder, epochs, width, hidden, device, *how):
    """Trains PyTorch's gated attention MIL and prints its seconds of training and its AUC.

    A step reads its bag from its file; with "kept" in how all bags are held on the device, with "tf32" products are in TF32.
    """
    import torch
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedKFold
    from torch import nn

    torch.set_num_threads(2)
    if "tf32" in how:
        torch.set_float32_matmul_precision("high")
    rows = list(csv.DictReader(open(folder / "labels.csv")))
    labels = np.array([int(r["label"]) for r in rows])

    kept = {}

    def load(i):
        if i in kept:
            return kept[i]
        bag = torch.from_numpy(np.load(folder / "bags" / (rows[i]["slide_id"] + ".npy"))).to(device)
        if "kept" in how:
            kept[i] = bag
        return bag

    start, aucs = time.time(), []
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=1).split(labels, labels):
        count, total, squares = 0, 0, 0
        for i in train:
            x = load(i).double()
            count, total, squares = count + len(x), total + x.sum(0), squares + (x * x).sum(0)
        mean = total / count
        factor, mean = (1 / (squares / count - mean * mean).sqrt()).float(), mean.float()
        torch.manual_seed(1)
        net = gated(len(mean), width, hidden).to(device)
        optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=0.01, fused=True)
        loss = nn.BCEWithLogitsLoss()
        for epoch in range(epochs):
            for i in np.random.default_rng(epoch).permutation(train):
                optimizer.zero_grad()
                loss(net((load(i) - mean) * factor), torch.tensor([float(labels[i])], device=device)).backward()
                nn.utils.clip_grad_norm_(net.parameters(), 1)
                optimizer.step()
        with torch.no_grad():
            scores = [net((load(i) - mean) * factor).item() for i in test]
        aucs.append(roc_auc_score(labels[test], scores))
    print(json.dumps({"training_s": time.time() - start, "auc": statistics.mean(aucs)}))


def run(command, environment=None):
    """Runs a command and returns its output, seconds and most resident memory in MB."""
    start = time.time()
    process = subprocess.Popen([str(c) for c in command], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, err = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{command}: {err}")
    return out, {"process_s": time.time() - start, "memory_mb": usage.ru_maxrss / 1024}


def ours(binary, folder, epochs, pooling, width, hidden, out):
    """Trains milbench and returns a line."""
    command = [binary, "run", folder / "bags", "--labels", folder / "labels.csv", "--pooling", pooling, "--repeats", 1, "--folds", FOLDS,
               "--epochs", epochs, "--batch", 1, "--dropout", 0, "--width", width, "--embed", hidden, "--lr", 1e-3,
               "--weight-decay", 0.01, "--json", "--out", out]
    if pooling == "syn":
        command += ["--iterations", 3]
    table, line = run(command)
    fits = [json.loads(text) for text in open(out / "results.jsonl")]
    line["training_s"] = sum(f["wall_s"] for f in fits) / 2  # on two cores
    line["auc"] = json.loads(table)[0]["mean"]
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--only", choices=["64", "256", "growth"], nargs="+", default=["64", "256", "growth"], help="a width of the network beside PyTorch, or growth")
    parser.add_argument("--poolings", choices=["gated", "softmax", "syn"], nargs="+", default=["gated", "softmax", "syn"], help="of milbench, beside PyTorch")
    parser.add_argument("--slides", type=int, default=SLIDES)
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--torch", nargs="+", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.torch:
        folder, epochs, width, hidden, *more = args.torch
        device, *how = more or ["cpu"]
        return pytorch(pathlib.Path(folder), int(epochs), int(width), int(hidden), device, *how)
    if args.table:
        return table(args.table)
    if not args.out:
        parser.error("--out FILE or --table FILE is needed")
    with tempfile.TemporaryDirectory() as temporary:
        work, count = pathlib.Path(temporary), 0
        binary = work / "milbench"
        subprocess.run(["go", "build", "-o", binary, "./cmd/milbench"], cwd=ROOT, check=True)
        revision = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()

        def write(**line):
            line |= {"date": datetime.date.today().isoformat(), "revision": revision, "cpu": platform.processor() or platform.machine(), "load": os.getloadavg()[0]}
            with open(args.out, "a") as file:
                print(json.dumps(line), file=file, flush=True)
            print(line)

        make(work / "slides", args.slides, INSTANCES, FEATURES, 0.6)
        for turn in range(ROUNDS):
            for width, hidden in WIDTHS.items():
                if str(width) not in args.only:
                    continue
                out, line = run([sys.executable, __file__, "--torch", work / "slides", args.epochs, width, hidden])
                write(work="slides", slides=args.slides, epochs=args.epochs, side="pytorch", pooling="gated", width=width, round=turn, **line | json.loads(out))
                for pooling in args.poolings:
                    count += 1
                    write(work="slides", slides=args.slides, epochs=args.epochs, side="milbench", pooling=pooling, width=width, round=turn, **ours(binary, work / "slides", args.epochs, pooling, width, hidden, work / f"out{count}"))
        for slides, instances in GROWTH if "growth" in args.only else []:
            folder = work / f"growth-{slides}-{instances}"
            make(folder, slides, instances, 256, 0)
            for turn in range(ROUNDS):
                count += 1
                write(work="growth", slides=slides, instances=instances, round=turn, **ours(binary, folder, args.epochs, "gated", 64, 32, work / f"out{count}"))
            subprocess.run(["rm", "-r", folder], check=True)
    table(args.out)


def table(path):
    lines = [json.loads(text) for text in open(path)]

    def figures(chosen, key, digits=1):
        values = sorted(line[key] for line in chosen)
        return f"{statistics.median(values):.{digits}f} ({values[0]:.{digits}f}–{values[-1]:.{digits}f})"

    first = {"slides": SLIDES, "epochs": EPOCHS} | lines[0]
    print(f"{first['slides']} slides of {INSTANCES} x {FEATURES} on average, {FOLDS} folds, {first['epochs']} epochs, {lines[0]['date']}, revision {lines[0]['revision']}; medians of {ROUNDS} rounds, with minimum and maximum\n")
    print("| width | side | training, s | process, s | PyTorch time / time | memory, MB | AUC |\n|--:|:--|--:|--:|--:|--:|--:|")
    for width in WIDTHS:
        theirs = [line for line in lines if line["work"] == "slides" and line["width"] == width and line["side"] == "pytorch"]
        if not theirs:
            continue
        for side, pooling in [("pytorch", "gated"), ("milbench", "gated"), ("milbench", "softmax"), ("milbench", "syn")]:
            chosen = [line for line in lines if line["work"] == "slides" and (line["width"], line["side"], line["pooling"]) == (width, side, pooling)]
            if not chosen:
                continue
            ratio = statistics.median(t["process_s"] for t in theirs) / statistics.median(c["process_s"] for c in chosen)
            print(f"| {width} | {'PyTorch' if side == 'pytorch' else side}, {pooling} | {figures(chosen, 'training_s')} | {figures(chosen, 'process_s')} | "
                  f"{ratio:.2f} | {figures(chosen, 'memory_mb', 0)} | {figures(chosen, 'auc', 3)} |")
    if any(line["work"] == "growth" for line in lines):
        print("\n| slides | instances per slide | training, s | s per 100,000 instances | memory, MB |\n|--:|--:|--:|--:|--:|")
    for slides, instances in GROWTH:
        chosen = [line for line in lines if line["work"] == "growth" and (line["slides"], line["instances"]) == (slides, instances)]
        if not chosen:
            continue
        seconds = statistics.median(c["training_s"] for c in chosen)
        print(f"| {slides} | {instances} | {figures(chosen, 'training_s')} | {seconds / (slides * instances) * 1e5:.2f} | {figures(chosen, 'memory_mb', 0)} |")


if __name__ == "__main__":
    main()

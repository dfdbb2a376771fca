"""Three targets of the same bags of MNIST digits, each learnt by milbench and by plain PyTorch attention on the same folds.

    pip install -r requirements.txt
    python targets.py --data DIR --out targets.jsonl      # DIR holds t10k-images-idx3-ubyte.gz and t10k-labels-idx1-ubyte.gz
    python targets.py --table targets.jsonl

Bags have 8 to 12 test images. The targets are the largest digit that is there (six, seven, eight, nine: four classes), how many nines there are (a
number), and a time of survival with censoring whose logarithm falls with the share of ones. PyTorch is gated attention on one layer of 64, as
milbench's pooling gated, on pixels from 0 to 1, with the same epochs, rate and losses: cross-entropy, squared error on standardised targets, and Cox's partial
likelihood over all training bags, where milbench has hazards of eight intervals. Both are judged by milbench: folds, score, compare. "permuted" is milbench on
targets that are dealt anew: chance.
"""
import argparse
import csv
import datetime
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[4]
BAGS, FOLDS, REPEATS, EPOCHS, WIDTH, ATTENTION, LR = 300, 5, 2, 20, 64, 32, 1e-3
TARGETS = ["largest", "nines", "survival"]


def make(folder, data):
    """Writes the bags and a table of each target, and of it permuted."""
    images = np.frombuffer(gzip.open(data / "t10k-images-idx3-ubyte.gz").read(), np.uint8, offset=16).reshape(-1, 784).astype("f4") / 255
    digits = np.frombuffer(gzip.open(data / "t10k-labels-idx1-ubyte.gz").read(), np.uint8, offset=8)
    random = np.random.default_rng(1)
    (folder / "bags").mkdir()
    rows = {name: [] for name in TARGETS}
    for i in range(BAGS):
        largest, n = 6 + i % 4, random.integers(8, 13)
        drawn = random.integers(0, largest + 1, n)
        drawn[random.integers(0, n)] = largest
        nines = (random.random(n) < random.random() / 2) & (largest == 9)
        drawn[nines] = 9
        ones = random.random(n) < random.random() / 2
        ones[np.flatnonzero(drawn == largest)[0]] = False
        drawn[ones] = 1
        x = np.stack([images[random.choice(np.flatnonzero(digits == d))] for d in drawn])
        np.save(folder / "bags" / f"bag{i:03d}.npy", x)
        time, censored = random.exponential(10 * np.exp(-4 * (drawn == 1).mean())), random.exponential(15)
        rows["largest"].append([["six", "seven", "eight", "nine"][largest - 6]])
        rows["nines"].append([int((drawn == 9).sum())])
        rows["survival"].append([f"{min(time, censored):.4f}", int(time <= censored)])
    for name, targets in rows.items():
        for suffix, order in [("", range(BAGS)), ("-permuted", random.permutation(BAGS))]:
            with open(folder / f"{name}{suffix}.csv", "w") as file:
                print("bag," + ("time,event" if name == "survival" else "label"), file=file)
                for i in range(BAGS):
                    print(f"bag{i:03d}," + ",".join(map(str, targets[order[i]])), file=file)


def pytorch(folder, name, out):
    """Trains PyTorch on every fold of splits.csv and writes its predictions."""
    import torch
    from torch import nn

    torch.set_num_threads(1)

    class Gated(nn.Module):
        def __init__(self, features, outputs):
            super().__init__()
            self.first, self.v, self.u = nn.Linear(features, WIDTH), nn.Linear(WIDTH, ATTENTION), nn.Linear(WIDTH, ATTENTION)
            self.w, self.last = nn.Linear(ATTENTION, 1), nn.Linear(WIDTH, outputs)

        def forward(self, x):
            h = torch.relu(self.first(x))
            return self.last((torch.softmax(self.w(torch.tanh(self.v(h)) * torch.sigmoid(self.u(h))), 0) * h).sum(0))

    rows = list(csv.DictReader(open(folder / f"{name}-splits.csv")))
    bags = {r["bag"]: torch.from_numpy(np.load(folder / "bags" / f"{r['bag']}.npy")) for r in rows}
    words = [word for _, word in sorted({(int(r["class"]), r["label"]) for r in rows})] if name == "largest" else []
    with open(out, "w") as file:
        print("bag,repeat,fold," + {"largest": ",".join("score_" + w for w in words), "nines": "value", "survival": "risk"}[name], file=file)
        for repeat, fold in sorted({(r["repeat"], r["fold"]) for r in rows}):
            train = [r for r in rows if r["repeat"] == repeat and r["fold"] != fold]
            test = [r for r in rows if r["repeat"] == repeat and r["fold"] == fold]
            torch.manual_seed(int(repeat) * 100 + int(fold))
            net = Gated(784, max(len(words), 1))
            optimizer = torch.optim.AdamW(net.parameters(), lr=LR, weight_decay=1e-4)
            shift, scale = 0.0, 1.0
            if name == "nines":
                values = np.array([float(r["label"]) for r in train])
                shift, scale = values.mean(), values.std()
            order = np.random.default_rng(int(fold))
            if name == "survival":
                train.sort(key=lambda r: -float(r["time"]))
                events = torch.tensor([float(r["event"]) for r in train])
            for epoch in range(EPOCHS):
                if name == "survival":  # one step on all training bags, ten times an epoch
                    for _ in range(10):
                        optimizer.zero_grad()
                        eta = torch.cat([net(bags[r["bag"]]) for r in train])
                        (-((eta - torch.logcumsumexp(eta, 0)) * events).sum() / events.sum()).backward()
                        optimizer.step()
                    continue
                for i in order.permutation(len(train)):
                    r = train[i]
                    optimizer.zero_grad()
                    y = net(bags[r["bag"]])
                    if name == "largest":
                        loss = nn.functional.cross_entropy(y, torch.tensor(words.index(r["label"])))
                    else:
                        loss = ((y - (float(r["label"]) - shift) / scale) ** 2).sum()
                    loss.backward()
                    optimizer.step()
            with torch.no_grad():
                for r in test:
                    y = net(bags[r["bag"]]) * scale + shift
                    print(f"{r['bag']},{repeat},{fold}," + ",".join(f"{v:.6g}" for v in y.tolist()), file=file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", choices=TARGETS, default=TARGETS)
    args = parser.parse_args()
    if args.table:
        return table([json.loads(text) for text in open(args.table)])
    if not (args.data and args.out):
        parser.error("--data DIR and --out FILE, or --table FILE, are needed")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        binary = folder / "milbench"
        subprocess.run(["go", "build", "-o", binary, "./cmd/milbench"], cwd=ROOT, check=True)
        revision = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()

        def milbench(*arguments):
            done = subprocess.run([binary, *map(str, arguments)], capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"milbench {' '.join(map(str, arguments))}: {done.stderr}")
            return done.stdout

        make(folder, args.data)
        for name in args.only:
            numbers = ["--numbers"] if name == "nines" else []
            cut = ["--folds", FOLDS, "--repeats", REPEATS]
            net = ["--pooling", "gated", "--epochs", EPOCHS, "--width", WIDTH, "--embed", ATTENTION, "--batch", 1, "--dropout", 0, "--lr", LR, "--weight-decay", 1e-4, "--standardise=false"]

            def ours(labels, out):
                return json.loads(milbench("run", folder / "bags", "--labels", folder / f"{labels}.csv", *numbers, *cut, *net, "--json", "--out", out))[0]

            def write(side, row, **more):
                line = {"target": name, "side": side, "figure": row["figure"], "mean": row["mean"], "values": row["values"], "low": row["low"], "high": row["high"],
                        "figures": row["figures"], "n": row["n"], "date": datetime.date.today().isoformat(), "revision": revision, **more}
                with open(args.out, "a") as file:
                    print(json.dumps(line), file=file)
                print(side, name, row["figure"], round(row["mean"], 3), more, flush=True)

            results, scored = folder / f"{name}-results", folder / f"{name}-scored"
            write("milbench", ours(name, results))
            splits = folder / f"{name}-splits.csv"
            milbench("folds", folder / "bags", "--labels", folder / f"{name}.csv", *numbers, *cut, "--out", splits)
            pytorch(folder, name, folder / f"{name}-predictions.csv")
            milbench("score", folder / f"{name}-predictions.csv", "--folds", splits, "--name", "PyTorch", "--out", scored)
            difference = json.loads(milbench("compare", results, scored, "--with", "gated", "--json"))["sets"][0]
            write("PyTorch", json.loads(milbench("table", scored, "--json"))[0],
                  difference={key: difference[key] for key in ("difference", "low", "high", "p", "posterior", "verdict")})
            write("permuted", ours(name + "-permuted", folder / f"{name}-permuted"))
    table([json.loads(text) for text in open(args.out)])


def table(lines):
    print(f"{BAGS} bags, {REPEATS} repeats of {FOLDS} folds, {EPOCHS} epochs, {lines[0]['date']}, revision {lines[0]['revision']}\n")
    print("| target | figure | milbench | PyTorch | milbench minus PyTorch, 95 % | verdict | milbench, permuted, 95 % |\n|:--|:--|--:|--:|--:|:--|--:|")
    for name in TARGETS:
        of = {line["side"]: line for line in lines if line["target"] == name}
        if len(of) < 3:
            continue
        d, p = of["PyTorch"]["difference"], of["permuted"]
        print(f"| {name} | {of['milbench']['figure']} | {of['milbench']['mean']:.3f} | {of['PyTorch']['mean']:.3f} | {d['difference']:+.3f} ({d['low']:+.3f} to {d['high']:+.3f}) | "
              f"{d['verdict']} | {p['mean']:.3f} ({p['low']:.3f} to {p['high']:.3f}) |")


if __name__ == "__main__":
    main()

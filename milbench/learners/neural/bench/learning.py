"""How soon networks learn from large bags: held-out AUC of milbench's presets and of PyTorch's gated attention on generated slides.

    pip install -r requirements.txt
    python learning.py --out learning.jsonl          # writes a line per kind of slides and setting; about 20 minutes
    python learning.py --table learning.jsonl        # the table again

Slides are drawn from eight clusters of instances. In positive slides some instances are moved in a tenth of the features, or one
cluster is more frequent. Every side trains on the same four folds, with its own seeds; PyTorch standardises with the moments of
the training part, as milbench does. AUC is the mean over the folds of a drawing, then over drawings.
"""
import argparse
import csv
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np

from slides import ROOT, gated, run

KINDS = {  # of the positive slides: share of moved instances, and how far; slides, instances and features
    "many": (0.2, 1, 32, 1000, 128),
    "few": (0.02, 3, 32, 1000, 128),
    "rare": (0.005, 6, 32, 1000, 128),
    "cluster": (None, None, 32, 1000, 128),  # the first cluster is twice as frequent; clusters differ between slides, too
    "few of 12": (0.02, 6, 12, 2000, 512),  # as PyTorch needs a few epochs for
}
DRAWINGS, FOLDS = (1, 2, 3), 4
POOLINGS = ["gated", "syn", "softmax", "max"]
PRESETS = {"small": ["--preset", "small"], "large": ["--preset", "large"], "large, xavier": ["--preset", "large", "--init", "xavier"]}
RATE, CURVE = 3e-4, (1, 3, 6, 12)  # for gated attention beside PyTorch, epoch by epoch


def make(folder, kind, seed):
    share, distance, slides, instances, features = KINDS[kind]
    (folder / "bags").mkdir(parents=True)
    random = np.random.default_rng(seed)
    centres = random.normal(size=(8, features))
    moved = random.normal(size=features) * (random.random(features) < 0.1)
    with open(folder / "labels.csv", "w") as table:
        print("slide_id,label,patient", file=table)
        for i in range(slides):
            n, positive, clusters = int(instances * random.uniform(0.4, 1.6)), i % 2, np.ones(8)
            if share is None:
                clusters = random.dirichlet(np.full(8, 20))
                clusters[0] *= 1 + positive
            x = centres[random.choice(8, n, p=clusters / clusters.sum())] + random.normal(size=(n, features))
            if share is not None and positive:
                x[random.choice(n, max(1, int(n * share)), replace=False)] += moved * distance
            if kind == "few":
                x += 0.3 * random.normal(size=features)  # the stain of the slide
            np.save(folder / "bags" / f"slide{i:02d}.npy", x.astype("f4"))
            print(f"slide{i:02d},{positive},{i // 2 % FOLDS}", file=table)


def pytorch(folder, epochs):
    """Prints the held-out AUC of PyTorch's gated attention after each epoch, as a mean over folds."""
    import torch
    from sklearn.metrics import roc_auc_score
    from torch import nn

    torch.set_num_threads(2)
    rows = list(csv.DictReader(open(folder / "labels.csv")))
    labels, folds = np.array([int(r["label"]) for r in rows]), np.array([int(r["patient"]) for r in rows])
    bags = [torch.from_numpy(np.load(folder / "bags" / (r["slide_id"] + ".npy"))) for r in rows]

    curves = []
    for fold in range(FOLDS):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        together = torch.cat([bags[i] for i in train]).double()
        mean, factor = together.mean(0).float(), (1 / together.std(0, unbiased=False)).float()
        standardised = [(b - mean) * factor for b in bags]
        torch.manual_seed(fold)
        net = gated(len(mean), 64, 32)
        optimizer = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=0.01)
        loss, curve = nn.BCEWithLogitsLoss(), []
        for epoch in range(epochs):
            for i in np.random.default_rng(epoch).permutation(train):
                optimizer.zero_grad()
                loss(net(standardised[i]), torch.tensor([float(labels[i])])).backward()
                nn.utils.clip_grad_norm_(net.parameters(), 1)
                optimizer.step()
            with torch.no_grad():
                curve.append(roc_auc_score(labels[test], [net(standardised[i]).item() for i in test]))
        curves.append(curve)
    print(json.dumps([statistics.mean(at) for at in zip(*curves)]))


def ours(binary, folder, out, flags):
    """Returns the AUC of each of milbench's settings by its name."""
    text, _ = run([binary, "run", folder / "bags", "--labels", folder / "labels.csv", "--group", "patient", "--folds", FOLDS, "--repeats", 1,
                   "--json", "--out", out, *flags])
    return {row["setting"]: row["mean"] for row in json.loads(text)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--torch", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.torch:
        return pytorch(pathlib.Path(args.torch), max(CURVE))
    if args.table:
        return table(args.table)
    if not args.out:
        parser.error("--out FILE or --table FILE is needed")
    with tempfile.TemporaryDirectory() as temporary, open(args.out, "a") as lines:
        work = pathlib.Path(temporary)
        binary = work / "milbench"
        subprocess.run(["go", "build", "-o", binary, "./cmd/milbench"], cwd=ROOT, check=True)
        revision = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()

        def write(**line):
            print(json.dumps(line | {"revision": revision}), file=lines, flush=True)
            print(line)

        for kind in KINDS:
            for drawing in DRAWINGS:
                folder = work / f"{kind}-{drawing}"
                make(folder, kind, drawing)
                for preset, flags in PRESETS.items():
                    for setting, auc in ours(binary, folder, work / f"{folder.name}-{preset}", flags + ["--pooling", ",".join(POOLINGS), "--iterations", "3"]).items():
                        write(kind=kind, drawing=drawing, side=preset, pooling=setting.split()[0], auc=auc)
                out, _ = run([sys.executable, __file__, "--torch", folder])
                curve = json.loads(out)
                for init in ("xavier", "fan-in"):
                    found = ours(binary, folder, work / f"{folder.name}-{init}", ["--preset", "large", "--init", init, "--pooling", "gated", "--dropout", 0,
                                 "--lr", RATE, "--epochs", ",".join(map(str, CURVE))])
                    for setting, auc in found.items():
                        write(kind=kind, drawing=drawing, side=init, epochs=int(setting.split("epochs=")[1].split()[0]), auc=auc)
                for epochs in CURVE:
                    write(kind=kind, drawing=drawing, side="pytorch", epochs=epochs, auc=curve[epochs - 1])
    table(args.out)


def table(path):
    lines = [json.loads(text) for text in open(path)]

    def figure(kind, **wanted):
        some = [line["auc"] for line in lines if line["kind"] == kind and all(line.get(k) == v for k, v in wanted.items())]
        return f"{statistics.mean(some):.2f} ({min(some):.2f}–{max(some):.2f})" if some else ""

    def rows(title, columns):
        print(f"\n| {title} | " + " | ".join(KINDS) + " |\n|:--|" + "--:|" * len(KINDS))
        for name, wanted in columns:
            print(f"| {name} | " + " | ".join(figure(kind, **wanted) for kind in KINDS) + " |")

    rows("preset, pooling", [(f"{preset}, {pooling}", {"side": preset, "pooling": pooling}) for pooling in POOLINGS for preset in PRESETS])
    rows("gated attention, epochs", [(f"{side}, {epochs}", {"side": side, "epochs": epochs}) for epochs in CURVE for side in ("pytorch", "fan-in", "xavier")])


if __name__ == "__main__":
    main()

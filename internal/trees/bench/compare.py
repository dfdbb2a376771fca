"""Runs the benchmark: internal/trees and scikit-learn fit and predict with the same rows, in turn on the same two cores.

    pip install numpy scikit-learn
    python compare.py --out results.jsonl      # runs all sizes and prints the table
    python compare.py --table results.jsonl    # prints the table again

Both sides are told to use two workers. Times are of fitting and of predicting alone, without start, imports and reading.
Each round runs both sides of all sizes; a side fits and predicts several times and its least time counts, so that neither
warming up nor other load is charged to it. Test rows are as many as training rows.
"""
import argparse
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
SIZES = [(100, 500), (200, 700), (1000, 200), (5000, 50)]
TREES, REPEATS, WORKERS = 500, 3, 2


def data(rows, features):
    """Two classes that a tenth of the features tell apart in part; as many test rows as training rows."""
    rng = np.random.default_rng(rows)
    labels = np.arange(2 * rows) % 2
    x = rng.normal(size=(2 * rows, features)).astype(np.float32)
    x[:, : features // 10] += 0.4 * labels[:, None]
    return np.concatenate([labels[:, None].astype(np.float32), x], axis=1)


def scikit(path, rows, features, seed):
    from sklearn.ensemble import ExtraTreesClassifier
    from sklearn.metrics import roc_auc_score
    import sklearn

    table = np.fromfile(path, dtype=np.float32).reshape(-1, features + 1)
    x, y = np.ascontiguousarray(table[:, 1:]), table[:, 0].astype(int)
    line = {"fit": [], "predict": [], "auc": [], "scikit-learn": sklearn.__version__, "numpy": np.__version__}
    for repeat in range(REPEATS):
        start = time.perf_counter()
        model = ExtraTreesClassifier(TREES, n_jobs=WORKERS, random_state=seed + repeat).fit(x[:rows], y[:rows])
        line["fit"].append(time.perf_counter() - start)
        start = time.perf_counter()
        p = model.predict_proba(x[rows:])
        line["predict"].append(time.perf_counter() - start)
        line["auc"].append(float(roc_auc_score(y[rows:], p[:, 1])))
    line["nodes"] = int(sum(t.tree_.node_count for t in model.estimators_))
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", metavar="FILE", default="results.jsonl", help="where the lines go (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--table", metavar="FILE", help="print the table of these lines and run nothing")
    parser.add_argument("--scikit", nargs=4, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.scikit:
        path, *numbers = args.scikit
        return print(json.dumps(scikit(path, *map(int, numbers))))
    if args.table:
        return print(table([json.loads(line) for line in open(args.table)]))
    with tempfile.TemporaryDirectory() as folder, open(args.out, "w") as out:
        bench = os.path.join(folder, "bench")
        subprocess.run(["go", "build", "-o", bench, "."], cwd=HERE, check=True)
        out.write(json.dumps(machine()) + "\n")
        for round in range(args.rounds):
            for rows, features in SIZES:
                path = os.path.join(folder, "data")
                data(rows, features).tofile(path)
                for side, command in (
                    ("go", [bench, "-data", path, "-rows", str(rows), "-features", str(features), "-trees", str(TREES), "-repeats", str(REPEATS), "-workers", str(WORKERS), "-seed", str(round * REPEATS)]),
                    ("scikit-learn", [sys.executable, __file__, "--scikit", path, str(rows), str(features), str(round * REPEATS)]),
                ):
                    ran = subprocess.run(command, check=True, capture_output=True, text=True)
                    line = {"side": side, "round": round, "rows": rows, "features": features, **json.loads(ran.stdout)}
                    out.write(json.dumps(line) + "\n")
                    out.flush()
                    print(f"{round + 1}/{args.rounds} {rows} x {features} {side}: fit {min(line['fit']):.3f} s, predict {min(line['predict']):.3f} s", file=sys.stderr)
    print(table([json.loads(line) for line in open(args.out)]))


def machine():
    names = [line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    return {"machine": names[0] if names else platform.processor(), "cores": os.cpu_count(), "load": os.getloadavg()[0], "python": platform.python_version()}


def table(lines):
    """Markdown: medians over the rounds of the least times, and of the ratio of the two sides in each round; mean AUC with
    its standard error over seeds."""
    head, lines = lines[0], lines[1:]
    versions = {k: line[k] for line in lines for k in ("go", "scikit-learn", "numpy") if k in line}
    text = [f"{head['machine']}, {head['cores']} cores, load {head['load']:.1f} at the start, {versions['go']}, Python {head['python']}, "
            f"scikit-learn {versions['scikit-learn']}, numpy {versions['numpy']}; {TREES} trees, {WORKERS} workers, medians of {1 + max(l['round'] for l in lines)} rounds.", "",
            "| rows × features | fit, s | scikit-learn, s | faster by | predict, ms | scikit-learn, ms | faster by | AUC | scikit-learn |", "|:--|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for rows, features in SIZES:
        ours, theirs = ([l for l in lines if (l["side"], l["rows"], l["features"]) == (side, rows, features)] for side in ("go", "scikit-learn"))
        cells = [f"{rows} × {features}"]
        for what, scale, digits in (("fit", 1, 3), ("predict", 1e3, 1)):
            a, b = [min(l[what]) for l in ours], [min(l[what]) for l in theirs]
            cells += [f"{scale * statistics.median(a):.{digits}f}", f"{scale * statistics.median(b):.{digits}f}", f"{statistics.median(y / x for x, y in zip(a, b)):.1f}"]
        for side in (ours, theirs):
            aucs = [a for l in side for a in l["auc"]]
            cells.append(f"{statistics.mean(aucs):.3f} ± {statistics.stdev(aucs) / len(aucs) ** 0.5:.3f}")
        text.append("| " + " | ".join(cells) + " |")
    return "\n".join(text)


if __name__ == "__main__":
    main()

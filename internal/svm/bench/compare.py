"""Times internal/svm beside scikit-learn on the same problems, in turn in one run, and prints a table of the least times.

    pip install -r requirements.txt
    python compare.py

Machines get a matrix of the radial kernel of two blobs that overlap. Hyperplanes get 200 vectors of 2,000 features: normal
ones, and similarities exp(-|x - z|²/σ²) of bags to instances, as MILES has them. Both sides stop at the same tolerance. The
time is that of fit alone, the least of all rounds; CPU time is that of all threads, per
fit, which other work on the machine disturbs less. Every round runs both
sides of every problem.
"""
import argparse
import collections
import json
import pathlib
import platform
import subprocess
import tempfile
import time
import warnings

import numpy as np
import sklearn
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC, LinearSVC

HERE = pathlib.Path(__file__).resolve().parent


def blobs(rng, n, features, shift):
    y = np.arange(n) % 2
    return rng.normal(size=(n, features)) + shift * y[:, None], y


def problems(folder):
    """Writes the problems into folder and returns their list."""
    rng = np.random.default_rng(1)
    made = []

    def add(name, kind, x, y, cs, tolerance, repeats):
        file = f"{len(made)}.x"
        np.ascontiguousarray(x, "<f8").tofile(folder / file)
        for c in cs:
            made.append({"name": f"{name}, C = {c:g}", "kind": kind, "file": file, "n": x.shape[0], "columns": x.shape[1],
                         "labels": y.tolist(), "c": c, "tolerance": tolerance, "repeats": repeats})

    for n, repeats in ((100, 50), (200, 50), (1000, 5), (3000, 3)):
        x, y = blobs(rng, n, 10, 0.5)
        add(f"SVC, n = {n}", "svc", rbf_kernel(x, gamma=0.1), y, (1, 10), 1e-3, repeats)
    x, y = blobs(rng, 200, 2000, 0.1)
    instances, _ = blobs(rng, 2000, 10, 0)
    points, labels = blobs(rng, 200, 10, 0.5)
    similarities = np.stack([np.exp(-((p - instances) ** 2).sum(1) / 30) for p in points])
    for penalty in ("l2", "l1"):
        add(f"LinearSVC {penalty.upper()}, normal", penalty, x, y, (0.1, 1), 1e-4, 5)
        add(f"LinearSVC {penalty.upper()}, similarities", penalty, similarities, labels, (0.1, 1), 1e-4, 1 if penalty == "l2" else 5)
    (folder / "problems.json").write_text(json.dumps(made))
    return made


def peer(p, folder):
    """scikit-learn's line of p."""
    x = np.fromfile(folder / p["file"], "<f8").reshape(p["n"], p["columns"])
    y = np.array(p["labels"])
    seconds, warned, cpu = [], 0, time.process_time()
    for _ in range(p["repeats"]):
        if p["kind"] == "svc":
            model = SVC(kernel="precomputed", C=p["c"], tol=p["tolerance"])
        else:
            model = LinearSVC(penalty=p["kind"], dual=p["kind"] == "l2", C=p["c"], tol=p["tolerance"], max_iter=100_000, random_state=0)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            start = time.perf_counter()
            model.fit(x, y)
            seconds.append(time.perf_counter() - start)
        warned = max(warned, len(caught))
    cpu = (time.process_time() - cpu) / p["repeats"]
    return {"name": p["name"], "seconds": seconds, "cpu": cpu, "iterations": int(np.max(model.n_iter_)), "decisions": model.decision_function(x), "warned": warned}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        made = problems(folder)
        subprocess.run(["go", "build", "-o", folder / "bench", "."], cwd=HERE, check=True)
        times, last = collections.defaultdict(list), {}
        for _ in range(args.rounds):
            for p in made:
                out = subprocess.run([folder / "bench", "-problems", folder, "-only", p["name"]], check=True, capture_output=True, text=True).stdout
                for side, l in (("go", json.loads(out)), ("peer", peer(p, folder))):
                    times[p["name"], side, "seconds"] += l["seconds"]
                    times[p["name"], side, "cpu"].append(l["cpu"])
                    last[p["name"], side] = l
    version = subprocess.run(["go", "env", "GOVERSION"], check=True, capture_output=True, text=True).stdout.strip()
    print(f"{platform.machine()}, {version}, scikit-learn {sklearn.__version__}, NumPy {np.__version__}, Python {platform.python_version()}\n")
    print("| problem | Go, ms | scikit-learn, ms | scikit-learn over Go | CPU: Go, ms | scikit-learn, ms | scikit-learn over Go | iterations, Go | scikit-learn | decisions differ by at most |")
    print("|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for p in made:
        go, other = (last[p["name"], side] for side in ("go", "peer"))
        wall, cpu = ([1e3 * min(times[p["name"], side, kind]) for side in ("go", "peer")] for kind in ("seconds", "cpu"))
        apart = np.abs(np.array(go["decisions"]) - other["decisions"]).max()
        note = " (not converged)" if other["warned"] else ""
        print(f"| {p['name']} | {wall[0]:.2f} | {wall[1]:.2f} | {wall[1] / wall[0]:.1f} | {cpu[0]:.2f} | {cpu[1]:.2f} | {cpu[1] / cpu[0]:.1f} | {go['iterations']} | {other['iterations']}{note} | {apart:.1g} |")


if __name__ == "__main__":
    main()

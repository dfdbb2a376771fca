"""Writes audit_reference.json: what an audit of the files in a folder has to find, by brute force in NumPy.

    python audit_reference.py FOLDER > audit_reference.json
"""

import json
import pathlib
import sys

import numpy as np
import scipy
import scipy.io


def dense(a):
    return np.asarray(a.todense() if scipy.sparse.issparse(a) else a, dtype=float)


def read(path):
    """The instance matrices and the labels of the bags."""
    if path.suffix == ".data":
        rows = [line.rstrip(".\n").split(",") for line in path.open() if line.strip()]
        names = list(dict.fromkeys(r[0] for r in rows))
        bags = [np.array([[float(v) for v in r[2:168]] for r in rows if r[0] == n]) for n in names]
        labels = [next(float(r[168]) for r in rows if r[0] == n) for n in names]
    else:
        m = scipy.io.loadmat(path)
        if "data" in m:
            bags = [dense(c) for c in m["data"][:, 0]]
            labels = [float(dense(c).ravel()[0]) for c in m["data"][:, 1]]
        else:
            ids, y, x = (dense(m[k]) for k in ("bag_ids", "labels", "features"))
            ids, y = ids.ravel(), y.ravel()
            names = list(dict.fromkeys(ids))
            bags = [x[ids == n] for n in names]
            labels = [y[ids == n][0] for n in names]
    return bags, np.array(labels) > 0


def wrong(statistic, positive):
    """Per column, the bags that the best threshold in either direction gets wrong: every threshold is tried."""
    best = np.full(statistic.shape[1], len(positive))
    for t in range(len(positive)):
        above = statistic >= statistic[t]
        n = (above != positive[:, None]).sum(0)
        best = np.minimum(best, np.minimum(n, len(positive) - n))
    return best


def audit(path):
    bags, positive = read(path)
    everything = np.vstack(bags)
    least = np.minimum.reduce([
        wrong(np.array([f(b) for b in bags]), positive)
        for f in (lambda b: b.max(0), lambda b: b.min(0), lambda b: b.mean(0), lambda b: (b != 0).any(0))
    ])
    last_leaks = bool(least[-1] <= 2)
    kept = slice(None, -1) if last_leaks else slice(None)
    owners = {}
    for i, b in enumerate(bags):
        for row in b[:, kept]:
            owners.setdefault(row.tobytes(), set()).add(i)
    sizes = [len(b) for b in bags]
    return {
        "bags": len(bags),
        "positive": int(positive.sum()),
        "instances": len(everything),
        "features": everything.shape[1],
        "constant": int((everything.max(0) == everything.min(0)).sum()),
        "nonzero": int((everything != 0).sum()),
        "bag_size": {"min": min(sizes), "median": float(np.median(sizes)), "max": max(sizes)},
        "shared": sum(len(o) > 1 for o in owners.values()),
        "last_wrong": int(least[-1]),
        "others_wrong": int(least[:-1].min()),
    }


folder = pathlib.Path(sys.argv[1])
files = sorted(p for p in folder.iterdir() if p.suffix in (".mat", ".data"))
json.dump(
    {
        "made_by": f"audit_reference.py, SciPy {scipy.__version__}, NumPy {np.__version__}",
        "files": {p.name: audit(p) for p in files},
    },
    sys.stdout, indent=1, sort_keys=True,
)
print()

"""Writes transport.json, the reference distances of package transport.

Reference: ot.emd2 and ot.emd of POT on costs computed by scipy's cdist.
Run: python transport.py (needs numpy, scipy, POT).
"""

import json
import pathlib

import numpy as np
import ot
from scipy.spatial.distance import cdist

rng = np.random.default_rng(20260701)
METRICS = {"Euclidean": "euclidean", "city-block": "cityblock"}


def points(kind, n, m, d):
    """Two bags; normal, of duplicates, on a coarse grid (ties), or one inside the other (zero costs)."""
    if kind == "normal":
        return rng.normal(size=(n, d)), rng.normal(size=(m, d)) + 0.3
    if kind == "duplicates":
        pool = rng.normal(size=(3, d))
        return pool[rng.integers(0, 3, n)], pool[rng.integers(0, 3, m)]
    if kind == "grid":
        return rng.integers(0, 3, (n, d)).astype(float), rng.integers(0, 3, (m, d)).astype(float)
    pool = rng.normal(size=(max(n, m), d))
    return pool[:n], pool[rng.permutation(max(n, m))[:m]]


def weights(kind, n):
    """None for uniform ones; random ones, some of them 0."""
    if kind == "uniform":
        return None
    w = rng.random(n)
    if kind == "zeros":
        w *= rng.random(n) < 0.6
        w[rng.integers(n)] += 0.5
    return w / w.sum()


cases = []
SIZES = [(1, 1), (1, 6), (5, 1), (2, 2), (3, 2), (4, 4), (7, 7), (6, 9), (12, 8), (20, 20), (30, 17)]
for kind in ["normal", "duplicates", "grid", "inside"]:
    for n, m in SIZES:
        for metric in METRICS:
            for weighting in ["uniform", "random", "zeros"]:
                x, y = (np.round(p, 4) for p in points(kind, n, m, 3))
                a, b = weights(weighting, n), weights(weighting, m)
                cost = cdist(x, y, METRICS[metric])
                value = ot.emd2(
                    ot.unif(n) if a is None else a, ot.unif(m) if b is None else b, cost, numItermax=10_000_000
                )
                cases.append({
                    "name": f"{kind} {n}x{m} {metric} {weighting}", "metric": metric, "features": x.shape[1],
                    "x": x.ravel().tolist(), "y": y.ravel().tolist(),
                    "a": None if a is None else a.tolist(), "b": None if b is None else b.tolist(), "distance": float(value),
                })

# Larger ones, with costs that both sides compute from a formula: (i*p + j*q + i*j) mod r.
formulas = []
for n, m, p, q, r in [(100, 100, 7, 13, 101), (100, 63, 31, 17, 1009), (200, 200, 3, 5, 7), (150, 301, 91, 57, 8191), (400, 400, 11, 29, 65537)]:
    i, j = np.arange(n)[:, None], np.arange(m)[None, :]
    cost = ((i * p + j * q + i * j) % r).astype(float)
    for weighted in [False, True]:
        a = np.arange(1, n + 1) if weighted else np.ones(n)
        b = 1 + (np.arange(m) * 5) % 11 if weighted else np.ones(m)
        value = ot.emd2(a / a.sum(), b / b.sum(), cost, numItermax=10_000_000)
        formulas.append({"n": n, "m": m, "p": p, "q": q, "r": r, "weighted": weighted, "distance": float(value)})

out = {"versions": {"numpy": np.__version__, "POT": ot.__version__}, "cases": cases, "formulas": formulas}
path = pathlib.Path(__file__).with_suffix(".json")
path.write_text(json.dumps(out) + "\n")
print(len(cases), "cases,", len(formulas), "formulas,", path.stat().st_size, "bytes")

"""Writes shares.json, the reference values of the tests of Kendall's tau-b and of the interval of Clopper and Pearson.

Reference: scipy.stats.kendalltau (variant b) and scipy.stats.binomtest.
Run: python shares.py (needs numpy and scipy).
"""

import json
import pathlib

import numpy as np
import scipy
from scipy import stats

rng = np.random.default_rng(19380601)


def tau(name, x, y):
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    return {"name": name, "x": x.tolist(), "y": y.tolist(), "tau": float(stats.kendalltau(x, y, variant="b").statistic)}


def share(k, n):
    interval = stats.binomtest(k, n).proportion_ci(0.95, method="exact")
    return {"k": k, "n": n, "low": float(interval.low), "high": float(interval.high)}


x = rng.normal(size=13)
cases = {
    "scipy": scipy.__version__,
    "kendall": [
        tau("no ties", x, x + rng.normal(size=13)),
        tau("ties in x", np.round(x), x + rng.normal(size=13)),
        tau("ties in both", rng.integers(0, 4, size=41), rng.integers(0, 3, size=41)),
        tau("opposite", np.arange(7), -np.arange(7)),
    ],
    "shares": [share(k, n) for k, n in [(0, 7), (7, 7), (6, 7), (12, 15), (8, 15), (1, 1), (50, 100)]],
}
pathlib.Path(__file__).with_name("shares.json").write_text(json.dumps(cases, indent=1) + "\n")

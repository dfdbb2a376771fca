"""Writes bootstrap.json, the reference values of the tests of the bootstrap and of thresholds at a specificity.

Reference: scipy.stats.bootstrap with method "percentile"; of units of several items, the same on the sum and the number of items of each
unit, whose ratio is the mean of the items; and roc_curve of scikit-learn for thresholds. Draws of both sides differ, so bounds agree up to
the error of DRAWS draws: se has the standard deviation of each bound over 10 other seeds, at a tenth of the draws.
Run: python bootstrap.py (needs numpy, scipy and scikit-learn; takes some minutes).
"""

import json
import pathlib

import numpy as np
import scipy
import sklearn
from scipy import stats
from sklearn.metrics import roc_auc_score, roc_curve

DRAWS = 40000
rng = np.random.default_rng(19790101)


def bounds(data, statistic, draws, seed, level=0.95, **more):
    interval = stats.bootstrap(data, statistic, n_resamples=draws, confidence_level=level, method="percentile", rng=np.random.default_rng(seed), **more)
    return [float(interval.confidence_interval.low), float(interval.confidence_interval.high)]


def case(name, figure, data, statistic, level=0.95, **more):
    others = np.array([bounds(data, statistic, DRAWS // 10, 100 + s, level, **more) for s in range(10)])
    low, high = bounds(data, statistic, DRAWS, 1, level, **more)
    return {"name": name, "figure": figure, "level": level, "draws": DRAWS, "low": low, "high": high, "se": float(others.std(axis=0).max() / np.sqrt(10))}


def auc(y, s):
    return roc_auc_score(y, s) if 0 < y.sum() < len(y) else np.nan


cases = []
x = rng.gamma(2, size=23)
cases.append(case("mean", "mean", (x,), np.mean, axis=-1) | {"values": x.tolist()})
cases.append(case("mean at 80 %", "mean", (x,), np.mean, 0.8, axis=-1) | {"values": x.tolist()})
y = (rng.random(31) < 0.4).astype(int)
s = np.round(rng.normal(size=31) + y, 1)
cases.append(case("AUC with ties", "auc", (y, s), auc, paired=True, vectorized=False) | {"labels": y.tolist(), "values": s.tolist()})
sizes = rng.integers(1, 6, size=17)
units = [rng.normal(rng.normal(), 0.3, size=n) for n in sizes]
sums = np.array([u.sum() for u in units])
cases.append(case("mean of groups", "mean", (sums, sizes.astype(float)), lambda a, n, axis=-1: a.sum(axis=axis) / n.sum(axis=axis), paired=True)
             | {"values": np.concatenate(units).tolist(), "groups": np.repeat(np.arange(17), sizes).tolist()})

thresholds = []
for name, n, digits in [("no ties", 40, 6), ("ties", 53, 0), ("few", 7, 1)]:
    y = (rng.random(n) < 0.5).astype(int)
    y[:2] = [0, 1]
    s = np.round(2 * rng.normal(size=n) + y, digits)
    false, true, _ = roc_curve(y, s, drop_intermediate=False)
    for wanted in [0.5, 0.8, 0.9, 0.95, 1.0]:
        at = np.flatnonzero(1 - false >= wanted - 1e-12)
        best = max(at)  # the lowest threshold that still has the wanted specificity
        thresholds.append({"name": f"{name} at {wanted}", "labels": y.tolist(), "scores": s.tolist(), "wanted": wanted,
                           "sensitivity": float(true[best]), "specificity": float(1 - false[best])})

quantiles = [{"values": v.tolist(), "q": q, "quantile": float(np.percentile(v, 100 * q))}
             for v in [np.sort(rng.normal(size=n)) for n in (1, 2, 5, 40)] for q in (0, 0.025, 0.5, 0.975, 1)]
text = json.dumps({"scipy": scipy.__version__, "sklearn": sklearn.__version__, "bootstrap": cases, "thresholds": thresholds, "quantiles": quantiles}, indent=1)
pathlib.Path(__file__).with_name("bootstrap.json").write_text(text + "\n")

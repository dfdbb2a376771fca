"""Writes rocband.json, the reference figures of vertically averaged ROC curves.

Reference: scikit-learn for the curves and AUCs of folds (all corners kept), NumPy's interpolation for the rate at a
false positive rate, SciPy for Student's interval of the mean, cut at 0 and 1. NumPy takes the last of equal places: the
top of a vertical rise. Run: python rocband.py (needs numpy, scipy, scikit-learn).
"""

import json
import pathlib

import numpy as np
from scipy import stats
from sklearn import metrics

rng = np.random.default_rng(1954)
places = np.arange(101) / 100


def interval(values):
    """Mean and the ends of its 95 % confidence interval, along the first axis."""
    n = len(values)
    mean = values.mean(axis=0)
    half = stats.t.ppf(0.975, n - 1) * values.std(axis=0, ddof=1) / np.sqrt(n)
    return mean, mean - half, mean + half


def case(name, labels, scores):
    rates, aucs = [], []
    for y, s in zip(labels, scores):
        fpr, tpr, _ = metrics.roc_curve(y, s, drop_intermediate=False)
        # A quotient such as 3/10 may be one unit in the last place off 0.3: places are met within 1e-12.
        fpr = np.round(fpr, 12)
        rates.append(np.interp(np.round(places, 12), fpr, tpr))
        aucs.append(metrics.roc_auc_score(y, s))
    mean, low, high = interval(np.array(rates))
    auc, _, auc_high = interval(np.array(aucs))
    return {
        "name": name,
        "labels": [np.asarray(y).tolist() for y in labels],
        "scores": [np.asarray(s).tolist() for s in scores],
        "x": places.tolist(),
        "mean": mean.tolist(),
        "low": np.clip(low, 0, 1).tolist(),
        "high": np.clip(high, 0, 1).tolist(),
        "auc": float(auc),
        "auchalf": float(auc_high - auc),
    }


def random_case(name, folds, sizes, apart, digits):
    labels, scores = [], []
    for _ in range(folds):
        negatives, positives = sizes
        y = rng.permutation(np.r_[np.zeros(negatives, int), np.ones(positives, int)])
        labels.append(y)
        scores.append(np.round(apart * y + rng.standard_normal(len(y)), digits))
    return case(name, labels, scores)


cases = [
    random_case("ten folds", 10, (30, 25), 1.2, 9),
    random_case("ties", 5, (10, 20), 1.0, 0),
    random_case("tiny folds", 10, (4, 5), 0.8, 9),
    random_case("rates on the places", 4, (50, 20), 1.5, 1),
    random_case("thirds", 3, (3, 7), 0.5, 1),
    case("perfect and reversed", [[0, 1], [0, 1]], [[0.0, 1.0], [1.0, 0.0]]),
]
path = pathlib.Path(__file__).with_suffix(".json")
path.write_text("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")

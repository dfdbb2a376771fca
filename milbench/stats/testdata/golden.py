"""Writes golden.json, the reference figures of package stats.

Reference: scikit-learn for AUC, average precision, accuracies and log-loss, SciPy for the t interval, NumPy for the
standard deviation; DeLong's standard error has no function there and is computed in float64 from its definition, over
all pairs of a positive and a negative. Run: python golden.py (needs numpy, scipy, scikit-learn).
"""

import json
import pathlib
import warnings

import numpy as np
import scipy
import sklearn
from scipy import special, stats
from sklearn import metrics

rng = np.random.default_rng(20240229)


def delong(labels, scores):
    """AUC and standard error from the structural components of all pairs."""
    positive, negative = scores[labels == 1], scores[labels == 0]
    above = (positive[:, None] > negative[None, :]) + 0.5 * (positive[:, None] == negative[None, :])
    v10, v01 = above.mean(axis=1), above.mean(axis=0)
    return above.mean(), np.sqrt(v10.var(ddof=1) / len(v10) + v01.var(ddof=1) / len(v01))


def scores_case(name, labels, scores):
    labels, scores = np.asarray(labels), np.asarray(scores, dtype=np.float64)
    case = {"name": name, "labels": labels.tolist(), "scores": scores.tolist()}
    called = (scores > 0).astype(int)
    case["accuracy"] = metrics.accuracy_score(labels, called)
    # Of logits far from 0 a probability is rounded to 1: the loss of such cases is computed in the log domain.
    case["log_loss"] = float(np.logaddexp(0, np.where(labels == 1, -scores, scores)).mean())
    if np.abs(scores).max() < 30:
        by_sklearn = metrics.log_loss(labels, special.expit(scores), labels=[0, 1])
        assert abs(by_sklearn - case["log_loss"]) < 1e-9 * max(1, by_sklearn), (by_sklearn, case["log_loss"])
    if labels.any():
        case["average_precision"] = metrics.average_precision_score(labels, scores)
    if labels.any() and not labels.all():
        case["auc"] = metrics.roc_auc_score(labels, scores)
        case["balanced_accuracy"] = metrics.balanced_accuracy_score(labels, called)
        if 2 <= labels.sum() <= len(labels) - 2:
            auc, se = delong(labels, scores)
            assert abs(auc - case["auc"]) < 1e-12
            case["delong_se"] = float(se)
    return case


def mixed(n, shift, digits=None):
    labels = (rng.random(n) < 0.45).astype(int)
    labels[:2], labels[-2:] = 1, 0
    scores = rng.normal(size=n) + shift * labels
    return labels, scores if digits is None else np.round(scores, digits)


def values_case(name, values, level):
    values = np.asarray(values, dtype=np.float64)
    low, high = stats.t.interval(level, len(values) - 1, loc=values.mean(), scale=stats.sem(values))
    return {"name": name, "values": values.tolist(), "level": level, "mean": values.mean(), "sd": values.std(ddof=1),
            "low": float(low), "high": float(high)}


warnings.simplefilter("error")
golden = {
    "versions": {"numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__},
    "scores": [
        scores_case("random", *mixed(60, 0.0)),
        scores_case("shifted", *mixed(92, 1.5)),
        scores_case("many ties", *mixed(80, 1.0, 0)),
        scores_case("some ties", *mixed(120, 0.7, 1)),
        scores_case("reversed", *mixed(40, -2.0)),
        scores_case("perfect", [0, 0, 0, 1, 1], [-3, -2, -1, 1, 2]),
        scores_case("all equal", [0, 1, 0, 1, 1], [0.25] * 5),
        scores_case("all zero", [0, 1, 0, 1, 1], [0] * 5),
        scores_case("one positive", [0, 0, 1, 0], [0.1, -0.2, 0.05, -1]),
        scores_case("one negative", [1, 1, 0, 1], [0.1, -0.2, 0.05, -1]),
        scores_case("two bags", [0, 1], [2, -2]),
        scores_case("positives alone", [1, 1, 1], [0.5, -0.5, 3]),
        scores_case("far logits", [0, 1, 1, 0], [800, -900, 1000, -1e5]),
        scores_case("tiny differences", [0, 1, 0, 1], [1, 1 + 2**-52, 1 - 2**-53, 1]),
    ],
    "values": [
        values_case("two", [0.9, 0.92], 0.95),
        values_case("five", rng.normal(0.9, 0.02, 5), 0.95),
        values_case("thirty", rng.normal(0.7, 0.1, 30), 0.99),
        values_case("wide", [-1e6, 3.0, 1e6], 0.5),
    ],
}
path = pathlib.Path(__file__).with_name("golden.json")
path.write_text(json.dumps(golden, indent=1) + "\n")
print("wrote", path.name)

"""Writes golden.json, the reference values of the tests of package localise.

Reference: AUC, average precision and Dice (the F1 score) are scikit-learn's. Otsu's threshold is the split of the distinct scores
with the largest variance between its parts, by np.var of the parts. Lesions are the components of scipy.ndimage.label on the grid,
with corners. FROC counts thresholds one by one, as Evaluation_FROC.py of CAMELYON16 does, and reads the curve with np.interp; unlike
that program it keeps the lowest score.
Run: python golden.py (needs numpy, scipy and scikit-learn).
"""

import json
import pathlib

import numpy as np
import scipy
import sklearn
from scipy import ndimage
from sklearn import metrics

rng = np.random.default_rng(20161117)
SIDE = 256
RATES = [0.25, 0.5, 1, 2, 4, 8]


def bag(rows, columns, blobs, tissue=0.8):
    """A grid of tiles in an order of their own, some of them missing, with square blobs of positive ones."""
    there = rng.random((rows, columns)) < tissue
    there[0, 0] = there[rows - 1, columns - 1] = True
    positive = np.zeros((rows, columns), bool)
    for _ in range(blobs):
        r, c, size = rng.integers(rows), rng.integers(columns), rng.integers(1, 4)
        positive[r : r + size, c : c + size] = True
    positive &= there
    lesions, count = ndimage.label(positive, np.ones((3, 3)))
    order = rng.permutation(np.flatnonzero(there.ravel()))
    return {
        "places": [[int(SIDE * (i % columns)), int(SIDE * (i // columns))] for i in order],
        "labels": positive.ravel()[order].astype(int).tolist(),
        "lesion": lesions.ravel()[order].tolist(),
        "lesions": int(count),
    }


def otsu(labels, scores):
    """Dice above the best threshold; of equal ones, the largest."""
    best, dice = 0.0, 0.0
    for low in np.unique(scores)[-2::-1]:
        high = scores > low
        w = high.mean()
        between = scores.var() - w * scores[high].var() - (1 - w) * scores[~high].var()
        if between > best * (1 + 1e-9):
            best, dice = between, metrics.f1_score(labels, high)
    return float(dice)


def froc(bags):
    false = np.concatenate([np.asarray(b["scores"])[np.asarray(b["labels"]) == 0] for b in bags])
    true = [max(np.asarray(b["scores"])[np.asarray(b["lesion"]) == k]) for b in bags for k in range(1, b["lesions"] + 1)]
    fps, tps = [], []
    for threshold in sorted(set(false) | set(true)):
        fps.append((false >= threshold).sum() / len(bags))
        tps.append((np.asarray(true) >= threshold).sum() / len(true))
    fps.append(0)
    tps.append(0)
    return np.interp(RATES, fps[::-1], tps[::-1]).tolist()


def figures(labels, scores):
    labels, scores = np.asarray(labels), np.asarray(scores)
    return {
        "auc": float(metrics.roc_auc_score(labels, scores)),
        "ap": float(metrics.average_precision_score(labels, scores)),
        "dice": otsu(labels, scores),
    }


def case(name, bags, score):
    for b in bags:
        b["scores"] = np.asarray(score(np.asarray(b["labels"])), np.float64).tolist()
        b["figures"] = figures(b["labels"], b["scores"]) if 0 < sum(b["labels"]) < len(b["labels"]) else None
    pooled = figures(sum((b["labels"] for b in bags), []), sum((b["scores"] for b in bags), []))
    rates = froc(bags)
    return {"name": name, "bags": bags, "pooled": pooled, "froc": rates, "mean": float(np.mean(rates))}


def bags(n, rows, columns):
    return [bag(rows, columns, int(k % 3 > 0) * int(rng.integers(1, 5))) for k in range(n)]


def weights(y):
    w = np.exp(2 * y + rng.normal(size=len(y)))
    return w / w.sum()


cases = [
    case("clear", bags(6, 9, 7), lambda y: 3 * y + rng.normal(size=len(y))),
    case("weak", bags(9, 8, 12), lambda y: y + rng.normal(size=len(y))),
    case("ties", bags(9, 8, 12), lambda y: np.round(y + rng.normal(size=len(y)))),
    case("two values", bags(7, 5, 5), lambda y: (y + rng.normal(size=len(y)) > 0.7).astype(int)),
    case("weights", bags(12, 10, 10), weights),
    case("far from 0", bags(6, 9, 7), lambda y: 1e6 + 2 * y + rng.normal(size=len(y))),
    case("equal", bags(4, 6, 6), np.zeros_like),
    case("perfect", bags(6, 6, 6), lambda y: y),
    case("wrong", bags(6, 6, 6), lambda y: -y),
    case("one bag", [bag(12, 12, 6)], lambda y: y + rng.normal(size=len(y))),
]
text = {"scikit-learn": sklearn.__version__, "scipy": scipy.__version__, "numpy": np.__version__, "side": SIDE, "cases": cases}
pathlib.Path(__file__).with_name("golden.json").write_text(json.dumps(text) + "\n")

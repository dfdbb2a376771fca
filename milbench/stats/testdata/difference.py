"""Writes difference.json, the reference of DeLongDifference.

Reference: DeLong et al. 1988 with the covariance matrices S10 and S01 of the structural components of all methods and repeats, from
all pairs of a positive and a negative; the difference is a contrast L of the AUCs, its variance L (S10/m + S01/n) L'. The package
averages differences of placements instead. Run: python difference.py (needs numpy).
"""

import json
import pathlib

import numpy as np

rng = np.random.default_rng(20261125)


def case(name, labels, a, b):
    labels, a, b = np.asarray(labels), np.asarray(a, float), np.asarray(b, float)
    columns = np.vstack([a, b])
    positive, negative = columns[:, labels == 1], columns[:, labels == 0]
    above = (positive[:, :, None] > negative[:, None, :]) + 0.5 * (positive[:, :, None] == negative[:, None, :])
    v10, v01 = above.mean(axis=2), above.mean(axis=1)
    contrast = np.r_[np.full(len(a), 1 / len(a)), np.full(len(b), -1 / len(b))]
    covariance = np.cov(v10) / v10.shape[1] + np.cov(v01) / v01.shape[1]
    return {"name": name, "labels": labels.tolist(), "a": a.tolist(), "b": b.tolist(),
            "difference": float(contrast @ above.mean(axis=(1, 2))), "se": float(np.sqrt(max(0, contrast @ covariance @ contrast)))}


def drawn(name, n, repeats, digits):
    labels = np.r_[[0, 0, 1, 1], rng.integers(0, 2, n - 4)]
    shared = rng.normal(size=n) + labels
    a = np.round(shared + 0.5 * rng.normal(size=(repeats, n)), digits)
    b = np.round(shared + 1.5 * rng.normal(size=(repeats + 1, n)), digits)
    return case(name, labels, a, b)


golden = [
    drawn("one repeat and two", 60, 1, 6),
    drawn("ties", 45, 2, 0),
    drawn("four bags", 4, 3, 3),
    case("the same", [0, 0, 1, 1], [[1, 2, 3, 4]], [[1, 2, 3, 4]]),
]
path = pathlib.Path(__file__).with_name("difference.json")
path.write_text(json.dumps(golden, indent=1) + "\n")
print("wrote", path.name)

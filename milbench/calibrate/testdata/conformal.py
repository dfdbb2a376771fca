"""Writes conformal.json, the reference values of conformal sets and intervals.

References: ConformalClassifier of crepes, fitted for each class alone, for p-values of single bags; SplitConformalRegressor of MAPIE for
intervals; for groups, the definition of Lee, Barber and Willett in exact fractions.
Run: python conformal.py (needs numpy, crepes, mapie).
"""

import fractions
import importlib.metadata
import json
import pathlib

import numpy as np
from crepes import ConformalClassifier
from mapie.regression import SplitConformalRegressor
from sklearn.base import BaseEstimator, RegressorMixin

rng = np.random.default_rng(20270214)


def margins(z, k):
    """How far the best other class is ahead of class k; for one score z the scores are 0 and z."""
    z = np.column_stack([np.zeros(len(z)), z[:, 0]]) if z.shape[1] == 1 else z
    return np.delete(z, k, axis=1).max(axis=1) - z[:, k]


def by_crepes(classes, labels, scores, probes):
    p = np.empty((len(probes), classes))
    for k in range(classes):
        fitted = ConformalClassifier().fit(margins(scores[labels == k], k))
        p[:, k] = fitted.predict_p(margins(probes, k)[:, None], smoothing=False)[:, 0]
    return p


def by_definition(calibration, groups, score):
    """The p-value of a score, and its groups: Fraction sums over groups of the share of scores that are as large."""
    names = sorted(set(groups))
    total = fractions.Fraction(1)
    for g in names:
        own = [s for s, of in zip(calibration, groups) if of == g]
        total += fractions.Fraction(sum(s >= score for s in own), len(own))
    return total / (len(names) + 1)


def grouped_p(classes, labels, scores, groups, probes):
    return [[float(by_definition(margins(scores[labels == k], k), groups[labels == k], s)) for s in margins(probes, k)]
            for k in range(classes)]


class Given(RegressorMixin, BaseEstimator):
    """A model whose features are its predictions."""

    def fit(self, x, y):
        self.is_fitted = True
        return self

    def predict(self, x):
        return x[:, 0]


def half_width(level, targets, predictions):
    model = Given().fit(None, None)
    fitted = SplitConformalRegressor(model, confidence_level=level, prefit=True).conformalize(predictions[:, None], targets)
    _, interval = fitted.predict_interval(np.zeros((1, 1)))
    return float(interval[0, 1, 0])


def grouped_half_width(level, targets, predictions, groups):
    errors = np.abs(targets - predictions)
    alpha = 1 - fractions.Fraction(level).limit_denominator(1000)
    return float(max(e for e in errors if by_definition(errors, groups, e) > alpha))


def sets(name, classes, n, digits, sizes=(1,)):
    labels = np.concatenate([np.arange(classes), rng.integers(classes, size=n - classes)])
    width = 1 if classes == 2 else classes
    def draw(m, y):
        z = rng.normal(size=(m, width))
        z[np.arange(m), 0 if width == 1 else y] += y if width == 1 else 1.0
        return z.round(digits)
    scores, probes = draw(n, labels), draw(25, rng.integers(classes, size=25))
    groups = np.repeat(np.arange(n), rng.choice(sizes, size=n))[:n]
    p = by_crepes(classes, labels, scores, probes) if sizes == (1,) else np.transpose(grouped_p(classes, labels, scores, groups, probes))
    return {"name": name, "classes": classes, "labels": labels.tolist(), "scores": scores.tolist(), "groups": groups.tolist(),
            "probes": probes.tolist(), "p": p.tolist()}


def numbers(name, level, n, digits, sizes=(1,)):
    targets = rng.normal(size=n).round(digits)
    predictions = (targets + rng.standard_t(3, size=n)).round(digits)
    groups = np.repeat(np.arange(n), rng.choice(sizes, size=n))[:n]
    by_mapie = sizes == (1,) and n > 1 / (1 - level)  # it refuses fewer bags
    q = half_width(level, targets, predictions) if by_mapie else grouped_half_width(level, targets, predictions, groups)
    return {"name": name, "level": level, "targets": targets.tolist(), "predictions": predictions.tolist(), "groups": groups.tolist(),
            "half_width": q}


out = {
    "generated_by": "milbench/calibrate/testdata/conformal.py",
    "versions": {m: importlib.metadata.version(m) for m in ("numpy", "crepes", "mapie")},
    "sets": [
        sets("two classes", 2, 60, 6), sets("few bags", 2, 7, 6), sets("ties", 2, 50, 0), sets("three classes", 3, 80, 6),
        sets("five classes with ties", 5, 90, 1), sets("groups", 2, 70, 6, (1, 2, 5)), sets("groups with ties, three classes", 3, 90, 1, (1, 3, 7)),
    ],
    "numbers": [
        numbers("nine bags", 0.9, 9, 6), numbers("ten bags", 0.9, 10, 6), numbers("19 bags of 20", 0.9, 19, 6), numbers("wider", 0.95, 133, 6),
        numbers("half", 0.5, 40, 6), numbers("ties", 0.8, 57, 0), numbers("groups", 0.9, 90, 6, (1, 2, 6)), numbers("groups with ties", 0.75, 60, 0, (1, 4)),
    ],
}
pathlib.Path(__file__).with_name("conformal.json").write_text(json.dumps(out) + "\n")

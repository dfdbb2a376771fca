"""Writes golden.json, the reference values of package calibrate.

References: CalibratedClassifierCV of scikit-learn for Platt and isotonic probabilities, of two classes and of more; netcal for the
temperature and for the expected calibration error; scikit-learn for Brier score and log-loss. scikit-learn and netcal stop their optimisers early,
after 4 to 6 digits: the same likelihoods are also maximised here by SciPy, to the last digits, and must agree with both.
The mean ECE of a perfectly calibrated model is that of 200,000 draws of labels, with its standard error.
Run: python golden.py (needs numpy, scipy, scikit-learn, netcal).
"""

import importlib.metadata
import json
import pathlib
import warnings

import numpy as np
from netcal.metrics import ECE
from netcal.scaling import TemperatureScaling
from scipy import optimize, special
from sklearn import metrics
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator

warnings.filterwarnings("ignore")
rng = np.random.default_rng(20261126)


class Scores(ClassifierMixin, BaseEstimator):
    """A model whose features are its scores."""

    def fit(self, x, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, x):
        return x[:, 0] if x.shape[1] == 1 else x


def by_sklearn(method, scores, labels, probes):
    frozen = FrozenEstimator(Scores().fit(scores, labels))
    every = [(np.arange(len(labels)), np.arange(len(labels)))]  # the scores are held-out ones already
    fitted = CalibratedClassifierCV(frozen, method=method, cv=every, ensemble=True).fit(scores, labels)
    p = fitted.predict_proba(probes)
    return p[:, 1:] if scores.shape[1] == 1 else p


def sigmoid(z, positive):
    """a and b of Platt's likelihood by Newton steps from a root finder, to the last digits."""
    n1, n0 = positive.sum(), (~positive).sum()
    t = np.where(positive, (n1 + 1) / (n1 + 2), 1 / (n0 + 2))
    unit = np.abs(z).max()
    x = z / unit

    def gradient(ab):
        off = special.expit(ab[0] * x + ab[1]) - t
        return np.array([(off * x).sum(), off.sum()])

    def hessian(ab):
        p = special.expit(ab[0] * x + ab[1])
        w = p * (1 - p)
        return np.array([[(w * x * x).sum(), (w * x).sum()], [(w * x).sum(), w.sum()]])

    def loss(ab):
        v = ab[0] * x + ab[1]
        return (np.logaddexp(0, v) - t * v).sum()

    ab = optimize.minimize(loss, [0, 0], jac=gradient, hess=hessian, method="trust-exact", options={"gtol": 1e-9}).x
    for _ in range(5):
        ab = ab - np.linalg.solve(hessian(ab), gradient(ab))
    return ab[0] / unit, ab[1]


def temperature(scores, labels):
    def slope(log_beta):
        z = scores * np.exp(log_beta)
        if scores.shape[1] == 1:
            return ((special.expit(z[:, 0]) - labels) * scores[:, 0]).sum()
        return ((special.softmax(z, axis=1) * scores).sum(axis=1) - scores[np.arange(len(labels)), labels]).sum()

    low, high = slope(-10), slope(10)
    if low >= 0 or high <= 0:  # no maximum within the bounds
        return float(np.exp(10 if low >= 0 else -10))
    return float(np.exp(-optimize.brentq(slope, -10, 10, xtol=1e-15, rtol=1e-15)))


def chance(p, bins):
    """Mean ECE of labels drawn by the probabilities, and its standard error."""
    which = np.clip(np.ceil(p * bins).astype(int) - 1, 0, bins - 1)
    values = []
    for _ in range(20):
        y = rng.random((10_000, len(p))) < p
        values.append(sum(np.abs((y - p)[:, which == k].sum(axis=1)) for k in range(bins)) / len(p))
    values = np.concatenate(values)
    return float(values.mean()), float(values.std() / np.sqrt(len(values)))


def figures(labels, p, bins):
    case = {"bins": bins, "brier": float(metrics.brier_score_loss(labels, p[:, 0]) if p.shape[1] == 1 else
                                         metrics.brier_score_loss(labels, p, labels=range(p.shape[1]), scale_by_half=False)),
            "log_loss": float(metrics.log_loss(labels, p[:, 0] if p.shape[1] == 1 else p, labels=range(max(2, p.shape[1]))))}
    case["ece"] = float(ECE(bins).measure(p[:, 0] if p.shape[1] == 1 else p, labels))
    sure = p[:, 0] if p.shape[1] == 1 else p.max(axis=1)
    case["chance"], case["chance_se"] = chance(sure, bins)
    return case


def case(name, labels, scores, netcal=True):
    labels, scores = np.asarray(labels), np.asarray(scores, dtype=np.float64)
    if scores.ndim == 1:
        scores = scores[:, None]
    k = scores.shape[1]
    probes = np.vstack([scores[:8], scores.min(axis=0) - 1, scores.max(axis=0) + 1, scores[:6] + 0.01 * scores.std()])
    c = {"name": name, "labels": labels.tolist(), "scores": scores.tolist(), "probes": probes.tolist(), "classes": max(2, k)}
    c["sklearn"] = {m: by_sklearn(s, scores, labels, probes).tolist() for m, s in (("platt", "sigmoid"), ("isotonic", "isotonic"))}
    t = c["temperature"] = temperature(scores, labels)
    if netcal:
        scaler = TemperatureScaling()
        given = special.expit(scores[:, 0]) if k == 1 else special.softmax(scores, axis=1)
        got = np.asarray(scaler.fit_transform(given, labels)).reshape(len(labels), -1)
        want = special.expit(scores / t) if k == 1 else special.softmax(scores / t, axis=1)
        assert np.abs(got - want).max() < 2e-3, (name, np.abs(got - want).max())
        c["netcal"] = got.tolist()
    curves = [sigmoid(scores[:, j], labels == (1 if k == 1 else j)) for j in range(k)]
    c["platt"] = [{"a": a, "b": b} for a, b in curves]
    p = np.column_stack([special.expit(a * probes[:, j] + b) for j, (a, b) in enumerate(curves)])
    p = p if k == 1 else p / p.sum(axis=1, keepdims=True)
    assert np.abs(p - np.array(c["sklearn"]["platt"])).max() < 1e-4, (name, np.abs(p - c["sklearn"]["platt"]).max())
    raw = special.expit(scores) if k == 1 else special.softmax(scores, axis=1)
    c["figures"] = figures(labels, raw, 10)
    return c


def binary(n, gain, share=0.5, digits=6, scale=1.0):
    """Scores whose log-odds are gain times as far apart as they say."""
    y = (rng.random(n) < share).astype(int)
    y[:2] = 0, 1
    return y, np.round(scale * (rng.normal(size=n) + 0.8 * (2 * y - 1)) / gain, digits)


def classes(n, k, gain, digits=6):
    y = rng.integers(0, k, n)
    y[:k] = np.arange(k)
    return y, np.round((rng.normal(size=(n, k)) + 1.5 * np.eye(k)[y]) / gain, digits)


cases = [
    case("too sure", *binary(120, 0.3)),
    case("too unsure", *binary(90, 4.0)),
    case("ties", *binary(80, 1.0, digits=0)),
    case("few positives", *binary(150, 1.0, share=0.1)),
    case("large scores", *binary(60, 1.0, scale=100.0), netcal=False),
    case("small scores", *binary(60, 1.0, scale=1e-3, digits=9), netcal=False),
    case("few bags", [0, 1, 1, 0, 1, 0, 1], [-1.5, 0.5, -0.25, 0.75, 2.0, -0.5, 1.25]),
    case("separated", [0, 0, 0, 1, 1, 1, 1], [-2.0, -1.5, -0.25, 0.25, 0.5, 1.0, 3.0], netcal=False),
    case("wrong order", [1, 1, 0, 1, 1, 0, 0, 0], [-2.0, -1.0, -0.5, -0.25, 0.5, 0.75, 1.0, 2.0], netcal=False),
    case("three classes", *classes(140, 3, 0.5)),
    case("five classes", *classes(200, 5, 2.0)),
    case("three classes, ties", *classes(60, 3, 1.0, digits=0)),
]
out = {"generated_by": "milbench/calibrate/testdata/golden.py",
       "versions": {name: importlib.metadata.version(name) for name in ("numpy", "scipy", "scikit-learn", "netcal")}, "cases": cases}
pathlib.Path(__file__).with_name("golden.json").write_text(json.dumps(out) + "\n")

"""Writes targets.json, the reference figures of package stats for classes, real numbers, survival and calibration.

References: scikit-learn for classes, numbers and calibration (a class without a bag is left out of the mean of AUCs by
hand), SciPy for the rank correlation, scikit-survival for survival. Concordance, Kaplan-Meier curves and log-rank tests are
computed by lifelines, too, and must agree. Figures that are undefined there are left out.
Run: python targets.py (needs numpy, scipy, scikit-learn, scikit-survival, lifelines).
"""

import importlib.metadata
import json
import pathlib
import warnings

import numpy as np
from lifelines import KaplanMeierFitter
from lifelines.statistics import multivariate_logrank_test
from lifelines.utils import concordance_index
from scipy import special, stats
from sklearn import calibration, metrics
from sksurv import metrics as survival_metrics
from sksurv.compare import compare_survival
from sksurv.nonparametric import CensoringDistributionEstimator, kaplan_meier_estimator
from sksurv.util import Surv

rng = np.random.default_rng(20260101)


def classes_case(name, labels, logits):
    labels, logits = np.asarray(labels), np.asarray(logits, dtype=np.float64)
    k = logits.shape[1]
    p, predicted = special.softmax(logits, axis=1), logits.argmax(axis=1)
    there = np.unique(labels)
    case = {"name": name, "labels": labels.tolist(), "logits": logits.tolist(), "predicted": predicted.tolist(),
            "accuracy": metrics.accuracy_score(labels, predicted),
            "confusion": metrics.confusion_matrix(labels, predicted, labels=range(k)).tolist()}
    # Of logits far apart a probability is rounded to 0: the loss of such cases is computed in the log domain.
    case["log_loss"] = float(-special.log_softmax(logits, axis=1)[np.arange(len(labels)), labels].mean())
    if np.ptp(logits) < 30:
        by_sklearn = metrics.log_loss(labels, p, labels=range(k))
        assert abs(by_sklearn - case["log_loss"]) < 1e-9 * max(1, by_sklearn)
    if len(there) > 1:
        case["balanced_accuracy"] = np.mean(metrics.recall_score(labels, predicted, labels=there, average=None))
        # Log-odds do not round to 1 as probabilities do. Both are rounded, so that what is equal but for rounding is tied.
        odds = np.array([logits[:, c] - special.logsumexp(np.delete(logits, c, axis=1), axis=1) for c in range(k)])
        case["auc"] = float(np.mean([metrics.roc_auc_score(labels == c, odds[c].round(10)) for c in there]))
        if len(there) == k > 2 and np.ptp(logits) < 30:
            p = p.round(12)
            by_sklearn = metrics.roc_auc_score(labels, p, multi_class="ovr", average="macro")
            assert abs(by_sklearn - case["auc"]) < 1e-14, (by_sklearn, case["auc"])
    if len(np.union1d(there, predicted)) > 1:
        case["kappa"] = metrics.cohen_kappa_score(labels, predicted, labels=range(k), weights="quadratic")
    return case


def mixed(n, k, shift, step):
    """Logits are whole multiples of step, a power of two: differences are exact."""
    labels = rng.integers(0, k, n)
    labels[:k] = np.arange(k)
    return labels, np.round((rng.normal(size=(n, k)) + shift * np.eye(k)[labels]) / step) * step


def without(labels, logits, c):
    return labels[labels != c], logits[labels != c]


def numbers_case(name, targets, predictions):
    y, p = np.asarray(targets, dtype=np.float64), np.asarray(predictions, dtype=np.float64)
    case = {"name": name, "targets": y.tolist(), "predictions": p.tolist(),
            "mae": metrics.mean_absolute_error(y, p), "rmse": metrics.root_mean_squared_error(y, p)}
    if np.ptp(y) > 0:
        case["r2"] = metrics.r2_score(y, p)
        if np.ptp(p) > 0:
            case["spearman"] = float(stats.spearmanr(y, p).statistic)
    return case


def numbers(n, noise, digits):
    y = rng.normal(10, 3, n)
    return np.round(y, digits), np.round(y + rng.normal(0, noise, n), digits)


def drawn(n, risks, censoring, digits):
    """Exponential times of events and of censoring; digits round them to make ties."""
    t, c = rng.exponential(10 * np.exp(-risks)), rng.exponential(10 * censoring, n)
    return np.round(np.minimum(t, c), digits), t <= c


def survival_case(name, n, gain=1.0, censoring=1.5, digits=3, groups=2, train=None, steps=5):
    hazard = rng.normal(size=n)
    times, events = drawn(n, gain * hazard, censoring, digits)
    train_times, train_events = drawn(2 * n, gain * rng.normal(size=2 * n), censoring, digits)
    if train == "same":
        train_times, train_events = times, events
    # The training bags are followed up longer than these, as scikit-survival demands.
    train_times = np.append(train_times, max(train_times.max(), times.max()) + 1)
    train_events = np.append(train_events, False)
    risks = np.round(hazard + rng.normal(size=n), 1)
    group = rng.integers(0, groups, n)
    group[:groups] = np.arange(groups)
    y, train_y = Surv.from_arrays(events, times), Surv.from_arrays(train_events, train_times)
    first, last = times[events].min(), np.sort(times)[-3]
    at = np.round(np.linspace(first, last, steps + 1)[:-1] + 1e-3, 3)
    curves = np.round(np.exp(-np.outer(np.exp(risks), at) / 10), 3)

    c = survival_metrics.concordance_index_censored(events, times, risks, tied_tol=0)[0]
    assert abs(concordance_index(times, -risks, events) - c) < 1e-12
    km_times, km = kaplan_meier_estimator(events, times)
    by_lifelines = KaplanMeierFitter().fit(times, events).survival_function_at_times(km_times)
    assert np.abs(by_lifelines.to_numpy() - km).max() < 1e-9, (km, by_lifelines)
    censored = CensoringDistributionEstimator().fit(train_y)
    grid = np.unique(train_times)
    aucs, mean = survival_metrics.cumulative_dynamic_auc(train_y, y, risks, at, tied_tol=0)
    _, briers = survival_metrics.brier_score(train_y, y, curves, at)
    chi2, p = compare_survival(y, group)
    test = multivariate_logrank_test(times, group, events)
    assert abs(test.test_statistic - chi2) < 1e-8 * max(1, chi2) and abs(test.p_value - p) < 1e-8
    return {"name": name, "times": times.tolist(), "events": events.tolist(), "risks": risks.tolist(),
            "train_times": train_times.tolist(), "train_events": train_events.tolist(),
            "concordance": float(c), "km_times": km_times.tolist(), "km": km.tolist(),
            "censoring_times": grid.tolist(), "censoring": censored.predict_proba(grid).tolist(),
            "at": at.tolist(), "aucs": aucs.tolist(), "mean_auc": float(mean), "curves": curves.tolist(),
            "briers": briers.tolist(), "ibs": float(survival_metrics.integrated_brier_score(train_y, y, curves, at)),
            "groups": group.tolist(), "chi2": float(chi2), "degrees": groups - 1, "p": float(p)}


def calibration_case(name, n, bins, sharp, digits=None):
    p = special.expit(rng.normal(0, sharp, n))
    labels = (rng.random(n) < special.expit(0.7 * special.logit(p))).astype(int)
    labels[:2] = 0, 1
    p = p if digits is None else np.round(p, digits)
    case = {"name": name, "labels": labels.tolist(), "probabilities": p.tolist(), "bins": bins,
            "brier": metrics.brier_score_loss(labels, p)}
    positive, probability = calibration.calibration_curve(labels, p, n_bins=bins, strategy="uniform")
    sizes = np.bincount(np.searchsorted(np.linspace(0, 1, bins + 1)[1:-1], p), minlength=bins)
    sizes = sizes[sizes > 0]
    case["uniform"] = {"n": sizes.tolist(), "probability": probability.tolist(), "positive": positive.tolist(),
                       "ece": float(sizes @ np.abs(positive - probability) / n)}
    return case


warnings.simplefilter("error", RuntimeWarning)
packages = ("numpy", "scipy", "scikit-learn", "scikit-survival", "lifelines")
targets = {
    "versions": {p: importlib.metadata.version(p) for p in packages},
    "classes": [
        classes_case("three", *mixed(40, 3, 1.0, 1 / 64)),
        classes_case("five with ties", *mixed(40, 5, 1.5, 1)),
        classes_case("two", *mixed(30, 2, 0.7, 1 / 8)),
        classes_case("no skill", *mixed(30, 4, 0.0, 1 / 64)),
        classes_case("a class is absent", *without(*mixed(40, 4, 1.0, 1 / 8), 2)),
        classes_case("one class", [1, 1, 1], [[0, 1, 2], [1, 0, 0], [0, 3, 0]]),
        classes_case("one class, all right", [1, 1], [[0, 1, 0], [0, 3, 0]]),
        classes_case("all equal", [0, 1, 2, 1], np.zeros((4, 3))),
        classes_case("far logits", [0, 1, 2], [[800, 0, -900], [0, -1000, 1], [1e5, -1e5, 0]]),
    ],
    "numbers": [
        numbers_case("good", *numbers(30, 1.0, 3)),
        numbers_case("bad", *numbers(25, 30.0, 2)),
        numbers_case("ties", *numbers(40, 2.0, 0)),
        numbers_case("exact", [1, 2, 4], [1, 2, 4]),
        numbers_case("reversed", [1, 2, 4], [4, 2, 1]),
        numbers_case("constant predictions", [1, 2, 4], [2, 2, 2]),
        numbers_case("constant targets", [0.1, 0.1, 0.1], [0.1, 0.2, 0.3]),
        numbers_case("one", [3], [5]),
        numbers_case("large offset", 1e6 + np.arange(8.0), 1e6 + np.array([0, 1, 3, 2, 5, 4, 6, 8.0])),
    ],
    "survival": [
        survival_case("distinct times", 40),
        survival_case("tied times", 50, digits=0),
        survival_case("three groups", 45, digits=1, groups=3),
        survival_case("five groups, ties", 60, digits=0, groups=5),
        survival_case("heavy censoring", 50, censoring=0.4, digits=1),
        survival_case("no skill", 40, gain=0.0, digits=1),
        survival_case("little censoring", 30, censoring=20, digits=2),
        survival_case("weights of the same bags", 40, digits=1, train="same"),
        survival_case("two times", 30, digits=1, steps=2),
    ],
    "calibration": [
        calibration_case("ten bins", 96, 10, 1.5),
        calibration_case("ties", 60, 8, 2.0, 1),
        calibration_case("more bins than bags", 12, 16, 1.0),
        calibration_case("one bin", 20, 1, 1.0),
        calibration_case("sharp", 61, 7, 6.0),
    ],
}
path = pathlib.Path(__file__).with_name("targets.json")
path.write_text(json.dumps(targets, indent=1, default=float) + "\n")
print("wrote", path.name)

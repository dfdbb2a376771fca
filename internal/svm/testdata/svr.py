"""Writes svr.json: decision values of scikit-learn's SVR, for svr_test.go.

As in svm.py, both sides are solved far past their default tolerance, values of kernels and targets are multiples of 1/1024, and LIBSVM
is run without shrinking.
Run: python svr.py (needs numpy, scikit-learn).
"""

import pathlib

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVR

from svm import packed, rounded, written

rng = np.random.default_rng(20040801)


def regression(name, k, y, c, epsilon):
    model = SVR(kernel="precomputed", C=c, epsilon=epsilon, tol=1e-8, shrinking=False).fit(k, y)
    beta = np.zeros(len(y))
    beta[model.support_] = model.dual_coef_[0]
    return {"name": name, "c": c, "epsilon": epsilon, "bias": float(model.intercept_[0]), "supports": len(model.support_),
            "objective": float(beta @ k @ beta / 2 + epsilon * np.abs(beta).sum() - beta @ y), "decisions": model.predict(k).tolist()}


def regressions():
    x = rounded(rng.normal(size=(60, 4)))
    y = rounded(np.sin(2 * x[:, 0]) + x[:, 1] + 0.3 * rng.normal(size=60))
    twice = np.concatenate([x, x[:15]])  # some with another target
    for kind, k, targets in (
        ("radial", rbf_kernel(x, gamma=0.2), y),
        ("linear", x @ x.T, y),
        ("duplicates", rbf_kernel(twice, gamma=0.2), np.concatenate([y, y[:10], y[10:15] + 1])),
        ("sigmoid", np.tanh(0.1 * x @ x.T - 0.5), y),
    ):
        k = rounded(k)
        cases = [regression(f"C {c} epsilon {e}", k, targets, c, e) for c, e in ((0.1, 0.1), (1.0, 0.1), (10.0, 0.1), (1.0, 0.0), (1.0, 0.5), (1.0, 9.0))]
        yield {"name": kind, "n": len(targets), "kernel": packed(k[np.triu_indices(len(k))]), "targets": packed(targets), "cases": cases}


written(pathlib.Path(__file__).with_name("svr.json"), {"regressions": list(regressions())})

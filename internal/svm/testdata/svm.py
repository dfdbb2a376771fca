"""Writes svm.json: decision values of scikit-learn's SVC and LinearSVC, for golden_test.go.

Both sides are solved far past their default tolerance. Values of kernels and vectors are multiples of 1/1024, so that
LIBSVM's float32 rows hold them exactly. LIBSVM is run without shrinking, which leaves its minimum alone, and its
stationary point, too, where the kernel is not positive semidefinite.
Run: python svm.py (needs numpy, scikit-learn).
"""

import json
import pathlib
import warnings

import numpy as np
import sklearn
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel
from sklearn.svm import SVC, LinearSVC

rng = np.random.default_rng(20050512)
warnings.simplefilter("error")


def rounded(values):
    return np.round(values * 1024) / 1024


def blobs(n, features, positive, shift):
    y = (np.arange(n) < positive).astype(int)
    rng.shuffle(y)
    return rounded(rng.normal(size=(n, features)) + shift * y[:, None]), y


def packed(values):
    return (np.asarray(values) * 1024).astype(int).tolist()


def machine(name, k, y, c, weights=None, classes=None):
    model = SVC(kernel="precomputed", C=c, tol=1e-8, shrinking=False, class_weight=classes)
    model.fit(k, y, sample_weight=weights)
    alpha = np.zeros(len(y))
    alpha[model.support_] = model.dual_coef_[0]
    spectrum = np.linalg.eigvalsh(k)
    case = {"name": name, "c": c, "least": float(spectrum[0]), "bias": float(model.intercept_[0]),
            "objective": float(alpha @ k @ alpha / 2 - np.abs(alpha).sum()), "decisions": model.decision_function(k).tolist()}
    return case | weighing(y, weights, classes)


def weighing(y, weights, classes):
    w = np.ones(len(y)) if weights is None else np.asarray(weights, float)
    if classes == "balanced":
        w = len(y) / (2 * np.bincount(y)[y])
    elif classes:
        w = w * np.array([classes[v] for v in y])
    return {"weights": w.tolist(), "balanced": classes == "balanced"}


def hyperplane(name, x, y, penalty, c, scaling, weights=None, classes=None):
    # The dual of L2 is slow to converge; its primal has the same solution. LIBLINEAR's line searches end at different tolerances.
    for tol in 10.0 ** np.arange(-13, -6):
        model = LinearSVC(penalty=penalty, loss="squared_hinge", dual=False, C=c, tol=tol, max_iter=100_000,
                          intercept_scaling=scaling or 1, fit_intercept=scaling > 0, class_weight=classes, random_state=1)
        try:
            model.fit(x, y, sample_weight=weights)
            break
        except ConvergenceWarning:
            pass
    else:
        raise ArithmeticError(f"{name}: not converged")
    w = model.coef_[0]
    return {"name": name, "penalty": penalty, "c": c, "scaling": scaling, "bias": float(np.ravel(model.intercept_)[0]) if scaling > 0 else 0.0,
            "decisions": model.decision_function(x).tolist(), "zeros": int((w == 0).sum())} | weighing(y, weights, classes)


def kernels():
    for title, n, positive, shift in (("even", 60, 30, 0.8), ("rare", 70, 9, 1.0)):
        x, y = blobs(n, 5, positive, shift)
        duplicated = np.concatenate([x, x[:15]]), np.concatenate([y, y[:10], 1 - y[10:15]])
        sigmoid = np.tanh(0.1 * x @ x.T - 0.5)
        for kind, k, labels in (
            ("radial", rbf_kernel(x, gamma=0.2), y),
            ("linear", x @ x.T, y),
            ("duplicates", rbf_kernel(duplicated[0], gamma=0.2), duplicated[1]),
            ("sigmoid", sigmoid, y),
            ("distance", -euclidean_distances(x), y),
        ):
            k = rounded(k)
            weights = rounded(rng.random(len(labels)) * 2)
            weights[:3] = 1 / 64, 1, 2  # with 0, scikit-learn mixes up the rows of a precomputed kernel
            cases = [machine(f"C {c}", k, labels, c) for c in (0.1, 1.0, 10.0)]
            cases.append(machine("balanced", k, labels, 1.0, classes="balanced"))
            cases.append(machine("weights", k, labels, 2.0, weights=weights))
            cases.append(machine("classes", k, labels, 1.0, classes={0: 0.5, 1: 3.0}))
            if kind in ("sigmoid", "distance"):
                assert cases[0]["least"] < -0.1, cases[0]["least"]
            yield {"name": f"{title} {kind}", "n": len(labels), "kernel": packed(k[np.triu_indices(len(k))]), "labels": labels.tolist(), "cases": cases}


def vectors():
    for title, n, features, positive, shift in (("tall", 80, 6, 40, 0.7), ("wide", 40, 120, 12, 0.4)):
        x, y = blobs(n, features, positive, shift)
        x[1] = x[0]
        weights = rounded(rng.random(n) * 2)
        weights[:2] = 0, 1
        cases = []
        for penalty in ("l2", "l1"):
            cases += [hyperplane(f"{penalty} C {c} scaling {s}", x, y, penalty, c, s) for c, s in ((0.01, 1.0), (0.1, 1.0), (1.0, 1.0), (10.0, 1.0), (1.0, 0.0), (0.5, 8.0))]
            cases.append(hyperplane(f"{penalty} balanced", x, y, penalty, 0.3, 1.0, classes="balanced"))
            cases.append(hyperplane(f"{penalty} weights", x, y, penalty, 0.3, 1.0, weights=weights))
        yield {"name": title, "n": n, "features": features, "x": packed(x.ravel()), "labels": y.tolist(), "cases": cases}


def rounded_off(o):
    """JSON of nine digits is enough and short."""
    if isinstance(o, float):
        return float(f"{o:.9g}")
    if isinstance(o, dict):
        return {k: rounded_off(v) for k, v in o.items()}
    return [rounded_off(v) for v in o] if isinstance(o, list) else o


def written(path, golden):
    versions = {"numpy": np.__version__, "scikit-learn": sklearn.__version__}
    path.write_text(json.dumps(rounded_off({"versions": versions} | golden), separators=(",", ":")).replace('{"name"', '\n{"name"') + "\n")
    print("wrote", path.name)


if __name__ == "__main__":
    written(pathlib.Path(__file__).with_name("svm.json"), {"kernels": list(kernels()), "vectors": list(vectors())})

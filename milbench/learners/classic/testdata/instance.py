"""Writes instance.json, the reference weights of package classic.

Reference: scikit-learn's LogisticRegression, and LinearSVC with the squared hinge, on instances that bear the labels of
their bags, standardised by StandardScaler (without centring where the instances are sparse). With a kernel the
same classifiers are given the rows of a Cholesky factor of its matrix. LinearSVC penalises the
bias; intercept_scaling makes that penalty negligible. Both are run far past their default tolerance.
Run: python instance.py (needs numpy, scipy, scikit-learn).
"""

import json
import pathlib
import warnings

import numpy as np
import sklearn
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

rng = np.random.default_rng(20181204)
warnings.simplefilter("error")


def bags(count, features, positive, dense):
    """Bags of 1 to 8 instances; about a third of the instances of a positive bag are moved."""
    made, labels = [], []
    direction = rng.normal(size=features)
    for i in range(count):
        n, label = rng.integers(1, 9), int(i < positive)
        if dense:
            x = rng.normal(size=(n, features)) * np.linspace(0.1, 30, features) + np.linspace(-5, 100, features)
            x += np.outer(rng.random(n) < label / 3, direction * np.linspace(0.1, 30, features))
            x[:, -1] = 0.1  # constant
        else:
            x = (rng.random((n, features)) < 0.1) * rng.integers(1, 5, (n, features)).astype(float)
            x[:, 0] = np.where(rng.random(n) < label / 3, 2, x[:, 0])
            x[:, -1] = 0  # never there
        made.append(x)
        labels.append(label)
    return made, labels


def case(name, made, labels, dense, loss, c, weighted, gamma=0):
    x = np.concatenate(made)
    y = np.concatenate([[label] * len(bag) for bag, label in zip(made, labels)])
    scaler = StandardScaler(with_mean=dense)
    # A constant column has factor 1, as here; StandardScaler finds its own threshold.
    z = scaler.fit_transform(x if dense else sparse.csr_array(x))
    z = z if dense else z.toarray()
    if gamma > 0:  # features whose products are the kernel
        root = np.linalg.cholesky(rbf_kernel(z, gamma=gamma) + 1e-8 * np.eye(len(z)))
        instances, z = z, np.linalg.solve(root, rbf_kernel(z, gamma=gamma)).T
    weight = "balanced" if weighted else None
    if loss == "logistic":
        model = LogisticRegression(C=c, class_weight=weight, tol=1e-12, max_iter=100_000, solver="newton-cholesky")
        model.fit(z, y)
    else:
        model = LinearSVC(C=c, class_weight=weight, loss="squared_hinge", dual=False, tol=1e-12, max_iter=1_000_000, intercept_scaling=3e3)
        model.fit(z, y)
    logits = z @ model.coef_[0] + model.intercept_[0]
    s = len(y) / (2 * np.bincount(y)) if weighted else np.ones(2)
    margins = np.where(y == 1, logits, -logits)
    losses = np.logaddexp(0, -margins) if loss == "logistic" else np.maximum(0, 1 - margins) ** 2
    mean_loss = float((s[y] * losses).sum() / s[y].sum())
    setting = {"pooling": "instance", "loss": loss, "c": c, "weighted": weighted}
    ends = np.cumsum([len(bag) for bag in made])
    case = {"name": name, "dense": dense, "bags": [bag.tolist() for bag in made], "labels": labels, "setting": setting,
            "loss": mean_loss, "scores": [float(part.max()) for part in np.split(logits, ends[:-1])]}
    if gamma > 0:
        setting["gamma"] = gamma
    else:
        case["weights"] = (model.coef_[0] / scaler.scale_).tolist()
        case["deviations"] = scaler.scale_.tolist()
    return case


dense, dense_labels = bags(24, 9, 8, True)
terms, terms_labels = bags(30, 25, 14, False)
golden = {
    "versions": {"numpy": np.__version__, "scikit-learn": sklearn.__version__},
    "cases": [
        case(f"{form} {loss} {c} {'weighted' if weighted else 'plain'}", made, labels, form == "dense", loss, c, weighted)
        for form, made, labels in (("dense", dense, dense_labels), ("sparse", terms, terms_labels))
        for loss in ("logistic", "hinge") for c, weighted in ((1, True), (1, False), (0.01, True), (10, False))
    ] + [
        case(f"radial {form} {loss} {c}", made, labels, form == "dense", loss, c, True, gamma)
        for form, made, labels, gamma in (("dense", dense, dense_labels, 0.05), ("sparse", terms, terms_labels, 0.01))
        for loss in ("logistic", "hinge") for c in (1, 20)
    ],
}
for i, c in enumerate(golden["cases"]):  # the bags where they change
    if i not in (0, 8, 16, 20):
        del c["bags"], c["labels"]
path = pathlib.Path(__file__).with_name("instance.json")
path.write_text(json.dumps(golden, indent=1) + "\n")
print("wrote", path.name)

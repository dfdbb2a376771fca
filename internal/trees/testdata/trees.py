"""Writes trees.json, what package trees is compared with.

Reference: scikit-learn's ExtraTreesClassifier. Its random numbers differ from ours, so that no tree is the same. What
is compared are averages over so many trees that only the distribution of a tree matters:

- the mean probability of each test row over TREES trees. The probability that a tree gives has a variance of at most
  p(1 - p), so two means differ by some sqrt(2 p(1 - p) / TREES), at most 0.011;
- the mean depth and number of leaves, whose standard errors are some 0.3 % and less;
- the mean AUC of SEEDS forests of SMALL trees, with its standard error over seeds;
- the importances.

Run: python trees.py (needs numpy, scikit-learn).
"""

import json
import pathlib

import numpy as np
import sklearn
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.metrics import roc_auc_score

TREES, SEEDS, SMALL = 4000, 30, 50


def shape(tree, pure=lambda tree, node: tree.value[node, 0].max() > 1 - 1e-9):
    """Depth and leaves of a tree above its pure nodes: scikit-learn divides some of those where weights are not exact
    binary fractions, because rounding leaves them an impurity."""
    depth = leaves = 0
    todo = [(0, 0)]
    while todo:
        node, level = todo.pop()
        if tree.children_left[node] < 0 or pure(tree, node):
            depth, leaves = max(depth, level), leaves + 1
        else:
            todo += [(tree.children_left[node], level + 1), (tree.children_right[node], level + 1)]
    return depth, leaves


def case(name, seed, rows, features, classes, shift, whole=False, **options):
    rng = np.random.default_rng(seed)
    y = rng.choice(classes, size=2 * rows, p=[0.8, 0.2] if options.get("class_weight") else None)
    x = rng.normal(size=(2 * rows, features)) + shift * y[:, None] * (np.arange(features) < 3)
    if whole:  # many ties, a constant column, and one that is nearly always 0
        x = np.round(2 * x)
        x[:, -1] = 3
        x[:, -2] = x[:, -2] > 4
    x = np.round(x, 3).astype(np.float32)

    def fit(trees, state):
        return ExtraTreesClassifier(trees, random_state=state, n_jobs=2, **options).fit(x[:rows], y[:rows])

    model = fit(TREES, 0)
    shapes = [shape(t.tree_) for t in model.estimators_]
    aucs = []
    for state in range(SEEDS):
        p = fit(SMALL, 1000 + state).predict_proba(x[rows:])
        aucs.append(roc_auc_score(y[rows:] == classes - 1, p[:, -1]))
    return {
        "name": name, "rows": rows, "features": features, "classes": classes,
        "x": [float(f"{v:.4g}") for v in x.ravel()], "labels": y.tolist(),
        "config": {"Trees": TREES, "Features": options.get("max_features", 0), "MinLeaf": options.get("min_samples_leaf", 1),
                   "MinSplit": options.get("min_samples_split", 2), "Balanced": options.get("class_weight") == "balanced"},
        "probabilities": np.round(model.predict_proba(x[rows:]), 6).ravel().tolist(),
        "importance": np.round(model.feature_importances_, 6).tolist(),
        "depth": float(np.mean([depth for depth, _ in shapes])), "leaves": float(np.mean([leaves for _, leaves in shapes])),
        "seeds": SEEDS, "small": SMALL, "auc": float(np.mean(aucs)), "auc_se": float(np.std(aucs, ddof=1) / np.sqrt(SEEDS)),
    }


def written(path, cases):
    golden = {"versions": {"numpy": np.__version__, "scikit-learn": sklearn.__version__}, "cases": cases}
    path.write_text(json.dumps(golden) + "\n")
    print("wrote", path.name)


if __name__ == "__main__":
    written(pathlib.Path(__file__).with_name("trees.json"), [
        case("two classes", 1, 120, 20, 2, 0.7),
        case("three classes, leaves of 3", 2, 120, 9, 3, 0.8, min_samples_leaf=3),
        case("whole numbers, balanced", 4, 120, 12, 2, 0.7, whole=True, class_weight="balanced", max_features=5),
        case("splits of 10, one candidate", 5, 100, 8, 2, 0.7, min_samples_split=10, max_features=1),
        case("all candidates, leaves of 2", 6, 100, 8, 2, 0.7, min_samples_leaf=2, max_features=8),
        case("balanced, leaves of 2", 7, 100, 8, 2, 0.7, min_samples_leaf=2, max_features=8, class_weight="balanced"),
    ])

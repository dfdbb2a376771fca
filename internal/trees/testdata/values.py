"""Writes values.json, what regressions of package trees are compared with.

Reference: scikit-learn's ExtraTreesRegressor. As in trees.py, averages are compared over so many trees that only the distribution of a
tree matters:

- the mean value of each test row over TREES trees, with the standard deviation over the trees: two means differ by some
  sqrt(2 / TREES) of it;
- the mean depth and number of leaves, and the importances;
- the mean R2 of SEEDS forests of SMALL trees, with its standard error over seeds.

Run: python values.py (needs numpy, scikit-learn).
"""

import pathlib

import numpy as np
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.metrics import r2_score

from trees import SEEDS, SMALL, TREES, shape, written


def case(name, seed, rows, features, whole=False, **options):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(2 * rows, features))
    if whole:  # many ties, a constant column, and one that is nearly always 0
        x = np.round(2 * x)
        x[:, -1] = 3
        x[:, -2] = x[:, -2] > 4
    x = np.round(x, 3).astype(np.float32)
    y = 5 + 2 * x[:, 0].astype(float) + np.sin(3 * x[:, 1]) + 0.5 * rng.normal(size=2 * rows)
    y = np.round(y) if whole else np.round(y * 1024) / 1024  # so that sums are exact, and equal divisions tie

    def fit(trees, state):
        return ExtraTreesRegressor(trees, random_state=state, n_jobs=2, **options).fit(x[:rows], y[:rows])

    model = fit(TREES, 0)
    shapes = [shape(t.tree_, lambda tree, node: tree.impurity[node] < 1e-9) for t in model.estimators_]
    each = np.array([t.predict(x[rows:]) for t in model.estimators_])
    r2 = [r2_score(y[rows:], fit(SMALL, 1000 + state).predict(x[rows:])) for state in range(SEEDS)]
    return {
        "name": name, "rows": rows, "features": features,
        "x": [float(f"{v:.4g}") for v in x.ravel()], "values": y.tolist(),
        "config": {"Trees": TREES, "Features": options.get("max_features", 0), "MinLeaf": options.get("min_samples_leaf", 1),
                   "MinSplit": options.get("min_samples_split", 2)},
        "predictions": np.round(each.mean(0), 6).tolist(), "spread": np.round(each.std(0), 6).tolist(),
        "importance": np.round(model.feature_importances_, 6).tolist(),
        "depth": float(np.mean([depth for depth, _ in shapes])), "leaves": float(np.mean([leaves for _, leaves in shapes])),
        "seeds": SEEDS, "small": SMALL, "r2": float(np.mean(r2)), "r2_se": float(np.std(r2, ddof=1) / np.sqrt(SEEDS)),
    }


written(pathlib.Path(__file__).with_name("values.json"), [
    case("all candidates", 1, 100, 6),
    case("leaves of 3, two candidates", 2, 120, 8, min_samples_leaf=3, max_features=2),
    case("whole numbers", 4, 120, 7, whole=True, max_features=3),
    case("splits of 10, two candidates", 5, 100, 6, min_samples_split=10, max_features=2),
    case("one candidate", 6, 100, 5, max_features=1),
])

"""Writes kinds.json, the reference of the learners of whole bags in package classic for classes and real targets.

The bags are those of bags.json, with other targets. Reference: machines as in bags.py, of each class against the rest, and
scikit-learn's SVR in their place, fitted to targets that are standardised over the training part; votes from ExtraTreesClassifier and
values from ExtraTreesRegressor. Targets are multiples of 1/1024, so that sums are exact in trees.
Run: python kinds.py (needs what bags.py does).
"""

import json
import pathlib

import numpy as np
import sklearn
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.svm import SVR

import bags

TRAIN, TREES = bags.TRAIN, 6000


class Tube(SVR):
    """A regression whose decision values are its values."""

    decision_function = SVR.predict


SETTINGS = (
    (bags.statistics_svm, {"learner": "statistics-svm", "statistics": "min max mean", "gamma": 1, "c": 3, "balanced": True}),
    (bags.statistics_svm, {"learner": "statistics-svm", "statistics": "sd q10 q90", "gamma": 0.3, "c": 1, "balanced": False, "epsilon": 0.3}),
    (bags.set_kernel_svm, {"learner": "set-kernel-svm", "gamma": 0.5, "c": 10, "balanced": True}),
    (bags.distance_svm, {"learner": "distance-svm", "distance": "mean-min", "scaling": "deviation", "power": 2, "sharpness": 0.5, "c": 10, "balanced": True}),
    (bags.mind, {"learner": "mind", "distance": "mean-min", "scaling": "deviation", "gamma": 1, "c": 3, "balanced": True, "epsilon": 0.05}),
)


def against_rest(learn, made, labels, dense, s):
    return np.stack([learn(made, (labels == k).astype(int), dense, s) for k in range(3)], axis=1)


def regression(learn, made, values, dense, s):
    mean, sd = values[:TRAIN].mean(), values[:TRAIN].std()
    before = bags.machine
    bags.machine = lambda c, balanced, **more: Tube(C=c, epsilon=s.get("epsilon", 0.1), **more)
    decisions = learn(made, (values - mean) / sd, dense, s)
    bags.machine = before
    return mean + sd * decisions


def trees(made, labels, values):
    """Shares of classes, and values with their standard deviation over the trees."""
    x = bags.statistics(made, "min max mean")
    shares = ExtraTreesClassifier(TREES, class_weight="balanced", random_state=1).fit(x[:TRAIN], labels[:TRAIN]).predict_proba(x)
    forest = ExtraTreesRegressor(TREES, min_samples_leaf=2, random_state=1).fit(x[:TRAIN], values[:TRAIN])
    each = np.array([t.predict(x.astype(np.float32)) for t in forest.estimators_])
    return {"shares": shares.round(6).tolist(), "values": each.mean(0).round(6).tolist(), "spread": each.std(0).round(6).tolist()}


def form(f, rng):
    made = [np.array(x) for x in f["bags"]]
    means = np.stack([x.mean(axis=0) for x in made])
    score = (means[:, 0] - means[:, 0].mean()) / means[:, 0].std() + 0.5 * rng.normal(size=len(made))
    labels = np.digitize(score, np.quantile(score, [0.4, 0.7]))
    values = np.round((50 + 8 * score) * 1024) / 1024
    return {
        "labels": labels.tolist(), "values": values.tolist(), "trees": trees(made, labels, values),
        "fits": [{"setting": s, "classes": against_rest(learn, made, labels, f["dense"], s).tolist(),
                  "real": regression(learn, made, values, f["dense"], s).tolist()} for learn, s in SETTINGS],
    }


here = pathlib.Path(__file__)
rng = np.random.default_rng(20040101)
golden = {
    "versions": {"numpy": np.__version__, "scikit-learn": sklearn.__version__},
    "forms": [form(f, rng) for f in json.loads(here.with_name("bags.json").read_text())["forms"]],
}
path = here.with_name("kinds.json")
path.write_text(json.dumps(golden) + "\n")
print("wrote", path.name)

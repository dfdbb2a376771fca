"""Writes bags.json, the reference of the learners of whole bags in package classic.

Reference: distances of bags from scipy's cdist and from ot.emd2 of POT, over instances scaled by scikit-learn's
StandardScaler (without centring where they are sparse), MinMaxScaler or MaxAbsScaler; statistics from numpy; decision values from scikit-learn's SVC with the same
kernels, at its default tolerance; votes from ExtraTreesClassifier.
Run: python bags.py (needs numpy, scipy, scikit-learn, POT).
"""

import json
import pathlib

import numpy as np
import ot
import scipy
import sklearn
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler
from sklearn.svm import SVC

rng = np.random.default_rng(20020708)
TRAIN = 28  # bags, the first ones
DISTANCES = ("mean-min", "hausdorff", "min-hausdorff", "emd", "emd-city-block")
SCALINGS = ("deviation", "range", "none")


def bags(count, features, dense):
    """Bags of 1 to 8 instances, of which some of a positive bag are moved. Values are those of float32."""
    made, labels = [], []
    direction = rng.normal(size=features)
    for i in range(count):
        n, label = rng.integers(1, 9), int(rng.random() < 0.4)
        if dense:
            x = rng.normal(size=(n, features)) + np.outer(rng.random(n) < label / 2, 1.5 * direction)
            x = x * np.linspace(0.1, 30, features) + np.linspace(-5, 100, features)
            x[:, -1] = 0.25  # constant
        else:
            x = (rng.random((n, features)) < 0.15) * rng.normal(size=(n, features))
            x[:, 0] = np.where(rng.random(n) < label / 2, 2, x[:, 0])
            x[:, -1] = 0  # never there
        made.append(x.astype(np.float32).astype(np.float64))
        labels.append(label)
    made[1][0] = made[0][0]  # one instance in two bags
    made[3][0] = (made[2][0] * (1 + 1e-6)).astype(np.float32)  # and one that differs in its last digits
    made[3][0, -1] = made[2][0, -1]
    made[5] = made[4][::-1].copy()  # two bags that differ in order alone
    return made, labels


def scaled(train, others, dense, scaling="deviation"):
    if scaling == "none":
        return others
    scaler = StandardScaler(with_mean=dense) if scaling == "deviation" else MinMaxScaler() if dense else MaxAbsScaler()
    scaler.fit(np.concatenate(train) if dense else sparse.csr_array(np.concatenate(train)))
    if dense:
        return [scaler.transform(x) for x in others]
    return [scaler.transform(sparse.csr_array(x)).toarray() for x in others]


def distance(name, a, b):
    d = cdist(a, b, "cityblock" if name == "emd-city-block" else "euclidean")
    nearest_a, nearest_b = d.min(axis=1), d.min(axis=0)
    if name == "mean-min":
        return (nearest_a.mean() + nearest_b.mean()) / 2
    if name == "hausdorff":
        return max(nearest_a.max(), nearest_b.max())
    if name == "min-hausdorff":
        return d.min()
    return ot.emd2(np.full(len(a), 1 / len(a)), np.full(len(b), 1 / len(b)), d)


def between(name, rows, columns):
    return np.array([[distance(name, a, b) for b in columns] for a in rows])


def machine(c, balanced, **more):
    return SVC(C=c, class_weight="balanced" if balanced else None, **more)


def precomputed(kernel, labels, c, balanced):
    """Decision values of all bags by a machine on the first ones; kernel has all bags as rows and the first ones as columns."""
    svm = machine(c, balanced, kernel="precomputed").fit(kernel[:TRAIN], labels[:TRAIN])
    return svm.decision_function(kernel)


def distance_svm(made, labels, dense, s):
    z = scaled(made[:TRAIN], made, dense, s["scaling"])
    d = between(s["distance"], z, z[:TRAIN])
    mean = d[:TRAIN][np.triu_indices(TRAIN, 1)].mean()
    return precomputed(np.exp(-s["sharpness"] * (d / mean) ** s["power"]), labels, s["c"], s["balanced"])


def set_kernel_svm(made, labels, dense, s):
    z = scaled(made[:TRAIN], made, dense)
    gamma = s["gamma"] / z[0].shape[1]
    k = np.array([[np.exp(-gamma * cdist(a, b, "sqeuclidean")).sum() for b in z[:TRAIN]] for a in z])
    own = np.array([np.exp(-gamma * cdist(a, a, "sqeuclidean")).sum() for a in z])
    return precomputed(k / np.sqrt(np.outer(own, own[:TRAIN])), labels, s["c"], s["balanced"])


def radial(x, labels, s):
    """A machine with gamma="scale" on standardised vectors, whose variance is then that of the columns that are not constant."""
    x = StandardScaler().fit(x[:TRAIN]).transform(x)
    svm = machine(s["c"], s["balanced"], kernel="rbf", gamma=s["gamma"] / x.shape[1]).fit(x[:TRAIN], labels[:TRAIN])
    return svm.decision_function(x)


def mind(made, labels, dense, s):
    z = scaled(made[:TRAIN], made, dense, s["scaling"])
    return radial(between(s["distance"], z, z[:TRAIN]), labels, s)


STATISTICS = {
    "min": lambda x: x.min(axis=0), "max": lambda x: x.max(axis=0), "mean": lambda x: x.mean(axis=0), "sd": lambda x: x.std(axis=0),
    **{name: lambda x, q=q: np.quantile(x, q, axis=0) for name, q in
       {"q10": 0.1, "q25": 0.25, "median": 0.5, "q75": 0.75, "q90": 0.9}.items()},
}


def statistics(made, names):
    return np.array([np.concatenate([STATISTICS[n](x) for n in names.split()]) for x in made])


def statistics_svm(made, labels, dense, s):
    return radial(statistics(made, s["statistics"]), labels, s)


def statistics_trees(made, labels, dense, s):
    """The mean vote of several large forests."""
    x = statistics(made, s["statistics"])
    votes = []
    for seed in range(3):
        forest = ExtraTreesClassifier(n_estimators=2000, min_samples_leaf=s["min_leaf"], random_state=seed,
                                      class_weight="balanced" if s["balanced"] else None)
        votes.append(forest.fit(x[:TRAIN], labels[:TRAIN]).predict_proba(x)[:, 1])
    return np.mean(votes, axis=0)


def settings():
    for d in DISTANCES:
        power = 1 if d.startswith("emd") else 2
        yield distance_svm, {"learner": "distance-svm", "distance": d, "scaling": "deviation", "power": power, "sharpness": 0.5, "c": 10, "balanced": True}
        yield distance_svm, {"learner": "distance-svm", "distance": d, "scaling": "range", "power": 1.5, "sharpness": 2, "c": 0.7, "balanced": False}
    for gamma, c, balanced in ((0.5, 10, True), (5, 1, True), (0.2, 3, False)):
        yield set_kernel_svm, {"learner": "set-kernel-svm", "gamma": gamma, "c": c, "balanced": balanced}
    for d, scaling, gamma, c, balanced in (("mean-min", "deviation", 1, 3, True), ("emd-city-block", "range", 1, 10, True),
                                           ("hausdorff", "none", 0.3, 1, False)):
        yield mind, {"learner": "mind", "distance": d, "scaling": scaling, "gamma": gamma, "c": c, "balanced": balanced}
    for names, gamma, c, balanced in (("min max mean", 1, 3, True), ("min max mean sd q25 median q75", 1, 10, True), ("sd q10 q90", 0.3, 1, False)):
        yield statistics_svm, {"learner": "statistics-svm", "statistics": names, "gamma": gamma, "c": c, "balanced": balanced}
    for names, leaf, balanced in (("min max mean", 1, True), ("mean q25 median", 3, False)):
        yield statistics_trees, {"learner": "statistics-trees", "statistics": names, "trees": 2000, "min_leaf": leaf, "balanced": balanced}


def form(name, features, dense):
    made, labels = bags(40, features, dense)
    few = 12
    z = {scaling: scaled(made, made, dense, scaling) for scaling in SCALINGS}
    return {
        "name": name, "dense": dense, "train": TRAIN, "bags": [x.tolist() for x in made], "labels": labels,
        "distances": {n: {d: [distance(d, x[i], x[k]) for i in range(few) for k in range(i)] for d in DISTANCES} for n, x in z.items()},
        "statistics": {n: [f(x).tolist() for x in made[:few]] for n, f in STATISTICS.items()},
        "fits": [{"setting": s, "values": learn(made, labels, dense, s).tolist()} for learn, s in settings()],
    }


if __name__ == "__main__":
    golden = {
        "versions": {"numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__, "POT": ot.__version__},
        "forms": [form("dense", 5, True), form("sparse", 14, False)],
    }
    path = pathlib.Path(__file__).with_name("bags.json")
    path.write_text(json.dumps(golden) + "\n")
    print("wrote", path.name)

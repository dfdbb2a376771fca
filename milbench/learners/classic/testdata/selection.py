"""Writes selection.json, the reference scores of MILES, MI-SVM, mi-SVM and citation-kNN of package classic.

Reference: the embedding and the alternations from the papers, in numpy, with scikit-learn's machines. Instances are
standardised over the training bags (sparse ones are not centred). Rounds that tie within rounding are avoided by the draw.
Run: python selection.py (needs numpy, scikit-learn).
"""

import json
import pathlib
import warnings

import numpy as np
import sklearn
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

rng = np.random.default_rng(20061201)
warnings.simplefilter("error")


def bags(count, features, positive, dense):
    """Bags of 1 to 7 instances; about a third of the instances of a positive bag are moved."""
    made, labels = [], []
    direction = 2 * rng.normal(size=features)
    for i in range(count):
        n, label = rng.integers(1, 8), int(i < positive)
        if dense:
            x = rng.normal(size=(n, features)) * np.linspace(0.1, 30, features) + np.linspace(-5, 100, features)
            x += np.outer(rng.random(n) < label / 3, direction * np.linspace(0.1, 30, features))
        else:
            x = (rng.random((n, features)) < 0.2) * rng.integers(1, 5, (n, features)).astype(float)
            x[:, 0] = np.where(rng.random(n) < label / 3, 3, x[:, 0])
            x[:, -1] = 0  # never there
        made.append(x.astype(np.float32).astype(float))
        labels.append(label)
    order = rng.permutation(count)
    return [made[i] for i in order], [labels[i] for i in order]


def standardised(made, train, dense):
    scaler = StandardScaler(with_mean=dense)
    x = np.concatenate([made[i] for i in train])
    if dense:
        scaler.fit(x)
        return [scaler.transform(bag) for bag in made]
    deviation = x.std(axis=0)
    return [bag / np.where(deviation > 0, deviation, 1) for bag in made]


def weight_of(balanced):
    return "balanced" if balanced else None


def miles(z, labels, train, setting):
    concepts = np.concatenate([z[i] for i in train])
    gamma = setting["gamma"] / concepts.shape[1]
    x = np.array([rbf_kernel(bag, concepts, gamma=gamma).max(axis=0) for bag in z])
    y = np.array(labels)[train]
    if setting["penalty"] == "radial":
        scaler = StandardScaler().fit(x[train])
        x = scaler.transform(x)
        machine = SVC(C=setting["c"], gamma=1 / x.shape[1], class_weight=weight_of(setting["balanced"]), tol=1e-9)
    else:
        x = x - x[train].mean(axis=0)
        machine = LinearSVC(penalty=setting["penalty"], dual=False, C=setting["c"], tol=1e-8, max_iter=10_000_000, intercept_scaling=10,
                            class_weight=weight_of(setting["balanced"]))
    machine.fit(x[train], y)
    scores = machine.decision_function(x)
    instances = None
    if setting["penalty"] != "radial":  # equation 20 of the paper
        instances = []
        for bag in z:
            s = rbf_kernel(bag, concepts, gamma=gamma)
            nearest = np.isclose(s, s.max(axis=0), rtol=1e-12, atol=0)
            instances.append((s * nearest / nearest.sum(axis=0) * machine.coef_[0]).sum(axis=1).tolist())
    return scores, instances


def kernel(x, z, gamma):
    return rbf_kernel(x, z, gamma=gamma / x.shape[1]) if gamma > 0 else x @ z.T


def machine_on(x, y, setting):
    machine = SVC(C=setting["c"], kernel="precomputed", class_weight=weight_of(setting["balanced"]), tol=1e-9)
    machine.fit(kernel(x, x, setting["gamma"]), y)
    return lambda z: machine.decision_function(kernel(z, x, setting["gamma"]))


def bag_mi_svm(z, labels, train, setting):
    """MI-SVM, figure 3 of the paper."""
    negative = np.concatenate([z[i] for i in train if not labels[i]])
    positive = [z[i] for i in train if labels[i]]
    witnesses, chosen, seen = [bag.mean(axis=0) for bag in positive], None, set()
    while True:
        f = machine_on(np.vstack([negative, witnesses]), np.repeat([0, 1], [len(negative), len(positive)]), setting)
        chosen = tuple(int(np.argmax(f(bag))) for bag in positive)
        if chosen in seen:
            break
        seen.add(chosen)
        witnesses = [bag[k] for bag, k in zip(positive, chosen)]
    rounds["bag"].append(len(seen))
    instances = [f(bag).tolist() for bag in z]
    return [max(v) for v in instances], instances


def instance_mi_svm(z, labels, train, setting):
    """mi-SVM, figure 2 of the paper."""
    x = np.concatenate([z[i] for i in train])
    owner = np.concatenate([[i] * len(z[i]) for i in train])
    y, seen = np.array(labels)[owner], set()
    while tuple(y) not in seen:
        seen.add(tuple(y))
        f = machine_on(x, y, setting)
        decided = f(x)
        y = (decided > 0) & (np.array(labels)[owner] == 1)
        for i in train:
            if labels[i] and not y[owner == i].any():
                y[np.flatnonzero(owner == i)[np.argmax(decided[owner == i])]] = True
        y = y.astype(int)
    rounds["instance"].append(len(seen))
    instances = [f(bag).tolist() for bag in z]
    return [max(v) for v in instances], instances


def citation_knn(z, labels, train, setting):
    def distance(a, b):
        d = np.sqrt(((a[:, None] - b[None]) ** 2).sum(axis=2))
        if setting["distance"] == "hausdorff":
            return max(d.min(axis=0).max(), d.min(axis=1).max())
        return d.min()

    scores = []
    for bag in z[len(train):]:
        votes = [0.5, 0.5]
        for i in sorted(train, key=lambda i: distance(z[i], bag))[: setting["references"]]:
            votes[labels[i]] += 1
        for i in train:
            ranked = sorted([(distance(z[i], bag), -1)] + [(distance(z[i], z[k]), k) for k in train if k != i])
            votes[labels[i]] += [k for _, k in ranked].index(-1) < setting["citers"]
        scores.append(np.log(votes[1] / votes[0]))
    return [None] * len(train) + scores, None


rounds = {"bag": [], "instance": []}


def case(name, learner, data, dense, setting):
    made, labels = data
    train = list(range(len(made) * 2 // 3))
    scores, instances = learner(standardised(made, train, dense), labels, train, setting)
    return {"name": name, "dense": dense, "train": len(train), "setting": setting, "scores": [None if s is None else float(s) for s in scores], "instances": instances}


dense = bags(36, 6, 16, True)
sparse = bags(42, 25, 18, False)
cases = []
for form, data in (("dense", dense), ("sparse", sparse)):
    for penalty in ("l1", "l2", "radial"):
        for gamma, c, balanced in ((1, 1, True), (4, 10, False)):
            setting = {"learner": "miles", "penalty": penalty, "gamma": gamma, "c": c, "concepts": 5000, "balanced": balanced}
            cases.append(case(f"miles {penalty} {form} {c}", miles, data, form == "dense", setting))
    for gamma, c, balanced in ((0, 0.1, True), (0, 1, False), (0.5, 3, True), (2, 10, False)):
        for name, learner in (("mi-svm-bag", bag_mi_svm), ("mi-svm-instance", instance_mi_svm)):
            setting = {"learner": name, "gamma": gamma, "c": c, "rounds": 1000, "balanced": balanced}
            cases.append(case(f"{name} {form} {gamma} {c}", learner, data, form == "dense", setting))
    for distance, references, citers in (("min-hausdorff", 2, 4), ("min-hausdorff", 5, 0), ("hausdorff", 0, 3), ("hausdorff", 3, 50)):
        setting = {"learner": "citation-knn", "distance": distance, "references": references, "citers": citers}
        cases.append(case(f"citation-knn {form} {distance} {references} {citers}", citation_knn, data, form == "dense", setting))
print("rounds", rounds)
golden = {
    "versions": {"numpy": np.__version__, "scikit-learn": sklearn.__version__},
    "data": {form: {"bags": [bag.tolist() for bag in data[0]], "labels": data[1]} for form, data in (("dense", dense), ("sparse", sparse))},
    "cases": cases,
}
path = pathlib.Path(__file__).with_name("selection.json")
path.write_text(json.dumps(golden, indent=None, separators=(",", ":")).replace('{"name"', '\n{"name"') + "\n")
print("wrote", path.name)

"""Writes words.json, the reference scores of bags of words and Fisher vectors of package classic.

Reference: scikit-learn's KMeans from given centres, the histograms in numpy, StandardScaler on their roots, and SVC at a small
tolerance; GaussianMixture from given weights, means and variances, Fisher vectors in numpy row by row, and LinearSVC. Instances are standardised over the shared bags (sparse ones are not centred) and rounded to float32. The machine sees the
first bags of these alone, as in an inner fold; the rest is held out.
Run: python words.py (needs numpy, scikit-learn).
"""

import json
import pathlib
import warnings

import numpy as np
import sklearn
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

rng = np.random.default_rng(20040511)
warnings.simplefilter("error")


def bags(count, features, dense):
    """Bags of 1 to 9 instances; about half the instances of a positive bag are moved. Values are those of float32."""
    made, labels = [], []
    direction = 1.5 * rng.normal(size=features)
    for i in range(count):
        n, label = rng.integers(1, 10), int(rng.random() < 0.4)
        if dense:
            x = rng.normal(size=(n, features)) + np.outer(rng.random(n) < label / 2, direction)
            x = np.round(x * np.linspace(0.1, 30, features) + np.linspace(-5, 100, features), 3)
            x[:, -1] = 0.25  # constant
        else:
            x = (rng.random((n, features)) < 0.25) * np.round(rng.normal(size=(n, features)), 3)
            x[:, 0] = np.where(rng.random(n) < label / 2, 2, x[:, 0])
            x[:, -1] = 0  # never there
        made.append(x.astype(np.float32).astype(float))
        labels.append(label)
    return made, labels


def standardised(made, shared, dense):
    x = np.concatenate(made[:shared])
    deviation = x.std(axis=0)
    factor = 1 / np.where(deviation > 1e-9, deviation, 1)
    shift = x.mean(axis=0) if dense else 0
    return [((bag - shift) * factor).astype(np.float32).astype(float) for bag in made]


def words(z, labels, shared, train, setting):
    x = np.concatenate(z[:shared])
    start = x[rng.choice(len(x), setting["words"], replace=False)]
    means = KMeans(len(start), init=start, n_init=1, tol=1e-4, max_iter=100, algorithm="lloyd").fit(x)
    counts = [np.bincount(means.predict(bag), minlength=len(start)) for bag in z]
    roots = np.array([np.sqrt(c / c.sum()) for c in counts])
    scaler = StandardScaler().fit(roots[:shared])
    roots = scaler.transform(roots)
    weight = "balanced" if setting["balanced"] else None
    svm = SVC(C=setting["c"], gamma=setting["gamma"] / len(start), class_weight=weight, tol=1e-9)
    svm.fit(roots[:train], labels[:train])
    return {"start": start.ravel().tolist(), "histograms": [h.tolist() for h in roots], "scores": svm.decision_function(roots).tolist()}


def fisher(model, x):
    w, mu, sigma = model.weights_, model.means_, np.sqrt(model.covariances_)
    by_mean, by_deviation = np.zeros_like(mu), np.zeros_like(mu)
    for row, gamma in zip(x, model.predict_proba(x)):
        for k in range(len(w)):
            u = (row - mu[k]) / sigma[k]
            by_mean[k] += gamma[k] * u / (len(x) * np.sqrt(w[k]))
            by_deviation[k] += gamma[k] * (u**2 - 1) / (len(x) * np.sqrt(2 * w[k]))
    vector = np.concatenate([by_mean.ravel(), by_deviation.ravel()])
    vector = np.sign(vector) * np.sqrt(np.abs(vector))
    return vector / np.linalg.norm(vector)


def fisher_vectors(z, labels, shared, train, setting):
    x = np.concatenate(z[:shared])
    k = setting["components"]
    start = {"weights": rng.dirichlet(np.full(k, 5.0)), "means": x[rng.choice(len(x), k, replace=False)], "variances": rng.uniform(0.5, 2, (k, x.shape[1]))}
    model = GaussianMixture(k, covariance_type="diag", tol=1e-3, reg_covar=0.01, max_iter=100, init_params="random", random_state=0,
                            weights_init=start["weights"], means_init=start["means"], precisions_init=1 / start["variances"]).fit(x)
    vectors = np.array([fisher(model, bag) for bag in z])
    weight = "balanced" if setting["balanced"] else None
    svm = LinearSVC(C=setting["c"], class_weight=weight, dual=False, tol=1e-12, max_iter=1_000_000)
    svm.fit(vectors[:train], labels[:train])
    mixture = {name: v.ravel().tolist() for name, v in start.items()} | {"features": x.shape[1]}
    return {"mixture": mixture, "vectors": [v.tolist() for v in vectors[:3]], "scores": svm.decision_function(vectors).tolist()}


data = {"dense": bags(45, 6, True), "sparse": bags(45, 12, False)}
cases = []
for form, (made, labels) in data.items():
    for shared, train in ((30, 30), (36, 30)):
        z = standardised(made, shared, form == "dense")
        for count, c, balanced in ((3, 1.0, True), (8, 3.0, True), (15, 10.0, False)):
            setting = {"learner": "bag-of-words", "words": count, "gamma": 1.0, "c": c, "balanced": balanced}
            cases.append({"form": form, "shared": shared, "train": train, "setting": setting, **words(z, labels, shared, train, setting)})
        for count, c, balanced in ((1, 1.0, True), (3, 3.0, True), (6, 10.0, False)):
            setting = {"learner": "fisher-vectors", "components": count, "c": c, "balanced": balanced}
            cases.append({"form": form, "shared": shared, "train": train, "setting": setting, **fisher_vectors(z, labels, shared, train, setting)})


def rounded(value):
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    return [rounded(v) for v in value] if isinstance(value, list) else value


golden = {
    "versions": {"numpy": np.__version__, "scikit-learn": sklearn.__version__},
    "data": {form: {"bags": [bag.tolist() for bag in made], "labels": labels} for form, (made, labels) in data.items()},
    "cases": cases,
}
path = pathlib.Path(__file__).with_name("words.json")
path.write_text(json.dumps(rounded(golden), separators=(",", ":")) + "\n")
print("wrote", path.name)

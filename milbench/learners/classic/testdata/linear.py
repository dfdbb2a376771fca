"""Writes linear.json, the reference of linear-probe and nearest-mean in package classic.

The bags and labels are those of bags.json and kinds.json. Reference: scikit-learn's LogisticRegression and NearestCentroid on the means of
bags, scaled by StandardScaler over the training bags.
Run: python linear.py (needs numpy, scikit-learn).
"""

import json
import pathlib

import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestCentroid
from sklearn.preprocessing import StandardScaler

here = pathlib.Path(__file__)


def read(name):
    return json.loads(here.with_name(name).read_text())["forms"]


def form(f, k):
    train = f["train"]
    x = np.stack([np.array(b).mean(axis=0) for b in f["bags"]])
    x = StandardScaler().fit(x[:train]).transform(x)
    probes = []
    for c, balanced in ((1, True), (0.1, False), (30, True)):
        both = []
        for labels in (f["labels"], k["labels"]):
            probe = LogisticRegression(C=c, class_weight="balanced" if balanced else None, tol=1e-10, max_iter=100_000)
            both.append(probe.fit(x[:train], np.array(labels)[:train]).decision_function(x).tolist())
        probes.append({"setting": {"learner": "linear-probe", "c": c, "balanced": balanced}, "binary": both[0], "classes": both[1]})
    nearest = []
    for labels in (f["labels"], k["labels"]):
        centroid = NearestCentroid().fit(x[:train], np.array(labels)[:train])
        squares = ((x[:, None] - centroid.centroids_) ** 2).sum(axis=2)
        assert (centroid.predict(x) == squares.argmin(axis=1)).all()
        nearest.append({"squares": squares.tolist(), "classes": centroid.predict(x).tolist()})
    return {"probes": probes, "nearest": nearest}


golden = {
    "versions": {"numpy": np.__version__, "scikit-learn": sklearn.__version__},
    "forms": [form(f, k) for f, k in zip(read("bags.json"), read("kinds.json"))],
}
path = here.with_name("linear.json")
path.write_text(json.dumps(golden) + "\n")
print("wrote", path.name)

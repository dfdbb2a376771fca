"""Writes silhouette.json, the reference figures of Silhouette: scikit-learn's silhouette_score with Euclidean distances.

Run: python silhouette.py (needs numpy, scikit-learn).
"""

import json
import pathlib

import numpy as np
import sklearn
from sklearn.metrics import silhouette_score

rng = np.random.default_rng(19870101)


def case(name, vectors, labels):
    vectors, labels = np.asarray(vectors, dtype=np.float64), np.asarray(labels)
    return {"name": name, "vectors": vectors.tolist(), "labels": labels.tolist(), "silhouette": float(silhouette_score(vectors, labels))}


def clouds(n, features, apart):
    labels = (rng.random(n) < 0.4).astype(int)
    labels[:2], labels[-2:] = 1, 0
    return rng.normal(size=(n, features)).round(3) + apart * labels[:, None], labels


silhouette = {
    "versions": {"numpy": np.__version__, "scikit-learn": sklearn.__version__},
    "cases": [
        case("one cloud", *clouds(40, 3, 0.0)),
        case("two clouds", *clouds(30, 4, 3.0)),
        case("far apart", *clouds(20, 2, 100.0)),
        case("one alone", [[0, 0], [1, 0], [0, 1], [5, 5]], [0, 0, 0, 1]),
        case("equal vectors", [[1, 1], [1, 1], [2, 2], [2, 2]], [0, 0, 1, 1]),
        case("the wrong labels", [[0.0], [10.0], [0.5], [10.5]], [0, 0, 1, 1]),
    ],
}
path = pathlib.Path(__file__).with_name("silhouette.json")
path.write_text(json.dumps(silhouette, indent=1) + "\n")
print("wrote", path.name)

"""Writes pca.json: principal components by the eigenvectors of the covariance matrix, in NumPy's float64.

    python pca.py > pca.json
"""

import json
import sys

import numpy as np

random = np.random.default_rng(7)
cases = []
for name, n, d, shift in [("tall", 40, 5, 3.0), ("wide", 6, 20, -2.0), ("two", 2, 3, 0.0), ("one feature", 8, 1, 1.0)]:
    x = np.round(random.normal(size=(n, d)) * (1 + np.arange(d)) ** 0.7 + shift, 3)
    centred = x - x.mean(axis=0)
    values, directions = np.linalg.eigh(np.cov(x, rowvar=False).reshape(d, d))
    order = np.argsort(values)[::-1][:2]
    places = np.zeros((n, 2))
    shares = np.zeros(2)
    for k, i in enumerate(order):
        if values[i] < 1e-12 * values.sum():
            continue
        v = directions[:, i]
        v = v * np.sign(v[np.argmax(np.abs(v))])
        places[:, k] = centred @ v
        shares[k] = values[i] / values.sum()
    cases.append({"name": name, "vectors": x.tolist(), "places": places.tolist(), "shares": shares.tolist()})
json.dump(cases, sys.stdout, indent=1)
print()

"""Writes tsne.json: similarities, gradients and divergences of t-SNE.

    python -m venv venv && venv/bin/pip install scikit-learn==1.7.2 numpy==2.4.6 scipy==1.17.1 && venv/bin/python tsne.py > tsne.json

joint and slopes are those of scikit-learn's exact method, exact the similarities that NumPy and SciPy find in float64
with the perplexity solved by Brent's method (scikit-learn stops at 1e-5 of the entropy, with distances in float32).
joint and exact have the pairs i < j, row by row. divergence is where scikit-learn's exact method ends after 1000
iterations, the median of five: it begins at principal components and at four random places. The digits are the first of
scikit-learn's, from the test part of "Optical recognition of handwritten digits" (Alpaydin and Kaynak 1998, UCI Machine
Learning Repository, CC BY 4.0).
"""

import json
import sys

import numpy as np
from scipy.optimize import brentq
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import load_digits
from sklearn.manifold import TSNE
from sklearn.manifold._t_sne import _joint_probabilities, _kl_divergence


def exact(x, perplexity):
    n = len(x)
    squares = squareform(pdist(x, "sqeuclidean"))
    conditional = np.zeros((n, n))
    for i in range(n):
        d = np.delete(squares[i], i)
        d = d - d.min()
        d = d / d[d > 0].mean()

        def p(log_beta):
            w = np.exp(-np.exp(log_beta) * d)
            return w / w.sum()

        def excess(log_beta):
            q = p(log_beta)
            q = q[q > 0]
            return -(q * np.log(q)).sum() - np.log(perplexity)

        conditional[i, np.arange(n) != i] = p(brentq(excess, -40, 40, xtol=1e-14, rtol=1e-14))
    joint = (conditional + conditional.T) / (2 * n)
    return joint[np.triu_indices(n, 1)]


random = np.random.default_rng(11)
middles = 4 * random.normal(size=(3, 10))
gaussians = np.round(np.concatenate([m + s * random.normal(size=(20, 10)) for m, s in zip(middles, [1, 0.5, 2])]), 3)
duplicates = np.round(random.normal(size=(12, 3)), 3)
duplicates[5] = duplicates[3] = duplicates[1]
digits = load_digits()

cases = []
for name, x, perplexity, labels, similarities in [
    ("three gaussians", gaussians, 10.0, np.repeat([0, 1, 2], 20), True),
    ("duplicates", duplicates, 3.5, np.zeros(12, int), True),
    ("digits", digits.data[:300].astype(int), 30.0, digits.target[:300], False),
]:
    case = {"name": name, "perplexity": perplexity, "labels": labels.tolist(), "vectors": x.tolist()}
    x = x.astype(float)
    n = len(x)
    if similarities:
        joint = _joint_probabilities(squareform(pdist(x, "sqeuclidean")), perplexity, 0)
        places = np.round(3 * random.normal(size=(n, 2)), 3)
        case |= {"joint": joint.tolist(), "exact": exact(x, perplexity).tolist(), "places": places.tolist(), "slopes": []}
        for factor in [1.0, 12.0]:
            kl, gradient = _kl_divergence(places.ravel(), factor * joint, 1, n, 2)
            case["slopes"].append({"factor": factor, "divergence": kl, "gradient": gradient.reshape(n, 2).tolist()})
    ends = []
    for init, seed in [("pca", 0), ("random", 0), ("random", 1), ("random", 2), ("random", 3)]:
        fit = TSNE(perplexity=perplexity, method="exact", init=init, learning_rate="auto", max_iter=1000, random_state=seed)
        ends.append(float(fit.fit(x).kl_divergence_))
    case["divergence"] = float(np.median(ends))
    cases.append(case)
print("[" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases) + "]", file=sys.stdout)

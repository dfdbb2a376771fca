"""Writes mixture.json, the reference values of package mixture.

k-means: scikit-learn's KMeans (Lloyd) from given centres with tolerance 0; in one case clusters are left without rows.
Mixture: scikit-learn's GaussianMixture with diagonal covariance from given weights, means and variances, after some iterations and
at convergence. Fisher vectors: the formula of Perronnin, Sanchez and Mensink (2010), written here row by row and asserted to be
that of scikit-image, which also has derivatives by the weights and those by the deviations with the other sign.
Run: python mixture.py (needs numpy, scikit-learn, scikit-image).
"""

import json
import pathlib
import warnings

import numpy as np
import skimage
import sklearn
from skimage.feature import fisher_vector
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

warnings.simplefilter("ignore", ConvergenceWarning)
rng = np.random.default_rng(2010)


def rows(n, d, k, spread):
    x = rng.normal(size=(n, d)) * rng.uniform(0.5, 2, d) + spread * rng.normal(size=(k, d))[rng.integers(k, size=n)]
    return np.round(x, 3).astype(np.float32)


def means_case(name, x, centres):
    x64 = x.astype(np.float64)
    model = KMeans(len(centres), init=centres, n_init=1, tol=0, max_iter=300, algorithm="lloyd").fit(x64)
    return {"name": name, "features": x.shape[1], "x": [float(f"{v:.5g}") for v in x.ravel()], "start": centres.ravel().tolist(),
            "centres": model.cluster_centers_.ravel().tolist(), "inertia": model.inertia_, "labels": model.labels_.tolist()}


def fisher(model, x):
    w, mu, sigma = model.weights_, model.means_, np.sqrt(model.covariances_)
    gamma = model.predict_proba(x)
    by_mean, by_deviation = np.zeros_like(mu), np.zeros_like(mu)
    for t in range(len(x)):
        for k in range(len(w)):
            z = (x[t] - mu[k]) / sigma[k]
            by_mean[k] += gamma[t, k] * z / (len(x) * np.sqrt(w[k]))
            by_deviation[k] += gamma[t, k] * (z**2 - 1) / (len(x) * np.sqrt(2 * w[k]))
    vector = np.concatenate([by_mean.ravel(), by_deviation.ravel()])
    other = fisher_vector(x, model, improved=False)[len(w):]
    other[mu.size:] *= -1
    np.testing.assert_allclose(vector, other, rtol=1e-7, atol=1e-9)
    vector = np.sign(vector) * np.sqrt(np.abs(vector))
    return (vector / np.linalg.norm(vector)).ravel().tolist()


def mixture_case(name, x, k, iterations, tolerance):
    x64 = x.astype(np.float64)
    d = x.shape[1]
    weights = rng.dirichlet(np.full(k, 5.0))
    means = x64[rng.choice(len(x), k, replace=False)]
    variances = rng.uniform(0.5, 3, (k, d))
    model = GaussianMixture(k, covariance_type="diag", reg_covar=1e-6, max_iter=iterations, tol=tolerance, weights_init=weights / weights.sum(),
                            means_init=means, precisions_init=1 / variances).fit(x64)
    bags = [x64[:1], x64[3:20], x64[40:90]]
    return {"name": name, "features": d, "x": [float(f"{v:.5g}") for v in x.ravel()], "iterations": iterations, "tolerance": tolerance,
            "start": {"Features": d, "Weights": (weights / weights.sum()).tolist(), "Means": means.ravel().tolist(), "Variances": variances.ravel().tolist()},
            "weights": model.weights_.tolist(), "means": model.means_.ravel().tolist(), "variances": model.covariances_.ravel().tolist(),
            "log_likelihood": float(model.score(x64)), "n_iter": model.n_iter_, "converged": bool(model.converged_),
            "responsibilities": model.predict_proba(x64[:5]).ravel().tolist(),
            "bags": [[0, 1], [3, 20], [40, 90]],
            "fisher": [fisher(model, b) for b in bags]}


plain, many = rows(200, 5, 4, 3), rows(150, 3, 5, 2)
far = np.concatenate([plain[:4].astype(np.float64), [[100] * 5, [-100] * 5]])  # the last two get no rows
golden = {
    "versions": {"numpy": np.__version__, "scikit-learn": sklearn.__version__, "scikit-image": skimage.__version__},
    "means": [means_case("plain", plain, plain[:4].astype(np.float64)), means_case("many clusters", many, many[:12].astype(np.float64)),
              means_case("clusters without rows", plain, far)],
    "mixtures": [mixture_case("one iteration", plain, 4, 1, 0), mixture_case("20 iterations", plain, 4, 20, 0),
                 mixture_case("converged", many, 3, 1000, 1e-9), mixture_case("stopped by tolerance", plain, 3, 100, 1e-3)],
}
path = pathlib.Path(__file__).with_name("mixture.json")
path.write_text(json.dumps(golden) + "\n")
print("wrote", path.name)

"""The numbers of TestPrior in ../combine_test.go, by SciPy."""
import numpy as np
from scipy.optimize import minimize

values = np.array([-1.5, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0])
labels = np.array([0, 0, 1, 0, 0, 1, 0, 1, 1, 1])
targets = np.where(labels == 1, (labels.sum() + 1) / (labels.sum() + 2), 1 / ((1 - labels).sum() + 2))
for prior in (0, 2, 100):
    def loss(p):
        x = p[0] * values + p[1]
        return (np.logaddexp(0, x) - targets * x).sum() + 5e-4 * p[0] ** 2 + prior / 2 * (p[0] - 1.5) ** 2
    print(prior, minimize(loss, [1, 0], tol=1e-12).x.round(6))

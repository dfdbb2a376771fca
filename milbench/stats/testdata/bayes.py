"""Writes bayes.json, the reference outcomes of the Bayesian tests of package stats.

Reference: baycomp (Benavoli, Corani, Demsar and Zaffalon 2017). It takes y - x for the difference, so that its right is the
"better" of judge for x = b and y = a.
Run: python bayes.py (needs numpy, scipy, baycomp).
"""

import importlib.metadata
import json
import pathlib

import baycomp
import numpy as np

rng = np.random.default_rng(20170401)
SAMPLES = 200_000


def folds(r, k, gain, sd):
    """AUC of r times k folds of two methods that share what is hard about a fold."""
    hard = rng.normal(0.85, 0.05, r * k)
    return hard + rng.normal(gain, sd, r * k), hard + rng.normal(0, sd, r * k)


def t_case(name, a, b, runs, rope):
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    p = baycomp.CorrelatedTTest.probs(b, a, rope=rope, runs=runs)
    worse, equal, better = p if rope > 0 else (p[0], 0.0, p[1])
    return {"name": name, "a": a.tolist(), "b": b.tolist(), "folds": len(a) // runs, "rope": rope,
            "better": float(better), "equal": float(equal), "worse": float(worse)}


def rank_case(name, a, b, rope, prior=0.5):
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    p = baycomp.SignedRankTest(b, a, rope=rope, prior=prior, nsamples=SAMPLES, random_state=1).probs()
    return {"name": name, "a": a.tolist(), "b": b.tolist(), "rope": rope, "prior": prior,
            "better": float(p[2]), "equal": float(p[1]), "worse": float(p[0])}


# Figures of eighths and a rope of an eighth: sums stand on the bounds.
eighths = rng.integers(0, 9, (2, 12)) / 8
golden = {
    "versions": {p: importlib.metadata.version(p) for p in ("numpy", "scipy", "baycomp")},
    "samples": SAMPLES,
    "correlated_t": [
        t_case("five times ten folds", *folds(5, 10, 0.01, 0.02), 5, 0.01),
        t_case("ten folds", *folds(1, 10, 0.02, 0.02), 1, 0.01),
        t_case("worse", *folds(10, 10, -0.03, 0.02), 10, 0.01),
        t_case("equal", *folds(10, 10, 0, 0.005), 10, 0.01),
        t_case("no rope", *folds(5, 4, 0.01, 0.02), 5, 0),
        t_case("wide rope", *folds(1, 5, 0.01, 0.02), 1, 0.1),
        t_case("two folds", [0.9, 0.8], [0.7, 0.75], 1, 0.01),
        t_case("strong", *folds(5, 10, 0.3, 0.002), 5, 0.01),
        t_case("a point that is better", [0.75] * 4, [0.5] * 4, 1, 0.01),
        t_case("a point that is worse", [0.5] * 4, [0.75] * 4, 1, 0.01),
        t_case("a point within the rope", [0.5] * 4, [0.5] * 4, 1, 0.01),
        t_case("a point at 0 without a rope", [0.5] * 4, [0.5] * 4, 1, 0),
    ],
    "signed_rank": [
        rank_case("better", *folds(1, 14, 0.03, 0.02), 0.01),
        rank_case("worse", *folds(1, 14, -0.02, 0.02), 0.01),
        rank_case("equal", *folds(1, 30, 0, 0.01), 0.01),
        rank_case("undecided", *folds(1, 6, 0.01, 0.04), 0.01),
        rank_case("no rope", *folds(1, 10, 0.01, 0.03), 0),
        rank_case("strong prior", *folds(1, 10, 0.03, 0.02), 0.01, 5),
        rank_case("one pair", [0.9], [0.8], 0.01),
        rank_case("two pairs", [0.9, 0.7], [0.8, 0.75], 0.01),
        rank_case("on the bounds", *eighths, 0.125),
        rank_case("on the bound without a rope", *eighths, 0),
        rank_case("wide rope", *folds(1, 10, 0.03, 0.02), 0.03),
        rank_case("no differences", [0.5] * 5, [0.5] * 5, 0.01),
    ],
}
path = pathlib.Path(__file__).with_name("bayes.json")
path.write_text(json.dumps(golden, indent=1) + "\n")
print("wrote", path.name)

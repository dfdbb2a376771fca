"""Writes comparisons.json, the reference outcomes of the tests of package stats that compare methods.

Reference: SciPy for the Friedman test, the studentized range, the signed-rank test and the plain paired t-test,
statsmodels for Holm's correction. Iman and Davenport's F and the corrected resampled t-test have no function there:
they are computed here from their definitions with SciPy's distributions. The tables of Demsar (2006), of which the
paper prints outcomes, are among the cases.
Run: python comparisons.py (needs numpy, scipy, statsmodels).
"""

import json
import pathlib

import numpy as np
import scipy
import statsmodels
from scipy import stats
from statsmodels.stats.multitest import multipletests

rng = np.random.default_rng(20061201)

# Table 6 of Demsar (2006): AUC of C4.5, with m, cf and both tuned, on 14 sets. It prints 0.975 twice in one row and ranks
# the first above the second; 0.9751 stands for that.
demsar = [
    [0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967], [0.628, 0.661, 0.654, 0.657],
    [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931], [0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625],
    [0.775, 0.838, 0.866, 0.875], [1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669],
    [0.972, 0.981, 0.9751, 0.975], [0.957, 0.978, 0.946, 0.970],
]


def friedman_case(name, values):
    values = np.asarray(values, dtype=np.float64)
    n, k = values.shape
    ranks = np.array([stats.rankdata(-row) for row in values]).mean(axis=0)
    chi, p = stats.friedmanchisquare(*(values.T if k > 2 else [*values.T, values[:, 0]])) if k > 2 else (None, None)
    if k == 2:  # SciPy wants three: the definition, with the correction for ties
        ties = sum((t**3 - t).sum() for row in values for t in [np.unique(row, return_counts=True)[1].astype(float)])
        chi = 12 * n / (k * (k + 1)) * ((ranks - (k + 1) / 2) ** 2).sum() / (1 - ties / (n * (k**3 - k)))
        p = stats.chi2.sf(chi, k - 1)
    f = (n - 1) * chi / (n * (k - 1) - chi)
    return {"name": name, "values": values.tolist(), "ranks": ranks.tolist(), "chi_square": float(chi), "chi_square_p": float(p),
            "f": float(f), "f_p": float(stats.f.sf(f, k - 1, (k - 1) * (n - 1)))}


def wilcoxon_case(name, a, b):
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    d = a - b
    d = d[d != 0]
    exact = len(d) <= 50 and len(np.unique(np.abs(d))) == len(d)
    found = stats.wilcoxon(d, zero_method="wilcox", correction=not exact, method="exact" if exact else "asymptotic")
    ranks = stats.rankdata(np.abs(d))
    return {"name": name, "a": a.tolist(), "b": b.tolist(), "n": len(d), "positive": float(ranks[d > 0].sum()),
            "negative": float(ranks[d < 0].sum()), "exact": exact, "p": float(found.pvalue)}


def t_case(name, a, b, ratio):
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    d = a - b
    n = len(d)
    se = np.sqrt((1 / n + ratio) * d.var(ddof=1))
    t = d.mean() / se
    p = 2 * stats.t.sf(abs(t), n - 1)
    if ratio == 0:
        plain = stats.ttest_rel(a, b)
        assert np.isclose(t, plain.statistic, rtol=1e-12) and np.isclose(p, plain.pvalue, rtol=1e-9), (t, p, plain)
    low, high = stats.t.interval(0.95, n - 1, loc=d.mean(), scale=se)
    return {"name": name, "a": a.tolist(), "b": b.tolist(), "ratio": ratio, "difference": float(d.mean()), "se": float(se),
            "t": float(t), "p": float(p), "low": float(low), "high": float(high)}


def folds(r, k, gain, sd):
    """AUC of r times k folds of two methods that share what is hard about a fold."""
    hard = rng.normal(0.85, 0.05, r * k)
    return hard + rng.normal(gain, sd, r * k), hard + rng.normal(0, sd, r * k)


effects = np.array([0.0, 0.01, 0.03, 0.02, -0.02])
table = np.asarray(demsar)
p_values = [[0.01, 0.04, 0.03, 0.005], [0.5], [1, 1, 0], [0.02, 0.02, 0.02, 0.9], rng.uniform(0, 0.2, 12).tolist()]
golden = {
    "versions": {"numpy": np.__version__, "scipy": scipy.__version__, "statsmodels": statsmodels.__version__},
    "friedman": [
        friedman_case("Demsar, table 6", demsar),
        friedman_case("no effect", rng.normal(0.8, 0.05, (10, 6))),
        friedman_case("effects", rng.normal(0.8, 0.03, (15, 5)) + effects),
        friedman_case("many ties", np.round(rng.normal(0.8, 0.05, (12, 4)), 1)),
        friedman_case("two methods", rng.normal(0.8, 0.05, (9, 2)) + [0, 0.03]),
        friedman_case("two sets", rng.normal(0.8, 0.05, (2, 8))),
        friedman_case("many methods", rng.normal(0.8, 0.05, (5, 41))),
        friedman_case("strong", rng.normal(0.8, 0.004, (15, 5)) + effects),
    ],
    "range": [
        {"methods": k, "alpha": alpha, "q": float(stats.studentized_range.ppf(1 - alpha, k, np.inf))}
        for k in (2, 3, 4, 6, 10, 41) for alpha in (0.1, 0.05, 0.01)
    ],
    "wilcoxon": [
        wilcoxon_case("Demsar, table 6, C4.5 and both tuned", table[:, 3], table[:, 0]),
        wilcoxon_case("small", *folds(1, 6, 0.02, 0.02)),
        wilcoxon_case("one pair", [0.9], [0.8]),
        wilcoxon_case("fifty", *folds(5, 10, 0.005, 0.03)),
        wilcoxon_case("fifty-one", *folds(1, 51, 0.005, 0.03)),
        wilcoxon_case("strong", *folds(1, 40, 0.1, 0.02)),
        wilcoxon_case("ties", rng.integers(0, 6, 30), rng.integers(0, 6, 30)),
        wilcoxon_case("zeros", [0.5, 0.25, 1, 0.75, 2, 3], [0.5, 0.5, 0.25, 0.75, 4, 0]),
        wilcoxon_case("zeros and ties", [1, 2, 3, 4, 5, 6, 7], [1, 1, 4, 6, 5, 3, 3]),
        wilcoxon_case("even", [1, -1, 2, -2], [0, 0, 0, 0]),
    ],
    "holm": [{"p": p, "adjusted": multipletests(p, method="holm")[1].tolist()} for p in p_values],
    "t": [
        t_case("five times ten folds", *folds(5, 10, 0.01, 0.02), 1 / 9),
        t_case("ten times ten folds", *folds(10, 10, 0.03, 0.02), 1 / 9),
        t_case("plain", *folds(1, 12, 0.01, 0.02), 0),
        t_case("one split", *folds(5, 1, 0.01, 0.02), 38 / 75),
        t_case("strong", *folds(5, 10, 0.5, 0.001), 1 / 9),
        t_case("no difference", [1, 2, 3, 4], [2, 1, 4, 3], 1 / 3),
    ],
}
path = pathlib.Path(__file__).with_name("comparisons.json")
path.write_text(json.dumps(golden, indent=1) + "\n")
print("wrote", path.name)

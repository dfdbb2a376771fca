"""Writes fdr.json: p-values adjusted by scipy.stats.false_discovery_control.

Run: python fdr.py (needs numpy, scipy).
"""

import json
import pathlib

import numpy as np
from scipy import stats

rng = np.random.default_rng(20270214)
cases = []
for n, share in ((1, 1), (10, 0), (40, 0.3), (200, 0.1), (200, 0.6)):
    p = rng.uniform(size=n)
    p[rng.uniform(size=n) < share] **= 6
    p = p.round(3)
    cases.append({"p": p.tolist(), "adjusted": stats.false_discovery_control(p, method="bh").tolist()})
pathlib.Path(__file__).with_name("fdr.json").write_text(json.dumps(cases) + "\n")

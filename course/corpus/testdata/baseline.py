"""Writes baseline.json: scikit-learn's logistic regression on the rows of the tests' baselines.

    go test synpool/course/corpus -run TestBaselines -args -export FOLDER     # with both text sets at hand
    python baseline.py FOLDER > baseline.json                          # needs scikit-learn

It fits the training rows, and scores the test rows, of every case in the folder.
"""

import json
import pathlib
import sys
import warnings

import numpy as np
from sklearn import metrics
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegression

warnings.simplefilter("error")
figures = {}
for folder in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    setting = json.loads((folder / "setting.json").read_text())
    (x, y), (tx, ty) = (load_svmlight_file(str(folder / f"{part}.svm"), n_features=setting["columns"], zero_based=True) for part in ("train", "test"))
    model = LogisticRegression(C=setting["C"], class_weight="balanced" if setting["balanced"] else None, tol=1e-7, max_iter=10000)
    p = model.fit(x, y).predict_proba(tx)
    auc = [metrics.roc_auc_score(ty == k, p[:, k]) for k in range(p.shape[1])]
    f1 = metrics.f1_score(ty, p.argmax(axis=1), average=None)
    figures[setting["name"]] = {"accuracy": metrics.accuracy_score(ty, p.argmax(axis=1)), "f1": f1.tolist(), "auc": auc, "macro_f1": f1.mean(), "macro_auc": np.mean(auc)}
json.dump(figures, sys.stdout, indent=1)
print()

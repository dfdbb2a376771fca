"""Writes sklearn.json: tf-idf rows, fits of logistic regression and figures of classifiers by scikit-learn.

    python sklearn_reference.py > sklearn.json     # needs NumPy and scikit-learn
"""

import json
import sys
import warnings

import numpy as np
import sklearn
from sklearn import metrics
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

warnings.simplefilter("error")
rng = np.random.default_rng(20240229)

TEXTS = [
    "the cat sat on the mat", "the dog sat", "a bird sang on the roof of the house", "the cat and the dog sang",
    "a a a a", "", "unseen words alone", "roof roof mat",
]
FITTED = 5  # the texts that frequencies are taken from


def tfidf():
    vectorizer = TfidfVectorizer(analyzer=str.split)
    vectorizer.fit(TEXTS[:FITTED])
    words = vectorizer.get_feature_names_out().tolist()
    return {"texts": TEXTS, "fitted": FITTED, "words": words, "idf": vectorizer.idf_.tolist(), "rows": vectorizer.transform(TEXTS).toarray().tolist()}


def logistic(name, classes, c, balanced):
    n, columns = 60, 5
    y = np.repeat(np.arange(classes), n // classes)
    y[: n // 4] = 0  # class 0 is the most frequent
    x = rng.normal(size=(n, columns)) * (rng.random((n, columns)) < 0.6) + 0.4 * y[:, None] * np.arange(columns)
    x[:, 3] = 0
    model = LogisticRegression(C=c, class_weight="balanced" if balanced else None, tol=1e-10, max_iter=100000, solver="newton-cg")
    model.fit(x, y)
    p = model.predict_proba(x)
    return {"name": name, "classes": classes, "c": c, "balanced": balanced, "x": x.tolist(), "y": y.tolist(), "weights": model.coef_.tolist(), "bias": model.intercept_.tolist(), "probabilities": p.tolist()}


def report(name, y, scores):
    y, scores = np.asarray(y), np.asarray(scores)
    classes = range(scores.shape[1])
    f1 = metrics.f1_score(y, scores.argmax(axis=1), labels=list(classes), average=None, zero_division=0)
    auc = [metrics.roc_auc_score(y == k, scores[:, k]) for k in classes]
    return {"name": name, "labels": y.tolist(), "scores": scores.tolist(), "accuracy": metrics.accuracy_score(y, scores.argmax(axis=1)),
            "f1": f1.tolist(), "auc": auc, "macro_f1": f1.mean(), "macro_auc": float(np.mean(auc))}


def reports():
    for name, n, classes, digits in (("three classes", 50, 3, 9), ("ties", 80, 3, 1), ("two classes", 30, 2, 9), ("many ties", 40, 4, 0)):
        y = np.arange(n) % classes
        rng.shuffle(y)
        yield report(name, y, np.round(rng.normal(size=(n, classes)) + np.eye(classes)[y], digits))
    yield report("right", [0, 1, 2, 2], np.eye(3)[[0, 1, 2, 2]])
    yield report("wrong", [0, 1, 2, 2], np.eye(3)[[1, 2, 0, 0]])
    yield report("one answer", [0, 1, 2, 2], np.tile([0.0, 0.0, 1.0], (4, 1)))


def several():
    """Labels that a text can have several of, some of which imply others."""
    for name, n, digits in (("six labels", 16, 9), ("six labels, ties", 24, 1)):
        of = rng.random((n, 6)) < 0.3
        of[:, 0] |= of[:, 1] | of[:, 4]
        p = np.round(np.clip(0.35 + 0.3 * of + 0.2 * rng.normal(size=of.shape), 0, 1), digits)
        f1 = metrics.f1_score(of, p >= 0.5, average=None)
        auc = metrics.roc_auc_score(of, p, average=None)
        yield {"name": name, "labels": of.tolist(), "scores": p.tolist(), "accuracy": metrics.accuracy_score(of, p >= 0.5),
               "f1": f1.tolist(), "auc": auc.tolist(), "macro_f1": f1.mean(), "macro_auc": auc.mean()}


json.dump({
    "sklearn": sklearn.__version__,
    "tfidf": tfidf(),
    "logistic": [logistic("binary", 2, 1, False), logistic("binary, balanced", 2, 10, True), logistic("three", 3, 1, False), logistic("three, balanced, weak penalty", 3, 100, True), logistic("four, strong penalty", 4, 0.01, False)],
    "reports": list(reports()),
    "several": list(several()),
}, sys.stdout, indent=1)
print()

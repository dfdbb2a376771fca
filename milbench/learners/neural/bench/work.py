"""The work that pytorch.py and jax_peer.py time: sets, folds, standardisation, the setting, and the line they print."""
import argparse
import json
import os
import resource

import numpy as np
import scipy.io
import scipy.sparse
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

FOLDS = 10
OFFICIAL_TRAIN = 75  # the first bags of a Web set are its training part
EMBED, HEADS, SCALE, GAMMA, SYN_STEPS = 32, 4, 10.0, 0.5, 3
DROPOUT, CLIP, LR, WEIGHT_DECAY = 0.75, 1.0, 1e-3, 1e-4
SPARSE = 0.25  # a set with a smaller share of non-zero values is not centred, so that its zeros stay zeros
CONSTANT = 1e-8  # the standard deviation, relative to a mean above 1, up to which a feature counts as constant


def arguments(description):
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--set", choices=["elephant", "musk2", "web1"], default="elephant")
    parser.add_argument("--data", required=True, metavar="DIR", help="the folder of SET.mat")
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--batch", type=int, default=1, help="bags a step")
    parser.add_argument("--fits", type=interval, default=(0, 50), metavar="A:B", help="fits A to B-1, ten folds a repeat (web1: a seed each)")
    parser.add_argument("--epochs", type=int, default=50)
    return parser


def interval(text):
    a, b = map(int, text.split(":"))
    if not 0 <= a < b:
        raise argparse.ArgumentTypeError(f"{text}: want A:B with 0 <= A < B")
    return a, b


class Set:
    """Bags as float64 matrices, dense or CSR, and their labels, 0 or 1."""

    def __init__(self, name, folder):
        cells = scipy.io.loadmat(os.path.join(folder, name + ".mat"))["data"]
        # The last stored column is the label.
        self.bags = [scipy.sparse.csr_matrix(x, dtype=float)[:, :-1] for x in cells[:, 0]]
        self.labels = np.array([np.ravel(y)[0] > 0 for y in cells[:, 1]], dtype=int)
        self.official = name.startswith("web")
        self.sparse = sum(x.nnz for x in self.bags) < SPARSE * sum(x.shape[0] * x.shape[1] for x in self.bags)
        if not self.sparse:
            self.bags = [x.toarray() for x in self.bags]
        self.features = self.bags[0].shape[1]

    def fold(self, fit):
        """The indices of the training and the test bags."""
        everything = np.arange(len(self.bags))
        if self.official:
            return everything[:OFFICIAL_TRAIN], everything[OFFICIAL_TRAIN:]
        repeat, fold = divmod(fit, FOLDS)
        return list(StratifiedKFold(FOLDS, shuffle=True, random_state=repeat).split(everything, self.labels))[fold]

    def standardisation(self, train):
        """(shift, factor) of each feature, from the instances of the training bags."""
        stack = scipy.sparse.vstack if self.sparse else np.concatenate
        x = stack([self.bags[i] for i in train])
        mean = np.asarray(x.mean(axis=0)).ravel()
        square = np.asarray((x.multiply(x) if self.sparse else (x - mean) ** 2).mean(axis=0)).ravel()
        sd = np.sqrt(square - mean**2 if self.sparse else square)
        sd[sd <= CONSTANT * np.maximum(1, np.abs(mean))] = 1
        return np.zeros_like(mean) if self.sparse else mean, 1 / sd

    def standardised(self, train):
        """All bags, standardised on the training ones; CSR stays CSR."""
        shift, factor = self.standardisation(train)
        if self.sparse:
            return [x.multiply(factor).tocsr().astype(np.float32) for x in self.bags]
        return [((x - shift) * factor).astype(np.float32) for x in self.bags]


def auc(labels, scores):
    return float(roc_auc_score(labels, scores))


def report(side, args, steps, bags, seconds, us_per_bag, aucs, versions, **more):
    """Prints one JSON line. steps and bags are those trained, over all epochs and fits."""
    print(json.dumps({
        "side": side, "set": args.set, "width": args.width, "batch": args.batch, "fits": len(aucs), "first_fit": args.fits[0],
        "epochs": args.epochs, "steps": steps, "bags": bags, "seconds": round(seconds, 3), "us_per_bag": round(us_per_bag, 2),
        "auc": round(float(np.mean(aucs)), 4),
        "auc_se": round(float(np.std(aucs, ddof=1) / len(aucs) ** 0.5), 4) if len(aucs) > 1 else None,
        "aucs": [round(a, 4) for a in aucs], **more, "versions": versions,
        "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }), flush=True)

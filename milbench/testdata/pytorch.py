"""Trains the softmax network of a results folder again in PyTorch, on the same folds, and compares the AUC.

    milbench data fetch elephant
    milbench run musk1 elephant --pooling softmax --repeats 1 --out results
    python pytorch.py results --data DIR           # torch 2.15, numpy 2.4, scipy 1.17, scikit-learn 1.9

DIR holds elephant.mat and clean1.data. Everything but the folds is independent of our code: the network is written
from its description (synlayer.Network, synlayer.SynPooling with no Syn steps), with PyTorch's own layers, Xavier
initialisation, AdamW and norm clip, and the files are read by SciPy and NumPy. Order and dropout have PyTorch's seeds.
"""
import argparse
import collections
import json
import os
import time

import numpy as np
import scipy.io
import torch
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler


def read(name, folder):
    """Returns {bag id: (instances, label)}."""
    if name == "musk1":
        rows = collections.defaultdict(list)
        labels = {}
        for line in open(os.path.join(folder, "clean1.data")):
            parts = line.strip().rstrip(".").split(",")
            rows[parts[0]].append([float(v) for v in parts[2:-1]])
            labels[parts[0]] = int(float(parts[-1]))
        return {bag: (np.array(r), labels[bag]) for bag, r in rows.items()}
    data = scipy.io.loadmat(os.path.join(folder, name + ".mat"))["data"]
    # The last stored column is the label.
    return {str(i + 1): (np.asarray(x, float)[:, :-1], int(np.ravel(y)[0] > 0)) for i, (x, y) in enumerate(data)}


class Network(torch.nn.Module):
    def __init__(self, features, c):
        super().__init__()
        self.c = c
        width, embed = c["width"], c["embed"]
        self.dropout = torch.nn.Dropout(c["dropout"])
        sizes = [features] + [width] * c["layers"]
        self.embedding = torch.nn.ModuleList(torch.nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.query = torch.nn.Parameter(torch.empty(1, sizes[-1]))
        self.norm = torch.nn.LayerNorm(sizes[-1]) if c["norm"] else torch.nn.Identity()
        self.keyvalue = torch.nn.Linear(sizes[-1], 2 * embed)
        self.project = torch.nn.Linear(sizes[-1], embed)
        self.output = torch.nn.Linear(embed, sizes[-1])
        self.classifier = torch.nn.Linear(sizes[-1], 1)
        torch.nn.init.xavier_uniform_(self.query)
        for layer in [*self.embedding, self.keyvalue, self.project, self.output, self.classifier]:
            torch.nn.init.xavier_uniform_(layer.weight)
            torch.nn.init.zeros_(layer.bias)

    def forward(self, x):  # [instances, features] -> logit
        x = self.dropout(x)
        for layer in self.embedding:
            x = torch.relu(layer(x))
        k, v = self.keyvalue(self.norm(x)).chunk(2, dim=-1)
        q = self.c["scale"] * self.project(self.query)
        heads = self.c["heads"]
        k, v, q = (t.reshape(len(t), heads, -1) for t in (k, v, q))
        a = torch.softmax((k * q).sum(-1), dim=0)  # [instances, heads]
        return self.classifier(self.output((a[:, :, None] * v).sum(0).reshape(1, -1)))[0, 0]


def fit(bags, result, seed):
    c = result["config"]
    torch.manual_seed(seed)
    test = {b["id"] for b in result["bags"]}
    train = [b for b in bags if b not in test]
    scaler = StandardScaler().fit(np.concatenate([bags[b][0] for b in train]))
    x = {b: torch.tensor(scaler.transform(bags[b][0]), dtype=torch.float32) for b in bags}
    network = Network(next(iter(x.values())).shape[1], c)
    optimizer = torch.optim.AdamW(network.parameters(), lr=c["lr"], weight_decay=c["weight_decay"])
    network.train()
    for _ in range(c["epochs"]):
        for i in torch.randperm(len(train)).tolist():
            loss = torch.nn.functional.binary_cross_entropy_with_logits(network(x[train[i]]), torch.tensor(float(bags[train[i]][1])))
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
    network.eval()
    with torch.no_grad():
        return roc_auc_score([b["label"] for b in result["bags"]], [float(network(x[b["id"]])) for b in result["bags"]])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("results")
    parser.add_argument("--data", required=True)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    sets = collections.defaultdict(list)
    for line in open(os.path.join(arguments.results, "results.jsonl")):
        result = json.loads(line)
        if result["config"]["pooling"] == "softmax" and result["config"]["batch"] == 1:
            sets[result["set"]].append(result)
    for name, results in sets.items():
        bags = read(name, arguments.data)
        results.sort(key=lambda r: (r["repeat"], r["fold"]))
        start = time.time()
        ours = np.array([roc_auc_score([b["label"] for b in r["bags"]], [b["score"] for b in r["bags"]]) for r in results])
        theirs = np.array([fit(bags, r, arguments.seed + i) for i, r in enumerate(results)])
        print(f"{name}: {len(results)} folds, AUC milbench {ours.mean():.4f}, PyTorch {theirs.mean():.4f}, "
              f"difference {ours.mean() - theirs.mean():+.4f} (standard error of the paired folds {(ours - theirs).std(ddof=1) / len(ours) ** 0.5:.4f}), "
              f"{time.time() - start:.0f} s of PyTorch", flush=True)


if __name__ == "__main__":
    main()

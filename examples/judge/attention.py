"""Attention MIL (Ilse et al. 2018) in plain PyTorch, on the folds that milbench folds has written, of two classes or more.

    python attention.py bags.csv folds.csv predictions.csv [EPOCHS]
"""
import csv
import sys

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, features, classes, width=64):
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(features, width), nn.ReLU())
        self.weigh = nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1), nn.Softmax(0))
        self.logits = nn.Linear(width, classes)

    def forward(self, x):  # [instances, features]
        h = self.embed(x)
        return self.logits(self.weigh(h).T @ h)  # [1, classes]


torch.set_num_threads(1)  # the bags are small
instances, folds = ([*csv.DictReader(open(path, encoding="utf-8-sig"))] for path in sys.argv[1:3])
bags, classes = {}, dict(sorted((int(row["class"]), row["label"]) for row in folds))
for row in instances:
    bags.setdefault(row["bag"], []).append([float(row[k]) for k in row if k not in ("bag", "label", "group", "split")])
out = csv.writer(open(sys.argv[3], "w", newline="", encoding="utf-8"))
out.writerow(["bag", "repeat", "fold"] + ["probability_" + label for label in classes.values()])
for repeat, fold in sorted({(row["repeat"], row["fold"]) for row in folds if row["fold"]}):
    part = [row for row in folds if row["repeat"] == repeat]
    train = [row for row in part if row["fold"] != fold]
    seen = torch.tensor([x for row in train for x in bags[row["bag"]]])  # no more than the training part
    scaled = {bag: (torch.tensor(x) - seen.mean(0)) / (seen.std(0) + 1e-6) for bag, x in bags.items()}
    torch.manual_seed(1)
    model = Attention(seen.shape[1], len(classes))
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-4, weight_decay=1e-4)
    for row in [train[i] for _ in range(int((sys.argv + [20])[4])) for i in torch.randperm(len(train))]:
        loss = nn.functional.cross_entropy(model(scaled[row["bag"]]), torch.tensor([int(row["class"])]))
        optimiser.zero_grad(), loss.backward(), optimiser.step()
    for row in (row for row in part if row["fold"] == fold):
        p = torch.softmax(model(scaled[row["bag"]])[0], 0).tolist()
        out.writerow([row["bag"], repeat, fold] + [f"{v:.6f}" for v in p])

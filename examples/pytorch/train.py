"""Gated attention MIL (Ilse et al. 2018) in plain PyTorch: trains on a table of bags with two classes, or only loads weights, and prints
the logit of each bag.

    python train.py bags.csv --save weights.safetensors [--epochs N]
    python train.py bags.csv --load weights.safetensors
"""
import argparse
import csv

import torch
from safetensors.torch import load_file, save_file
from torch import nn


class GatedAttention(nn.Module):
    def __init__(self, features, width=32, embed=16):
        super().__init__()
        self.feature_extractor_part2 = nn.Sequential(nn.Linear(features, width), nn.ReLU())
        self.attention_V = nn.Sequential(nn.Linear(width, embed), nn.Tanh())
        self.attention_U = nn.Sequential(nn.Linear(width, embed), nn.Sigmoid())
        self.attention_w = nn.Linear(embed, 1)
        self.classifier = nn.Sequential(nn.Linear(width, 1))

    def forward(self, x):  # [instances, features]
        h = self.feature_extractor_part2(x)
        a = torch.softmax(self.attention_w(self.attention_V(h) * self.attention_U(h)), 0)
        return self.classifier(a.T @ h)[0, 0]


parser = argparse.ArgumentParser()
parser.add_argument("bags")
parser.add_argument("--save")
parser.add_argument("--load")
parser.add_argument("--epochs", type=int, default=20)
options = parser.parse_args()

torch.manual_seed(1)
bags, labels = {}, {}
for row in csv.DictReader(open(options.bags, encoding="utf-8-sig")):
    labels[row["bag"]] = float(row["label"])
    bags.setdefault(row["bag"], []).append([float(v) for k, v in row.items() if k not in ("bag", "label")])
bags = {name: torch.tensor(rows) for name, rows in bags.items()}
state = load_file(options.load) if options.load else None
sizes = [len(state["feature_extractor_part2.0.bias"]), len(state["attention_w.weight"][0])] if state else []
model = GatedAttention(next(iter(bags.values())).shape[1], *sizes)
if state:
    model.load_state_dict(state)
else:
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(options.epochs):
        for name in torch.randperm(len(bags)).tolist():
            name = list(bags)[name]
            loss = nn.functional.binary_cross_entropy_with_logits(model(bags[name]), torch.tensor(labels[name]))
            optimiser.zero_grad(), loss.backward(), optimiser.step()
    save_file(model.state_dict(), options.save)
print("bag,score")
for name, x in bags.items():
    print(f"{name},{model(x).item():.6f}")

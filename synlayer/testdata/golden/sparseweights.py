"""Writes sparseweights.json beside it: sparsemax and 1.5-entmax of rows of logits, and the gradients of a weighted sum of the weights.

Reference: sparsemax and entmax15 of the package entmax by the authors of the papers, exact by sorting, in PyTorch, float64. Needs torch and
entmax 1.3. Run: python sparseweights.py
"""
import json
import os

import torch
from entmax import entmax15, sparsemax

torch.set_default_dtype(torch.float64)
torch.manual_seed(20160516)


def rows():
    yield torch.zeros(1)
    yield torch.zeros(5)  # all alike
    yield torch.tensor([3.0, 3.0, -1.0, 2.9])
    for n, size in ((2, 1.0), (7, 0.3), (9, 3.0), (12, 30.0), (40, 0.05), (40, 1.0)):
        yield size * torch.randn(n)
    yield -(torch.arange(40) / 40.0) ** 3  # many near the largest
    yield 100 + torch.randn(6)


cases = []
for logits in rows():
    cotangent = torch.randn(len(logits))
    case = {"logits": logits.tolist(), "cotangent": cotangent.tolist()}
    for name, f in (("sparsemax", sparsemax), ("entmax15", entmax15)):
        x = logits.clone().requires_grad_()
        weights = f(x, dim=-1)
        (weights * cotangent).sum().backward()
        case[name], case["grad_" + name] = weights.tolist(), x.grad.tolist()
    cases.append(case)

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sparseweights.json")
with open(path, "w") as file:
    json.dump(cases, file)
    file.write("\n")
print("wrote", len(cases), "cases")

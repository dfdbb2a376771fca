"""Writes deep.json beside it: forward pass, loss and gradients of DSMIL, CLAM, ACMIL and the Set Transformer.

Written from the equations of the papers, one bag at a time, in PyTorch, float64:

    Li, Li and Eliceiri 2021 (DSMIL), Lu et al. 2021 (CLAM-SB, and CLAM-MB of several classes), Zhang et al. 2024 (ACMIL), Lee et al. 2019 (Set Transformer)

Which instances ACMIL leaves out is drawn as the doc comment of synlayer.Dropout says, by the hash of (key, scope, bag,
instance, branch). Needs numpy and torch 2.15. Run: python deep.py
"""
import json
import math
import os

import numpy as np
import torch
from torch.nn.functional import cosine_similarity, cross_entropy, layer_norm, softplus

torch.set_default_dtype(torch.float64)


def affine(p, path, x):
    return x @ p[path + "/weights"] + p[path + "/bias"]


def loss_of(outputs, label):
    """The cross-entropy of a label with one logit [1], of a label 0 or 1, or with the logits of several classes."""
    if len(outputs) == 1:
        return softplus(-outputs[0] if label == 1 else outputs[0])
    return cross_entropy(outputs, torch.tensor(label))


def dsmil(p, under, h, c, x, label):
    s = affine(p, under + "/instance", x)  # [instances, classes]
    m = s.argmax(0)
    q, v = affine(p, under + "/query", x), affine(p, under + "/value", x)
    a = torch.softmax(h["scale"] * (q @ q[m].T), dim=0)
    b = (a.T @ v).flatten()
    first, second = s[m, torch.arange(len(m))], affine(p, under + "/classifier", b)
    loss = (loss_of(first, label) + loss_of(second, label)) / 2
    return torch.cat([x[m].flatten(), b]), a.T, (first + second) / 2, loss


def gated(p, under, x):
    hidden = torch.tanh(affine(p, under + "/tanh", x)) * torch.sigmoid(affine(p, under + "/gate", x))
    return affine(p, under + "/score", hidden).T  # [branches, instances]


def smooth_svm(scores, label):
    """The smooth top-1 SVM loss of a row of scores (Berrada, Zisserman and Kumar 2018), margin and temperature 1."""
    margin = torch.ones_like(scores)
    margin[label] = 0
    return torch.logsumexp(margin + scores - scores[label], dim=0)


def clam(p, under, h, c, x, label):
    a = torch.softmax(gated(p, under, x), dim=1)
    pooled = a @ x
    names = ["/classifier"] if len(a) == 1 else [f"/classifier_{k}" for k in range(len(a))]
    logit = torch.cat([affine(p, under + name, z) for name, z in zip(names, pooled)])
    k = min(h["top"], len(x) // 2)
    loss = (1 - h["instance_weight"]) * loss_of(logit, label)
    if k > 0:
        order = torch.argsort(a[label if len(a) > 1 else 0], descending=True)
        s = affine(p, under + "/instance", x)[:, label]
        pair = lambda i: torch.stack([torch.zeros(()), s[i]])  # scores whose difference is s
        terms = [smooth_svm(pair(i), 1) for i in order[:k]] + [smooth_svm(pair(i), 0) for i in order[-k:]]
        loss = loss + h["instance_weight"] * sum(terms) / len(terms)
    return pooled.flatten(), a, logit, loss


WORD = 0xFFFFFFFF


def mix(x):
    x ^= x >> 16
    x = x * 0x7FEB352D & WORD
    x ^= x >> 15
    x = x * 0x846CA68B & WORD
    return x ^ x >> 16


def dropout_key(seed, step):
    return mix(mix(seed) + step * 0x9E3779B1 & WORD)


def falls(key, scope, rate, bag, entry):
    """Whether an entry of a bag is dropped."""
    salt = 0x811C9DC5
    for byte in scope.encode():  # FNV-1a
        salt = (salt ^ byte) * 0x01000193 & WORD
    start = mix(bag + mix(key ^ salt) & WORD)
    bits = mix((start + entry & WORD) ^ mix(start ^ 0x9E3779B9))
    return np.float32((bits >> 8) / 2**24) < np.float32(rate)


def acmil(p, under, h, c, x, label):
    logits = gated(p, under, x)
    branches, n = logits.shape
    stays = torch.ones_like(logits, dtype=torch.bool)
    if c is not None:
        key, bag = c
        for m in range(branches):
            for i in torch.argsort(logits[m], descending=True)[: h["top"]]:
                stays[m, i] = not falls(key, under + "/dropout", h["mask_rate"], bag, int(i) * branches + m)
            if not stays[m].any():
                stays[m] = True
    a = torch.softmax(logits.masked_fill(~stays, -math.inf), dim=1)
    pooled = a.mean(0) @ x
    logit = affine(p, under + "/classifier", pooled)
    loss = loss_of(logit, label)
    for m in range(branches):
        loss = loss + loss_of(affine(p, f"{under}/branch_{m}", a[m] @ x), label) / branches
    pairs = [(m, n) for m in range(branches) for n in range(m)]
    for m, n in pairs:
        loss = loss + cosine_similarity(a[m], a[n], dim=0) / len(pairs)
    return pooled, a, logit, loss


def mab(p, under, h, x, y):
    """The multihead attention block, and its weights [heads, queries, keys]."""
    norm = lambda name, t: layer_norm(t, (h["embed"],), p[f"{under}/{name}/gain"], p[f"{under}/{name}/bias"]) if h["norm"] else t
    q, k, v = affine(p, under + "/query", x), affine(p, under + "/key", y), affine(p, under + "/value", y)
    size = h["embed"] // h["heads"]
    weights, joined = [], []
    for j in range(h["heads"]):
        part = slice(j * size, (j + 1) * size)
        weights.append(torch.softmax(q[:, part] @ k[:, part].T / math.sqrt(h["embed"]), dim=1))
        joined.append(weights[-1] @ v[:, part])
    out = norm("attention_norm", x + affine(p, under + "/output", torch.cat(joined, 1)))
    out = norm("feedforward_norm", out + torch.relu(affine(p, under + "/feedforward", out)))
    return out, torch.stack(weights)


def settransformer(p, under, h, c, x, label):
    z = affine(p, under + "/input", x)
    for i in range(h["blocks"]):
        block = f"{under}/isab_{i}"
        induced, _ = mab(p, block + "/induce", h, p[block + "/inducing"], z)
        z, _ = mab(p, block + "/read", h, z, induced)
    z = torch.relu(affine(p, under + "/pma/feedforward", z))
    pooled, weights = mab(p, under + "/pma/pool", h, p[under + "/pma/seed"], z)
    return pooled[0], weights[:, 0], None, None


POOLINGS = {"dsmil": dsmil, "clam": clam, "acmil": acmil, "settransformer": settransformer}


def shapes(kind, h, features):
    """The shapes of the variables of a pooling, by path."""
    s = {}

    def dense(path, rows, columns):
        s[path + "/weights"], s[path + "/bias"] = (rows, columns), (columns,)

    embed, outputs = h["embed"], h.get("classes", 1)
    if kind == "dsmil":
        dense("/instance", features, outputs), dense("/query", features, embed)
        dense("/value", features, features), dense("/classifier", outputs * features, outputs)
    if kind in ("clam", "acmil"):
        dense("/tanh", features, embed), dense("/gate", features, embed)
    if kind == "clam":
        dense("/score", embed, outputs), dense("/instance", features, max(outputs, 2))
        for name in ["/classifier"] if outputs == 1 else [f"/classifier_{k}" for k in range(outputs)]:
            dense(name, features, 1)
    if kind == "acmil":
        dense("/score", embed, h["branches"]), dense("/classifier", features, outputs)
    for m in range(h.get("branches", 0)):
        dense(f"/branch_{m}", features, outputs)
    if kind == "settransformer":

        def block(path):
            for name in ("query", "key", "value", "output", "feedforward"):
                dense(f"{path}/{name}", embed, embed)
            for name in ("attention_norm", "feedforward_norm") if h["norm"] else ():
                s[f"{path}/{name}/gain"] = s[f"{path}/{name}/bias"] = (embed,)

        dense("/input", features, embed), dense("/pma/feedforward", embed, embed), block("/pma/pool")
        s["/pma/seed"] = (1, embed)
        for i in range(h["blocks"]):
            s[f"/isab_{i}/inducing"] = (h["inducing"], embed)
            block(f"/isab_{i}/induce"), block(f"/isab_{i}/read")
    return s


def draw(shapes):
    return {path: (torch.randn(shape) * 0.5).requires_grad_() for path, shape in shapes.items()}


def case(kind, features, sizes, seed=None, step=None, **h):
    p = draw(shapes(kind, h, features))
    bags = [torch.randn(size, features, requires_grad=True) for size in sizes]
    labels = [i % h.get("classes", 2) for i in range(len(sizes))]
    key = None if seed is None else dropout_key(seed, step)
    out = {"kind": kind, **h, "seed": seed, "step": step, "labels": labels, "bags": [b.tolist() for b in bags],
           "params": {path: v.tolist() for path, v in p.items()}, "pooled": [], "weights": [], "logits": [], "losses": []}
    total = 0
    for i, (x, label) in enumerate(zip(bags, labels)):
        pooled, weights, logit, loss = POOLINGS[kind](p, "", h, key if key is None else (key, i), x, label)
        if loss is None:  # of a pooling without one: a function of the pooled vector
            loss = (pooled * torch.cos(torch.arange(len(pooled)))).sum()
        else:
            out["logits"].extend(logit.tolist())
        out["losses"].append(loss.item())
        out["pooled"].append(pooled.tolist())
        out["weights"].append(weights.tolist())
        total = total + loss
    total.backward()
    out["grad_x"] = [b.grad.tolist() for b in bags]
    out["grad_params"] = {path: (torch.zeros_like(v) if v.grad is None else v.grad).tolist() for path, v in p.items()}
    return out


if __name__ == "__main__":
    torch.manual_seed(11)
    sizes = [5, 1, 3, 9]
    cases = [
        case("dsmil", 4, sizes, embed=3, scale=1.0),
        case("dsmil", 3, sizes, embed=5, scale=0.4),
        case("clam", 4, sizes, embed=3, top=2, instance_weight=0.3),
        case("clam", 3, sizes, embed=5, top=8, instance_weight=0.6),
        case("acmil", 4, sizes, embed=3, branches=3, top=4, mask_rate=0.6),
        case("acmil", 4, sizes, embed=3, branches=3, top=4, mask_rate=0.6, seed=5, step=2),
        case("acmil", 3, sizes, embed=4, branches=2, top=10, mask_rate=0.9, seed=7, step=1),
        case("acmil", 3, sizes, embed=4, branches=1, top=2, mask_rate=0.5, seed=8, step=3),
        case("settransformer", 4, sizes, embed=6, heads=2, inducing=3, blocks=2, norm=True),
        case("settransformer", 5, sizes, embed=4, heads=1, inducing=2, blocks=1, norm=False),
        case("dsmil", 4, sizes, embed=3, scale=0.7, classes=3),
        case("clam", 4, sizes, embed=3, top=2, instance_weight=0.3, classes=3),
        case("acmil", 4, sizes, embed=3, branches=3, top=4, mask_rate=0.6, seed=5, step=2, classes=3),
    ]
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "deep.json"), "w") as f:
        json.dump(cases, f)
        f.write("\n")

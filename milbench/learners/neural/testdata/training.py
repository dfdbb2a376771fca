"""Golden values of training: the losses of 20 steps of a small SynPooling network, and its parameters after them.

Written from the description of the network (synlayer.SynPooling, synlayer.Network) in PyTorch, float64, with
torch.optim.AdamW and torch.nn.utils.clip_grad_norm_; no dropout; two bags a step, the last step of an epoch with one. In the last
case the learning rate falls after every epoch (torch.optim.lr_scheduler.ExponentialLR).

    python training.py > training.json        # torch 2.15
"""
import json
import math

import torch

torch.manual_seed(5)
torch.set_default_dtype(torch.float64)
FEATURES, WIDTH, EMBED, HEADS, SCALE, GAMMA, STEPS = 5, 8, 6, 2, 3.0, 0.5, 20
LR, WEIGHT_DECAY = 0.01, 0.1


def syn(a, iterations):
    for _ in range(abs(iterations)):
        a = a / a.norm(dim=-1, keepdim=True)
        if iterations > 0:
            a = GAMMA * a**3 + (1 - GAMMA) * a
        else:
            p, q = (1 - GAMMA) / GAMMA, a / GAMMA
            a = 2 * math.sqrt(p / 3) * torch.sinh(torch.asinh(1.5 * q / p * math.sqrt(3 / p)) / 3)
    return a


def logit(p, x, iterations):  # x [instances, features]
    h = torch.relu(x @ p["/embedding_0/weights"] + p["/embedding_0/bias"])
    n = torch.nn.functional.layer_norm(h, (WIDTH,), p["/pooling/norm/gain"], p["/pooling/norm/bias"])
    kv = n @ p["/pooling/keyvalue/weights"] + p["/pooling/keyvalue/bias"]
    k, v = kv[:, :EMBED], kv[:, EMBED:]
    q = SCALE * (p["/pooling/query"] @ p["/pooling/query_projection/weights"] + p["/pooling/query_projection/bias"])
    k, v, q = (t.reshape(-1, HEADS, EMBED // HEADS) for t in (k, v, q))
    a = torch.softmax((k * q).sum(-1).T, dim=-1)  # [heads, instances]
    with torch.no_grad():
        bypass = syn(a, iterations) - a
    z = ((a + bypass).T[:, :, None] * v).sum(0).reshape(EMBED)
    z = z @ p["/pooling/output/weights"] + p["/pooling/output/bias"]
    return (z @ p["/classifier/weights"] + p["/classifier/bias"])[0]


def case(iterations, decay=0.0):
    shapes = {
        "/classifier/bias": (1,), "/classifier/weights": (WIDTH, 1),
        "/embedding_0/bias": (WIDTH,), "/embedding_0/weights": (FEATURES, WIDTH),
        "/pooling/keyvalue/bias": (2 * EMBED,), "/pooling/keyvalue/weights": (WIDTH, 2 * EMBED),
        "/pooling/norm/bias": (WIDTH,), "/pooling/norm/gain": (WIDTH,),
        "/pooling/output/bias": (WIDTH,), "/pooling/output/weights": (EMBED, WIDTH),
        "/pooling/query": (WIDTH,),
        "/pooling/query_projection/bias": (EMBED,), "/pooling/query_projection/weights": (WIDTH, EMBED),
    }
    p = {name: torch.nn.Parameter(torch.randn(shape) * 0.5) for name, shape in shapes.items()}
    initial = {name: t.detach().reshape(-1).tolist() for name, t in p.items()}
    bags = [torch.randn(size, FEATURES) * 2 for size in (3, 1, 6, 4, 2)]
    labels = [1, 0, 1, 0, 1]
    batches = [[0, 1], [2, 3], [4]]
    optimizer = torch.optim.AdamW(p.values(), lr=LR, weight_decay=WEIGHT_DECAY)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=1 - decay)
    losses, norms = [], []
    for step in range(STEPS):
        batch = batches[step % len(batches)]
        logits = torch.stack([logit(p, bags[i], iterations) for i in batch])
        loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, torch.tensor([float(labels[i]) for i in batch]))
        optimizer.zero_grad()
        loss.backward()
        norms.append(float(torch.nn.utils.clip_grad_norm_(p.values(), 1.0)))
        optimizer.step()
        losses.append(float(loss))
        if step % len(batches) == len(batches) - 1:
            scheduler.step()
    return {
        "features": FEATURES, "width": WIDTH, "embed": EMBED, "heads": HEADS, "scale": SCALE, "gamma": GAMMA,
        "iterations": iterations, "lr": LR, "weight_decay": WEIGHT_DECAY, "lr_decay": decay,
        "bags": [b.tolist() for b in bags], "labels": labels, "batches": batches,
        "initial": initial, "losses": losses, "norms": norms,
        "final": {name: t.detach().reshape(-1).tolist() for name, t in p.items()},
    }


print(json.dumps([case(i) for i in (0, 3, -3)] + [case(3, decay=0.25)]))

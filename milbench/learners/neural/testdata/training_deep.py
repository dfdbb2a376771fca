"""Golden values of training: the losses of 20 steps of small networks around DSMIL, CLAM, ACMIL and the Set Transformer, and
their parameters after them, as training.py has them of SynPooling.

The poolings are those of synlayer/testdata/golden/deep.py; a layer with ReLU stands before them. ACMIL leaves instances out
by the key of seed 1 and the number of the step, from 1.

    python training_deep.py > training_deep.json        # torch 2.15
"""
import json
import os
import sys

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../../synlayer/testdata/golden"))
import deep

torch.manual_seed(6)
FEATURES, WIDTH, STEPS, SEED = 5, 8, 20, 1
LR, WEIGHT_DECAY = 0.01, 0.1


def case(kind, **h):
    shapes = {"/pooling" + path: shape for path, shape in deep.shapes(kind, h, WIDTH).items()}
    shapes["/embedding_0/weights"], shapes["/embedding_0/bias"] = (FEATURES, WIDTH), (WIDTH,)
    if kind == "settransformer":
        shapes["/classifier/weights"], shapes["/classifier/bias"] = (h["embed"], 1), (1,)
    p = deep.draw(shapes)
    flat = lambda: {path: t.detach().reshape(-1).tolist() for path, t in p.items()}
    initial = flat()
    bags = [torch.randn(size, FEATURES) * 2 for size in (3, 1, 6, 4, 2)]
    labels = [1, 0, 1, 0, 1]
    batches = [[0, 1], [2, 3], [4]]
    optimizer = torch.optim.AdamW(p.values(), lr=LR, weight_decay=WEIGHT_DECAY)
    losses, norms = [], []
    for step in range(STEPS):
        batch = batches[step % len(batches)]
        total = 0
        for place, i in enumerate(batch):
            x = torch.relu(deep.affine(p, "/embedding_0", bags[i]))
            key = (deep.dropout_key(SEED, step + 1), place)
            pooled, _, _, loss = deep.POOLINGS[kind](p, "/pooling", h, key, x, labels[i])
            if loss is None:
                loss = deep.logistic(deep.affine(p, "/classifier", pooled)[0], labels[i])
            total = total + loss / len(batch)
        optimizer.zero_grad()
        total.backward()
        norms.append(torch.nn.utils.clip_grad_norm_(p.values(), 1.0).item())
        optimizer.step()
        losses.append(total.item())
    return {
        "pooling": kind, "features": FEATURES, "width": WIDTH, **h, "lr": LR, "weight_decay": WEIGHT_DECAY,
        "bags": [b.tolist() for b in bags], "labels": labels, "batches": batches,
        "initial": initial, "losses": losses, "norms": norms, "final": flat(),
    }


print(json.dumps([
    case("dsmil", embed=6, scale=0.5),
    case("clam", embed=6, top=2, instance_weight=0.3),
    case("acmil", embed=6, branches=3, top=3, mask_rate=0.6),
    case("settransformer", embed=6, heads=2, inducing=3, blocks=2, norm=True),
]))

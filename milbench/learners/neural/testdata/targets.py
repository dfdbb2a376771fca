"""Writes targets.json beside it: losses of classes, real numbers (squared and Huber's) and survival (by hazards and Cox's),
and their gradients by the outputs, from PyTorch in float64.

Survival is written as the likelihood says: hazards are sigmoids, an event in interval k has h_k times the product of 1 - h_j before it, a
censored bag the product over the intervals that ended by its time. The last interval is open and has no hazard. Run: python targets.py (needs torch and numpy).
"""

import json
import pathlib

import numpy as np
import torch

torch.set_default_dtype(torch.float64)
random = np.random.default_rng(2)
INTERVALS = 8


def case(kind, outputs, targets, train, loss, name=""):
    outputs = torch.tensor(outputs, requires_grad=True)
    losses = loss(outputs)
    losses.sum().backward()
    return {"kind": kind, "loss": name, "outputs": outputs.tolist(), "targets": targets, "train": train, "losses": losses.tolist(), "gradient": outputs.grad.tolist()}


n = 40
labels = random.integers(0, 4, n)
cases = [case("classes", random.normal(0, 3, (n, 4)), [{"label": int(v)} for v in labels], [],
              lambda x: torch.nn.functional.cross_entropy(x, torch.tensor(labels), reduction="none"))]

train = random.normal(5, 3, 30)
values = random.normal(5, 3, n)
scaled = torch.tensor((values - train.mean()) / train.std())
cases.append(case("real", random.normal(0, 1, n), [{"value": v} for v in values], [{"value": v} for v in train],
                  lambda x: torch.nn.functional.mse_loss(x, scaled, reduction="none")))

times = np.round(random.exponential(10, 60), 1)
events = random.random(60) < 0.6
seen = np.sort(times[events])
ends = [seen[int(np.ceil(k * len(seen) / INTERVALS)) - 1] for k in range(1, INTERVALS)]  # the least time that so large a share does not exceed


def survival(logits):
    losses = []
    for x, t, e in zip(logits, times, events):
        h = torch.sigmoid(x)
        likelihood = torch.ones(())
        for k, end in enumerate(ends):
            start = -np.inf if k == 0 else ends[k - 1]
            if e and start < t <= end:
                likelihood = likelihood * h[k]
            elif t >= end or e and t > end:
                likelihood = likelihood * (1 - h[k])
        losses.append(-torch.log(likelihood))
    return torch.stack(losses)


bags = [{"value": t, "event": bool(e)} for t, e in zip(times, events)]
cases.append(case("survival", random.normal(0, 2, (60, INTERVALS - 1)), bags, bags, survival))

middle = np.median(train)
robust = torch.tensor((values - middle) / (1.482602218505602 * np.median(np.abs(train - middle))))
outputs = random.normal(0, 1, n)
outputs[:3] = robust[:3] + torch.tensor([0.0, 1.0, -1.0])  # no error, and where the parabola ends
cases.append(case("real", outputs, cases[1]["targets"], cases[1]["train"],
                  lambda x: torch.nn.functional.huber_loss(x, robust, reduction="none"), "huber"))


def cox(risks):
    """Cox's partial likelihood, as it is written, of all bags as one batch; a share of each, whose mean is the loss."""
    losses = []
    for i in range(len(times)):
        at_risk = torch.log(sum(torch.exp(risks[j]) for j in range(len(times)) if times[j] >= times[i]))
        losses.append((at_risk - risks[i]) * float(events[i]) * len(times) / float(events.sum()))
    return torch.stack(losses)


cases.append(case("survival", random.normal(0, 2, 60), bags, bags, cox, "cox"))
(pathlib.Path(__file__).parent / "targets.json").write_text(json.dumps(cases) + "\n")
print("wrote targets.json")

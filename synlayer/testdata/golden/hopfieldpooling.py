"""Checks hopfieldpooling.json beside it: out, association and grad_x of the published Hopfield layer, by complex steps.

out and association are those of the published layer in PyTorch, float64. So is grad_x of cases 0 and 2. That of case 1 is the one
computed here: the published layer reads the keys of the heads that still change through masked_select, whose gradient some versions of
PyTorch misplace for several bags or heads (7e-6 where the largest is 5e-4). Here it is the derivative by complex steps of a
forward pass written from the equations. Needs numpy. Run: python hopfieldpooling.py; --write replaces grad_x of case 1.
"""
import json
import os
import sys

import numpy as np

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hopfieldpooling.json")
CORE, TOLERANCE, STEP = "hopfield.association_core.", 1e-4, 1e-30


def softmax(z):
    e = np.exp(z - z.real.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def forward(case, x):
    """The pooled vectors [batch, output] and the association [batch, heads, instances] of x [batch, instances, features]."""
    p = {name: np.array(v) for name, v in case["params"].items()}
    heads, width = case["heads"], case["heads"] * case["hidden_dim"]
    weights, bias = p[CORE + "in_proj_weight"], p[CORE + "in_proj_bias"]

    def projected(k, of):
        y = of @ weights[k * width:(k + 1) * width].T + bias[k * width:(k + 1) * width]
        return y.reshape(*y.shape[:-1], heads, -1)

    state = np.broadcast_to(projected(0, p["pooling_weights"][0, 0]), (len(x), heads, case["hidden_dim"]))
    keys, values = projected(1, x), projected(2, x)

    def associate(state):
        return softmax(case["beta"] * np.einsum("bhd,bnhd->bhn", state, keys))

    a, active = associate(state), np.ones(heads, bool)
    for _ in range(case["update_steps"]):
        after = np.where(active[None, :, None], associate(np.einsum("bhn,bnhd->bhd", a, keys)), a)
        change = np.sqrt(((after - a).real ** 2).sum(-1))
        a, active = after, change.max(0) > TOLERANCE  # a head stops when all bags are done
    pooled = np.einsum("bhn,bnhd->bhd", a, values).reshape(len(x), -1)
    return pooled @ p[CORE + "out_proj.weight"].T + p[CORE + "out_proj.bias"], a


def main():
    text = open(FILE).read()
    cases = json.loads(text)
    for i, case in enumerate(cases):
        x = np.array(case["x"], complex)
        out, a = forward(case, x)
        gradient = np.zeros(x.shape)
        for at in np.ndindex(*x.shape):
            moved = x.copy()
            moved[at] += 1j * STEP
            gradient[at] = (forward(case, moved)[0].imag * np.array(case["cotangent"])).sum() / STEP
        for name, got in [("out", out.real), ("association", a.real.reshape(np.shape(case["association"]))), ("grad_x", gradient)]:
            off = np.abs(got - np.array(case[name])).max()
            print(f"case {i}: {name} differs by up to {off:.1g}")
            if name == "grad_x" and i == 1 and "--write" in sys.argv:
                case[name] = gradient.tolist()
            elif off > 1e-15:
                sys.exit(f"case {i}: {name} of the file is not what the equations give")
    if "--write" in sys.argv:
        json.dump(cases, open(FILE, "w"))


if __name__ == "__main__":
    main()

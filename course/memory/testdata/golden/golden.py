"""Writes memories.json, steps.json, attention.json, twolayer.json and sequence.json beside it: associative memories in
float64 NumPy, each energy and update straight from its formula; steps of the Syn layer in 50 digits; PyTorch's multi-head
attention in float64; the two-layer network in NumPy long double, its steps and its differential equations; a learnt
sequence in NumPy long double, weight by weight.

Needs numpy, mpmath and torch. Run: python golden.py
"""
import json
import os

import mpmath
import numpy as np
import torch

rng = np.random.default_rng(20240701)


def signs(*shape):
    return np.where(rng.random(shape) < 0.5, -1.0, 1.0)


def sweep(state, energy):
    """Components one after another: the sign whose energy is lower, as it is where both are equal."""
    state = state.copy()
    for l in range(len(state)):
        plus, minus = state.copy(), state.copy()
        plus[l], minus[l] = 1, -1
        difference = energy(minus) - energy(plus)
        if difference != 0:
            state[l] = 1 if difference > 0 else -1
    return state


def at_once(state, energy):
    """Every component from the same state."""
    out = state.copy()
    for l in range(len(state)):
        plus, minus = state.copy(), state.copy()
        plus[l], minus[l] = 1, -1
        difference = energy(minus) - energy(plus)
        if difference != 0:
            out[l] = 1 if difference > 0 else -1
    return out


def hopfield(patterns, state, bias, zero_diagonal):
    d = len(state)
    w = sum(np.outer(x, x) for x in patterns)
    if zero_diagonal:
        w[np.diag_indices(d)] = 0
    energy = lambda s: -0.5 * s @ w @ s + s @ bias
    field = w @ state - bias
    synchronous = np.where(field > 0, 1.0, np.where(field < 0, -1.0, state))
    asynchronous = state.copy()
    for i in range(d):
        f = w[i] @ asynchronous - bias[i]
        asynchronous[i] = asynchronous[i] if f == 0 else np.sign(f)
    return energy(state), synchronous, asynchronous


def memories():
    biases = np.random.default_rng(20240704)
    cases = []

    def add(memory, patterns, state, **values):
        cases.append(dict(memory=memory, patterns=patterns.tolist(), state=state.tolist(), **{
            k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in values.items()}))

    for n, d in [(1, 4), (3, 12), (6, 20), (9, 15)]:
        x, s = signs(n, d), signs(d)
        for bias in (np.zeros(d), 2 * biases.normal(size=d)):
            for zero_diagonal in (False, True):
                e, synchronous, asynchronous = hopfield(x, s, bias, zero_diagonal)
                add("hopfield", x, s, bias=bias, zero_diagonal=zero_diagonal, energy=e, synchronous=synchronous, asynchronous=asynchronous)
        for power in (2, 3, 4, 7):
            energy = lambda s: -np.sum((x @ s) ** power)
            add("polynomial", x, s, power=power, energy=energy(s), asynchronous=sweep(s, energy), synchronous=at_once(s, energy))
        energy = lambda s: -np.sum(np.exp(x @ s))
        add("exponential", x, s, energy=energy(s), log_energy=-np.log(-energy(s)), asynchronous=sweep(s, energy), synchronous=at_once(s, energy))
    for n, d in [(1, 3), (4, 6), (10, 5), (25, 40)]:
        for beta in (0.01, 0.5, 4.0):
            x, s = rng.normal(size=(n, d)), rng.normal(size=d)
            z = x @ s
            p = np.exp(beta * z) / np.sum(np.exp(beta * z))
            energy = -np.log(np.sum(np.exp(beta * z))) / beta + s @ s / 2 + np.log(n) / beta + np.max(np.sum(x * x, 1)) / 2
            add("continuous", x, s, beta=beta, energy=energy, weights=p, update=x.T @ p)
    for n, d in [(1, 3), (3, 5), (5, 5), (10, 40)]:
        for gamma in (0.3, 1.0):
            x, s = rng.normal(size=(n, d)), rng.normal(size=d)
            v = x.T
            inverse = np.linalg.pinv(v)

            def update(s):
                xi = inverse @ s
                return v @ (gamma * ((xi ** 3 + xi) / (2 * np.sum(xi ** 2)) + (1 / gamma - 1) * xi))

            xi = inverse @ s
            energy = 0.25 * np.sum(xi ** 2) ** 2 - 0.5 * np.sum(xi ** 2) + 0.25 * sum(
                xi[i] ** 2 * xi[j] ** 2 for i in range(n) for j in range(n) if i != j)
            five = s
            for _ in range(5):
                five = update(five)
            add("synergetic", x, s, gamma=gamma, weights=xi, energy=energy, update=update(s), five=five)
    return cases


def steps():
    mpmath.mp.dps = 50
    cases = []
    for n in (1, 2, 5, 17):
        for gamma in (1e-6, 0.25, 0.5, 0.9, 1.0):
            weights = rng.normal(size=n)
            if n > 2:
                weights[1] = 0
            for count in (-12, -3, -1, 1, 3, 6):
                g = mpmath.mpf(gamma)
                x = [mpmath.mpf(w) for w in weights]
                for _ in range(abs(count)):
                    norm = mpmath.sqrt(sum(v * v for v in x))
                    x = [v / norm for v in x]
                    if count > 0:
                        x = [g * v ** 3 + (1 - g) * v for v in x]
                    else:  # equation 11 as printed, for positive numbers
                        y = []
                        for v in x:
                            a = mpmath.cbrt(mpmath.sqrt((abs(v) / (2 * g)) ** 2 - ((g - 1) / (3 * g)) ** 3) + abs(v) / (2 * g))
                            y.append(mpmath.mpf(0) if v == 0 else mpmath.sign(v) * (a + (g - 1) / (3 * g * a)))
                        x = y
                cases.append(dict(gamma=gamma, steps=count, weights=weights.tolist(), out=[float(v) for v in x]))
    return cases


def attention():
    torch.manual_seed(5)
    cases = []
    for heads, embed, key, value, states, patterns, bias in [(1, 4, 4, 4, 3, 3, False), (2, 8, 8, 8, 5, 5, True), (4, 16, 10, 6, 7, 11, True), (8, 32, 32, 32, 10, 10, True)]:
        layer = torch.nn.MultiheadAttention(embed, heads, bias=bias, kdim=key, vdim=value, batch_first=True, dtype=torch.float64)
        with torch.no_grad():
            for p in layer.parameters():
                p.copy_(torch.randn_like(p) / p.shape[-1] ** 0.5)
        r = torch.randn(1, states, embed, dtype=torch.float64)
        self_attention = key == value == embed and states == patterns
        y = r if self_attention else torch.randn(1, patterns, key, dtype=torch.float64)
        # Values of their own rows where their width differs from that of the keys.
        raw = y if value == key else y[..., :value]
        z, weights = layer(r, y, raw, need_weights=True, average_attn_weights=False)
        if layer.in_proj_weight is not None:
            q, k, v = layer.in_proj_weight.chunk(3)
        else:
            q, k, v = layer.q_proj_weight, layer.k_proj_weight, layer.v_proj_weight
        case = dict(heads=heads, query=q.T.tolist(), key=k.T.tolist(), value=v.T.tolist(), output=layer.out_proj.weight.T.tolist(),
                    states=r[0].tolist(), patterns=y[0].tolist(), z=z[0].tolist(), weights=weights[0].tolist())
        if value != key:  # as a map of the whole row
            case["value"] = torch.cat([v.T, torch.zeros(key - value, embed, dtype=torch.float64)]).tolist()
        if bias:
            b = layer.in_proj_bias.chunk(3)
            case.update(query_bias=b[0].tolist(), key_bias=b[1].tolist(), value_bias=b[2].tolist(), output_bias=layer.out_proj.bias.tolist())
        cases.append(case)
    return cases


def two_layer():
    """Krotov and Hopfield 2021. Lagrangians have a name and a parameter; numbers are long double up to the file."""
    rng = np.random.default_rng(20240702)
    long = np.longdouble

    def lagrangian(name, a, x):
        if name == "quadratic":
            return np.sum(x ** 2) / 2, x
        if name == "absolute":
            return np.sum(np.abs(x)), np.sign(x)
        if name == "log_sum_exp":
            e = np.exp(long(a) * x)
            return np.log(np.sum(e)) / long(a), e / np.sum(e)
        positive = np.where(x > 0, x, long(0))
        return np.sum(positive ** a) / a, positive ** (a - 1)

    cases = []
    for visible, hidden, parameter, size in [("quadratic", "log_sum_exp", 0.5, 1), ("quadratic", "log_sum_exp", 3.0, 1),
                                             ("absolute", "rectified_power", 2, 1), ("absolute", "rectified_power", 4, 1),
                                             ("quadratic", "rectified_power", 3, 0.3), ("absolute", "log_sum_exp", 1.0, 1)]:
        for n, d in [(1, 3), (4, 3), (6, 20)]:
            for tau_v, tau_h in [(1.0, 0.3), (0.5, 2.0), (1.0, 0.0)]:
                xi, v0, h0 = (size * rng.normal(size=shape) for shape in [(n, d), d, n])
                w, v, h, dt = xi.astype(long), v0.astype(long), h0.astype(long), 0.25
                g_of = lambda v: lagrangian(visible, 0, v)
                f_of = lambda h: lagrangian(hidden, parameter, h)

                def energy(v, h):
                    (lv, g), (lh, f) = g_of(v), f_of(h)
                    return (np.sum(g * v) - lv) + (np.sum(f * h) - lh) - f @ w @ g

                case = dict(visible=visible, hidden=hidden, parameter=parameter, tau_visible=tau_v, tau_hidden=tau_h, dt=dt,
                            patterns=xi.tolist(), v=v0.tolist(), h=h0.tolist(), energy=float(energy(v, h)))
                for _ in range(5):  # (x' − x) τ/dt = target − x', solved for x'
                    h = (long(tau_h) * h + long(dt) * (w @ g_of(v)[1])) / (long(tau_h) + long(dt))
                    v = (long(tau_v) * v + long(dt) * (w.T @ f_of(h)[1])) / (long(tau_v) + long(dt))
                case.update(v_five=[float(x) for x in v], h_five=[float(x) for x in h], energy_five=float(energy(v, h)))
                if visible == "quadratic" and tau_h > 0:  # smooth: Runge-Kutta of order 4 up to time 1
                    change = lambda v, h: ((w.T @ f_of(h)[1] - v) / long(tau_v), (w @ g_of(v)[1] - h) / long(tau_h))
                    v, h, step = v0.astype(long), h0.astype(long), long(1) / 2000
                    for _ in range(2000):
                        v1, h1 = change(v, h)
                        v2, h2 = change(v + step / 2 * v1, h + step / 2 * h1)
                        v3, h3 = change(v + step / 2 * v2, h + step / 2 * h2)
                        v4, h4 = change(v + step * v3, h + step * h3)
                        v, h = v + step / 6 * (v1 + 2 * v2 + 2 * v3 + v4), h + step / 6 * (h1 + 2 * h2 + 2 * h3 + h4)
                    case.update(v_flow=[float(x) for x in v], h_flow=[float(x) for x in h])
                cases.append(case)
    return cases


def sequence():
    """Lu and Wu 2023: the rules weight by weight, U in all passes before V. Rates are powers of two, so sums are exact."""
    rng = np.random.default_rng(20240703)
    long = np.longdouble
    sgn = lambda field: 1 if field > 0 else -1
    cases = []
    for length, d, hidden, margin, rate, repeat in [(2, 3, 4, 1.0, 0.5, None), (6, 8, 12, 1.0, 0.125, 0), (9, 10, 16, 0.7, 0.0625, 4)]:
        x = np.where(rng.random((length, d)) < 0.5, -1.0, 1.0)
        if repeat is not None:
            x = np.vstack([x, x[repeat]])
        p = rng.normal(size=(hidden, d))
        u, v = np.zeros((hidden, d), long), np.zeros((d, hidden), long)
        steps = range(len(x) - 1)
        for _ in range(200):
            for t in steps:
                for i in range(hidden):
                    z = sgn(sum(p[i, k] * x[t + 1, k] for k in range(d)))
                    if z * sum(u[i, j] * x[t, j] for j in range(d)) < margin:
                        for j in range(d):
                            u[i, j] += rate * z * x[t, j]
        y = [[sgn(sum(u[i, j] * x[t, j] for j in range(d))) for i in range(hidden)] for t in steps]
        for _ in range(200):
            for t in steps:
                for j in range(d):
                    if x[t + 1, j] * sum(v[j, i] * y[t][i] for i in range(hidden)) < margin:
                        for i in range(hidden):
                            v[j, i] += rate * x[t + 1, j] * y[t][i]
        cases.append(dict(sequence=x.tolist(), p=p.tolist(), margin=margin, rate=rate, epochs=200,
                          u=u.astype(float).tolist(), v=v.astype(float).tolist()))
    return cases


here = os.path.dirname(os.path.abspath(__file__))
for name, cases in [("memories", memories()), ("steps", steps()), ("attention", attention()),
                    ("twolayer", two_layer()), ("sequence", sequence())]:
    with open(os.path.join(here, name + ".json"), "w") as f:
        f.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")

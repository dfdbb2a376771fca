#!/usr/bin/env python3
"""Writes emrouting.json: EM routing of matrix capsules, in float64.

Values come from NumPy, with loops over children and parents and probabilities as such, not their logarithms, after
procedure 1 of Hinton, Sabour and Frosst (2018). Gradients come from PyTorch's automatic differentiation of the same
procedure on tensors of all pairs of a child and a parent, where a mask says which pairs there are; its values must agree
with NumPy's. Neither gathers patches.

    python3 emrouting.py > emrouting.json
"""

import json
import sys

import numpy as np
import torch

NOTHING = 1e-9  # added to what is assigned to a parent where it divides


def temperature(final, decay, t):
    return final * (1 - decay ** (t + 1))


def route(votes, a, beta_u, beta_a, reach, iterations, final, decay, epsilon):
    """Votes [children, parents, values], reach [children, parents]; one image, one number at a time."""
    children, parents, values = votes.shape
    r = np.zeros((children, parents))
    for i in range(children):
        for j in range(parents):
            if reach[i, j]:
                r[i, j] = 1 / reach[i].sum()
    mu = np.zeros((parents, values))
    variance = np.zeros((parents, values))
    activation = np.zeros(parents)
    for t in range(iterations):
        for j in range(parents):  # M-step
            total = sum(r[i, j] * a[i] for i in range(children))
            share = [r[i, j] * a[i] / (total + NOTHING) for i in range(children)]
            for h in range(values):
                mu[j, h] = sum(share[i] * votes[i, j, h] for i in range(children))
                variance[j, h] = sum(share[i] * (votes[i, j, h] - mu[j, h]) ** 2 for i in range(children)) + epsilon
            cost = sum((beta_u[j] + np.log(np.sqrt(variance[j, h]))) * total for h in range(values))
            activation[j] = 1 / (1 + np.exp(-temperature(final, decay, t) * (beta_a[j] - cost)))
        if t == iterations - 1:
            return mu, activation, r
        for i in range(children):  # E-step
            p = np.zeros(parents)
            for j in range(parents):
                if reach[i, j]:
                    p[j] = activation[j] * np.exp(-np.sum((votes[i, j] - mu[j]) ** 2 / (2 * variance[j])))
                    p[j] /= np.sqrt(np.prod(2 * np.pi * variance[j]))
            if p.sum() > 0:
                r[i] = p / p.sum()


def route_torch(votes, a, beta_u, beta_a, reach, iterations, final, decay, epsilon):
    """The same of a batch: votes [batch, children, parents, values], a [batch, children]."""
    r = (reach / reach.sum(1, keepdim=True).clamp(min=1)).expand(len(votes), -1, -1)
    for t in range(iterations):
        w = r * a[:, :, None]
        total = w.sum(1)
        share = (w / (total + NOTHING)[:, None])[..., None]
        mu = (share * votes).sum(1)
        variance = (share * (votes - mu[:, None]) ** 2).sum(1) + epsilon
        sigma = variance.sqrt()
        cost = ((beta_u[:, None] + sigma.log()) * total[..., None]).sum(-1)
        logits = temperature(final, decay, t) * (beta_a - cost)
        if t == iterations - 1:
            return mu, torch.sigmoid(logits), r
        normal = torch.distributions.Normal(mu[:, None], sigma[:, None])
        log_p = normal.log_prob(votes).sum(-1) + torch.nn.functional.logsigmoid(logits)[:, None]
        log_p = log_p.masked_fill(reach == 0, -torch.inf)
        some = reach.sum(1) > 0  # a child that no parent sees keeps r = 0
        r = torch.where(some[:, None], torch.softmax(torch.where(some[:, None], log_p, 0), 2), 0) * reach


def both(poses_to_votes, inputs, a, beta_u, beta_a, reach, settings, cotangents):
    """Runs both on votes = poses_to_votes(*inputs), returns values and gradients by inputs, a, beta_u, beta_a."""
    leaves = [torch.tensor(x, requires_grad=True) for x in [*inputs, a, beta_u, beta_a]]
    votes = poses_to_votes(*leaves[:-3])
    mu, activation, r = route_torch(votes, *leaves[-3:], torch.tensor(reach, dtype=torch.float64), **settings)
    loss = (mu * torch.tensor(cotangents[0])).sum() + (activation * torch.tensor(cotangents[1])).sum()
    gradients = torch.autograd.grad(loss, leaves)
    each = [route(v, x, beta_u, beta_a, reach, **settings) for v, x in zip(votes.detach().numpy(), a)]
    values = [np.stack(x) for x in zip(*each)]
    for ours, theirs in zip(values, (mu, activation, r)):
        np.testing.assert_allclose(theirs.detach().numpy(), ours, rtol=1e-9, atol=1e-12)
    return values, [g.numpy() for g in gradients]


def dense(rng, batch, children, parents, values, **settings):
    """Every child in reach of every parent; the votes are given."""
    votes = rng.normal(size=(batch, children, parents, values))
    a = rng.uniform(0.05, 0.95, size=(batch, children))
    beta_u, beta_a = rng.normal(size=parents), rng.normal(size=parents)
    cotangents = rng.normal(size=(batch, parents, values)), rng.normal(size=(batch, parents))
    reach = np.ones((children, parents), dtype=int)
    (mu, activation, r), g = both(lambda v: v, [votes], a, beta_u, beta_a, reach, settings, cotangents)
    return dict(settings, votes=votes, activations=a, beta_u=beta_u, beta_a=beta_a, poses_out=mu, activations_out=activation,
                assignments=r, cotangent_poses=cotangents[0], cotangent_activations=cotangents[1], grad_votes=g[0],
                grad_activations=g[1], grad_beta_u=g[2], grad_beta_a=g[3])


def layer(rng, batch, height, width, below, types, kernel, stride, coordinates, **settings):
    """A layer of patches; with kernel 0, the class layer: one position, the transforms of a child by its type alone."""
    high, wide = (1, 1) if kernel == 0 else ((height - kernel) // stride + 1, (width - kernel) // stride + 1)
    children, parents = height * width * below, high * wide * types
    reach = np.zeros((children, parents), dtype=int)
    index = np.zeros((children, parents), dtype=int)  # of the transform
    for y, x, c in np.ndindex(height, width, below):
        for v, u, d in np.ndindex(high, wide, types):
            i, j = (y * width + x) * below + c, (v * wide + u) * types + d
            row, column = y - v * stride, x - u * stride
            if kernel == 0:
                reach[i, j], index[i, j] = 1, c * types + d
            elif 0 <= row < kernel and 0 <= column < kernel:
                reach[i, j], index[i, j] = 1, ((row * kernel + column) * below + c) * types + d
    rows = below if kernel == 0 else kernel * kernel * below
    poses = rng.normal(size=(batch, height, width, below, 4, 4))
    transforms = rng.normal(size=(rows, types, 4, 4)) / 2
    a = rng.uniform(0.05, 0.95, size=(batch, height, width, below))
    beta_u, beta_a = rng.normal(size=types), rng.normal(size=types)
    cotangents = rng.normal(size=(batch, high, wide, types, 4, 4)), rng.normal(size=(batch, high, wide, types))

    def votes(poses, transforms):
        each = transforms.reshape(rows * types, 4, 4)[torch.tensor(index)]
        v = torch.einsum("birk,ijkc->bijrc", poses.reshape(batch, children, 4, 4), each)
        if coordinates:
            at = torch.zeros(children, 4, 4, dtype=torch.float64)
            for y, x, c in np.ndindex(height, width, below):
                at[(y * width + x) * below + c, 0, 3] = (y + 0.5) / height
                at[(y * width + x) * below + c, 1, 3] = (x + 0.5) / width
            v = v + at[:, None]
        return v.reshape(batch, children, parents, 16)

    tile = lambda beta: np.tile(beta, high * wide)
    (mu, activation, r), g = both(votes, [poses, transforms], a.reshape(batch, children), tile(beta_u), tile(beta_a), reach,
                                  settings, (cotangents[0].reshape(batch, parents, 16), cotangents[1].reshape(batch, parents)))
    return dict(settings, stride=stride, kernel=kernel, coordinates=coordinates, poses=poses, activations=a, transforms=transforms,
                beta_u=beta_u, beta_a=beta_a, reach=reach, poses_out=mu.reshape(cotangents[0].shape),
                activations_out=activation.reshape(cotangents[1].shape), assignments=r, cotangent_poses=cotangents[0],
                cotangent_activations=cotangents[1], grad_poses=g[0], grad_transforms=g[1],
                grad_activations=g[2].reshape(a.shape), grad_beta_u=g[3].reshape(-1, types).sum(0),
                grad_beta_a=g[4].reshape(-1, types).sum(0))


def main():
    rng = np.random.default_rng(20180220)
    settings = lambda iterations, final, decay, epsilon: dict(iterations=iterations, final=final, decay=decay, epsilon=epsilon)
    golden = {
        "about": "emrouting.py, NumPy %s, PyTorch %s" % (np.__version__, torch.__version__),
        "routing": [
            dense(rng, 2, 7, 3, 16, **settings(1, 0.01, 0.95, 1e-4)),
            dense(rng, 2, 7, 3, 16, **settings(3, 0.01, 0.95, 1e-4)),
            dense(rng, 1, 9, 4, 16, **settings(5, 0.1, 0.5, 1e-2)),
            dense(rng, 3, 6, 2, 5, **settings(2, 0.3, 0, 1e-3)),
        ],
        "layers": [
            layer(rng, 1, 4, 4, 2, 3, 3, 1, False, **settings(3, 0.01, 0.95, 1e-4)),
            layer(rng, 1, 6, 5, 2, 2, 3, 2, False, **settings(3, 0.1, 0.8, 1e-2)),
            layer(rng, 2, 3, 2, 3, 4, 0, 1, True, **settings(3, 0.05, 0.95, 1e-4)),
            layer(rng, 2, 2, 2, 2, 3, 0, 1, False, **settings(2, 0.05, 0.95, 1e-4)),
        ],
    }
    rounded = json.JSONEncoder(default=lambda x: x.tolist())
    sys.stdout.write(rounded.encode(golden) + "\n")


if __name__ == "__main__":
    main()

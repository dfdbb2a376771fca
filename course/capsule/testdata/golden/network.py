#!/usr/bin/env python3
"""The capsule network in PyTorch: writes network.json, or times a step of training.

    python3 network.py > network.json
    python3 network.py time --batch 32 --channels 32 --primary 8 --types 8 --iterations 2

The golden values are those of a small network in float64: activations and poses of the classes, the spread loss and its
gradients by all weights and the images. The loss is PyTorch's MultiMarginLoss with p = 2, which divides by the number of
classes. Patches come from unfold, and what children are assigned is added up by fold.
"""

import argparse
import json
import statistics
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

NOTHING = 1e-9


class Routing:
    def __init__(self, iterations=3, final=0.1, decay=0.95, epsilon=0.03):
        self.iterations, self.final, self.decay, self.epsilon = iterations, final, decay, epsilon

    def __call__(self, votes, a, beta_u, beta_a, compete):
        """Votes [batch, positions, types, children, 16], a [batch, positions, children]."""
        r = compete(torch.zeros(votes.shape[:-1], dtype=votes.dtype))
        for t in range(self.iterations):
            w = r * a[:, :, None]
            total = w.sum(-1)
            share = w / (total[..., None] + NOTHING)
            mu = torch.einsum("bpji,bpjih->bpjh", share, votes)
            deviation = (votes - mu[:, :, :, None]) ** 2
            variance = torch.einsum("bpji,bpjih->bpjh", share, deviation) + self.epsilon
            log_sigma = 0.5 * variance.log().sum(-1)
            logits = self.final * (1 - self.decay ** (t + 1)) * (beta_a - (16 * beta_u + log_sigma) * total)
            if t < self.iterations - 1:
                distance = torch.einsum("bpjih,bpjh->bpji", deviation, 0.5 / variance)
                r = compete((F.logsigmoid(logits) - log_sigma)[..., None] - distance)
        return mu, torch.sigmoid(logits), r


class Capsules(nn.Module):
    """Kernel 0: the class layer."""

    def __init__(self, below, types, kernel, stride, routing):
        super().__init__()
        self.below, self.types, self.kernel, self.stride, self.routing = below, types, kernel, stride, routing
        self.transforms = nn.Parameter(torch.randn(max(kernel, 1) ** 2 * below, types, 4, 4) / 4)
        self.beta_u = nn.Parameter(torch.zeros(types))
        self.beta_a = nn.Parameter(torch.zeros(types))

    def patches(self, x):
        """[batch, height, width, n] to [batch, positions, kernel * kernel, n]."""
        batch, _, _, n = x.shape
        u = F.unfold(x.permute(0, 3, 1, 2), self.kernel, stride=self.stride)
        return u.reshape(batch, n, self.kernel**2, -1).permute(0, 3, 2, 1)

    def compete(self, logits, height, width):
        batch, positions, types, _ = logits.shape
        with torch.no_grad():  # of the parents that see a child, the largest
            largest = torch.full((batch, height, width, self.below), -torch.inf, dtype=logits.dtype)
            each = logits.amax(2).reshape(batch, positions, self.kernel, self.kernel, self.below)
            wide = (width - self.kernel) // self.stride + 1
            for p in range(positions):
                y, x = p // wide * self.stride, p % wide * self.stride
                part = largest[:, y : y + self.kernel, x : x + self.kernel]
                torch.maximum(part, each[:, p], out=part)
            largest.masked_fill_(largest == -torch.inf, 0)  # of no parent
            shift = self.patches(largest).reshape(batch, positions, 1, -1)
        shares = (logits - shift).exp()
        flat = shares.sum(2).reshape(batch, positions, self.kernel**2, self.below).permute(0, 3, 2, 1)
        total = F.fold(flat.reshape(batch, -1, positions), (height, width), self.kernel, stride=self.stride)
        return shares / self.patches(total.permute(0, 2, 3, 1)).reshape(batch, positions, 1, -1)

    def forward(self, poses, a):
        batch, height, width, below = a.shape
        if self.kernel == 0:
            votes = torch.einsum("bnirk,ijkc->bjnirc", poses.reshape(batch, -1, below, 4, 4), self.transforms)
            at = torch.zeros(height, width, 4, 4, dtype=poses.dtype)
            at[:, :, 0, 3] = ((torch.arange(height, dtype=poses.dtype) + 0.5) / height)[:, None]
            at[:, :, 1, 3] = (torch.arange(width, dtype=poses.dtype) + 0.5) / width
            votes = (votes + at.reshape(-1, 1, 4, 4)).reshape(batch, 1, self.types, -1, 16)
            mu, a, _ = self.routing(votes, a.reshape(batch, 1, -1), self.beta_u, self.beta_a, lambda x: x.softmax(2))
            return mu.reshape(batch, self.types, 4, 4), a.reshape(batch, self.types)
        m = self.patches(poses.reshape(batch, height, width, -1))
        positions = m.shape[1]
        m = m.reshape(batch, positions, -1, 4, 4)
        votes = torch.einsum("bpirk,ijkc->bpjirc", m, self.transforms).reshape(batch, positions, self.types, -1, 16)
        a = self.patches(a).reshape(batch, positions, -1)
        mu, a, _ = self.routing(votes, a, self.beta_u, self.beta_a, lambda x: self.compete(x, height, width))
        high, wide = (height - self.kernel) // self.stride + 1, (width - self.kernel) // self.stride + 1
        return mu.reshape(batch, high, wide, self.types, 4, 4), a.reshape(batch, high, wide, self.types)


class Network(nn.Module):
    def __init__(self, channels, kernel, stride, primary, layers, classes, routing):
        """Layers are (types, kernel, stride)."""
        super().__init__()
        self.convolution = nn.Conv2d(1, channels, kernel, stride)
        nn.init.normal_(self.convolution.weight, std=(2 / kernel**2) ** 0.5)
        nn.init.zeros_(self.convolution.bias)
        self.pose = nn.Linear(channels, primary * 16)
        self.activation = nn.Linear(channels, primary)
        for layer in (self.pose, self.activation):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)
        self.layers = nn.ModuleList()
        for types, kernel, stride in layers:
            self.layers.append(Capsules(primary, types, kernel, stride, routing))
            primary = types
        self.layers.append(Capsules(primary, classes, 0, 1, routing))

    def forward(self, images):
        """[batch, height, width, 1]."""
        x = F.relu(self.convolution(images.permute(0, 3, 1, 2))).permute(0, 2, 3, 1)
        poses = self.pose(x).reshape(*x.shape[:3], -1, 4, 4)
        a = torch.sigmoid(self.activation(x))
        for layer in self.layers:
            poses, a = layer(poses, a)
        return poses, a


def spread_loss(a, labels, margin):
    return F.multi_margin_loss(a, labels, p=2, margin=margin) * a.shape[1]


def parameters(network, values):
    """Names and layouts of ours: kernels [height, width, in, out], affine maps [in, out]."""
    ours = {}
    for name, value in values.items():
        value = value.detach()
        part, _, kind = name.rpartition(".")
        if part == "convolution":
            ours["convolution/" + ("kernel" if kind == "weight" else "bias")] = value.permute(2, 3, 1, 0) if kind == "weight" else value
        elif part in ("pose", "activation"):
            ours[f"primary/{part}/" + ("weights" if kind == "weight" else "bias")] = value.T if kind == "weight" else value
        else:
            k = int(part.split(".")[1])
            ours[("class" if k == len(network.layers) - 1 else f"convolutional_{k}") + "/" + kind] = value
    return {name: value.tolist() for name, value in ours.items()}


def golden():
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(7)
    settings = dict(channels=3, kernel=3, stride=2, primary=2, layers=[(2, 3, 1), (3, 2, 1)], classes=3)
    routing = dict(iterations=3, final=0.1, decay=0.95, epsilon=1e-2)
    network = Network(**settings, routing=Routing(**routing))
    for p in network.parameters():
        p.data += torch.randn_like(p) / 10
    images = torch.rand(2, 11, 12, 1, requires_grad=True)
    labels, margin = torch.tensor([2, 0]), 0.6
    poses, a = network(images)
    loss = spread_loss(a, labels, margin)
    names, leaves = zip(*network.named_parameters())
    gradients = torch.autograd.grad(loss, [images, *leaves])
    json.dump({
        "about": "network.py, PyTorch " + torch.__version__, **settings, **routing,
        "parameters": parameters(network, dict(zip(names, leaves))),
        "images": images.tolist(), "labels": labels.tolist(), "margin": margin,
        "activations": a.tolist(), "poses": poses.tolist(), "loss": loss.item(),
        "grad_images": gradients[0].tolist(), "grad_parameters": parameters(network, dict(zip(names, gradients[1:]))),
    }, sys.stdout)
    print()


def timed(o):
    torch.set_num_threads(o.threads)
    torch.manual_seed(1)
    network = Network(o.channels, 5, 2, o.primary, [(o.types, 3, 2), (o.types, 3, 1)], 10,
                      Routing(iterations=o.iterations))
    adam = torch.optim.Adam(network.parameters(), lr=3e-3)
    images, labels = torch.rand(o.batch, 28, 28, 1), torch.randint(0, 10, (o.batch,))
    seconds = []
    for step in range(o.warm + o.steps):
        start = time.perf_counter()
        adam.zero_grad()
        loss = spread_loss(network(images)[1], labels, 0.5)
        loss.backward()
        adam.step()
        loss.item()
        if step >= o.warm:
            seconds.append(time.perf_counter() - start)
    line = {"side": "pytorch " + torch.__version__, "threads": o.threads, "batch": o.batch, "steps": o.steps,
            "mean_ms": round(1e3 * statistics.mean(seconds), 1), "least_ms": round(1e3 * min(seconds), 1)}
    print(json.dumps(line))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=["golden", "time"], default="golden")
    for name, value in dict(batch=32, channels=32, primary=8, types=8, iterations=2, threads=2, warm=5, steps=20).items():
        parser.add_argument("--" + name, type=int, default=value)
    options = parser.parse_args()
    timed(options) if options.what == "time" else golden()

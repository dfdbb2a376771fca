"""Writes the state dicts of four networks of PyTorch as safetensors, and their logits of some bags, for weights_test.go.

    PYTHONPATH=hopfield-layers python3 milbench/learners/neural/testdata/weights/write.py milbench/learners/neural/testdata/weights

Needs torch, safetensors, and hflayers from the authors' repository (github: ml-jku/hopfield-layers, folder hflayers). Written with
torch 2.15.0. ABMIL and CLAM-SB are networks of the published shapes and names, with layers of 6 and 4 features.
"""

import json
import pathlib
import sys

import torch
from hflayers import HopfieldPooling
from safetensors.torch import save_file
from torch import nn


def sequence(*layers):
    return nn.Sequential(*layers)


class Attention(nn.Module):
    """ABMIL of Ilse et al. 2018, with and without a gate."""

    def __init__(self, features, hidden, embed, outputs, gate):
        super().__init__()
        self.feature_extractor_part2 = sequence(nn.Linear(features, hidden), nn.ReLU())
        if gate:
            self.attention_V = sequence(nn.Linear(hidden, embed), nn.Tanh())
            self.attention_U = sequence(nn.Linear(hidden, embed), nn.Sigmoid())
            self.attention_w = nn.Linear(embed, 1)
        else:
            self.attention = sequence(nn.Linear(hidden, embed), nn.Tanh(), nn.Linear(embed, 1))
        self.classifier = sequence(nn.Linear(hidden, outputs), nn.Sigmoid())
        self.gate = gate

    def forward(self, x):
        h = self.feature_extractor_part2(x)
        a = self.attention_w(self.attention_V(h) * self.attention_U(h)) if self.gate else self.attention(h)
        a = torch.softmax(a.T, 1)
        return self.classifier[0](a @ h)[0], a


class Gated(nn.Module):
    def __init__(self, features, embed):
        super().__init__()
        self.attention_a = sequence(nn.Linear(features, embed), nn.Tanh())
        self.attention_b = sequence(nn.Linear(features, embed), nn.Sigmoid())
        self.attention_c = nn.Linear(embed, 1)

    def forward(self, h):
        return self.attention_c(self.attention_a(h) * self.attention_b(h)), h


class Plain(nn.Module):
    def __init__(self, features, embed):
        super().__init__()
        self.module = sequence(nn.Linear(features, embed), nn.Tanh(), nn.Dropout(0.25), nn.Linear(embed, 1))

    def forward(self, h):
        return self.module(h), h


class CLAM(nn.Module):
    """CLAM-SB of Lu et al. 2021 at prediction."""

    def __init__(self, features, hidden, embed, classes, gate):
        super().__init__()
        self.attention_net = sequence(nn.Linear(features, hidden), nn.ReLU(), nn.Dropout(0.25), (Gated if gate else Plain)(hidden, embed))
        self.classifiers = nn.Linear(hidden, classes)
        self.instance_classifiers = nn.ModuleList([nn.Linear(hidden, 2) for _ in range(classes)])

    def forward(self, x):
        a, h = self.attention_net(x)
        a = torch.softmax(a.T, 1)
        return self.classifiers(a @ h)[0], a


class Hopfield(nn.Sequential):
    """A linear layer, the authors' HopfieldPooling, and a linear layer, as in their example."""

    def __init__(self, features, hidden, size, heads, outputs, beta, norm):
        norms = {f"normalize_{of}{affine}": norm for of in ("stored_pattern", "state_pattern", "pattern_projection") for affine in ("", "_affine")}
        super().__init__(nn.Linear(features, hidden), nn.ReLU(),
                         HopfieldPooling(input_size=hidden, hidden_size=size, num_heads=heads, scaling=beta, **norms),
                         nn.Flatten(), nn.Linear(hidden, outputs))

    def forward(self, x):
        h = self[1](self[0](x))[None]
        a = self[2].get_association_matrix(h)[0, :, 0]
        return self[4](self[3](self[2](h)))[0], a


def main():
    folder, expected = pathlib.Path(sys.argv[1]), {}
    torch.manual_seed(20261129)
    bags = [torch.randn(n, 5) * 2 + 1 for n in (1, 3, 7, 20)]
    for name, network, more in [
        ("abmil", Attention(5, 6, 4, 1, False), {}), ("gated", Attention(5, 6, 4, 1, True), {}), ("gated-classes", Attention(5, 6, 4, 3, True), {}),
        ("clam", CLAM(5, 6, 4, 2, True), {}), ("clam-classes", CLAM(5, 6, 4, 3, True), {}), ("clam-plain", CLAM(5, 6, 4, 2, False), {}),
        ("hopfield", Hopfield(5, 6, 2, 2, 1, 0.7, True), {"heads": 2, "beta": 0.7}),
        ("hopfield-plain", Hopfield(5, 6, 6, 1, 3, None, False), {}),
    ]:
        for p in network.parameters():  # larger than as drawn, so that mistakes show
            nn.init.normal_(p, std=0.7)
        network.eval()
        save_file({k: v.contiguous() for k, v in network.state_dict().items()}, folder / f"{name}.safetensors")
        with torch.no_grad():
            results = [network(x) for x in bags]
        expected[name] = {"fields": more, "logits": [r[0].tolist() for r in results], "weights": [r[1].tolist() for r in results]}
    (folder / "expected.json").write_text(json.dumps({"bags": [b.tolist() for b in bags], "networks": expected}))


if __name__ == "__main__":
    main()

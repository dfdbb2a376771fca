"""Times PyTorch's training steps of the models of BenchmarkTrainingStep, of the same sizes, with Adam on the CPU.

python3 bench.py [threads]    (beside: go test -run xxx -bench TrainingStep)
"""

import sys
import time

import torch
from torch import nn

torch.set_num_threads(int(sys.argv[1]) if len(sys.argv) > 1 else torch.get_num_threads())
torch.manual_seed(1)
batch, length, words, embed, hidden = 32, 40, 10000, 100, 64


def ids(*dims):
    return torch.randint(1, words, dims)


class Pool(nn.Module):
    def __init__(self, features, width):
        super().__init__()
        self.hidden, self.context = nn.Linear(features, width), nn.Linear(width, 1, bias=False)

    def forward(self, h):
        a = torch.softmax(self.context(torch.tanh(self.hidden(h))), 1)
        return (a * h).sum(1)


class RNN(nn.Module):
    def __init__(self, kind, features=embed, hidden=hidden):
        super().__init__()
        self.rnn = getattr(nn, kind)(features, hidden, batch_first=True, bidirectional=True)

    def forward(self, x):
        return self.rnn(x)[0]


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Embedding(words, embed), RNN("LSTM"), Pool(2 * hidden, 64), nn.Linear(2 * hidden, 3))

    def forward(self, x):
        return self.layers(x)


class Documents(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(words, embed)
        self.words = nn.Sequential(RNN("GRU", embed, 50), Pool(100, 100))
        self.sentences = nn.Sequential(RNN("GRU", 100, 50), Pool(100, 100), nn.Linear(100, 2))

    def forward(self, x):
        s = self.words(self.embedding(x.flatten(0, 1)))
        return self.sentences(s.reshape(x.shape[0], x.shape[1], -1))


class Translator(nn.Module):
    def __init__(self, state=128, align=64):
        super().__init__()
        self.source, self.target = nn.Embedding(words, embed), nn.Embedding(words, embed)
        self.encoder = nn.GRU(embed, hidden, batch_first=True, bidirectional=True)
        self.bridge, self.cell = nn.Linear(2 * hidden, state), nn.GRUCell(embed + 2 * hidden, state)
        self.key, self.query, self.score = nn.Linear(2 * hidden, align), nn.Linear(state, align, bias=False), nn.Linear(align, 1, bias=False)
        self.readout, self.output = nn.Linear(state + 2 * hidden + embed, embed), nn.Linear(embed, words)

    def forward(self, source, before):
        states, last = self.encoder(self.source(source))
        s = torch.tanh(self.bridge(last.transpose(0, 1).reshape(len(source), -1)))
        keys, ys, out = self.key(states), self.target(before), []
        for t in range(before.shape[1]):
            a = torch.softmax(self.score(torch.tanh(keys + self.query(s)[:, None])), 1)
            c = (a * states).sum(1)
            s = self.cell(torch.cat([ys[:, t], c], -1), s)
            out.append(torch.cat([s, c, ys[:, t]], -1))
        return self.output(torch.tanh(self.readout(torch.stack(out, 1))))


class Memory(nn.Module):
    def __init__(self, width=32, sentences=10, hops=3):
        super().__init__()
        self.embeddings = nn.ModuleList(nn.Embedding(words, width) for _ in range(hops + 1))
        self.ages = nn.ParameterList(nn.Parameter(torch.randn(sentences, width)) for _ in range(hops + 1))
        self.answer = nn.Linear(width, 6, bias=False)
        j, k = torch.arange(1, 7)[:, None] / 6, torch.arange(1, width + 1)[None] / width
        self.position = (1 - j) - k * (1 - 2 * j)

    def forward(self, story, question):
        memory = lambda i, x: (self.embeddings[i](x) * self.position).sum(-2)
        u = memory(0, question)
        m = memory(0, story) + self.ages[0]
        for hop in range(len(self.embeddings) - 1):
            c = memory(hop + 1, story) + self.ages[hop + 1]
            p = torch.softmax((m * u[:, None]).sum(-1), -1)
            u, m = u + (p[:, :, None] * c).sum(1), c
        return self.answer(u)


x = torch.zeros(batch, length, embed)
for name, module, inputs in (
    ("LSTM", RNN("LSTM"), [x]),
    ("GRU", RNN("GRU"), [x]),
    ("words", Words(), [ids(batch, length)]),
    ("documents", Documents(), [ids(8, 20, 20)]),
    ("translator", Translator(), [ids(batch, 12), ids(batch, 13)]),
    ("transformer", nn.TransformerEncoderLayer(128, 4, 512, dropout=0, batch_first=True), [torch.zeros(batch, length, 128)]),
    ("memory network", Memory(), [ids(batch, 10, 6), ids(batch, 6)]),
):
    adam = torch.optim.Adam(module.parameters(), lr=1e-3)

    def step():
        adam.zero_grad()
        (module(*inputs) ** 2).mean().backward()
        adam.step()

    for _ in range(5):
        step()
    start, steps = time.perf_counter(), 0
    while time.perf_counter() - start < 1:
        step()
        steps += 1
    print(f"{name:16s} {1e3 * (time.perf_counter() - start) / steps:9.2f} ms")

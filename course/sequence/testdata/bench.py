#!/usr/bin/env python3
"""Times a training step of every model of BenchmarkTrainingStep on XLA, on the Go backend and in PyTorch, and prints a table.

    python3 bench.py [--cores 0,1] [--rounds 3] [--only MODEL ...]       (a Python with PyTorch)

All sides run in one run, in turn, round by round, on the same cores, to which this process and what it starts are pinned:
XLA, Go and PyTorch take as many threads as there are cores. Models, sizes and Adam are the same on all sides; a step reads its
loss, and ends when the weights are new. Two differences are for PyTorch: ours draws masks from the numbers of words and heeds
them, PyTorch's has none; and ours hands the batch over in every step. The figure of a side is its median over the rounds.
"""

import argparse
import datetime
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
MODELS = ["LSTM", "GRU", "words", "documents", "translator", "transformer", "transformer translator", "memory network", "deep sets", "Nadaraya-Watson"]
SECONDS = 1  # of each model in a round


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cores", type=lambda s: [int(c) for c in s.split(",")], default=sorted(os.sched_getaffinity(0))[:2], help="default the first two")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=MODELS, default=MODELS, metavar="MODEL")
    parser.add_argument("--torch", action="store_true", help=argparse.SUPPRESS)
    o = parser.parse_args()
    os.sched_setaffinity(0, o.cores)
    if o.torch:
        return pytorch(o.only)
    load, sides = os.getloadavg()[0], {"XLA": "xla:cpu", "PyTorch": None, "Go": "go:ops_sequential"}
    times = {side: {model: [] for model in o.only} for side in sides}
    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.join(folder, "bench")
        subprocess.run(["go", "test", "-c", "-o", binary, "./course/sequence"], cwd=ROOT, check=True)
        for _ in range(o.rounds):
            for side, backend in sides.items():
                for model, ms in (go(binary, backend, o.only) if backend else child(o)).items():
                    times[side][model].append(ms)
    print(f"{processor()}, cores {','.join(map(str, o.cores))}, load {load:.1f} at the start, {datetime.date.today()}, "
          f"{output('go', 'env', 'GOVERSION')}, revision {output('git', 'describe', '--always', '--dirty')}, {versions()}: `bench.py {' '.join(sys.argv[1:])}`\n")
    print("| ms a step, median of {} rounds (least to most) | XLA | PyTorch | PyTorch / XLA | Go backend |\n|:--|--:|--:|--:|--:|".format(o.rounds))
    for model in o.only:
        xla, torch, plain = (times[side][model] for side in ("XLA", "PyTorch", "Go"))
        print(f"| {model} | {spread(xla)} | {spread(torch)} | {statistics.median(torch) / statistics.median(xla):.2f} | {spread(plain)} |")


def go(binary, backend, models):
    pattern = "|".join(m.replace(" ", "_") for m in models)
    command = [binary, "-test.run", "^$", "-test.bench", f"TrainingStep/^({pattern})$", "-test.benchtime", f"{SECONDS}s"]
    out = subprocess.run(command, cwd=ROOT / "course/sequence", env={**os.environ, "GOMLX_BACKEND": backend}, check=True, capture_output=True, text=True).stdout
    found = re.findall(r"^BenchmarkTrainingStep/([^/]+)/\S+\s+\d+\s+([\d.]+) ns/op", out, re.M)
    return {name.replace("_", " "): float(ns) / 1e6 for name, ns in found}


def child(o):
    command = [sys.executable, __file__, "--torch", "--cores", ",".join(map(str, o.cores)), "--only", *o.only]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def processor():
    names = [line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    return names[0] if names else platform.processor()


def output(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip()


def versions():
    listed = output("go", "list", "-m", "github.com/gomlx/gomlx", "github.com/gomlx/compute", "github.com/gomlx/go-xla")
    torch = subprocess.run([sys.executable, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True).stdout.strip()
    return ", ".join([" ".join(line.split("/")[-1].split()) for line in listed.splitlines()] + [f"PyTorch {torch}"])


def spread(ms):
    return f"{statistics.median(ms):.2f}" + (f" ({min(ms):.2f} to {max(ms):.2f})" if len(ms) > 1 else "")


def pytorch(only):
    """Prints PyTorch's times as JSON."""
    import torch
    from torch import nn

    torch.set_num_threads(len(os.sched_getaffinity(0)))
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

    class TransformerTranslator(nn.Module):
        def __init__(self, width=128, heads=4, inner=512, layers=2):
            super().__init__()
            self.source, self.target, self.output = nn.Embedding(words, width), nn.Embedding(words, width), nn.Linear(width, words)
            self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(width, heads, inner, dropout=0, batch_first=True), layers)
            self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(width, heads, inner, dropout=0, batch_first=True), layers)
            angles = torch.arange(13)[:, None] / 10000 ** (torch.arange(0, width, 2) / width)
            self.positions = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
            self.future = nn.Transformer.generate_square_subsequent_mask(13)

        def forward(self, source, before):
            x, y = (e(w) * e.embedding_dim**0.5 + self.positions[:w.shape[1]] for e, w in ((self.source, source), (self.target, before)))
            return self.output(self.decoder(y, self.encoder(x), tgt_mask=self.future, tgt_is_causal=True))

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

    class DeepSets(nn.Module):
        def __init__(self, width=128):
            super().__init__()
            self.element = nn.Sequential(nn.Linear(embed, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
            self.set = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))

        def forward(self, x):
            return self.set(self.element(x).sum(1))

    class NadarayaWatson(nn.Module):
        def __init__(self, width=32):
            super().__init__()
            self.places = nn.Linear(embed, width)

        def forward(self, x, values):
            queries, keys = self.places(x).chunk(2, 1)
            return torch.softmax(-((queries[:, :, None] - keys[:, None]) ** 2).sum(-1) / 2, -1) @ values

    x = torch.zeros(batch, length, embed)
    makers = {
        "LSTM": (lambda: RNN("LSTM"), [x]),
        "GRU": (lambda: RNN("GRU"), [x]),
        "words": (Words, [ids(batch, length)]),
        "documents": (Documents, [ids(8, 20, 20)]),
        "translator": (Translator, [ids(batch, 12), ids(batch, 13)]),
        "transformer": (lambda: nn.TransformerEncoderLayer(128, 4, 512, dropout=0, batch_first=True), [torch.zeros(batch, length, 128)]),
        "transformer translator": (TransformerTranslator, [ids(batch, 12), ids(batch, 13)]),
        "memory network": (Memory, [ids(batch, 10, 6), ids(batch, 6)]),
        "deep sets": (DeepSets, [x]),
        "Nadaraya-Watson": (NadarayaWatson, [torch.zeros(batch, 2 * length, embed), torch.zeros(batch, length, 1)]),
    }
    times = {}
    for name in only:
        make, inputs = makers[name]
        module = make()
        adam = torch.optim.Adam(module.parameters(), lr=1e-3)

        def step():
            adam.zero_grad()
            loss = (module(*inputs) ** 2).mean()
            loss.backward()
            adam.step()
            return loss.item()

        for _ in range(5):
            step()
        start, steps = time.perf_counter(), 0
        while time.perf_counter() - start < SECONDS:
            step()
            steps += 1
        times[name] = 1e3 * (time.perf_counter() - start) / steps
    print(json.dumps(times))


if __name__ == "__main__":
    main()

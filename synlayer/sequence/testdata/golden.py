"""Writes golden.json: values and gradients of PyTorch's modules in float64, with their weights.

python3 golden.py > golden.json    (PyTorch 2.15)

Each case has what went in, the modules' parameters by their PyTorch names, what came out, and the gradients of
sum(out * cos(0, 1, 2, ...)), summed over the outputs, by the inputs and the parameters.
"""

import json
import math

import torch
from torch import nn

torch.set_default_dtype(torch.float64)
torch.manual_seed(5)
cases = []


def case(name, config, module, inputs, call, extra=None):
    for p in module.parameters():
        nn.init.normal_(p, std=0.4)
    inputs = {k: v.requires_grad_() for k, v in inputs.items()}
    outputs = call(module, inputs)
    loss = sum((y * torch.cos(torch.arange(y.numel(), dtype=y.dtype)).reshape(y.shape)).sum() for y in outputs.values())
    loss.backward()
    cases.append({
        "name": name, "config": config, **(extra or {}),
        "inputs": {k: v.tolist() for k, v in inputs.items()},
        "parameters": {k: p.tolist() for k, p in module.named_parameters()},
        "outputs": {k: y.tolist() for k, y in outputs.items()},
        "gradients": {**{k: v.grad.tolist() for k, v in inputs.items()}, **{k: p.grad.tolist() for k, p in module.named_parameters()}},
    })


def joined(state, batch):  # [directions, batch, hidden] to [batch, directions * hidden]
    return state.transpose(0, 1).reshape(batch, -1)


for kind in ("LSTM", "GRU"):
    for bidirectional in (False, True):
        batch, length, features, hidden = 3, 5, 4, 3
        lengths = [5, 2, 4]
        directions = 2 if bidirectional else 1

        def run(rnn, inputs):
            packed = nn.utils.rnn.pack_padded_sequence(inputs["x"], torch.tensor(lengths), batch_first=True, enforce_sorted=False)
            begin = [inputs[k].reshape(batch, directions, hidden).transpose(0, 1).contiguous() for k in ("h", "c") if k in inputs]
            out, last = rnn(packed, tuple(begin) if kind == "LSTM" else begin[0])
            states, _ = nn.utils.rnn.pad_packed_sequence(out, batch_first=True, total_length=length)
            last = last if kind == "LSTM" else (last,)
            return {"states": states, **{"last_" + k: joined(v, batch) for k, v in zip("hc", last)}}

        inputs = {"x": torch.randn(batch, length, features), "h": torch.randn(batch, directions * hidden)}
        if kind == "LSTM":
            inputs["c"] = torch.randn(batch, directions * hidden)
        case(f"{kind}, {directions} directions", {"hidden": hidden, "bidirectional": bidirectional}, getattr(nn, kind)(features, hidden, batch_first=True, bidirectional=bidirectional), inputs, run,
             {"mask": [[t < n for t in range(length)] for n in lengths]})

batch, queries, keys, embed, heads = 2, 3, 5, 6, 2
mask = torch.tensor([[True] * 5, [True, True, False, True, False]])


def attend(m, inputs):
    out, weights = m(inputs["query"], inputs["key"], inputs["value"], key_padding_mask=~mask, average_attn_weights=False)
    return {"out": out, "weights": weights}


case("MultiheadAttention", {"embed": embed, "heads": heads}, nn.MultiheadAttention(embed, heads, batch_first=True),
     {"query": torch.randn(batch, queries, embed), "key": torch.randn(batch, keys, embed), "value": torch.randn(batch, keys, embed)}, attend, {"mask": mask.tolist()})


def attend_causally(m, inputs):
    x = inputs["x"] * mask[:, :, None]  # as ours does, so that nothing in padding is seen, the query of padding included
    future = torch.triu(torch.ones(keys, keys, dtype=torch.bool), diagonal=1)
    out, weights = m(x, x, x, attn_mask=future, key_padding_mask=~mask, average_attn_weights=False)
    return {"out": out, "weights": weights}


case("MultiheadAttention, causal", {"embed": embed, "heads": heads, "causal": True}, nn.MultiheadAttention(embed, heads, batch_first=True),
     {"x": torch.randn(batch, keys, embed)}, attend_causally, {"mask": mask.tolist()})

for norm_first, activation in ((False, "relu"), (True, "gelu")):
    layer = nn.TransformerEncoderLayer(embed, heads, dim_feedforward=7, dropout=0, activation=activation, batch_first=True, norm_first=norm_first)
    # Where x is padding the module's output depends on its own query; ours is 0 there.
    case(f"TransformerEncoderLayer, norm first {norm_first}, {activation}", {"embed": embed, "heads": heads, "inner": 7, "norm_first": norm_first, "activation": activation}, layer,
         {"x": torch.randn(batch, keys, embed)}, lambda m, inputs: {"out": m(inputs["x"], src_key_padding_mask=~mask) * mask[:, :, None]}, {"mask": mask.tolist()})



class Translator(nn.Module):
    """Encoder and decoder step by step, with torch's own cells and automatic differentiation."""

    def __init__(self, kind, embed, hidden, state, align, source, target):
        super().__init__()
        self.kind = kind
        self.source = nn.Embedding(source, embed)
        self.target = nn.Embedding(target, embed)
        self.encoder = getattr(nn, kind)(embed, hidden, batch_first=True, bidirectional=True)
        for i in range(2 if kind == "LSTM" else 1):
            setattr(self, f"bridge_{i}", nn.Linear(2 * hidden, state))
        self.cell = getattr(nn, kind + "Cell")(embed + (2 * hidden if align else 0), state)
        if align:
            self.key = nn.Linear(2 * hidden, align)
            self.query = nn.Linear(state, align, bias=False)
            self.score = nn.Linear(align, 1, bias=False)
        self.readout = nn.Linear(state + embed + (2 * hidden if align else 0), embed)
        self.output = nn.Linear(embed, target)
        self.align = align

    def forward(self, source, lengths, before):
        batch, length = source.shape
        packed = nn.utils.rnn.pack_padded_sequence(self.source(source), lengths, batch_first=True, enforce_sorted=False)
        out, last = self.encoder(packed)
        states, _ = nn.utils.rnn.pad_packed_sequence(out, batch_first=True, total_length=length)
        last = last if self.kind == "LSTM" else (last,)
        state = [torch.tanh(getattr(self, f"bridge_{i}")(joined(l, batch))) for i, l in enumerate(last)]
        real = torch.arange(length)[None] < lengths[:, None]
        logits, alignments = [], []
        for t in range(before.shape[1]):
            y = self.target(before[:, t])
            x = [y]
            if self.align:
                e = self.score(torch.tanh(self.key(states) + self.query(state[0])[:, None])).squeeze(-1)
                a = torch.softmax(e.masked_fill(~real, -math.inf), -1)
                c = (a[:, :, None] * states).sum(1)
                alignments.append(a)
                x.append(c)
            new = self.cell(torch.cat(x, -1), tuple(state) if self.kind == "LSTM" else state[0])
            state = list(new) if self.kind == "LSTM" else [new]
            logits.append(self.output(torch.tanh(self.readout(torch.cat([state[0]] + x[::-1], -1)))))
        result = {"logits": torch.stack(logits, 1)}
        if self.align:
            result["alignments"] = torch.stack(alignments, 1)
        return result


lengths = torch.tensor([4, 2, 3])
source = torch.randint(0, 7, (3, 4))
before = torch.randint(0, 6, (3, 5))
for kind in ("LSTM", "GRU"):
    for align in (0, 3):
        config = {"embed": 3, "hidden": 2, "state": 4, "align": align, "source": source.tolist(), "before": before.tolist(), "source_words": 7, "target_words": 6}
        case(f"Translator, {kind}, align {align}", config, Translator(kind, 3, 2, 4, align, 7, 6), {}, lambda m, inputs: m(source, lengths, before), {"mask": (torch.arange(4)[None] < lengths[:, None]).tolist()})

print(json.dumps(cases))

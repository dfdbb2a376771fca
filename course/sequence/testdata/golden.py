"""Writes golden.json: values and gradients of PyTorch's modules in float64, with their weights.

python3 golden.py > golden.json

Each case has what went in, the modules' parameters by their PyTorch names, what came out, and the gradients of
sum(out * cos(0, 1, 2, ...)), summed over the outputs, by the inputs and the parameters. Where PyTorch has no module, the
layer is written out below from its paper, sentence by sentence and without padding, for automatic differentiation.
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


def syn(weights, iterations, gamma, renormalise):
    """Syn steps as the Syn paper has them, the inverse ones by Newton's method, with the gradient of the weights before."""
    w = weights.detach()
    for _ in range(abs(iterations)):
        y = w / w.norm(dim=-1, keepdim=True)
        if iterations > 0:
            w = gamma * y ** 3 + (1 - gamma) * y
            continue
        w = (y / gamma) ** (1 / 3)  # at or beyond the root, from where Newton's method falls to it
        for _ in range(100 if gamma < 1 else 0):
            w = w - (gamma * w ** 3 + (1 - gamma) * w - y) / (3 * gamma * w ** 2 + 1 - gamma)
    if renormalise:
        w = w / w.sum(dim=-1, keepdim=True)
    return weights + (w - weights).detach() if iterations else weights


class Translator(nn.Module):
    """Encoder and decoder step by step, with torch's own cells and automatic differentiation."""

    def __init__(self, kind, embed, hidden, state, align, source, target, adjust, score="additive"):
        super().__init__()
        self.kind, self.adjust, self.score_of = kind, adjust, score
        attends = align or score != "additive"
        self.source = nn.Embedding(source, embed)
        self.target = nn.Embedding(target, embed)
        self.encoder = getattr(nn, kind)(embed, hidden, batch_first=True, bidirectional=True)
        for i in range(2 if kind == "LSTM" else 1):
            setattr(self, f"bridge_{i}", nn.Linear(2 * hidden, state))
        self.cell = getattr(nn, kind + "Cell")(embed + (2 * hidden if attends else 0), state)
        if align:
            self.key = nn.Linear(2 * hidden, align)
            self.query = nn.Linear(state, align, bias=False)
            self.score = nn.Linear(align, 1, bias=False)
        if score == "general":
            self.key = nn.Linear(2 * hidden, state, bias=False)
        self.readout = nn.Linear(state + embed + (2 * hidden if attends else 0), embed)
        self.output = nn.Linear(embed, target)
        self.attends = attends

    def scores(self, states, s):
        """Of Bahdanau et al. 2015, or of Luong et al. 2015, equation 7, as written there, for each word and sentence."""
        if self.score_of == "additive":
            return self.score(torch.tanh(self.key(states) + self.query(s)[:, None])).squeeze(-1)
        w = self.key.weight if self.score_of == "general" else torch.eye(s.shape[1])
        return torch.stack([torch.stack([h_t @ w @ h_s for h_s in sentence]) for h_t, sentence in zip(s, states)])

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
            if self.attends:
                e = self.scores(states, state[0])
                a = syn(torch.softmax(e.masked_fill(~real, -math.inf), -1), *self.adjust)
                c = (a[:, :, None] * states).sum(1)
                alignments.append(a)
                x.append(c)
            new = self.cell(torch.cat(x, -1), tuple(state) if self.kind == "LSTM" else state[0])
            state = list(new) if self.kind == "LSTM" else [new]
            logits.append(self.output(torch.tanh(self.readout(torch.cat([state[0]] + x[::-1], -1)))))
        result = {"logits": torch.stack(logits, 1)}
        if self.attends:
            result["alignments"] = torch.stack(alignments, 1)
        return result


lengths = torch.tensor([4, 2, 3])
source = torch.randint(0, 7, (3, 4))
before = torch.randint(0, 6, (3, 5))
for kind, align, adjust in (("LSTM", 0, None), ("LSTM", 3, None), ("GRU", 0, None), ("GRU", 3, None), ("LSTM", 3, (2, 0.5, False)), ("GRU", 3, (-2, 0.7, True)), ("GRU", 3, (-3, 1, False))):
    iterations, gamma, renormalise = adjust or (0, 1, False)
    config = {"embed": 3, "hidden": 2, "state": 4, "align": align, "iterations": iterations, "gamma": gamma, "renormalise": renormalise,
              "source": source.tolist(), "before": before.tolist(), "source_words": 7, "target_words": 6}
    name = f"Translator, {kind}, align {align}" + (f", {iterations} Syn steps" if iterations else "")
    case(name, config, Translator(kind, 3, 2, 4, align, 7, 6, (iterations, gamma, renormalise)), {}, lambda m, inputs: m(source, lengths, before), {"mask": (torch.arange(4)[None] < lengths[:, None]).tolist()})


def filled(x, length):  # [n, ...] with zeros to [length, ...]
    return torch.cat([x, x.new_zeros(length - len(x), *x.shape[1:])])


class WordAttention(nn.Module):
    """Yang et al. 2016, equations 5 to 7, of the words h [n, features] of one sentence."""

    def __init__(self, features, width):
        super().__init__()
        self.tanh = nn.Linear(features, width)
        self.context = nn.Parameter(torch.zeros(width))

    def forward(self, h):
        a = torch.softmax(torch.tanh(self.tanh(h)) @ self.context, 0)
        return a @ h, a


class DocumentAttention(nn.Module):
    """Attention to words x [n, features] by a layer that sees their mean."""

    def __init__(self, features, width):
        super().__init__()
        self.word, self.document = nn.Linear(features, width), nn.Linear(features, width)
        self.context = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        a = torch.softmax(torch.tanh(self.word(x) + self.document(x.sum(0) / len(x))) @ self.context, 0)
        return a @ x, a


def pool(m, inputs, lengths):  # each sentence alone
    x = inputs["x"]
    each = [m(x[i, :n]) for i, n in enumerate(lengths)]
    return {"pooled": torch.stack([s for s, _ in each]), "weights": torch.stack([filled(a, x.shape[1]) for _, a in each])[:, None]}


lengths = [5, 1, 3]
for module in (WordAttention(4, 3), DocumentAttention(4, 3)):
    case(type(module).__name__, {"width": 3}, module, {"x": torch.randn(3, 5, 4)}, lambda m, inputs: pool(m, inputs, lengths),
         {"mask": [[t < n for t in range(5)] for n in lengths]})


class HierarchicalAttention(nn.Module):
    """Yang et al. 2016, section 2.2, with torch's GRU, of one document: a list of sentences, each [words, features]."""

    def __init__(self, features, hidden, width):
        super().__init__()
        self.words = nn.GRU(features, hidden, batch_first=True, bidirectional=True)
        self.word_attention = WordAttention(2 * hidden, width)
        self.sentences = nn.GRU(2 * hidden, hidden, batch_first=True, bidirectional=True)
        self.sentence_attention = WordAttention(2 * hidden, width)

    def forward(self, document):
        each = [self.word_attention(self.words(s[None])[0][0]) for s in document]
        h = self.sentences(torch.stack([s for s, _ in each])[None])[0][0]
        return *self.sentence_attention(h), [a for _, a in each]


def documents(m, inputs, lengths):
    x, results = inputs["x"], {"documents": [], "words": [], "sentences": []}
    for b, document in enumerate(lengths):
        there = [s for s, n in enumerate(document) if n]
        vector, ofs, ofw = m([x[b, s, :document[s]] for s in there])
        of_words, of_sentences = x.new_zeros(x.shape[1:3]), x.new_zeros(x.shape[1])
        for s, a, w in zip(there, ofs, ofw):
            of_sentences = of_sentences + a * nn.functional.one_hot(torch.tensor(s), x.shape[1])
            of_words = of_words + nn.functional.one_hot(torch.tensor(s), x.shape[1])[:, None] * filled(w, x.shape[2])
        for k, v in zip(results, (vector, of_words, of_sentences)):
            results[k].append(v)
    return {k: torch.stack(v) for k, v in results.items()}


lengths = [[4, 2, 3], [3, 0, 1]]
case("HierarchicalAttention", {"hidden": 2, "width": 3}, HierarchicalAttention(3, 2, 3), {"x": torch.randn(2, 3, 4, 3)}, lambda m, inputs: documents(m, inputs, lengths),
     {"documents": [[[t < n for t in range(4)] for n in document] for document in lengths], "mask": [[n > 0 for n in document] for document in lengths]})


class MemoryNetwork(nn.Module):
    """Sukhbaatar et al. 2015, one story and question at a time: lists of numbers of words."""

    def __init__(self, words, width, sentences, hops, answers, linear):
        super().__init__()
        self.embedding = nn.ModuleList(nn.Embedding(words, width) for _ in range(hops + 1))
        self.age = nn.ModuleList(nn.Embedding(sentences, width) for _ in range(hops + 1))
        self.answer = nn.Linear(width, answers, bias=False)
        self.width, self.sentences, self.linear = width, sentences, linear

    def sentence(self, embedding, words):
        x = embedding.weight.new_zeros(self.width)
        for j, word in enumerate(words, 1):
            k = torch.arange(1, self.width + 1, dtype=x.dtype)
            x = x + ((1 - j / len(words)) - k / self.width * (1 - 2 * j / len(words))) * embedding.weight[word]
        return x

    def forward(self, story, question):
        def memory(i):
            ages = [min(age, self.sentences - 1) for age in reversed(range(len(story)))]  # the last sentence has age 0
            return torch.stack([self.sentence(self.embedding[i], s) + self.age[i].weight[age] for s, age in zip(story, ages)])

        u, each = self.sentence(self.embedding[0], question), []
        for hop in range(len(self.embedding) - 1):
            p = memory(hop) @ u
            if not self.linear:
                p = torch.softmax(p, 0)
            u = u + p @ memory(hop + 1)
            each.append(p)
        return self.answer(u), torch.stack(each)


stories = [[[3, 1, 2], [4, 5], [2, 2, 6], [1]], [[5, 3], [], [6, 4, 1], []]]
questions = [[6, 2], [1, 3, 5]]


def answers(m, inputs):
    logits, weights = [], []
    for story, question in zip(stories, questions):
        there = [s for s, words in enumerate(story) if words]
        l, p = m([story[s] for s in there], question)
        wide = p.new_zeros(len(p), len(story)).index_add(1, torch.tensor(there), p)
        logits.append(l)
        weights.append(wide)
    return {"logits": torch.stack(logits), "weights": torch.stack(weights)}


for linear in (False, True):
    config = {"words": 7, "width": 3, "sentences": 3, "hops": 2, "answers": 4, "linear": linear,
              "story": [[s + [0] * (3 - len(s)) for s in story] for story in stories], "question": [q + [0] * (3 - len(q)) for q in questions]}
    case("MemoryNetwork" + (", linear" if linear else ""), config, MemoryNetwork(7, 3, 3, 2, 4, linear), {}, answers, {"mask": [[True]]})


class DeepSets(nn.Module):
    """Zaheer et al. 2017, theorem 2, of the elements x [n, features] of one set."""

    def __init__(self, features):
        super().__init__()
        self.element = nn.Sequential(nn.Linear(features, 5), nn.ReLU(), nn.Linear(5, 3), nn.ReLU())
        self.set = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))

    def forward(self, x):
        return self.set(self.element(x).sum(0))


lengths = [5, 1, 3]
case("DeepSets", {}, DeepSets(4), {"x": torch.randn(3, 5, 4)}, lambda m, inputs: {"f": torch.stack([m(inputs["x"][i, :n]) for i, n in enumerate(lengths)])},
     {"mask": [[t < n for t in range(5)] for n in lengths]})


class DecoderLayer(nn.TransformerDecoderLayer):
    """Torch's layer, which keeps the weights of the source, averaged over the heads."""

    def _mha_block(self, x, mem, attn_mask, key_padding_mask, is_causal=False):
        x, self.weights = self.multihead_attn(x, mem, mem, attn_mask=attn_mask, key_padding_mask=key_padding_mask)
        return self.dropout2(x)


def future(steps):
    return torch.triu(torch.ones(steps, steps, dtype=torch.bool), diagonal=1)


batch, steps, length, embed, heads = 2, 4, 5, 6, 2
mask = torch.tensor([[True] * 5, [True, True, False, True, False]])
target = torch.tensor([[True, True, False, True], [True] * 4])
for norm_first, activation in ((False, "relu"), (True, "gelu")):
    layer = DecoderLayer(embed, heads, dim_feedforward=7, dropout=0, activation=activation, batch_first=True, norm_first=norm_first)
    # Where the target is padding the module's output depends on its own query; ours is 0 there.
    case(f"TransformerDecoderLayer, norm first {norm_first}, {activation}", {"embed": embed, "heads": heads, "inner": 7, "norm_first": norm_first, "activation": activation}, layer,
         {"x": torch.randn(batch, steps, embed), "source": torch.randn(batch, length, embed)},
         lambda m, inputs: {"out": m(inputs["x"], inputs["source"], tgt_mask=future(steps), tgt_key_padding_mask=~target, memory_key_padding_mask=~mask) * target[:, :, None]},
         {"mask": mask.tolist(), "target": target.tolist()})


class TransformerTranslator(nn.Module):
    """Vaswani et al. 2017 in torch's layers, with embeddings, positions and output of its own."""

    def __init__(self, embed, heads, inner, layers, source, target, norm_first):
        super().__init__()
        settings = {"dim_feedforward": inner, "dropout": 0, "batch_first": True, "norm_first": norm_first}
        norm = lambda: nn.LayerNorm(embed) if norm_first else None
        self.source, self.target = nn.Embedding(source, embed), nn.Embedding(target, embed)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(embed, heads, **settings), layers, norm(), enable_nested_tensor=False)
        self.decoder = nn.TransformerDecoder(DecoderLayer(embed, heads, **settings), layers, norm())
        self.output = nn.Linear(embed, target)

    def embed(self, embedding, words):
        width = embedding.embedding_dim
        angle = torch.arange(words.shape[1])[:, None] / 10000 ** (torch.arange(0, width, 2) / width)
        return math.sqrt(width) * embedding(words) + torch.stack([torch.sin(angle), torch.cos(angle)], -1).flatten(1)

    def forward(self, source, real, before):
        states = self.encoder(self.embed(self.source, source), src_key_padding_mask=~real)
        y = self.decoder(self.embed(self.target, before), states, tgt_mask=future(before.shape[1]), memory_key_padding_mask=~real)
        return {"logits": self.output(y), "alignments": self.decoder.layers[-1].weights}


lengths_of_sources = torch.tensor([4, 2, 3])
real = torch.arange(4)[None] < lengths_of_sources[:, None]
for norm_first in (False, True):
    config = {"embed": embed, "heads": heads, "inner": 7, "layers": 2, "norm_first": norm_first, "source": source.tolist(), "before": before.tolist(), "source_words": 7, "target_words": 6}
    case(f"TransformerTranslator, norm first {norm_first}", config, TransformerTranslator(embed, heads, 7, 2, 7, 6, norm_first), {}, lambda m, inputs: m(source, real, before), {"mask": real.tolist()})

for kind, score, adjust in (("LSTM", "dot", (0, 1, False)), ("GRU", "dot", (2, 0.5, True)), ("LSTM", "general", (-2, 0.7, True)), ("GRU", "general", (0, 1, False))):
    config = {"embed": 3, "hidden": 2, "state": 4, "score": score, "iterations": adjust[0], "gamma": adjust[1], "renormalise": adjust[2],
              "source": source.tolist(), "before": before.tolist(), "source_words": 7, "target_words": 6}
    case(f"Translator, {kind}, {score} score", config, Translator(kind, 3, 2, 4, 0, 7, 6, adjust, score), {}, lambda m, inputs: m(source, lengths_of_sources, before), {"mask": real.tolist()})

about = f"Values and gradients of PyTorch {torch.__version__}, written by golden.py; see there."
print(json.dumps({"about": about, "cases": cases}))

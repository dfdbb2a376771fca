"""The benchmark's fits in eager PyTorch: one fit after another, one step after another.

    pip install -r requirements.txt
    taskset -c 0 python pytorch.py --set elephant --data DIR --fits 0:5

Bags of a batch of 1 are not padded; larger batches are padded to their longest bag, with a mask. "seconds" is the
training alone: tensors are made before, the test part is scored after. --sparse gives the first layer of a sparse set
as a sum of the rows of its weights (embedding_bag); the gradient and AdamW stay dense. --adamw default is what a
script without an option gets; fused is one kernel a parameter.
"""
import time

START = time.perf_counter()

import numpy as np
import torch
from torch.nn import functional as F

import work


class Network(torch.nn.Module):
    def __init__(self, features, width, sparse):
        super().__init__()
        self.sparse = sparse
        self.embedding = torch.nn.Linear(features, width)
        self.norm = torch.nn.LayerNorm(width)
        self.query = torch.nn.Parameter(torch.empty(1, width))
        self.project = torch.nn.Linear(width, work.EMBED)
        self.keyvalue = torch.nn.Linear(width, 2 * work.EMBED)
        self.output = torch.nn.Linear(work.EMBED, width)
        self.classifier = torch.nn.Linear(width, 1)
        torch.nn.init.xavier_uniform_(self.query)
        for layer in [self.embedding, self.project, self.keyvalue, self.output, self.classifier]:
            torch.nn.init.xavier_uniform_(layer.weight)
            torch.nn.init.zeros_(layer.bias)
        if sparse:
            self.embedding.weight = torch.nn.Parameter(self.embedding.weight.detach().T.contiguous())

    def embed(self, x):
        if not self.sparse:
            return self.embedding(F.dropout(x, work.DROPOUT, self.training))
        # Dropout leaves zeros as they are.
        columns, offsets, values = x
        values = F.dropout(values, work.DROPOUT, self.training)
        return F.embedding_bag(columns, self.embedding.weight, offsets, mode="sum", per_sample_weights=values) + self.embedding.bias

    def forward(self, x, mask=None):
        """Logits of x [instances, features], or of x [bags, instances, features] with mask [bags, instances, 1]."""
        h = self.norm(torch.relu(self.embed(x)))
        k, v = self.keyvalue(h).unflatten(-1, (2, work.HEADS, -1)).unbind(-3)  # [..., instances, heads, head size]
        q = work.SCALE * self.project(self.query).view(work.HEADS, -1)
        scores = (k * q).sum(-1)
        if mask is not None:
            scores = scores.masked_fill(mask.logical_not(), -torch.inf)
        a = torch.softmax(scores, dim=-2)
        with torch.no_grad():
            bypass = syn(a) - a
        z = ((a + bypass).unsqueeze(-1) * v).sum(-3).flatten(-2)
        return self.classifier(self.output(z)).squeeze(-1)


def syn(a):
    for _ in range(work.SYN_STEPS):
        a = a / torch.linalg.vector_norm(a, dim=-2, keepdim=True)
        a = a * (work.GAMMA * a * a + (1 - work.GAMMA))
    return a


def inputs(bags, sparse, device):
    """One tensor per bag; with sparse, its non-zero values and where they are."""
    def tensor(x):
        return torch.from_numpy(x).to(device)

    if sparse:
        return [tuple(map(tensor, (x.indices.astype(np.int64), x.indptr[:-1].astype(np.int64), x.data))) for x in bags]
    return [tensor(x.toarray() if hasattr(x, "toarray") else x) for x in bags]


def batches(order, size):
    return [order[i : i + size] for i in range(0, len(order), size)]


def fit(data, index, args):
    """Returns the steps, the bags trained on, seconds, the test AUC and the mean loss of the last epoch."""
    train, test = data.fold(index)
    torch.manual_seed(index)
    rng = np.random.default_rng(index)
    network = Network(data.features, args.width, args.sparse).to(args.device)
    parameters = list(network.parameters())
    fused = {"fused": True} if args.adamw == "fused" else {}
    optimizer = torch.optim.AdamW(parameters, lr=work.LR, weight_decay=work.WEIGHT_DECAY, **fused)
    x = inputs(data.standardised(train), args.sparse, args.device)
    y = torch.tensor(data.labels, dtype=torch.float32, device=args.device)
    if args.batch > 1:
        sizes = [len(b) for b in x]
        padded = torch.nn.utils.rnn.pad_sequence(x, batch_first=True)
        masks = (torch.arange(max(sizes)) < torch.tensor(sizes)[:, None]).unsqueeze(-1).to(args.device)
    else:
        labels = list(y)
    network.train()
    start = time.perf_counter()
    total = torch.zeros((), device=args.device)
    for epoch in range(args.epochs):
        order = rng.permutation(train).tolist()
        for chunk in batches(order, args.batch):
            if args.batch == 1:
                loss = F.binary_cross_entropy_with_logits(network(x[chunk[0]]), labels[chunk[0]])
            else:
                longest = max(sizes[i] for i in chunk)
                loss = F.binary_cross_entropy_with_logits(network(padded[chunk, :longest], masks[chunk, :longest]), y[chunk])
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, work.CLIP)
            optimizer.step()
            if epoch == args.epochs - 1:
                total += loss.detach() * len(chunk)
    total = float(total)  # waits for the device
    seconds = time.perf_counter() - start
    network.eval()
    with torch.no_grad():
        scores = [float(network(x[i])) for i in test]
    return args.epochs * len(batches(train, args.batch)), args.epochs * len(train), seconds, work.auc(data.labels[test], scores), total / len(train)


def main():
    parser = work.arguments(__doc__)
    parser.add_argument("--sparse", action="store_true", help="sum of rows as the first layer (web1, batch 1)")
    parser.add_argument("--adamw", choices=["fused", "default"], default="fused")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    data = work.Set(args.set, args.data)
    if args.sparse and not (data.sparse and args.batch == 1):
        parser.error(f"--sparse with --set {args.set} --batch {args.batch}: it takes a sparse set and a batch of 1")
    steps, bags, seconds, aucs, losses = zip(*(fit(data, i, args) for i in range(*args.fits)))
    work.report(
        "pytorch", args, sum(steps), sum(bags), sum(seconds), sum(seconds) / sum(bags) * 1e6, aucs,
        {"torch": torch.__version__.split("+")[0], "numpy": np.__version__}, loss=round(float(np.mean(losses)), 4),
        adamw=args.adamw, sparse=args.sparse, wall_seconds=round(time.perf_counter() - START, 3),
    )


if __name__ == "__main__":
    main()

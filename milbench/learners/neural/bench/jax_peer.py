"""The benchmark's fits in JAX on the CPU: a block of fits side by side by vmap, an epoch as one scan.

    pip install -r requirements.txt
    taskset -c 0 python jax_peer.py --data DIR --fits 0:25

Start one process a core, each pinned: it has as many threads as cores. Bags are padded to the longest of the set, the dropout bits of an epoch are
drawn at once, parameters and moments are donated from epoch to epoch. "us_per_bag" is that of the median epoch, without
compilation; "compile_seconds" and the wall of the whole process stand beside it.

--tricks makes the same fits with what milbench/learners/neural does beyond that: the norm of a weight gradient X'G from
|X'G|^2 = sum((XX') * (GG')) where that is less work, dropout by a hash of counters, and bags grouped by size (8, 16,
... instances). A group's steps are one call, and the groups of an epoch come in random order. Every fit takes as many
batches of a group as the fit with the fewest of its bags has; the bags left over, at random, go to the next group.
"""
import time

START = time.perf_counter()

import functools
import math
import os

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_prefer_vector_width=512")
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
import optax

import work

SMALLEST_GROUP = 8
DENSE = ["embedding", "keyvalue", "project", "output", "classifier"]
OPTIMIZER = {False: optax.chain(optax.clip_by_global_norm(work.CLIP), optax.adamw(work.LR, weight_decay=work.WEIGHT_DECAY)),
             True: optax.adamw(work.LR, weight_decay=work.WEIGHT_DECAY)}


def initial(key, features, width):
    keys = iter(jax.random.split(key, len(DENSE) + 1))
    xavier = jax.nn.initializers.xavier_uniform()

    def dense(a, b):
        return {"w": xavier(next(keys), (a, b)), "b": jnp.zeros(b)}

    return {
        "embedding": dense(features, width), "keyvalue": dense(width, 2 * work.EMBED), "project": dense(width, work.EMBED),
        "output": dense(work.EMBED, width), "classifier": dense(width, 1),
        "norm": {"gain": jnp.ones(width), "bias": jnp.zeros(width)}, "query": xavier(next(keys), (1, width)),
    }


def logits(dense, p, x, mask):
    """Logits of x [bags, instances, features], mask [bags, instances]; dense(name, x) is the affine map of that name."""
    h = jax.nn.relu(dense("embedding", x))
    h = h - h.mean(-1, keepdims=True)
    h = h * jax.lax.rsqrt((h * h).mean(-1, keepdims=True) + 1e-5) * p["norm"]["gain"] + p["norm"]["bias"]
    kv = dense("keyvalue", h).reshape(*mask.shape, 2, work.HEADS, -1)
    q = work.SCALE * dense("project", p["query"]).reshape(work.HEADS, -1)
    scores = jnp.einsum("bnhd,hd->bhn", kv[:, :, 0], q)
    a = jax.nn.softmax(jnp.where(mask[:, None], scores, -1e30), -1)
    z = jnp.einsum("bhn,bnhd->bhd", a + jax.lax.stop_gradient(syn(a) - a), kv[:, :, 1])
    return dense("classifier", dense("output", z.reshape(len(x), -1)))[:, 0]


def syn(a):
    for _ in range(work.SYN_STEPS):
        # A batch that is not full ends in copies of bag 0, so that no bag is empty.
        a = a / jnp.sqrt((a * a).sum(-1, keepdims=True))
        a = a * (work.GAMMA * a * a + (1 - work.GAMMA))
    return a


def plain_dense(p):
    return lambda name, x: x @ p[name]["w"] + p[name]["b"]


def loss_of(l, y, counted):
    """The mean loss of the bags that count, and its sum."""
    total = (optax.sigmoid_binary_cross_entropy(l, y) * counted).sum()
    return total / counted.sum(), total


def gradient(p, x, mask, y, counted):
    def loss(p):
        return loss_of(logits(plain_dense(p), p, x, mask), y, counted)

    (_, total), g = jax.value_and_grad(loss, has_aux=True)(p)
    return total, g


def clipped_gradient(p, x, mask, y, counted):
    """gradient, clipped: the gradients of the dense maps are made of their inputs and those of their outputs."""
    rows = {"embedding": mask.shape, "keyvalue": mask.shape, "project": (1,), "output": (len(x),), "classifier": (len(x),)}
    zeros = {name: jnp.zeros((*rows[name], p[name]["b"].size)) for name in DENSE}

    def loss(rest, taps):
        inputs = {}

        def dense(name, x):
            inputs[name] = x
            return x @ p[name]["w"] + p[name]["b"] + taps[name]

        mean, total = loss_of(logits(dense, rest, x, mask), y, counted)
        return mean, (total, inputs)

    rest = {"norm": p["norm"], "query": p["query"]}
    (_, (total, inputs)), (g, outputs) = jax.value_and_grad(loss, argnums=(0, 1), has_aux=True)(rest, zeros)
    square = sum(jnp.vdot(leaf, leaf) for leaf in jax.tree.leaves(g))
    for name in DENSE:
        a, b = (t.reshape(-1, t.shape[-1]) for t in (inputs[name], outputs[name]))
        w, bias = a.T @ b, b.sum(0)
        if len(a) ** 2 * (a.shape[1] + b.shape[1]) < 16 * w.size:  # a sum over the minor axis is scalar code
            square += jnp.vdot(a @ a.T, b @ b.T)
        else:
            square += jnp.vdot(w, w)
        square += jnp.vdot(bias, bias)
        g[name] = {"w": w, "b": bias}
    clip = jnp.minimum(1, work.CLIP / (jnp.sqrt(square) + 1e-6))
    return total, jax.tree.map(lambda leaf: leaf * clip, g)


def mix(x):
    """Wellons' lowbias32."""
    x = (x ^ (x >> 16)) * jnp.uint32(0x7FEB352D)
    x = (x ^ (x >> 15)) * jnp.uint32(0x846CA68B)
    return x ^ (x >> 16)


def hashed(key, shape):
    """Whether each entry [bags, instances, features] stays, by a hash of (key, bag, instance and feature)."""
    bags, instances, features = shape
    start = mix(key + jnp.arange(bags, dtype=jnp.uint32))[:, None, None]
    entry = jnp.arange(instances * features, dtype=jnp.uint32).reshape(1, instances, features)
    return mix((start + entry) ^ mix(start ^ jnp.uint32(0x9E3779B9))) >= jnp.uint32(int(work.DROPOUT * 2**32))


def epoch(tricks, p, s, key, order, counted, x, mask, y):
    """The steps order [steps, batch] of one fit: (p, s, the sum of the losses). key is a word with tricks."""
    steps, batch = order.shape
    shape = (batch, *x.shape[1:])
    if tricks:
        bits = mix(key) + jnp.arange(steps, dtype=jnp.uint32) * jnp.uint32(0x9E3779B1)
    else:
        # 8 bits are exact for a rate of 3/4; drawn four at a time, they take a quarter of the time.
        words = jax.random.bits(key, (-(-steps * math.prod(shape) // 4),), jnp.uint32)
        octets = jax.lax.bitcast_convert_type(words, jnp.uint8).reshape(-1)[: steps * math.prod(shape)]
        bits = octets.reshape(steps, *shape) >= int(work.DROPOUT * 256)

    def step(state, now):
        p, s = state
        bags, bits, counted = now
        keep = hashed(mix(bits), shape) if tricks else bits
        dropped = jnp.where(keep, x[bags] / (1 - work.DROPOUT), 0)
        total, g = (clipped_gradient if tricks else gradient)(p, dropped, mask[bags], y[bags], counted)
        updates, s = OPTIMIZER[tricks].update(g, s, p)
        return (optax.apply_updates(p, updates), s), total

    (p, s), totals = jax.lax.scan(step, (p, s), (order, bits, counted))
    return p, s, totals.sum()


class Groups:
    """The bags of a set by size, the sizes padded to, and the steps of each in an epoch."""

    def __init__(self, sizes, trains, batch, tricks):
        self.batch, longest = batch, max(sizes)
        self.sizes, size = [longest], SMALLEST_GROUP
        while tricks and size < longest:
            self.sizes.insert(-1, size)
            size *= 2
        self.of = np.searchsorted(self.sizes, sizes)
        counts = np.array([np.bincount(self.of[t], minlength=len(self.sizes)) for t in trains])
        self.steps, left = [], np.zeros(len(trains), int)
        for i in range(len(self.sizes)):
            left += counts[:, i]
            last = i == len(self.sizes) - 1
            self.steps.append(int(-(-left[0] // batch) if last else min(left) // batch))
            left -= self.steps[i] * batch

    def draw(self, rng, train):
        """An epoch's order and which of its bags count, both [steps, batch], group by group."""
        orders, pool = [], np.array([], int)
        for i, steps in enumerate(self.steps):
            pool = rng.permutation(np.concatenate([pool, train[self.of[train] == i]]))
            taken, pool = pool[: steps * self.batch], pool[steps * self.batch :]
            order, counted = np.zeros((2, steps * self.batch), np.int32)
            order[: len(taken)], counted[: len(taken)] = taken, 1
            orders.append((order.reshape(steps, -1), counted.reshape(steps, -1).astype(np.float32)))
        return orders


def main():
    parser = work.arguments(__doc__)
    parser.add_argument("--block", type=int, default=5, help="fits side by side")
    parser.add_argument("--tricks", action="store_true", help="Gram-matrix norms, hashed dropout, bags grouped by size")
    args = parser.parse_args()
    jax.config.update("jax_default_prng_impl", "rbg")
    data = work.Set(args.set, args.data)
    fits = range(*args.fits)
    folds = {f: data.fold(f) for f in fits}
    bags = len(folds[fits[0]][0])
    if data.sparse or any(len(train) != bags for train, _ in folds.values()):
        parser.error(f"--set {args.set}: a dense set is needed, with training parts of one size")
    sizes = [x.shape[0] for x in data.bags]
    groups = Groups(sizes, [train for train, _ in folds.values()], args.batch, args.tricks)
    masks = [jnp.arange(size) < jnp.asarray(sizes)[:, None] for size in groups.sizes]
    y = jnp.asarray(data.labels, jnp.float32)

    def padded(fit):
        """All bags, standardised, [bags, instances, features]."""
        return np.stack([np.pad(x, ((0, max(sizes) - len(x)), (0, 0))) for x in data.standardised(folds[fit][0])])

    start = jax.jit(jax.vmap(functools.partial(initial, features=data.features, width=args.width)))
    begin = jax.jit(jax.vmap(OPTIMIZER[args.tricks].init))
    train = jax.jit(jax.vmap(functools.partial(epoch, args.tricks), in_axes=(0,) * 6 + (None,) * 2), donate_argnums=(0, 1))

    @jax.jit
    @functools.partial(jax.vmap, in_axes=(0, 0, None))
    def score(p, x, mask):
        return logits(plain_dense(p), p, x, mask)

    compiled, compile_seconds, epoch_seconds, aucs, losses = {}, 0.0, [], [], []
    for first in range(0, len(fits), args.block):
        block = fits[first : first + args.block]
        rngs = [np.random.default_rng(f) for f in block]
        x = jnp.asarray(np.stack([padded(f) for f in block]))
        inputs = [x[:, :, :size] for size in groups.sizes]
        p = start(jnp.stack([jax.random.key(f) for f in block]))
        s = begin(p)
        for e in range(args.epochs):
            before, waited = time.perf_counter(), compile_seconds
            orders = [groups.draw(rng, folds[f][0]) for rng, f in zip(rngs, block)]
            total = 0
            for i in rngs[0].permutation(len(groups.sizes)):
                order, counted = (jnp.asarray(np.stack(t)) for t in zip(*(o[i] for o in orders)))
                if args.tricks:
                    keys = jnp.asarray([rng.integers(2**32, dtype=np.uint32) for rng in rngs])
                else:
                    keys = jnp.stack([jax.random.key(rng.integers(2**31)) for rng in rngs])
                arguments = (p, s, keys, order, counted, inputs[i], masks[i], y)
                if (i, len(block)) not in compiled:
                    now = time.perf_counter()
                    compiled[i, len(block)] = train.lower(*arguments).compile()
                    compile_seconds += time.perf_counter() - now
                p, s, sums = compiled[i, len(block)](*arguments)
                total += np.asarray(sums) / bags
            seconds = time.perf_counter() - before - (compile_seconds - waited)
            epoch_seconds.append((seconds, seconds / (len(block) * bags) * 1e6))
        losses += total.tolist()
        scores = np.asarray(score(p, x, masks[-1]))
        aucs += [work.auc(data.labels[folds[f][1]], scores[k][folds[f][1]]) for k, f in enumerate(block)]
    seconds, rates = map(np.array, zip(*epoch_seconds))
    work.report(
        "jax-tricks" if args.tricks else "jax", args, len(fits) * args.epochs * sum(groups.steps), len(fits) * args.epochs * bags,
        float(seconds.sum()), float(np.median(rates)), aucs,
        {"jax": jax.__version__, "optax": optax.__version__, "numpy": np.__version__}, loss=round(float(np.mean(losses)), 4),
        block=args.block, compile_seconds=round(compile_seconds, 3), wall_seconds=round(time.perf_counter() - START, 3),
    )


if __name__ == "__main__":
    main()

"""Writes cluster.json, the reference outcomes of the tests of package simulation.

Reference: the model of the package's doc comment as processes of SimPy, a discrete-event simulator. Cases without chance
hold one outcome each, those with it means and their standard errors over many simulations.
Run: python cluster.py (needs simpy 4.1.1).
"""

import json
import math
import pathlib
import random
import statistics

import simpy


class Attempt:
    """A shard on a node, its cores a process each."""

    def __init__(self, env, case, rng, shard, slow):
        self.env, self.case, self.shard, self.slow = env, case, shard, slow
        self.runs = [rng.choice(case["groups"][group]) for group, _ in shard]
        self.taken = [False] * len(shard)
        self.kept = 0.0
        self.cores = [env.process(self.core()) for _ in range(case["cores"])]

    def turn(self):
        for i, (_, blocks) in enumerate(self.shard):
            if not self.taken[i] and blocks > 0:
                self.taken[i] = True
                return i
        best, most = None, 0.0
        for i, (_, blocks) in enumerate(self.shard):
            left = blocks * self.runs[i][1]
            if left > self.runs[i][0] and left > most:
                best, most = i, left
        return best

    def end(self):
        for core in self.cores:
            yield core

    def core(self):
        piece = None
        try:
            yield self.env.timeout(self.slow * self.case["startup"])
            while True:
                seconds = 0.0
                if piece is None or self.shard[piece][1] == 0:
                    piece = self.turn()
                    if piece is None:
                        return
                    seconds = self.runs[piece][0]
                self.shard[piece][1] -= 1
                holding = True
                yield self.env.timeout(self.slow * (seconds + self.runs[piece][1]))
                holding = False
                self.kept += self.slow * self.runs[piece][1]
        except simpy.Interrupt:
            if piece is not None and holding:
                self.shard[piece][1] += 1


def simulate(case, seed):
    rng = random.Random(seed)
    env = simpy.Environment()
    free = simpy.Store(env)
    slow = [case["slowdown"] if rng.random() < case["stragglers"] else 1.0 for _ in range(case["nodes"])]
    for node in range(case["nodes"]):
        free.put(node)
    scheduler = simpy.Resource(env, 1)
    total = {"end": 0.0, "node_seconds": 0.0, "kept": 0.0, "attempts": 0, "lost": 0, "last": -math.inf}

    def shard_process(shard):
        shard = [list(piece) for piece in shard]
        while True:
            if case["wait"]:
                yield env.timeout(rng.expovariate(1 / case["wait"]))
            with scheduler.request() as turn:
                yield turn
                node = yield free.get()
                if case["starts"]:
                    yield env.timeout(max(0.0, total["last"] + 1 / case["starts"] - env.now))
                total["last"] = env.now
            start = env.now
            total["attempts"] += 1
            attempt = Attempt(env, case, rng, shard, slow[node])
            done = env.process(attempt.end())
            if case["failures"]:
                yield done | env.timeout(rng.expovariate(case["failures"] / 3600))
            else:
                yield done
            lost = any(core.is_alive for core in attempt.cores)
            for core in attempt.cores:
                if core.is_alive:
                    core.interrupt()
            yield done
            total["kept"] += attempt.kept
            total["node_seconds"] += env.now - start
            free.put(node)
            total["end"] = max(total["end"], env.now)
            if not lost:
                return
            total["lost"] += 1
            yield env.timeout(case["retry"])

    for shard in case["shards"]:
        env.process(shard_process(shard))
    env.run()
    wall = total["end"] + (case["lines"] / case["merge"] if case["merge"] else 0.0)
    share = total["kept"] / (case["nodes"] * case["cores"] * wall)
    return [wall, total["node_seconds"], share, total["attempts"], total["lost"]]


def case(name, simulations, **changes):
    c = {
        "name": name, "simulations": simulations, "nodes": 1, "cores": 1, "wait": 0.0, "starts": 0.0, "startup": 0.0,
        "failures": 0.0, "retry": 0.0, "stragglers": 0.0, "slowdown": 1.0, "merge": 0.0, "lines": 0,
        "groups": [[[0.0, 1.0]]], "shards": [[[0, 1]]],
    }
    c.update(changes)
    outcomes = [simulate(c, 1000 * simulations + i) for i in range(simulations)]
    c["mean"] = [statistics.fmean(v) for v in zip(*outcomes)]
    c["se"] = [statistics.stdev(v) / math.sqrt(simulations) if simulations > 1 else 0.0 for v in zip(*outcomes)]
    print(name, c["mean"], c["se"])
    return c


uneven = random.Random(8)
lengths = [[[0.0, round(uneven.uniform(1, 9), 3)]] for _ in range(23)]
mixed = [[[3.0, 1.5]], [[7.0, 4.0]], [[0.5, 0.25]], [[12.0, 2.0]]]
shards = [[[0, 9], [1, 1]], [[1, 6], [2, 30]], [[2, 3]], [[3, 11], [0, 2]], [[2, 50]], [[3, 1], [1, 2], [0, 1]]]
chance = [[[7.3, 5.0], [9.3, 5.8], [6.5, 4.0]], [[38.1, 12.1], [23.2, 8.3]], [[5.7, 5.5]]]
many = [[[i % 3, 3 + i % 5], [(i + 1) % 3, 2]] for i in range(24)]

cases = [
    case("uneven blocks, a list over four nodes", 1, nodes=4, groups=lengths, shards=[[[i, 1]] for i in range(23)]),
    case("cores that help each other", 1, nodes=2, cores=3, groups=mixed, shards=shards, startup=2.0),
    case("one core a node, a scheduler that starts slowly", 1, nodes=3, groups=mixed, shards=shards, startup=1.0, starts=0.25),
    case("all nodes slow, lines merged", 1, nodes=2, cores=2, groups=mixed, shards=shards, startup=1.5, starts=0.5,
         stragglers=1.0, slowdown=1.75, merge=40.0, lines=100),
    case("waits", 2000, nodes=5, cores=2, groups=chance, shards=many, wait=30.0, startup=5.0, starts=1.0),
    case("stragglers", 2000, nodes=8, cores=2, groups=chance, shards=many, startup=5.0, stragglers=0.2, slowdown=2.0),
    case("failures", 2000, nodes=4, cores=2, groups=chance, shards=many, startup=5.0, failures=40.0, retry=60.0),
    case("everything", 2000, nodes=6, cores=3, groups=chance, shards=many, wait=20.0, startup=5.0, starts=0.5,
         failures=25.0, retry=90.0, stragglers=0.1, slowdown=1.5, merge=1000.0, lines=5000),
]
path = pathlib.Path(__file__).with_suffix(".json")
path.write_text("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")

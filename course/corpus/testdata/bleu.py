"""Writes bleu.json: scores of sacrebleu's BLEU on words that are apart already.

    python bleu.py > bleu.json     # needs sacrebleu

The sentences are made up here: written ones, and random ones over a few words and over awkward characters.
"""

import json
import random
import sys

import sacrebleu
from sacrebleu.metrics import BLEU

rng = random.Random(20240229)

WRITTEN = [
    ("A man in a green T-shirt is riding a bike.", "A man wearing a green T-shirt rides a bike."),
    ("Zwei junge Männer spielen im Park Fußball .", "Zwei junge Männer spielen Fußball im Park."),
    ("The price is 3,500.75 dollars, not 1-2 more.", "The price is 3,500.75 dollars, not 1 - 2 more!"),
    ("It's the dog's ball; isn't it?", "It's the dog's ball, isn't it?"),
    ("He said &quot;hello&quot; &amp; left &lt;b&gt;", 'He said "hello" & left <b>'),
    ("Ein Fuchs läuft durch den Nebel…", "Ein Fuchs rennt durch den Nebel …"),
    ("  spaces   around and   between  ", "spaces around and between"),
    ("日本 の 犬 が 走る 。", "日本 の 犬 が 走る 。"),
]

AWKWARD = list("ab09.,-!?'\"&  ") + ["\n", "\t", "\x1c", "\u00a0", "\u3000", "é", "–"]


def sentence(words, low, high):
    return " ".join(rng.choice(words) for _ in range(rng.randint(low, high)))


def corpora():
    hypotheses, references = zip(*WRITTEN)
    yield "written", hypotheses, references
    yield "exact", references, references
    yield "other case", [r.upper() for r in references], references
    yield "one sentence", ["the cat sat on the mat"], ["the cat is on the mat"]
    yield "one word", ["cat"], ["cat"]
    yield "three words", ["the cat sat"], ["the cat sat"]
    yield "no match", ["a b c d e"], ["v w x y z"]
    yield "no pair matches", ["a c e g i k", "b d f"], ["k a i c g e", "f b d"]
    yield "empty hypothesis", ["", "the cat sat on the mat"], ["a dog ran", "the cat sat on the mat"]
    yield "all empty", ["", ""], ["a dog ran", "the cat sat"]
    yield "empty reference", ["a dog ran fast", "the cat sat on the mat"], ["", "the cat sat on the mat"]
    yield "both empty", [""], [""]
    yield "too long", ["the the the the the the the"], ["the cat is on the mat"]
    words = "the a dog cat runs sits on under near big red Hund".split()
    for count in range(1, 17):
        hypotheses = [sentence(words, 0, 12) for _ in range(count * 3)]
        yield f"random {count}", hypotheses, [sentence(words, 1, 12) for _ in hypotheses]
    for count in range(8):
        lines = ["".join(rng.choice(AWKWARD) for _ in range(40)) for _ in range(5)]
        yield f"awkward {count}", lines, lines[::-1]


cases = []
metric = BLEU(tokenize="none", force=True)
for name, hypotheses, references in corpora():
    score = metric.corpus_score(list(hypotheses), [list(references)])
    cases.append({
        "name": name, "hypotheses": list(hypotheses), "references": list(references),
        "score": score.score, "precisions": list(score.precisions), "matches": list(score.counts), "totals": list(score.totals),
        "bp": score.bp, "length": int(score.sys_len), "reference_length": int(score.ref_len),
    })

json.dump({"sacrebleu": sacrebleu.__version__, "cases": cases}, sys.stdout, ensure_ascii=True, indent=1)
print()

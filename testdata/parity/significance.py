"""Records significance tests and intervals, for metrics.Compare and metrics.Intervals to compare with.

    python3 -m venv /tmp/parity
    /tmp/parity/bin/pip install 'numpy<2' sacrebleu==2.6.0 scipy==1.17.1
    /tmp/parity/bin/python testdata/parity/significance.py

It writes significance.json beside itself: invented sources and systems that rewrite them with some noise; for pairs of systems the BLEU-4 and the p-values
of sacrebleu's paired bootstrap and paired approximate randomisation; whether each output of two more systems is right and how natural it is, with
scipy's exact sign test, permutation test and percentile interval.
"""

import json
import os
import random

import numpy as np
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest
from scipy import stats

HERE = os.path.dirname(os.path.abspath(__file__))
WORDS = "ba ke lo mi . tu va , ro si ga he ji nu po ra se to wi xo za brel quon smeth triv ulmo vask wend yorl".split()
SENTENCES, SAMPLES = 200, 10000

# Share of the words that a system replaces; base and noise differ by noise alone.
SYSTEMS = {"base": 0.2, "noise": 0.2, "slight": 0.18, "middle": 0.15, "clear": 0.1}
PAIRS = [("base", "base"), ("base", "noise"), ("base", "slight"), ("base", "middle"), ("base", "clear"), ("slight", "middle")]


def rewrite(rng, words, rate):
    return [rng.choice(WORDS) if rng.random() < rate else w for w in words]


def paired(kind, a, b, sources):
    metric = BLEU(tokenize="none", smooth_method="none", force=True)
    _, scores = PairedTest([("a", a), ("b", b)], {"BLEU": metric}, [sources], test_type=kind, n_samples=SAMPLES)()
    first, second = scores["BLEU"]
    return float(first.score), float(second.score), float(second.p_value)


def texts(rng):
    sources = [rng.choices(WORDS, k=rng.randint(4, 12)) for _ in range(SENTENCES)]
    systems = {name: [" ".join(rewrite(rng, s, rate)) for s in sources] for name, rate in SYSTEMS.items()}
    sources = [" ".join(s) for s in sources]
    pairs = []
    for a, b in PAIRS:
        bleu_a, bleu_b, p_bs = paired("bs", systems[a], systems[b], sources)
        _, _, p_ar = paired("ar", systems[a], systems[b], sources)
        pairs.append({"a": a, "b": b, "bleu_a": bleu_a, "bleu_b": bleu_b, "p_bs": p_bs, "p_ar": p_ar})
    return {"sources": sources, "systems": systems, "pairs": pairs}


def figures(rng):
    """Two systems of 0/1 and of figures of 0 to 1, and what is known of them exactly or by scipy."""
    right = [[int(rng.random() < rate) for _ in range(SENTENCES)] for rate in (0.78, 0.70)]
    natural = [[round(rng.betavariate(4, shape), 4) for _ in range(SENTENCES)] for shape in (2, 2.3)]
    only_a = sum(x > y for x, y in zip(*right))
    only_b = sum(x < y for x, y in zip(*right))
    a, b = np.array(natural[0]), np.array(natural[1])
    permuted = stats.permutation_test((a, b), lambda x, y, axis: np.mean(x - y, axis=axis), permutation_type="samples",
                                      n_resamples=SAMPLES, vectorized=True, random_state=1)
    interval = stats.bootstrap((a,), np.mean, method="percentile", n_resamples=SAMPLES, random_state=1).confidence_interval
    return {
        "right": ["".join(map(str, r)) for r in right],
        "p_sign": stats.binomtest(only_a, only_a + only_b).pvalue,
        "natural": natural,
        "p_permutation": float(permuted.pvalue),
        "p_t": float(stats.ttest_rel(a, b).pvalue),
        "interval": [float(interval.low), float(interval.high)],
    }


def main():
    rng = random.Random(13)
    recorded = {"texts": texts(rng), "figures": figures(rng)}
    with open(os.path.join(HERE, "significance.json"), "w", encoding="utf-8") as out:
        json.dump(recorded, out, ensure_ascii=False, indent=0, separators=(",", ":"))
        out.write("\n")


if __name__ == "__main__":
    main()

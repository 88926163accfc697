"""Records coco-caption's BLEU, ROUGE-L and CIDEr, for the tests of package metrics to compare with.

    python3 -m venv /tmp/parity
    /tmp/parity/bin/pip install 'numpy<2'
    /tmp/parity/bin/pip install --no-deps pycocoevalcap==1.2
    /tmp/parity/bin/python testdata/parity/content.py

pycocoevalcap is the code that nlg-eval wraps; its classes are handed white-space words directly, without its Java tokeniser. It writes
content.json beside itself: a list of corpora. Each has its figures and its sentences, one a line:

    [output, reference 1, ..., reference k, BLEU-1, BLEU-2, BLEU-3, BLEU-4, ROUGE-L, CIDEr]

with every BLEU of 0 to 1. The words are invented. A sentence's CIDEr depends on the references of its whole corpus.
"""

import json
import os
import random

from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.cider.cider import Cider
from pycocoevalcap.rouge.rouge import Rouge

HERE = os.path.dirname(os.path.abspath(__file__))

# Frequent words repeat, so that longer n-grams match and are found in several references; the last ones are rare.
WORDS = "ba ke lo mi . tu va , ro si" + " ga he ji nu po ra se to wi xo za" + " Ba ké 汤 o'n da-re !" + " brel quon smeth triv ulmo vask wend yorl"
WORDS = WORDS.split()
WEIGHTS = [1 / (1 + i) for i in range(len(WORDS))]
UNKNOWN = "fnar gleb hux".split()  # only rewrites have them: no single reference of a corpus does

# Outputs and references that no corpus of sentences happens to have; every reference set gets the same one.
CORNERS = [
    ("", ""),
    ("", "ba ke"),
    ("ba ke", ""),
    ("ba", "ba"),
    ("ba", "ke"),
    ("ba", "ba ke lo mi tu va ro si"),
    ("ba ke lo mi tu va ro si", "ba"),
    ("ba ke", "ke ba"),
    ("ba ba ba ba ba ba", "ba ba"),
    ("ba ba", "ba ba ba ba ba ba"),
    ("ba ke ba ke ba ke", "ke ba ke ba ke ba"),
    ("fnar gleb hux fnar", "ba ke lo mi"),
    ("fnar", "ba"),
    ("Ba ke", "ba ke"),
    ("ba ke lo", "ba ke lo"),
    ("ba ke lo mi", "ba ke lo mi"),
]


def sentence(rng):
    """One to 14 words; now and then one word only, or repeats."""
    words = rng.choices(WORDS, WEIGHTS, k=rng.randint(1, 14))
    kind = rng.random()
    if kind < 0.06:
        return words[:1]
    if kind < 0.12:
        return words[:2] * rng.randint(2, 5)
    return words


def changed(rng, words):
    """A rewrite: words replaced, dropped, doubled, exchanged; now and then the same sentence, another one or only unknown words."""
    kind = rng.random()
    if kind < 0.08:
        return list(words)
    if kind < 0.14:
        return sentence(rng)
    if kind < 0.18:
        return rng.choices(UNKNOWN, k=rng.randint(1, 8))
    rate, out = rng.choice([0.1, 0.3, 0.6]), []
    for word in words:
        act = rng.random() / rate
        if act < 0.5:
            out.append(rng.choice(WORDS + UNKNOWN))
        elif act < 0.75:
            out += [word, word]
        elif act >= 1:
            out.append(word)
    if len(out) > 1 and rng.random() < 0.2:
        i = rng.randrange(len(out) - 1)
        out[i], out[i + 1] = out[i + 1], out[i]
    return out or words[:1]


def drawn(rng, size, references):
    """A corpus of pairs, the first ones CORNERS. Each reference is a rewrite of a sentence, the output one of the first reference."""
    pairs = [(out, [ref] * references) for out, ref in CORNERS]
    while len(pairs) < size:
        first = sentence(rng)
        refs = [first] + [changed(rng, first) for _ in range(references - 1)]
        pairs.append((" ".join(changed(rng, first)), [" ".join(ref) for ref in refs]))
    return pairs


def corpora():
    rng = random.Random(13)
    yield "one reference", drawn(rng, 600, 1)
    yield "two references", drawn(rng, 250, 2)
    yield "four references", drawn(rng, 150, 4)
    same = [("ba ke lo mi", ["ba ke lo mi"])]
    yield "one sentence", same  # log 1: CIDEr knows no rare word
    yield "one reference for all", same * 3 + [("ba ke", ["ba ke lo mi"])]  # every n-gram in every document
    yield "no sentence of four words", [("ba ke lo", ["ba ke lo"]), ("va", ["va tu"]), ("ke lo", ["ke lo mi"])]
    yield "nothing in common", [("fnar gleb hux fnar", ["ba ke lo mi va"]), ("hux", ["tu va"])]
    yield "empty outputs", [("", ["ba ke lo mi"]), ("", ["tu"])]


def record(name, pairs):
    references = {i: refs for i, (_, refs) in enumerate(pairs)}
    outputs = {i: [out] for i, (out, _) in enumerate(pairs)}
    bleu, bleus = Bleu(4).compute_score(references, outputs, verbose=0)
    rouge, rouges = Rouge().compute_score(references, outputs)
    cider, ciders = Cider().compute_score(references, outputs)
    lines = []
    for i, (out, refs) in enumerate(pairs):
        values = [*(bleus[n][i] for n in range(4)), rouges[i], ciders[i]]
        lines.append(json.dumps([out, *refs, *(round(float(v), 9) for v in values)], ensure_ascii=False))
    figures = {"name": name, "bleu": [float(v) for v in bleu], "rouge_l": float(rouge), "cider": float(cider)}
    return json.dumps(figures)[:-1] + ', "sentences": [\n' + ",\n".join(lines) + "\n]}"


def main():
    with open(os.path.join(HERE, "content.json"), "w", encoding="utf-8") as out:
        out.write("[\n" + ",\n".join(record(name, pairs) for name, pairs in corpora()) + "\n]\n")


if __name__ == "__main__":
    main()

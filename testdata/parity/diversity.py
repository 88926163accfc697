"""Records distinct-n, computed with NLTK's n-grams, for the metric distinct-n to compare with.

    python3 -m venv /tmp/parity
    /tmp/parity/bin/pip install nltk==3.10.4
    /tmp/parity/bin/python testdata/parity/diversity.py

It writes diversity.json beside itself: a list of corpora. Each has distinct-1 and distinct-2 and its sentences, one a line. The words are invented.
"""

import json
import os
import random

from nltk.util import ngrams

HERE = os.path.dirname(os.path.abspath(__file__))

WORDS = "ba ke lo mi . tu va , ro si ga he ji nu po ra se to wi xo za Ba ké 汤 o'n brel quon smeth".split()
WEIGHTS = [1 / (1 + i) for i in range(len(WORDS))]

# Sentences that no output should be, and twins of them.
CORNERS = ["", "ba", "ba", "ke", "ba ba ba ba ba ba", "ba ba", "ba ke lo", "ba ke lo mi", "ba ke lo mi", "lo ke ba", "vask", "vask ulmo wend", "", "Ba ke lo"]


def sentence(rng):
    """One to 14 words; now and then one word only, or repeats."""
    words = rng.choices(WORDS, WEIGHTS, k=rng.randint(1, 14))
    kind = rng.random()
    if kind < 0.06:
        return words[:1]
    if kind < 0.12:
        return words[:2] * rng.randint(2, 5)
    return words


def corpora():
    rng = random.Random(13)
    free = [" ".join(sentence(rng)) for _ in range(220)]
    yield "random, with corners", CORNERS + free
    yield "a few patterns", [f"{a} {b} lo mi {c} ." for a, b, c in (rng.choices(WORDS[:6], k=3) for _ in range(80))]
    yield "two sentences", ["ba ke lo mi tu", "ba ke lo mi va ro"]
    yield "all equal", ["ba ke lo mi tu"] * 5
    yield "nothing in common", ["ba ke", "lo mi tu", "va"]
    yield "all empty", ["", "", ""]


def distinct(sentences, n):
    grams = [g for s in sentences for g in ngrams(s, n)]
    return len(set(grams)) / max(1, len(grams))


def record(name, texts):
    sentences = [t.split() for t in texts]
    lines = [json.dumps(text, ensure_ascii=False) for text in texts]
    figures = {"name": name, "distinct_1": distinct(sentences, 1), "distinct_2": distinct(sentences, 2)}
    return json.dumps(figures)[:-1] + ', "sentences": [\n' + ",\n".join(lines) + "\n]}"


def main():
    with open(os.path.join(HERE, "diversity.json"), "w", encoding="utf-8") as out:
        out.write("[\n" + ",\n".join(record(name, texts) for name, texts in corpora()) + "\n]\n")


if __name__ == "__main__":
    main()

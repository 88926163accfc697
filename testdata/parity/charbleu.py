"""Records NLTK's BLEU of two strings, character by character, for metrics.CharBLEU to compare with.

    python3 -m venv /tmp/parity
    /tmp/parity/bin/pip install nltk==3.10.4
    /tmp/parity/bin/python testdata/parity/charbleu.py

The masked line is the reference and its source the hypothesis. It writes charbleu.json beside itself: a list of [masked, source, BLEU of
0 to 1]. The first pairs are the corners, written by hand; the rest is drawn from a few invented words. Words hold no white space and stand
one space apart.
"""

import json
import os
import random

from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

HERE = os.path.dirname(os.path.abspath(__file__))
PAIRS = 220
WORDS = "the soup was cold and we left a b . , never again lovely stew café naïve Ωmega 汤 🍲 it's aaaa abab ! Cold".split()

CORNERS = [
    ("", ""),
    ("a", ""),
    ("", "a"),
    ("a", "a"),
    ("a", "b"),
    ("ab", "ab"),
    ("abc", "abc"),
    ("abcd", "abcd"),
    ("abc", "abcd"),
    ("abcd", "abc"),
    ("abcd", "dcba"),
    ("xyz", "abcdefgh"),
    ("<mask>", "a"),
    ("<mask>", "mask"),
    ("<blank>", "blank verse"),
    ("<mask> <mask>", "cold soup"),
    ("<mask> <mask> <mask>", "we left again"),
    ("a a a a a a", "a a"),
    ("a a", "a a a a a a"),
    ("aaaaaaaa", "aaaa"),
    ("aaaa", "aaaaaaaa"),
    ("abababab", "babababa"),
    ("汤 🍲", "汤 🍲"),
    ("<mask> 🍲", "汤 🍲"),
    ("Cold soup", "cold soup"),
]


def drawn(rng):
    """A sentence of 0 to 14 words and a masking of it: of no word, of every word, or of some; now and then of another sentence."""
    source = [rng.choice(WORDS) for _ in range(rng.randint(0, 14))]
    if rng.random() < 0.2:
        source = source[:2] * rng.randint(1, 5)  # repeats
    share = rng.choice([0.0, 0.15, 0.3, 0.5, 0.8, 1.0])
    mask = rng.choice(["<mask>", "<blank>"])
    masked = [mask if rng.random() < share else word for word in source]
    if rng.random() < 0.1:
        masked = [rng.choice(WORDS) for _ in range(rng.randint(0, 6))]
    return " ".join(masked), " ".join(source)


def main():
    rng, smooth = random.Random(12), SmoothingFunction(epsilon=1e-9).method1
    pairs = CORNERS + [drawn(rng) for _ in range(PAIRS - len(CORNERS))]
    lines = []
    for masked, source in pairs:
        value = float(sentence_bleu([masked], source, smoothing_function=smooth))
        lines.append(json.dumps([masked, source, value], ensure_ascii=False))
    with open(os.path.join(HERE, "charbleu.json"), "w", encoding="utf-8") as out:
        out.write("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    main()

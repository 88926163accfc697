"""Records nlg-eval's embedding average, vector extrema and greedy matching, for package metrics/embedding to compare with.

    python3 -m venv /tmp/parity
    /tmp/parity/bin/pip install 'numpy<2' scikit-learn nltk six psutil
    /tmp/parity/bin/pip install --no-deps pycocoevalcap==1.2
    git clone --branch 2.4.1 <the repository Maluuba/nlg-eval> /tmp/nlg-eval
    /tmp/parity/bin/python testdata/parity/embedding.py /tmp/nlg-eval

The figures are those of nlg-eval's own eval_emb_metrics, changed from outside in three ways: gensim is not needed, since the vectors, as in gensim
float32, come from here; words are what stands between spaces, not NLTK's; and the figures of each sentence are caught before they are
averaged and rounded. Empty sentences and those whose vectors add up to zero are left out: nlg-eval fails on them.

It writes embedding.json beside itself: the vectors as the lines of a word2vec text file, and a list of corpora, each a list of

    [output, reference 1, ..., reference k, embedding average, vector extrema, greedy matching]
"""

import json
import os
import random
import sys
import types

import nltk.tokenize
import numpy as np

from content import UNKNOWN, WORDS, changed, sentence

HERE = os.path.dirname(os.path.abspath(__file__))
DIM = 10


def vectors(rng):
    """Values in steps of 1/16, so that some are 0 and some are of equal magnitude; the first words are short vectors, the last ones long ones."""
    found = {}
    for i, word in enumerate(WORDS[:-4]):  # the rarest words have none, as UNKNOWN
        reach = 4 + i
        found[word] = [rng.randint(-reach, reach) / 16 for _ in range(DIM)]
    found["va"] = [0] * DIM
    found["tu"] = [-x for x in found["ba"]]
    found["ro"] = [2 * x for x in found["ba"]]
    return found


class Embedding:
    """What nlg-eval's class of this name gives: the vector of a word, or the mean of all."""

    def __init__(self, found):
        self.found = {word: np.array(vector, dtype=np.float32) for word, vector in found.items()}
        self.unk = np.array(list(self.found.values())).mean(axis=0)

    def vec(self, word):
        return self.found.get(word, self.unk)


class Caught(np.ndarray):
    """An array that remembers being averaged."""

    means = []

    def mean(self, *args, **kwargs):
        Caught.means.append([float(x) for x in self])
        return np.asarray(self).mean(*args, **kwargs)


def figures(emb, pairs):
    """For each pair the three figures; eval_emb_metrics ends each with np.max(..., axis=0).mean() over the sentences."""
    from nlgeval.word2vec.evaluate import eval_emb_metrics

    original = np.max
    np.max = lambda *args, **kwargs: np.asarray(original(*args, **kwargs)).view(Caught)
    Caught.means.clear()
    try:
        eval_emb_metrics([out for out, _ in pairs], [list(set_) for set_ in zip(*(refs for _, refs in pairs))], emb=emb)
    finally:
        np.max = original
    assert len(Caught.means) == 3
    return zip(*Caught.means)


def usable(emb, text):
    return bool(text) and np.any(np.sum([emb.vec(word) for word in text.split()], axis=0))


def drawn(rng, emb, size, references):
    """Pairs as in content.py, without what nlg-eval fails on; the first ones are the odd ones."""
    corners = [("ba", "ba"), ("ba", "tu"), ("ba", "ro"), ("ba", "ke lo mi"), ("ba ba ba", "ba"), ("ba va", "ba"), ("fnar", "gleb"), ("fnar", "ba"), ("Ba", "ba"), ("ke ba", "ba ke")]
    pairs = [(out, [ref] * references) for out, ref in corners]
    while len(pairs) < size:
        first = sentence(rng)
        out, refs = changed(rng, first), [first] + [changed(rng, first) for _ in range(references - 1)]
        out, refs = " ".join(out), [" ".join(ref) for ref in refs]
        if all(usable(emb, text) for text in [out, *refs]):
            pairs.append((out, refs))
    return pairs


def main():
    sys.path.insert(0, sys.argv[1])
    sys.modules["xdg"] = types.SimpleNamespace(XDG_CONFIG_HOME="")  # where it would look for its own vectors
    sys.modules["gensim"] = types.ModuleType("gensim")
    sys.modules["gensim.models"] = types.SimpleNamespace(KeyedVectors=None)
    nltk.tokenize.word_tokenize = str.split
    rng = random.Random(13)
    found = vectors(rng)
    emb = Embedding(found)
    lines = [f"{len(found)} {DIM}"] + [" ".join([word, *map(str, vector)]) for word, vector in found.items()]
    corpora = []
    for references, size in [(1, 650), (2, 250), (4, 150)]:
        pairs = drawn(rng, emb, size, references)
        rows = (json.dumps([out, *refs, *(round(x, 9) for x in got)], ensure_ascii=False) for (out, refs), got in zip(pairs, figures(emb, pairs)))
        corpora.append("[\n" + ",\n".join(rows) + "\n]")
    assert not set(UNKNOWN) & set(found)
    with open(os.path.join(HERE, "embedding.json"), "w", encoding="utf-8") as out:
        out.write('{"vectors": ' + json.dumps(lines, ensure_ascii=False, indent=0) + ',\n"corpora": [' + ", ".join(corpora) + "]}\n")


if __name__ == "__main__":
    main()
